import RealmEngine
import ToolKit

/// Loads records in-process, for benchmarks.
package enum RecordLoading {
    /// Loads NDJSON into an open session, as `realm-write` does with the command line `words`. The
    /// words must include the class. With `--infer` the classes and properties are created first,
    /// in a separate commit. Prints nothing.
    ///
    /// - Returns: the number of commits.
    package static func load(
        _ words: [String], _ records: [UInt8], into session: WriteSession
    ) throws(RealmError) -> Int {
        let command = try OptionParser.parse(WriteTable.table, words[...])
        let request = try WriteRequest(command)
        let className = command.operand(1) ?? ""
        if let most = command[WriteOption.infer] {
            var inference = SchemaInference(request, className: className)
            try inference.read(RecordInput(records, name: "-", .ndjson), most: most)
            try apply(
                SchemaRequest(request, nil, inference, session.database.snapshot()).plan, session)
        }
        let report = try LoadReport(
            request, input: "-", try OutputFile(path: nil, force: false))
        let load = try RecordLoad(
            request, className: className, session, session.database.schema,
            RecordInput(records, name: "-", .ndjson), report)
        _ = try load.run()
        return report.commits
    }

    private static func apply(
        _ plan: SchemaPlan, _ session: WriteSession
    ) throws(RealmError) {
        let transaction = try session.begin()
        do throws(RealmError) {
            try plan.apply(transaction)
            try transaction.commit()
        } catch {
            transaction.rollback()
            throw error
        }
    }
}
