/// Copies every object of a damaged database that can be read into a new one.
///
/// Objects are made anew with the keys and values they had, so that indexes and incoming links are
/// right whatever became of the old ones. First all objects get their plain values, then links and
/// collections, which may lead to any object. Confined to one thread; used once.
public final class Salvage {
    let source: DamagedFile
    private let session: WriteSession
    private let report: (SalvageLoss) throws(RealmError) -> Void
    private(set) var summary = SalvageSummary()
    private var meter: ProgressCounter?
    /// Nil to rescue what can be read: then anything may be lost.
    private let conversion: Conversion?
    /// Told what is read; nil where nobody asks.
    private(set) var trace: SalvageTrace?
    /// Why nothing is converted.
    private var refusal: RealmError?

    /// What is made of a sound database.
    public enum Conversion: Sendable {
        /// The same in the format that is written.
        case format
        /// The same with the object keys that formats 20 and 21 find objects with a primary key by.
        case hashedKeys
        /// Without what synchronisation keeps beside the objects.
        case local
    }

    var transaction: WriteTransaction
    /// Changes since the last commit: a transaction's memory grows with them.
    private var pending = 0
    private static let mostPending = 4000

    /// What became of a table.
    struct Target {
        let source: TableInfo
        let key: TableKey
        /// Objects with a primary key have the keys they had.
        let keepsKeys: Bool
        /// Place of each of the source's columns in the new table; nil for those that are lost.
        var columns: [Int?]
        /// New keys of objects with a primary key, which cannot keep theirs.
        let keys: SalvagedKeys

        /// The key of what was the object with `key`; nil when it is lost for certain.
        func new(_ key: ObjectKey) -> ObjectKey? {
            keepsKeys || source.primaryKey == nil ? key : keys.new(key)
        }
    }

    private(set) var targets: [Target] = []
    private var targetPlaces: [TableKey: Int] = [:]
    /// Where the objects of the targets are, for those whose tree does not lead to all of them.
    private var leaves: [FoundLeaves?] = []
    /// How often a damaged tree may use up the budget of a walk.
    private var lives = 16

    private var memoryLimit: Int
    /// Old and new keys, of one class behind those of another.
    let keyMemory: SpillMemory

    private init(
        _ source: DamagedFile, _ session: WriteSession, _ directory: String, maxMemory: Int,
        _ conversion: Conversion? = nil,
        _ report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) {
        self.source = source
        self.session = session
        self.report = report
        self.conversion = conversion
        memoryLimit = Self.share(of: maxMemory)
        keyMemory = try SpillMemory(
            directory: directory, isConfidential: session.database.isEncrypted)
        transaction = try session.begin()
        transaction.memoryLimit = memoryLimit
    }

    /// Writing out takes about as much again.
    private static func share(of memory: Int) -> Int { memory / 8 * 3 }

    /// Copies what can be read of the file at `path` into a new database at `destination`, which
    /// must not exist, telling `report` of each loss as it is met. What was read is checked at the
    /// end, which takes about as long again.
    ///
    /// - Parameters:
    ///   - key: of an encrypted file, and of the new one.
    ///   - directory: for files without a name; those of what does not fit in memory.
    ///   - maxMemory: bytes of memory that what is found and what is being written take at most, except
    ///     for single sets, dictionaries and nested collections, which are made as a whole.
    ///   - mapCells: into how many cells, at most, the summary's map of the file is cut; nil for none.
    ///   - meter: told how many objects are saved.
    /// - Throws: `corrupt` when not even the root can be read, `incompatible` for formats that are
    ///   not read, or of which no map is made, `output` when writing fails, and what `report` throws.
    @_optimize(size)
    public static func run(
        path: String, into destination: String, spillingInto directory: String,
        maxMemory: Int = 64 << 20, key: EncryptionKey? = nil, mapCells: Int? = nil,
        meter: ProgressCounter? = nil, report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        let source: DamagedFile
        let memory = SearchMemory(limit: maxMemory, spillingInto: directory)
        do throws(RealmError) { source = try DamagedFile(path: path, key, memory) } catch {
            throw error.inFile(path)
        }
        if mapCells != nil, source.isDerived { throw noMap.inFile(path) }
        return try run(
            source, Place(destination, spill: directory), maxMemory, key: key, nil, mapCells, meter,
            report)
    }

    private static var noMap: RealmError {
        RealmError(
            .incompatible, code: "IllegalOperation", reason: "unsupported-format",
            "what is read of a file of formats 2 to 9 is not mapped")
    }

