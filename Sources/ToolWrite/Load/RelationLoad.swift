import RealmEngine
import RealmRecords
import ToolKit

/// Fills a collection property from separate CSV or TSV input, as `realm-query --output-dir` writes
/// it. The input has the columns `owner`, `value`, and `index` for a list or `key` for a
/// dictionary.
///
/// The rows of an owner must be consecutive. They replace the owner's collection. All rows are
/// written in one transaction, so that no reader sees an incomplete collection. Confined to its
/// thread.
final class RelationLoad {
    private let request: WriteRequest
    private let input: RecordInput
    private let report: LoadReport
    private let writer: ObjectWriter
    private let session: WriteSession
    private let relation: Relation
    private let stage: TableStage
    private var counts = LoadCounts()
    private var group: Group?
    private let arena = ScratchArena()
    private var progress: ProgressReporter

    /// The collection property whose elements are read from the input.
    struct Relation {
        let table: TableInfo
        let column: Int

        /// Parses `CLASS.PROP`, or the name of a file of `--output-dir`. Returns nil if it does not
        /// denote a collection property.
        init?(_ name: String, _ schema: Schema) {
            guard schema.objectClass(named: name) == nil else { return nil }
            for table in schema.classes where name.hasPrefix(table.className + ".") {
                let property = String(name.dropFirst(table.className.count + 1))
                guard let column = table.columnIndex(named: property),
                    table.columns[column].collection != nil
                else { continue }
                self.table = table
                self.column = column
                return
            }
            guard let subject = ExportNames(schema).subject(name), let column = subject.column,
                let table = schema.table(subject.table), table.isClass
            else { return nil }
            self.table = table
            self.column = column
        }

        var info: ColumnInfo { table.columns[column] }

        var header: [String] {
            switch info.collection {
            case .list: ["owner", "index", "value"]
            case .dictionary: ["owner", "key", "value"]
            case .set, nil: ["owner", "value"]
            }
        }
    }

    private struct Group {
        let owner: ObjectKey
        var elements: [StagedValue] = []
        var keys: [Value] = []
    }

    /// - Parameter transaction: an open transaction for all rows. `run` commits it or rolls it
    ///   back.
    init(
        _ request: WriteRequest, _ relation: Relation, _ session: WriteSession, _ schema: Schema,
        _ input: RecordInput, _ report: LoadReport, _ transaction: WriteTransaction
    ) throws(RealmError) {
        self.request = request
        self.relation = relation
        self.session = session
        self.input = input
        self.report = report
        report.begin(with: transaction)
        let plans = try ClassPlans(schema, request)
        writer = ObjectWriter(transaction, plans, request.rules)
        stage = TableStage(elements: JSONStage(plans, nil, request.rules), columns: 3)
        progress = ProgressReporter(
            request.command, file: request.path, total: input.size, unit: .bytes)
    }

    /// Writes all rows and returns the exit code.
    func run() throws(RealmError) -> ExitCode {
        do throws(RealmError) {
            try checkHeader()
            while try step() {}
            try endGroup()
            if let first = try writer.storeAll().first { throw refused(first) }
            if request.isDryRun || counts.updated == 0 {
                writer.transaction.rollback()
            } else {
                let version = try writer.transaction.commit()
                try report.committed(counts, version: version)
            }
        } catch {
            writer.transaction.rollback()
            progress.finish()
            // An error of the report is ignored, since the first error is thrown.
            try? report.finish(
                LoadCounts(), version: session.database.version,
                syncs: session.writeStatistics.syncs)
            throw error
        }
        progress.finish()
        try report.finish(
            counts, version: session.database.version, syncs: session.writeStatistics.syncs)
        return .ok
    }

    private func checkHeader() throws(RealmError) {
        if case .record(let names)? = try input.readHeader(), names == relation.header { return }
        throw .misuse(
            "a table of \(relation.table.className).\(relation.info.name) has the columns "
                + relation.header.joined(separator: ", "), code: "InvalidArgument")
    }

