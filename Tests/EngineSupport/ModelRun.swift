import Testing

@testable import RealmEngine

/// Drives one database file and its model through the same random transactions.
final class ModelRun {
    struct Shape {
        var fanout = Fanout()
        /// Objects a class usually has at most.
        var objects = 40
        var elements = 12
        var operationsPerTransaction = 40
        /// Every how many commits the file is opened anew for comparison.
        var freshHandleEvery = 20
        var schemaPercent = 2
        /// Drops classes and properties, which leaves holes between columns; the reference engine
        /// cannot make a tombstone in a table with any.
        var dropsProperties = true
        /// Puts indexes on mixed properties, where the reference engine has defects of its own
        /// (object format 13).
        var indexesMixed = true
        /// Every how many commits the use of space is looked at.
        var auditEvery = 5
        /// Skips syncs: what is tested is not what a power failure leaves.
        var isDurable = false
        /// Percentage of operations after which a transaction is written out ahead of its commit; unless 0,
        /// some transactions do it in the middle of bulk edits too.
        var spillPercent = 2
        /// Reads everything back after each commit.
        var isComparing = true
        /// Reads everything back after each operation, from the open transaction.
        var readsAlong = false
        /// Changes single elements too, besides whole collections.
        var editsElements = true
        /// How often a transaction ends a group, where transactions come in groups.
        var flushPercent: Int?
        var rollbackPercent = 10
        /// The file is encrypted.
        var key: EncryptionKey?
    }

    let path: String
    let shape: Shape
    let values: RandomValues
    /// What the open transaction should read.
    var model = ModelDatabase()
    /// What the newest version should read.
    private(set) var committed = ModelDatabase()
    /// Older versions somebody still holds.
    private var held: [(snapshot: Snapshot, model: ModelDatabase)] = []
    private(set) var session: WriteSession?
    private(set) var commits = 0
    private(set) var operations = 0
    let arena = ByteArena()
    /// What the check found in the file this run began with.
    var knownFindings: [IntegrityReport.Code: Int] = [:]
    /// Classes that are neither dropped nor renamed.
    var knownClasses: Set<TableKey> = []
    var nameCounter = 0
    /// What is being done, for the report of a failure.
    var current = "" {
        didSet { trace.append(current) }
    }
    /// What the last transaction did.
    private(set) var trace: [String] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What the file is written through.
    private let wrap: (FileDevice) -> any StorageDevice

    /// Begins with a new file at `path`, written through what `wrap` makes of it.
    convenience init(
        path: String, seed: UInt64, shape: Shape,
        wrap: @escaping (FileDevice) -> any StorageDevice = { $0 }
    ) throws {
        try self.init(path, seed, shape, ModelDatabase(), creates: true, wrap)
    }

    /// Goes on with the file at `path`, which holds what `model` says.
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
        // Names must differ from those the model has already.
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

    /// Runs transactions until about `count` operations were done.
    func run(operations count: Int) throws {
        let end = operations + count
        while operations < end { try step() }
        try close()
        try check(Database(immutable: path, key: shape.key).snapshot(), committed, "at the end")
    }

    /// Opens the file once more.
    func reopen() throws { try open(creates: false) }

    /// Lets go of the file.
    func close() throws {
        try endGroup()
        held = []
        session = nil
    }

    /// One transaction, committed or not.
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

    /// What was committed last, be it in the file yet or not.
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

    /// What the handle took over from the version before is what the file says.
    private func checkSchema() throws {
        let database = session!.database
        let isSame = try SchemaFacts(database.schema) == SchemaFacts(readingAgain: database)
        if isSame { return }
        throw Failure(description: "commit \(commits): another schema than what the file says")
    }

    /// Every node, value, link and index entry is as the format wants it, and no space is lost.
    static func audit(
        _ report: IntegrityReport, _ when: String, crashed: Bool = false,
        known: [IntegrityReport.Code: Int] = [:]
    ) throws {
        let findings = report.findings.filter {
            if known[$0.code] != nil { return false }
            // A commit that did not end leaves its root in the slot nobody reads, a size that the next
            // writer mends, and blocks of free space that were never written before.
            return !(crashed && [.staleSlot, .fileSize, .block].contains($0.code))
        }
        if findings.isEmpty, report.facts.gapBytes == 0 { return }
        throw Failure(
            description: "\(when): gap of \(report.facts.gapBytes), "
                + findings.prefix(3).map { "\($0.code) \($0.what) \($0.place)" }
                .joined(separator: "; "))
    }

    private func audit() throws {
        // What a transaction has written ahead may lie where the other header slot leads.
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

    // MARK: Choosing

    func tables(_ accept: (ModelDatabase.Table) -> Bool) -> [TableKey] {
        model.tables.filter { accept($0.value) }.map(\.key).sorted { $0.raw < $1.raw }
    }

    /// A random object of a class that `accept`s.
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

    /// A random property of the class of `object` that `accept`s; nil when it has none.
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
