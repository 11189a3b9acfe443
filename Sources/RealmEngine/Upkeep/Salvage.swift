/// Copies every object of a damaged database that can be read into a new one.
///
/// Objects are made anew with the keys and values they had, so that indexes and incoming links are
/// right whatever became of the old ones. First all objects get their plain values, then links and
/// collections, which may lead to any object. Confined to one thread; used once.
public final class Salvage {
    private let source: DamagedFile
    private let session: WriteSession
    private let report: (SalvageLoss) throws(RealmError) -> Void
    private(set) var summary = SalvageSummary()

    var transaction: WriteTransaction
    /// Changes since the last commit: a transaction's memory grows with them.
    private var pending = 0
    private static let mostPending = 4000

    /// What became of a table.
    struct Target {
        let source: TableInfo
        let key: TableKey
        /// Place of each of the source's columns in the new table; nil for those that are lost.
        var columns: [Int?]
        /// New keys of objects with a primary key, which cannot keep theirs.
        var keys: [ObjectKey: ObjectKey] = [:]

        /// The key of what was the object with `key`; nil when it is lost for certain.
        func new(_ key: ObjectKey) -> ObjectKey? {
            source.primaryKey == nil ? key : keys[key]
        }
    }

    private(set) var targets: [Target] = []
    private var targetPlaces: [TableKey: Int] = [:]
    /// How often a damaged tree may use up the budget of a walk.
    private var lives = 16

    private init(
        _ path: String, _ session: WriteSession,
        _ report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) {
        source = try DamagedFile(path: path)
        self.session = session
        self.report = report
        transaction = try session.begin()
    }

    /// Copies what can be read of the file at `path` into a new database at `destination`, which
    /// must not exist, telling `report` of each loss as it is met.
    ///
    /// Throws when not even the root can be read, when writing fails, and what `report` throws.
    public static func run(
        path: String, into destination: String,
        report: @escaping (SalvageLoss) throws(RealmError) -> Void
    ) throws(RealmError) -> SalvageSummary {
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = false
        let session = try WriteSession(path: destination, options: options)
        let salvage = try Salvage(path, session, report)
        do throws(RealmError) {
            try salvage.run()
        } catch {
            salvage.transaction.rollback()
            throw error
        }
        return salvage.summary
    }

    private func run() throws(RealmError) {
        for table in source.lostTables {
            try lose(.table(slot: table.slot, why: table.why.message))
        }
        try makeTables()
        if let version = source.schema.version { try transaction.setSchemaVersion(version) }
        let standing = targets.indices.filter { targets[$0].source.kind == .topLevel }
        for i in standing { try copyObjects(i) }
        for i in standing { try copyStructures(i) }
        try transaction.commit()
    }

    func lose(_ loss: SalvageLoss) throws(RealmError) {
        summary.add(loss)
        try report(loss)
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
    var hasClusteredDictionaries: Bool { (21...22).contains(source.format) }

    /// Commits now and then.
    func changed() throws(RealmError) {
        pending += 1
        guard pending >= Self.mostPending else { return }
        pending = 0
        try transaction.commit()
        transaction = try session.begin()
    }

    func didCreate(_ object: ObjectKey, as new: ObjectKey, in place: Int) {
        summary.salvaged += 1
        if targets[place].source.primaryKey != nil { targets[place].keys[object] = new }
    }

    // MARK: Schema

    private func makeTables() throws(RealmError) {
        for info in source.schema.tables where info.name != "metadata" {
            // Objects of asymmetric classes are on their way to a server, not in the file.
            do throws(RealmError) {
                let key = try transaction.createTable(
                    info.name, kind: info.kind,
                    primaryKey: info.primaryKey.map { Self.spec(info.columns[$0]) })
                targetPlaces[info.key] = targets.count
                targets.append(
                    Target(source: info, key: key, columns: info.columns.map { _ in nil }))
            } catch {
                try lose(.objects(className: info.className, count: nil, why: error.message))
            }
        }
        for i in targets.indices { try makeProperties(i) }
    }

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
        var spec = PropertySpec(column.name, column.type)
        spec.isOptional = column.isNullable
        spec.collection = column.collection
        spec.isIndexed = column.index == .general && column.isIndexed
        spec.isFullText = column.index == .fullText
        spec.hasIntegerKeys = column.hasIntegerKeys
        return spec
    }
}
