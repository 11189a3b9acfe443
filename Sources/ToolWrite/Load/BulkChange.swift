import RealmEngine
import RealmRecords
import ToolKit

/// Changes or deletes all objects that match a predicate, in one transaction.
struct BulkChange {
    private let request: WriteRequest
    private let className: String
    private let session: WriteSession
    private let output: OutputFile

    init(
        _ request: WriteRequest, className: String, _ session: WriteSession, _ output: OutputFile
    ) {
        self.request = request
        self.className = className
        self.session = session
        self.output = output
    }

    /// Changes the objects and returns the exit code.
    ///
    /// - Parameter transaction: an open transaction. This function commits it or rolls it back.
    func run(_ transaction: WriteTransaction) throws(RealmError) -> ExitCode {
        do throws(RealmError) {
            return try change(transaction)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func change(_ transaction: WriteTransaction) throws(RealmError) -> ExitCode {
        // The snapshot is valid until the first change.
        let snapshot = try transaction.snapshot()
        let plans = try ClassPlans(snapshot.schema, request)
        let table = try plans.table(named: className)
        let values = try self.values(table, plans)
        let matches = try self.matches(table, snapshot)
        if let expected = request.command[WriteOption.expectCount], expected != matches.count {
            transaction.rollback()
            Diagnostics(request.command).notice(
                "\(matches.count) objects match, not \(expected): nothing is changed")
            return .no
        }
        if !request.isDryRun {
            try write(matches, table, values, ObjectWriter(transaction, plans, request.rules))
        }
        let isEmpty = matches.isEmpty || request.isDryRun
        let version = isEmpty ? nil : try transaction.commit()
        if isEmpty { transaction.rollback() }
        try report(matches.count, table, version)
        return .ok
    }

    private struct Setting {
        let column: Int
        let value: StagedValue
        /// Memory of the parsed JSON, to which `value` refers.
        let tape: JSONTape
    }

    private func values(
        _ table: TableInfo, _ plans: ClassPlans
    ) throws(RealmError) -> [Setting] {
        var settings: [Setting] = []
        for (name, json) in request.command[WriteOption.set] {
            guard let column = table.columnIndex(named: name) else {
                let near = Spelling.nearest(3, to: name, among: table.columns.map(\.name))
                throw .misuse(
                    "class \(className) has no property \(name)", code: "InvalidProperty",
                    reason: "unknown-property",
                    hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
            }
            guard column != table.primaryKey else {
                throw .misuse(
                    "the primary key \(name) cannot change", code: "IllegalOperation",
                    reason: "primary-key")
            }
            let tape = JSONTape(request.form.uuidOrder)
            let value = try JSONArgument.parse(json, "--set \(name)", tape)
            do throws(ValueMismatch) {
                let staged = try JSONStage(plans, table, request.rules)
                    .staged(value, table.columns[column])
                settings.append(Setting(column: column, value: staged, tape: tape))
            } catch {
                throw JSONArgument.misfit("--set \(name)", error)
            }
        }
        return settings
    }

    private func matches(
        _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) -> RowKeys {
        let filter = QueryFilter(
            text: request.command[WriteOption.predicate] ?? "",
            arguments: request.command.arguments, request.command)
        return try filter.plan(table, snapshot).rows(in: snapshot).keys
    }

    private func write(
        _ keys: RowKeys, _ table: TableInfo, _ settings: [Setting], _ writer: ObjectWriter
    ) throws(RealmError) {
        if settings.isEmpty { return try writer.transaction.remove(table.key, keys) }
        try writer.transaction.visitObjects(keys) { (key) throws(RealmError) in
            for setting in settings {
                guard try writer.isResolved(setting.value) else {
                    throw RealmError(
                        .data, code: "NoSuchObject", reason: "no-object",
                        "--set \(table.columns[setting.column].name) links to an object that does "
                            + "not exist")
                }
                try writer.store(table, key, setting.column, setting.value)
            }
        }
    }

    // MARK: Report

    private func report(
        _ count: Int, _ table: TableInfo, _ version: UInt64?
    ) throws(RealmError) {
        let verb = request.command[WriteOption.delete] ? "delete" : "change"
        let now = version ?? session.database.version
        if request.reportsJSON {
            var buffer = ByteBuffer(capacity: 128)
            JSONReport.object(
                "realm-write",
                [
                    ("class", .text(table.className)), ("\(verb)d", .count(count)),
                    ("dryRun", .flag(request.isDryRun)), ("version", .number(now)),
                ]
            ).appendLine(to: &buffer)
            return try output.flush(&buffer)
        }
        let objects = "\(count) \(table.className) \(count == 1 ? "object" : "objects")"
        if request.isDryRun {
            var buffer = ByteBuffer(capacity: 128)
            buffer.append("would \(verb) \(objects) (version \(now))\n")
            return try output.flush(&buffer)
        }
        Diagnostics(request.command).notice("\(verb)d \(objects), version \(now)")
    }
}
