import RealmEngine
import ToolKit

extension QueryAnswer {
    /// Prints SQL statements that create a copy of the data in another database system, in one
    /// transaction.
    func printSQL(_ tables: [TableInfo]) throws(RealmError) -> ExitCode {
        let snapshot = database.snapshot()
        snapshot.beginWalk()
        var isWhole = false
        if case .all = request.subject { isWhole = true }
        let style = request.recordStyle(SQLForm.self)
        let schema = try SQLSchema(tables, snapshot, style.dialect, isWhole: isWhole)
        var export = Export(
            database: database, plans: [], values: ValueStyle(isExact: true), records: style,
            window: request.window, threads: request.command.workers)
        if !isWhole, request.filter != nil || request.window != .all {
            try choose(request.filter ?? request.everything, tables[0], &export)
        }
        var buffer = ByteBuffer()
        schema.appendBeginning(to: &buffer)
        try output.flush(&buffer)
        let (command, path) = (request.command, request.path)
        export.progress = { ProgressReporter(command, file: path, total: $0, unit: .objects) }
        var count = 0
        for table in schema.tables { count += try export.printing(table.plan).run(output) }
        schema.appendEnd(to: &buffer)
        try output.flush(&buffer)
        for notice in schema.notices { diagnostics.notice(notice) }
        return request.exitCode(records: count)
    }
}