    /// Makes of what `snapshot` sees a new database at `destination`, which must not exist, in the format
    /// that is written: the same classes, objects, keys, values and links, with a history of its own.
    ///
    /// - Parameters:
    ///   - key: of the new file.
    ///   - meter: told how many objects are made.
    ///   - report: told what has no place in the new file.
    /// - Throws: `corrupt` where something cannot be read, and what `run` throws.
    @_optimize(size)
    public static func convert(
        _ snapshot: Snapshot, to conversion: Conversion, at destination: String,
        spillingInto directory: String, maxMemory: Int = 64 << 20, key: EncryptionKey? = nil,
        meter: ProgressCounter? = nil, report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        try run(
            DamagedFile(snapshot, SearchMemory(limit: maxMemory, spillingInto: directory)),
            Place(destination, spill: directory), maxMemory, key: key,
            conversion, nil, meter, report)
    }

    /// Where the new file goes, and files without a name.
    private struct Place {
        let destination: String
        let spill: String

        init(_ destination: String, spill: String) {
            (self.destination, self.spill) = (destination, spill)
        }
    }

    @_optimize(size)
    private static func run(
        _ source: DamagedFile, _ place: Place, _ maxMemory: Int, key: EncryptionKey?,
        _ conversion: Conversion?, _ mapCells: Int?, _ meter: ProgressCounter?,
        _ report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        options.key = key
        let session = try WriteSession(path: place.destination, options: options)
        let salvage = try Salvage(
            source, session, place.spill, maxMemory: maxMemory, conversion, report)
        salvage.meter = meter
        salvage.trace = mapCells.map { SalvageTrace(source, cells: $0) }
        do throws(RealmError) {
            try salvage.run()
        } catch {
            salvage.transaction.rollback()
            throw error
        }
        return salvage.summary
    }

    @_optimize(size)
    private func run() throws(RealmError) {
        summary.version = source.version
        if let why = source.whyNotNewest {
            summary.isNewest = false
            try lose(.version(used: source.version, why: why.message))
        }
        for loss in source.losses { try omit(loss) }
        for name in source.renamedClasses {
            try lose(
                .name(
                    className: name, property: nil,
                    why: "its own name is lost, or that of another class")
            )
        }
        try makeTables()
        if let version = source.schema.version { try transaction.setSchemaVersion(version) }
        let standing = targets.indices.filter { targets[$0].source.kind == .topLevel }
        meter?.begin(.objects, total: announced(standing))
        for i in standing { try copyObjects(i) }
        for i in standing { try copyStructures(i) }
        try transaction.commit()
        summary.sourceErrors = source.errorCount
        summary.map = try trace?.map(source.schema.tables)
    }

    /// Objects of the tables, as far as their roots tell.
    private func announced(_ places: [Int]) -> Int {
        places.reduce(0) { sum, i in
            sum &+ ((try? Table.count(targets[i].source, in: lookup)) ?? 0)
        }
    }

    func lose(_ loss: SalvageLoss) throws(RealmError) {
        guard conversion != nil else { return try omit(loss) }
        // What gives up for this reason is asked again further up.
        let refusal = refusal ?? RealmError.corrupt(loss.why, in: "file, which is not converted")
        self.refusal = refusal
        throw refusal
    }

    /// Tells of what has no place in the new file.
    private func omit(_ loss: SalvageLoss) throws(RealmError) {
        summary.add(loss)
        try report(loss)
    }

    /// Whether a table is kept by synchronisation for itself: objects on their way to a server, no
    /// class, or one of those that name users and their rights.
    private func isDropped(_ info: TableInfo) -> Bool {
        if conversion != nil, info.kind == .asymmetric { return true }
        return conversion == .local && (!info.isClass || info.className.hasPrefix("__"))
    }

    /// The target of what was the table with `key`.
    func target(_ key: TableKey) -> Target? { targetPlaces[key].map { targets[$0] } }

    /// Where nodes are read; a damaged tree may use up what is left of the walk's budget.
    var space: NodeSpace {
        let walk = source.memory.walk
        if walk.state.pointee.budget < 1 << 12, lives > 0 {
            lives -= 1
            walk.resetBudget()
        }
        return walk
    }

    var lookup: NodeSpace { source.memory.lookup }

    /// Where the objects of a target are; nil where its tree leads to all of them.
    func leaves(of place: Int) -> FoundLeaves? { leaves[place] }

