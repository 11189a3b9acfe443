import Testing

@testable import RealmEngine

/// Applies the same random transactions to a database file and its model.
final class ModelRun {
    struct Shape {
        var fanout = Fanout()
        /// Usual maximum number of objects in a class.
        var objects = 40
        var elements = 12
        var operationsPerTransaction = 40
        /// Number of commits after which the file is opened again and compared with the model.
        var freshHandleEvery = 20
        var schemaPercent = 2
        /// Whether classes and properties are dropped. A dropped property leaves its column index
        /// unused; the reference engine cannot create a tombstone in such a table.
        var dropsProperties = true
        /// Whether mixed properties are indexed. The reference engine has defects in such indexes
        /// (object format specification 13).
        var indexesMixed = true
        /// Number of commits after which the integrity check verifies the use of space.
        var auditEvery = 5
        /// Whether commits are synced, which matters only for tests of power failures.
        var isDurable = false
        /// Percentage of operations after which a transaction spills its nodes to the file. Unless
        /// 0, some transactions also spill in the middle of bulk edits.
        var spillPercent = 2
        /// Whether the whole database is read and compared with the model after each commit.
        var isComparing = true
        /// Whether the whole open transaction is compared with the model after each operation.
        var readsAlong = false
        /// Whether single elements are changed, besides whole collections.
        var editsElements = true
        /// Percentage of transactions after which the commits collected in memory (a group) are
        /// written to the file; nil to write each commit at once.
        var flushPercent: Int?
        var rollbackPercent = 10
        /// Key of an encrypted file; nil for an unencrypted one.
        var key: EncryptionKey?
    }

    let path: String
    let shape: Shape
    let values: RandomValues
    /// Expected content of the open transaction.
    var model = ModelDatabase()
    /// Expected content of the newest version.
    private(set) var committed = ModelDatabase()
    /// Pinned older versions, with the expected content of each.
    private var held: [(snapshot: Snapshot, model: ModelDatabase)] = []
    private(set) var session: WriteSession?
    private(set) var commits = 0
    private(set) var operations = 0
    let arena = ByteArena()
    /// Findings that the check reports for the initial file; later checks ignore findings with the
    /// same codes.
    var knownFindings: [IntegrityReport.Code: Int] = [:]
    /// Keys of the classes that the run neither drops nor renames.
    var knownClasses: Set<TableKey> = []
    var nameCounter = 0
    /// The current operation, for the message of a failure.
    var current = "" {
        didSet { trace.append(current) }
    }
    /// The operations of the last transaction.
    private(set) var trace: [String] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the device to which the session writes, given the device of the file.
    private let wrap: (FileDevice) -> any StorageDevice

    /// Creates a file at `path`, written through the device that `wrap` returns.
    convenience init(
        path: String, seed: UInt64, shape: Shape,
        wrap: @escaping (FileDevice) -> any StorageDevice = { $0 }
    ) throws {
        try self.init(path, seed, shape, ModelDatabase(), creates: true, wrap)
    }

    /// Opens the file at `path` and continues with it. The file must have the content of `model`.
    convenience init(
        continuing path: String, seed: UInt64, shape: Shape, _ model: ModelDatabase,
        wrap: @escaping (FileDevice) -> any StorageDevice = { $0 }
    ) throws {
        try self.init(path, seed, shape, model, creates: false, wrap)
    }

    private init(
        _ path: String, _ seed: UInt64, _ shape: Shape, _ model: ModelDatabase, creates: Bool,
        _ wrap: @escaping (FileDevice) -> any StorageDevice
    ) throws {
        self.path = path
        self.shape = shape
        self.model = model
        self.wrap = wrap
        committed = model
        values = RandomValues(seed: seed)
        values.elements = shape.elements
        // New names must differ from the names in an existing file, so their numbers begin at
        // random.
        nameCounter = model.tables.isEmpty ? 0 : values.below(1 << 30)
        try open(creates: creates)
    }

    private func open(creates: Bool) throws {
        var options = WriteSession.Options()
        options.creates = creates
        options.isDurable = shape.isDurable
        options.fanout = shape.fanout
        options.key = shape.key
        session = try WriteSession(path: path, options: options, wrap: wrap)
    }

    /// Runs transactions until about `count` operations were made.
    func run(operations count: Int) throws {
        let end = operations + count
        while operations < end { try step() }
        try close()
        try check(Database(immutable: path, key: shape.key).snapshot(), committed, "at the end")
    }

    /// Opens the file again.
    func reopen() throws { try open(creates: false) }

    /// Closes the file.
    func close() throws {
        try endGroup()
        held = []
        session = nil
    }

    /// Runs one transaction, which may be rolled back.
    func step() throws {
        do { try transact() } catch let error as RealmError {
            throw Failure(description: "\(current): \(error.message) [\(error.reason)]")
        }
        try afterTransaction()
    }

