import Glibc
import RealmEngine
import RealmRecords
import ToolKit

/// Executes a request on a database and prints the result.
struct QueryAnswer {
    let request: QueryRequest
    let database: Database
    let output: VerifiedOutput
    let diagnostics: Diagnostics
    /// Collects the reports about several files, so that they are printed together; nil to write
    /// each report to `output` at once.
    private let reports: FileReportList?

    init(
        _ request: QueryRequest, _ database: Database, _ output: OutputFile,
        _ reports: FileReportList? = nil
    ) {
        self.request = request
        self.reports = reports
        self.database = database
        self.output = VerifiedOutput(output, database)
        diagnostics = Diagnostics(request.command)
    }

    func print() throws(RealmError) -> ExitCode {
        diagnostics.detail(
            "format \(database.header.format), version \(database.version), "
                + (database.isShared ? "pinned in the live session" : "read without a lock"))
        if request.use == .batch {
            if case .objects(let name) = request.subject {
                _ = try request.table(name, database.schema)
            }
            return try QueryBatch(request, database, output).run()
        }
        if request.format == .html {
            let limit = request.command.isGiven(QueryOption.limit) ? request.window.take : nil
            let page = DatabasePage(
                database, path: request.path, request.tables(database.schema), limit: limit,
                request.values, output)
            return request.exitCode(records: try page.print())
        }
        switch request.subject {
        case .classes: return try printClasses()
        case .schema(let name): return try printSchema(name)
        case .digest(let name): return try printDigests(name)
        case .objects(let name):
            let table = try request.table(name, database.schema)
            if let list = request.aggregates {
                if let keys = request.command[QueryOption.groupBy] {
                    return try printGroups(keys, list, table)
                }
                return try printAggregates(list, table)
            }
            if request.format == .sql { return try printSQL([table]) }
            return try printObjects([table])
        case .all:
            if request.format == .sql { return try printSQL(request.tables(database.schema)) }
            return try printObjects(request.exported(database.schema))
        }
    }

    private func printClasses() throws(RealmError) -> ExitCode {
        let snapshot = database.snapshot()
        let tables = request.tables(database.schema)
        let wanted = request.window.of(tables)
        if request.isCount { return try printCount(wanted.count) }
        let report = try ClassList.report(Array(wanted), snapshot)
        return try print(report)
    }

    private func printSchema(_ name: String?) throws(RealmError) -> ExitCode {
        let tables = try tables(name, else: request.tables)
        var buffer = ByteBuffer()
        if let format = request.format, let form = SchemaForms.form(format) {
            let subject = SchemaSubject(
                tables: tables, snapshot: database.snapshot(), isWhole: name == nil)
            try form.append(subject, to: &buffer)
        } else {
            let schema = SchemaOutput(
                schema: database.schema, tables: tables, isWhole: name == nil, file: request.file)
            // For people the text form is more readable than a table.
            let format = request.format == .table ? .text : request.format ?? .text
            if reports != nil, RecordForms.form(format) != nil, format != .ndjson,
                let rows = schema.rows
            {
                return try print(rows)
            }
            let style = request.recordStyle(request.recordForm)
            schema.append(format, style, to: &buffer)
            if let note = style.notes.text { diagnostics.summary(note) }
        }
        try output.flush(&buffer)
        return .ok
    }

    private func printDigests(_ name: String?) throws(RealmError) -> ExitCode {
        let tables = try tables(name, else: request.exported)
        let (command, path) = (request.command, request.path)
        return try print(
            try DigestList.report(tables, database.snapshot()) {
                ProgressReporter(command, file: path, total: $0, unit: .objects)
            })
    }

    private func tables(
        _ name: String?, else others: (Schema) -> [TableInfo]
    ) throws(RealmError) -> [TableInfo] {
        guard let name else { return others(database.schema) }
        return [try request.table(name, database.schema)]
    }

    private func print(_ report: Report) throws(RealmError) -> ExitCode {
        var buffer = ByteBuffer()
        if let reports {
            reports.next = report
            // Throws an error if a commit has happened meanwhile.
            try output.flush(&buffer)
            return request.exitCode(records: report.rows.count)
        }
        let style = request.recordStyle(request.recordForm)
        report.append(style, to: &buffer)
        try output.flush(&buffer)
        if let note = style.notes.text { diagnostics.summary(note) }
        return request.exitCode(records: report.rows.count)
    }

