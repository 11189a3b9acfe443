/// Copies all readable objects of a damaged database to a new one.
///
/// Objects are created again with their old keys and values, so that indexes and backlinks are
/// correct even if the damaged file has wrong ones. The first pass creates all objects with their
/// values except links, mixed values and collections. The second pass copies these, which may
/// reference any object. Confined to one thread; used once.
public final class Salvage {
    let source: DamagedFile
    private let session: WriteSession
    private let report: (SalvageLoss) throws(RealmError) -> Void
    private(set) var summary = SalvageSummary()
    private var meter: ProgressCounter?
    /// Conversion of an intact database; nil for a salvage, which may lose data.
    private let conversion: Conversion?
    /// Records how the salvage uses the nodes of the damaged file, to build a map of the file. Nil
    /// if the caller requested no map.
    private(set) var trace: SalvageTrace?
    /// First loss of a conversion, which makes the conversion fail.
    private var refusal: RealmError?

    /// Kind of conversion of an intact database.
    public enum Conversion: Sendable {
        /// Converts to the current format, without other changes.
        case format
        /// Gives objects keys that are hashes of their primary keys, by which formats 20 and 21
        /// find objects.
        case hashedKeys
        /// Makes a local database, without the data that synchronisation stores in addition to
        /// objects.
        case local
    }

    var transaction: WriteTransaction
    /// Number of changes since the last commit. The memory of a transaction grows with them.
    private var pending = 0
    private static let maximumPendingChanges = 4000

    /// A table of the damaged file, and the table of the new file to which it is copied.
    struct Target {
        let source: TableInfo
        let key: TableKey
        /// Whether objects with a primary key keep their object keys.
        let keepsKeys: Bool
        /// For each column of the source, its index in the new table; nil for a lost column.
        var columns: [Int?]
        /// Map from object keys of the damaged file to keys of the new file. Used if objects with a
        /// primary key do not keep their object keys.
        let keys: SalvagedKeys

        /// Returns the new key of the object with the old key `key`; nil if it is certainly lost.
        func new(_ key: ObjectKey) -> ObjectKey? {
            keepsKeys || source.primaryKey == nil ? key : keys.new(key)
        }
    }

    private(set) var targets: [Target] = []
    private var targetIndexes: [TableKey: Int] = [:]
    /// The leaves found for each table of `targets`; nil for a table whose own tree is intact.
    private var leaves: [FoundLeaves?] = []
    /// Number of times that this salvage may still renew the read budget of `source`, which limits
    /// the bytes read from damaged trees.
    private var lives = 16