    private func step() throws(RealmError) -> Bool {
        if let signal = Interruption.signal {
            writer.transaction.rollback()
            report.interrupted(LoadCounts())
            Interruption.raise(signal)
        }
        var failure: RealmError?
        let event = try input.next(
            json: { (_, _) throws(RecordError) in },
            table: { (reader, row) throws(RecordError) in
                let owner = try self.owner(reader, row)
                do throws(RealmError) { try add(owner, reader, row) } catch { failure = error }
            })
        if let failure { throw failure }
        counts.records = input.recordNumber
        switch event {
        case .end: return false
        case .rejected(let error): throw refused(error)
        case .record: break
        }
        if counts.records & 255 == 0 {
            progress.update(input.bytesRead)
            try writer.saveMemory()
        }
        return true
    }

    private func refused(_ error: RecordError) -> RealmError {
        counts.rejected += 1
        report.refuse(error, input.recordBytes)
        try? report.writeRejects()
        return RealmError(
            .data, code: error.code.rawValue, reason: "record", error.message, file: input.name,
            hint: "nothing is committed")
    }

    // MARK: Rows

    private func owner(
        _ reader: DelimitedReader, _ row: DelimitedRow
    ) throws(RecordError) -> Value {
        let key = relation.table.primaryKey.map { relation.table.columns[$0] }
        return try reader.scalar(0, as: key?.type ?? .int, isNullable: key?.isNullable ?? false)
    }

    private func find(_ owner: Value) throws(RealmError) -> ObjectKey? {
        let (transaction, table) = (writer.transaction, relation.table.key)
        if relation.table.primaryKey != nil {
            return try transaction.find(in: table, primaryKey: owner)
        }
        guard case .int(let raw) = owner, raw >= 0 else { return nil }
        return try transaction.exists(table, ObjectKey(raw)) ? ObjectKey(raw) : nil
    }

    /// Adds a row of the table to the collection of the object that the row's column `owner` names.
    private func add(
        _ owner: Value, _ reader: DelimitedReader, _ row: DelimitedRow
    ) throws(RealmError) {
        guard let object = try find(owner) else {
            throw refused(reader.mismatch(0, expected: "an object of \(relation.table.className)"))
        }
        if group?.owner != object {
            try endGroup()
            group = Group(owner: object)
        }
        do throws(RecordError) { try add(reader, row) } catch { throw refused(error) }
    }

    private func add(_ reader: DelimitedReader, _ row: DelimitedRow) throws(RecordError) {
        let place = relation.info.collection == .set ? 1 : 2
        switch relation.info.collection {
        case .list:
            let count = group?.elements.count ?? 0
            guard case .int(Int64(count)) = try reader.scalar(1, as: .int, isNullable: false)
            else { throw reader.mismatch(1, expected: "index \(count)") }
        case .dictionary:
            let type: ColumnType = relation.info.hasIntegerKeys ? .int : .string
            let key = try reader.scalar(1, as: type, isNullable: false)
            group?.keys.append(key.copied(in: arena))
        case .set, nil: break
        }
        let value = try stage.element(relation.info, reader, row, place)
        group?.elements.append(value.copied(in: arena))
    }

    /// Stores the elements in `group` as the collection of the group's owner. Called after the
    /// owner's last row of CSV or TSV.
    private func endGroup() throws(RealmError) {
        guard let group else { return }
        self.group = nil
        let value: StagedValue =
            relation.info.collection == .dictionary
            ? .dictionary(zip(group.keys, group.elements).map { (key: $0, value: $1) })
            : .list(group.elements)
        writer.place = RecordLocation(record: counts.records, position: input.position)
        do throws(RealmError) {
            try writer.storeOrDefer(relation.table, group.owner, relation.column, value)
        } catch {
            guard error.kind == .data else { throw error }
            throw refused(writer.refusal(error, record: counts.records, input.position))
        }
        counts.updated += 1
        arena.reset()
    }
}