    private func printCount(_ count: Int) throws(RealmError) -> ExitCode {
        var buffer = ByteBuffer(capacity: 64)
        if let file = request.file { buffer.append(file + ":") }
        buffer.append(number: count)
        buffer.append(request.terminator)
        try output.flush(&buffer)
        return request.exitCode(records: count)
    }
}

// MARK: - Objects

extension QueryAnswer {
    private func printObjects(_ tables: [TableInfo]) throws(RealmError) -> ExitCode {
        let plans = try request.plans(tables, database.schema)
        let form = try form(plans)
        if !form.isLayout { try checkNames(plans) }
        var export = Export(
            database: database, plans: plans, values: request.values,
            records: request.recordStyle(form), window: request.window,
            threads: request.command.workers)
        export.spool = (request.command.maxMemory, Terminal.temporaryDirectory)
        if let filter = request.filter { try choose(filter, plans[0].table, &export) }
        if request.isCount { return try printCount(try count(export)) }
        let command = request.command
        let path = request.path
        export.progress = { ProgressReporter(command, file: path, total: $0, unit: .objects) }
        let count = try export.run(output)
        if form == TableForm.self { summarize(count, "object", export.records) }
        return request.exitCode(records: count)
    }

    /// Throws `misuse` if a property has the same name as a member that the records begin with.
    private func checkNames(_ plans: [RecordPlan]) throws(RealmError) {
        for plan in plans {
            guard let name = plan.ambiguousName else { continue }
            throw .misuse(
                "class \(plan.table.className) has a property \(name), the name of the member that "
                    + "begins each record",
                code: "InvalidArgument", reason: "name-collision",
                hint: name == RecordPlan.fileMember
                    ? "--no-filename leaves it out"
                    : "--output-dir DIR writes one file per class, without it")
        }
    }

    /// Prints the summary line below a table.
    private func summarize(_ count: Int, _ noun: String, _ style: RecordStyle) {
        let plural = count == 1 ? "" : "s"
        diagnostics.summary("\(count) \(noun)\(plural), version \(database.version)")
        if let note = style.notes.text { diagnostics.summary(note) }
    }

    /// Restricts the export to the objects that a query finds.
    func choose(
        _ filter: QueryFilter, _ table: TableInfo, _ export: inout Export
    ) throws(RealmError) {
        let snapshot = database.snapshot()
        let meter = ProgressCounter()
        let activity = activity("searching", meter)
        defer { activity.finish() }
        let plan = try filter.plan(table, snapshot, most: export.limit, meter: meter)
        try explain(plan, snapshot)
        try export.choose(plan, in: snapshot)
    }

    /// Returns a progress line for a long operation.
    private func activity(_ doing: String, _ meter: ProgressCounter? = nil) -> ActivityReporter {
        ActivityReporter(request.command, file: request.path, doing: doing, meter: meter)
    }

    /// Prints a line for each step of the query plan if `--explain` is given.
    private func explain(_ plan: QueryPlan, _ snapshot: Snapshot) throws(RealmError) {
        guard request.command[QueryOption.explain] else { return }
        for line in try plan.explanation(in: snapshot).split(separator: "\n") {
            diagnostics.notice(String(line))
        }
    }

    /// Returns the number of records. For a query without SORT and DISTINCT, matching objects are
    /// counted without collecting their keys.
    private func count(_ export: Export) throws(RealmError) -> Int {
        if export.isExploding { return try export.count() }
        switch export.choice {
        case .all: return try export.count()
        case .keys(let keys): return keys.count
        case .matches(let plan):
            return
                try plan.matchCount(in: database, threads: export.threads)
        }
    }

    private func printAggregates(_ list: String, _ table: TableInfo) throws(RealmError) -> ExitCode
    {
        let aggregation = try Aggregation(list, table)
        let meter = ProgressCounter()
        let activity = activity("searching", meter)
        defer { activity.finish() }
        let snapshot = database.snapshot()
        let plan = try (request.filter ?? request.everything).plan(
            table, snapshot, meter: meter)
        try explain(plan, snapshot)
        let count = try aggregation.run(plan, snapshot)
        var buffer = ByteBuffer()
        try aggregation.append(
            request.recordStyle(request.recordForm), request.values, snapshot, to: &buffer)
        try output.flush(&buffer)
        return request.exitCode(records: count)
    }