    private var memoryLimit: Int
    /// Memory for pairs of an old and a new key. Each class in turn uses it.
    let keyMemory: SpillBuffer

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
        keyMemory = try SpillBuffer(
            directory: directory, isConfidential: session.database.isEncrypted)
        transaction = try session.begin()
        transaction.memoryLimit = memoryLimit
    }

    /// Returns the memory limit in bytes for the changes of a transaction, out of `memory` bytes.
    /// Less than half, because writing the transaction at its commit takes about as much memory
    /// again.
    private static func share(of memory: Int) -> Int { memory / 8 * 3 }

    /// Copies the readable part of the file at `path` to a new database at `destination`, which
    /// must not exist. Verifies the new file at the end, which takes about as long as the copy.
    ///
    /// - Parameters:
    ///     - key: key of an encrypted file; it is used for the new file, too.
    ///     - directory: directory of unlinked temporary files, for data that exceeds `maxMemory`.
    ///     - maxMemory: limit in bytes for found nodes and unwritten data. Single sets,
    ///       dictionaries and nested collections may exceed it, because they are built as a whole.
    ///     - mapCells: maximum number of cells of the file map in the summary; nil for no map.
    ///     - meter: receives the number of copied objects.
    ///     - report: called with each loss when it is found.
    /// - Throws: `corrupt` if not even a root can be read, `incompatible` for formats that are not
    ///   read or cannot be mapped, `output` if writing fails, and any error of `report`.
    @_optimize(size)
    public static func run(
        path: String, into destination: String, spillingInto directory: String,
        maxMemory: Int = 64 << 20, key: EncryptionKey? = nil, mapCells: Int? = nil,
        meter: ProgressCounter? = nil, report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        let source: DamagedFile
        let memory = SearchMemoryLimit(limit: maxMemory, spillingInto: directory)
        do throws(RealmError) { source = try DamagedFile(path: path, key, memory) } catch {
            throw error.inFile(path)
        }
        if mapCells != nil, source.isDerived { throw noMap.inFile(path) }
        return try run(
            source, OutputLocation(destination, spill: directory), maxMemory, key: key, nil,
            mapCells, meter,
            report)
    }

    private static var noMap: RealmError {
        RealmError(
            .incompatible, code: "IllegalOperation", reason: "unsupported-format",
            "what is read of a file of formats 2 to 9 is not mapped")
    }

    /// Writes the version of `snapshot` to a new database at `destination`, which must not exist,
    /// in the current format. The new database has the same classes, objects, keys, values and
    /// links, and a new history.
    ///
    /// - Parameters:
    ///     - key: key of the new file.
    ///     - meter: receives the number of created objects.
    ///     - report: called with content that the new file cannot store.
    /// - Throws: `corrupt` if something cannot be read, and the errors of `run`.
    @_optimize(size)
    public static func convert(
        _ snapshot: Snapshot, to conversion: Conversion, at destination: String,
        spillingInto directory: String, maxMemory: Int = 64 << 20, key: EncryptionKey? = nil,
        meter: ProgressCounter? = nil, report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        try run(
            DamagedFile(snapshot, SearchMemoryLimit(limit: maxMemory, spillingInto: directory)),
            OutputLocation(destination, spill: directory), maxMemory, key: key,
            conversion, nil, meter, report)
    }

    /// Path of the new file, and directory of temporary files without a name.
    private struct OutputLocation {
        let destination: String
        let spill: String

        init(_ destination: String, spill: String) {
            (self.destination, self.spill) = (destination, spill)
        }
    }

    @_optimize(size)
    private static func run(
        _ source: DamagedFile, _ place: OutputLocation, _ maxMemory: Int, key: EncryptionKey?,
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
        if let why = source.newestVersionError {
            summary.isNewest = false
            try reportLoss(.version(used: source.version, why: why.message))
        }
        for loss in source.losses { try omit(loss) }
        for name in source.renamedClasses {
            try reportLoss(
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

    /// Returns the sum of the numbers of objects that several tables store in the roots of their
    /// trees.
    ///
    /// - Parameter places: indexes of the tables in `targets`.
    private func announced(_ places: [Int]) -> Int {
        places.reduce(0) { sum, i in
            sum &+ ((try? Table.count(targets[i].source, in: lookup)) ?? 0)
        }
    }

    func reportLoss(_ loss: SalvageLoss) throws(RealmError) {
        guard conversion != nil else { return try omit(loss) }
        // A caller may catch the error and call `reportLoss` again. It then throws the first error
        // again.
        let refusal = refusal ?? RealmError.corrupt(loss.why, in: "file, which is not converted")
        self.refusal = refusal
        throw refusal
    }

    /// Reports content that is omitted from the new file.
    private func omit(_ loss: SalvageLoss) throws(RealmError) {
        summary.add(loss)
        try report(loss)
    }

    /// Whether only synchronisation uses a table: it contains objects on their way to a server, is
    /// no class, or is one of the classes for users and their permissions.
    private func isDropped(_ info: TableInfo) -> Bool {
        if conversion != nil, info.kind == .asymmetric { return true }
        return conversion == .local && (!info.isClass || info.className.hasPrefix("__"))
    }

    /// Returns the new table for the damaged file's table with `key`; nil if that table is not
    /// copied.
    func target(_ key: TableKey) -> Target? { targetIndexes[key].map { targets[$0] } }

    /// Node space for reading damaged trees, with a read budget. Renews an exhausted budget up to
    /// 16 times during a salvage.
    var space: NodeSpace {
        let walk = source.memory.walk
        if walk.state.pointee.budget < 1 << 12, lives > 0 {
            lives -= 1
            walk.resetBudget()
        }
        return walk
    }

    var lookup: NodeSpace { source.memory.lookup }

    /// Returns the leaves found for the table at index `place` of `targets`; nil if the tree of the
    /// table is intact.
    func leaves(of place: Int) -> FoundLeaves? { leaves[place] }

    /// Returns the location of an object in the damaged file.
    func find(
        _ key: ObjectKey, in table: TableKey
    ) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        guard let place = targetIndexes[table] else { return nil }
        if let found = leaves[place] { return try found.find(key) }
        return try ClusterTree(space: lookup, root: targets[place].source.root).find(key)
    }

    /// Whether a dictionary has the form of formats 21 and 22. Its root then has the slots of a
    /// leaf with two columns; other dictionaries have two slots (object format 4.5 and 10.1). The
    /// form is recognized by the node and not by the header, because a damaged header may contain
    /// any format number.
    func isClustered(_ view: CollectionView) -> Bool {
        guard conversion == nil, let node = try? lookup.node(view.root) else {
            return (21...22).contains(source.format)
        }
        return node.isInner || node.count > DictionaryShape.count
    }

    /// Counts one change. Spills the transaction or commits it when that is due. A spill or commit
    /// invalidates the values and collections that the caller has made but not yet stored in an
    /// object.
    func changed() throws(RealmError) {
        pending += 1
        if transaction.isSpillDue {
            try transaction.spill()
            source.releasePages()
        }
        guard pending >= Self.maximumPendingChanges else { return }
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

    /// Returns the object key to give to the object whose primary key is `primaryKey`; nil to use
    /// the next free key.
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
                try reportLoss(
                    .name(className: info.className, property: nil, why: Self.damagedName))
            }
            // Objects of asymmetric classes are sent to a server and not stored in the file, so
            // there is nothing to copy.
            do throws(RealmError) {
                let key = try transaction.createTable(
                    info.name, kind: info.kind,
                    primaryKey: info.primaryKey.map { Self.spec(info.columns[$0]) })
                targetIndexes[info.key] = targets.count
                targets.append(
                    Target(
                        source: info, key: key,
                        keepsKeys: conversion != nil && conversion != .hashedKeys,
                        columns: info.columns.map { _ in nil },
                        keys: SalvagedKeys(keyMemory)))
            } catch {
                try reportLoss(.objects(className: info.className, count: nil, why: error.message))
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

    /// Reports the properties whose names were lost and replaced.
    private func nameProperties(_ place: Int) throws(RealmError) {
        let target = targets[place]
        for (i, column) in target.source.columns.enumerated() where target.columns[i] != nil {
            let name = SchemaReader.fitting(column.name)
            if name == column.name { continue }
            try reportLoss(
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
                try reportLoss(
                    .property(
                        className: info.className, property: column.name, why: error.message))
            }
        }
    }

    private static func spec(_ column: ColumnInfo) -> PropertySpec {
        var spec = PropertySpec(SchemaReader.fitting(column.name), column.type)
        spec.isOptional = column.isNullable
        spec.collection = column.collection
        // A full-text index of an old format is not copied.
        spec.isIndexed = column.isIndexed && column.index != .fullText
        spec.isFullText = column.index == .fullText
        spec.hasIntegerKeys = column.hasIntegerKeys
        return spec
    }
}