    /// Where an object was.
    func find(
        _ key: ObjectKey, in table: TableKey
    ) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        guard let place = targetPlaces[table] else { return nil }
        if let found = leaves[place] { return try found.find(key) }
        return try ClusterTree(space: lookup, root: targets[place].source.root).find(key)
    }

    /// Whether a dictionary is stored as formats 21 and 22 did. Those have as many slots as a leaf with
    /// two columns, others two (object format 4.5 and 10.1); a damaged header may name any format.
    func isClustered(_ view: CollectionView) -> Bool {
        guard conversion == nil, let node = try? lookup.node(view.root) else {
            return (21...22).contains(source.format)
        }
        return node.isInner || node.count > 2
    }

    /// Commits now and then, and keeps the memory of the transaction within its limit. Everything
    /// made so far must be stored.
    func changed() throws(RealmError) {
        pending += 1
        if transaction.isSpillDue {
            try transaction.spill()
            source.releasePages()
        }
        guard pending >= Self.mostPending else { return }
        pending = 0
        try transaction.commit()
        transaction = try session.begin()
        transaction.memoryLimit = memoryLimit
        source.releasePages()
    }

    func didCreate(
        _ object: ObjectKey, as new: ObjectKey, in place: Int
    ) throws(RealmError) {
        summary.salvaged += 1
        meter?.set(summary.salvaged)
        if targets[place].source.primaryKey != nil, !targets[place].keepsKeys {
            try targets[place].keys.add(object, new)
        }
    }

    /// The key that the object with a primary key is to have; nil for the next free one.
    func wantedKey(_ primaryKey: Value, in target: Target) throws(RealmError) -> ObjectKey? {
        guard conversion == .hashedKeys else { return nil }
        let key = ObjectKey(hashing: primaryKey)
        if let key, try transaction.exists(target.key, key) {
            throw RealmError(
                .incompatible, code: "IllegalOperation", reason: "lossy",
                "two objects of \(target.source.className) would have the same key: formats 20 and "
                    + "21 make it of the primary key")
        }
        return key
    }

    // MARK: Schema

    @_optimize(size)
    private func makeTables() throws(RealmError) {
        for info in source.schema.tables where info.name != "metadata" {
            if isDropped(info) {
                let count = try? Table.count(info, in: lookup)
                try omit(
                    .objects(className: info.className, count: count, why: "kept by sync alone"))
                continue
            }
            if SchemaReader.fitting(info.name) != info.name {
                try lose(.name(className: info.className, property: nil, why: Self.damagedName))
            }
            // Objects of asymmetric classes are on their way to a server, not in the file.
            do throws(RealmError) {
                let key = try transaction.createTable(
                    info.name, kind: info.kind,
                    primaryKey: info.primaryKey.map { Self.spec(info.columns[$0]) })
                targetPlaces[info.key] = targets.count
                targets.append(
                    Target(
                        source: info, key: key,
                        keepsKeys: conversion != nil && conversion != .hashedKeys,
                        columns: info.columns.map { _ in nil },
                        keys: SalvagedKeys(keyMemory)))
            } catch {
                try lose(.objects(className: info.className, count: nil, why: error.message))
            }
        }
        for i in targets.indices {
            try makeProperties(i)
            try nameProperties(i)
        }
        leaves = targets.map { source.leaves(of: $0.source) }
        let kept = leaves.reduce(0) { $0 + ($1?.size ?? 0) }
        memoryLimit = Self.share(of: source.searchMemory.rest(beside: kept))
        transaction.memoryLimit = memoryLimit
    }

    /// Tells which properties could not keep their names.
    private func nameProperties(_ place: Int) throws(RealmError) {
        let target = targets[place]
        for (i, column) in target.source.columns.enumerated() where target.columns[i] != nil {
            let name = SchemaReader.fitting(column.name)
            if name == column.name { continue }
            try lose(
                .name(
                    className: target.source.className, property: name, why: Self.damagedName))
        }
    }

    private static let damagedName = "its own name is damaged"

    @_optimize(size)
    private func makeProperties(_ place: Int) throws(RealmError) {
        let info = targets[place].source
        var next = 0
        if let primaryKey = info.primaryKey {
            targets[place].columns[primaryKey] = 0
            next = 1
        }
        for (i, column) in info.columns.enumerated() where i != info.primaryKey {
            var spec = Self.spec(column)
            do throws(RealmError) {
                if column.type == .link {
                    guard let target = target(column.target) else {
                        if let other = source.schema.table(column.target), isDropped(other) {
                            try omit(
                                .property(
                                    className: info.className, property: column.name,
                                    why: "it leads to a class kept by sync alone"))
                            continue
                        }
                        throw .corrupt("the class it leads to is lost", in: "property")
                    }
                    spec.target = target.key
                }
                try transaction.addProperty(targets[place].key, spec)
                targets[place].columns[i] = next
                next += 1
            } catch {
                try lose(
                    .property(
                        className: info.className, property: column.name, why: error.message))
            }
        }
    }

    private static func spec(_ column: ColumnInfo) -> PropertySpec {
        var spec = PropertySpec(SchemaReader.fitting(column.name), column.type)
        spec.isOptional = column.isNullable
        spec.collection = column.collection
        // Indexes of old formats are not read.
        spec.isIndexed = column.isIndexed && column.index != .fullText
        spec.isFullText = column.index == .fullText
        spec.hasIntegerKeys = column.hasIntegerKeys
        return spec
    }
}