    private func printGroups(
        _ keys: [String], _ list: String, _ table: TableInfo
    ) throws(RealmError) -> ExitCode {
        let snapshot = database.snapshot()
        let grouping = try Grouping(
            keys, NameList.parts(list), order: request.command[QueryOption.sort] ?? [], table,
            database.schema)
        let style = request.recordStyle(request.recordForm)
        let meter = ProgressCounter()
        let activity = activity("grouping", meter)
        defer { activity.finish() }
        let plan = try grouping.plan(
            request.filter ?? request.everything, table, snapshot, meter: meter)
        try explain(plan, snapshot)
        var buffer = ByteBuffer()
        let count = try grouping.append(
            plan, snapshot, window: request.window, request.values, style, to: &buffer
        ) { (buffer) throws(RealmError) in
            try output.write(&buffer)
        }
        try output.flush(&buffer)
        if style.form == TableForm.self { summarize(count, "group", style) }
        return request.exitCode(records: count)
    }

    /// Chooses the output format for records. It can depend on the number of fields.
    private func form(_ plans: [RecordPlan]) throws(RealmError) -> any RecordForm.Type {
        let isSingle = plans.count == 1 && plans[0].fields.count == 1
        if request.command[QueryOption.raw] {
            guard isSingle else {
                throw .misuse(
                    "--raw prints one field, not \(plans.first?.fields.count ?? 0)",
                    code: "InvalidArgument", hint: "choose it with -F")
            }
            return RawForm.self
        }
        if request.format == nil, request.command[QueryOption.nullSeparated], isSingle {
            return RawForm.self
        }
        let form = request.recordForm
        if form.cells.isDelimited, case .all = request.subject {
            throw .misuse(
                "--all cannot print -f \(form.format.rawValue): classes have different columns",
                code: "InvalidArgument", hint: "--output-dir DIR writes one file for each class")
        }
        return form
    }
}

// MARK: - Tables

extension QueryRequest {
    /// A query that finds all objects.
    var everything: QueryFilter { QueryFilter(text: "TRUEPREDICATE", arguments: [], command) }

    /// Returns all classes in the order of their names. With `--internal`, returns all tables.
    func tables(_ schema: Schema) -> [TableInfo] {
        guard showsInternal else { return schema.classes }
        return schema.tables.ordered {
            $0.className.utf8.lexicographicallyPrecedes($1.className.utf8)
        }
    }

    /// Returns the classes whose objects are printed by themselves, not inside other objects.
    func exported(_ schema: Schema) -> [TableInfo] {
        tables(schema).filter { $0.kind != .embedded }
    }

    /// Returns the class with this name. Throws `misuse` if there is none.
    func table(_ name: String, _ schema: Schema) throws(RealmError) -> TableInfo {
        if let found = schema.objectClass(named: name) { return found }
        let tables = tables(schema)
        if let found = tables.first(where: { showsInternal && $0.name == name }) { return found }
        let near = Spelling.nearest(3, to: name, among: tables.map(\.className))
        throw .misuse(
            "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class",
            hint: access(name, F_OK) == 0
                ? "--with-filename treats every operand as a FILE"
                : near.isEmpty
                    ? "the database has no classes"
                    : "did you mean \(near.joined(separator: ", "))?")
    }

    /// Returns the plan of the records for each table: the fields to print. If there are several
    /// tables, a name in an option applies to the tables that have it; at least one table must have
    /// it.
    func plans(_ tables: [TableInfo], _ schema: Schema) throws(RealmError) -> [RecordPlan] {
        var plans: [RecordPlan] = []
        guard case .all = subject else {
            for table in tables {
                var planner = RecordPlanner(table, schema, fields, values)
                plans.append(try planner.plan())
            }
            return plans
        }
        var (excluded, expanded) = (Set(fields.excluded), Set(fields.expanded))
        for table in tables {
            var own = fields
            own.excluded.removeAll { table.columnIndex(named: $0) == nil }
            own.expanded.removeAll { !Self.expands($0, table, schema) }
            excluded.subtract(own.excluded)
            expanded.subtract(own.expanded)
            var planner = RecordPlanner(table, schema, own, values)
            plans.append(try planner.plan())
        }
        if let name = excluded.first {
            throw .misuse(
                "--exclude: no class has a property \(name)", code: "InvalidArgument",
                reason: "unknown-property")
        }
        if let path = expanded.first {
            throw .misuse(
                "--expand: no class has a link \(path)", code: "InvalidArgument",
                reason: "unknown-property")
        }
        return plans
    }

    private static func expands(_ path: String, _ table: TableInfo, _ schema: Schema) -> Bool {
        let resolved = try? PropertyPath(
            path, in: table, schema, option: "--expand", takesKeys: false)
        return resolved?.kind.leadsToObjects ?? false
    }

    func exitCode(records: Int) -> ExitCode {
        command[QueryOption.exitStatus] && records == 0 ? .no : .ok
    }
}