    private func transact() throws {
        trace = []
        if shape.flushPercent != nil, session!.group == nil { try session!.openGroup() }
        let transaction = try session!.begin()
        if shape.spillPercent > 0, values.chance(25) {
            transaction.memoryLimit = 1 << values.below(16)
        }
        for _ in 0...values.below(shape.operationsPerTransaction) {
            try operate(transaction)
            operations += 1
            arena.reset()
            if values.chance(shape.spillPercent) { try transaction.spill() }
            if shape.readsAlong { try check(transaction.snapshot(), model, "after \(current)") }
        }
        if values.chance(10) {
            try check(transaction.snapshot(), model, "inside the transaction")
            if values.chance(50) { for _ in 0..<5 { try operate(transaction) } }
        }
        if values.chance(100 - shape.rollbackPercent) {
            try commit(transaction)
        } else {
            transaction.rollback()
            model = committed
        }
        guard let flushPercent = shape.flushPercent, values.chance(flushPercent) else { return }
        if values.chance(50) { try session!.flushGroup() } else { try endGroup() }
    }

    private func endGroup() throws {
        guard let session, session.group != nil else { return }
        try session.flushGroup()
        session.closeGroup()
    }

    /// Returns a snapshot of the newest commit, also if it is still in memory as part of an open
    /// group.
    private func newest() throws -> Snapshot {
        let database = session!.database
        guard let state = try session!.group?.head(), state.nodes != nil else {
            return database.snapshot()
        }
        return Snapshot(database, state, guardedBy: database.pinNewest())
    }

    func commit(_ transaction: WriteTransaction) throws {
        try transaction.commit()
        commits += 1
        committed = model
        guard shape.isComparing else { return }
        try check(newest(), committed, "after commit \(commits)")
        try checkSchema()
        if commits % shape.auditEvery == 0 { try audit() }
    }

    /// Checks that the schema carried over from the previous version equals the one in the file.
    private func checkSchema() throws {
        let database = session!.database
        let isSame = try SchemaFacts(database.schema) == SchemaFacts(readingAgain: database)
        if isSame { return }
        throw Failure(description: "commit \(commits): another schema than what the file says")
    }

    /// Throws if the check found an error or lost space. Findings in `known` are ignored.
    static func audit(
        _ report: IntegrityReport, _ when: String, crashed: Bool = false,
        known: [IntegrityReport.Code: Int] = [:]
    ) throws {
        let findings = report.findings.filter {
            if known[$0.code] != nil { return false }
            // An interrupted commit leaves its root in the unselected slot, a file size that the
            // next writer corrects, and blocks of free space that were never written.
            return !(crashed && [.staleSlot, .fileSize, .block].contains($0.code))
        }
        if findings.isEmpty, report.facts.gapBytes == 0 { return }
        throw Failure(
            description: "\(when): gap of \(report.facts.gapBytes), "
                + findings.prefix(3).map { "\($0.code) \($0.what) \($0.location)" }
                .joined(separator: "; "))
    }

    private func audit() throws {
        // While a group is open, spilled nodes may overwrite nodes of the version in the unselected
        // header slot.
        let isUnderWay = session?.group != nil
        try Self.audit(
            IntegrityCheck.run(path: path, key: shape.key), "commit \(commits)",
            crashed: isUnderWay,
            known: knownFindings)
    }

    private func afterTransaction() throws {
        guard shape.isComparing else { return }
        for (snapshot, model) in held {
            try check(snapshot, model, "version \(snapshot.version) held by a reader")
        }
        if held.count > 4 || (!held.isEmpty && values.chance(30)) {
            held.remove(at: values.below(held.count))
        }
        if values.chance(25) { held.append((try newest(), committed)) }
        if session!.group == nil, commits % shape.freshHandleEvery == 0 {
            try check(
                Database(immutable: path, key: shape.key).snapshot(), committed,
                "through a new handle")
        }
        if values.chance(2) {
            try close()
            try open(creates: false)
        }
    }

    private func check(_ snapshot: Snapshot, _ model: ModelDatabase, _ when: String) throws {
        let found: String?
        do { found = try model.difference(snapshot, backlinks: knownFindings.isEmpty) } catch let
            error as RealmError
        {
            throw Failure(description: "\(when): \(error.message)")
        }
        if let found { throw Failure(description: "\(when): \(found)") }
    }

    // MARK: Random choices

    func tables(_ accept: (ModelDatabase.Table) -> Bool) -> [TableKey] {
        model.tables.filter { accept($0.value) }.map(\.key).sorted { $0.raw < $1.raw }
    }

    /// Returns a random object whose class satisfies `accept`; nil if there is none.
    func object(_ accept: (ModelDatabase.Table) -> Bool = { _ in true }) -> ObjectLink? {
        let all = tables { !$0.keys.isEmpty && accept($0) }
        guard !all.isEmpty else { return nil }
        let table = values.pick(all)
        return object(in: table)
    }

    func object(in table: TableKey) -> ObjectLink? {
        guard let keys = model.tables[table]?.keys, !keys.isEmpty else { return nil }
        return ObjectLink(table: table, key: ObjectKey(values.pick(keys)))
    }

    /// Returns the index of a random property for which `accept` returns true; nil if there is
    /// none.
    func column(
        _ table: TableKey, _ accept: (ModelDatabase.Column) -> Bool
    ) -> Int? {
        let all = model.tables[table]!.columns
        let fitting = all.indices.filter { accept(all[$0]) }
        return fitting.isEmpty ? nil : values.pick(fitting)
    }

    func target(_ column: ModelDatabase.Column) -> ModelDatabase.Table? {
        column.type == .link ? model.tables[column.target] : nil
    }

    func isEmbedded(_ column: ModelDatabase.Column) -> Bool {
        target(column)?.kind == .embedded
    }
}
