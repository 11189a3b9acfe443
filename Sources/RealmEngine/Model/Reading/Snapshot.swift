/// One version of a database, for one thread. All reads through a snapshot see the same state.
///
/// Confined to the thread that uses it. Making a snapshot costs a few allocations, so every worker
/// makes its own. Values (`Value`, `ByteView`, cursors) reference the mapping and are valid as long
/// as the snapshot.
public final class Snapshot {
    public let database: Database
    /// State of the version. Retained by the pin or by `keepAlive`.
    private let retainedState: Unmanaged<VersionState>
    var state: VersionState { retainedState.takeUnretainedValue() }
    let memory: ReadContext
    /// Pin of the version; nil for a snapshot of an open write transaction, or if `keepAlive`
    /// retains the version.
    let pin: VersionPin?
    /// Object that retains the state and, if there is no pin, the version.
    private let keepAlive: AnyObject?
    /// Whether the nodes of the version are in the file and therefore neither change nor move.
    /// False for an open write transaction.
    let isStored: Bool
    /// Whether the version was still in the slab, not in the file, when this snapshot was made.
    let isBorrowed: Bool
    /// Leaf of the object that the last look-up by index in table order found.
    private var lastLookup: LastLookup?
    /// Leaf of the object that the last look-up by key found, and the root of its tree.
    private var lastFound: (root: Ref, leaf: ClusterLeaf)?
    /// Cache of the query layer for this snapshot.
    var queryMemory: AnyObject?
    /// Whether dictionaries are stored as cluster trees, as in formats 21 and 22.
    let hasClusteredDictionaries: Bool

    /// Makes a snapshot of a pinned version. The snapshot owns `pin`.
    convenience init(_ database: Database, _ pin: VersionPin) {
        self.init(database, pin.retainedState, pin, keepAlive: nil)
    }

    /// Makes a snapshot of a version that a commit group has not yet written to the file. The
    /// snapshot owns `pin`, which pins the version before the group.
    convenience init(_ database: Database, _ state: VersionState, guardedBy pin: VersionPin) {
        self.init(database, .passUnretained(state), pin, keepAlive: state)
    }

    /// Makes a snapshot of the state of an open write transaction. Needs no pin.
    convenience init(unpinned database: Database, _ state: VersionState, memory: ReadContext) {
        self.init(database, .passUnretained(state), nil, keepAlive: state, changing: memory)
    }

    /// Makes a snapshot of a version without another pin. `keepAlive` retains the state of the
    /// version and a pin on the version.
    convenience init(_ database: Database, _ state: VersionState, keptBy keepAlive: AnyObject) {
        self.init(database, .passUnretained(state), nil, keepAlive: keepAlive)
    }

    /// - Parameter changing: read context of an open write transaction; nil for a version.
    private init(
        _ database: Database, _ state: Unmanaged<VersionState>, _ pin: VersionPin?,
        keepAlive: AnyObject?, changing: ReadContext? = nil
    ) {
        // Stores the parameters after everything else, which saves retaining each of them.
        (memory, isBorrowed, hasClusteredDictionaries) = state._withUnsafeGuaranteedRef { state in
            (
                changing ?? Self.memory(database, state), state.nodes != nil,
                (21...22).contains(state.format)
            )
        }
        isStored = changing == nil && !isBorrowed
        self.pin = pin
        self.keepAlive = keepAlive
        retainedState = state
        self.database = database
    }

    deinit {
        // The pin is released before the database, which needs no additional retain during the
        // call.
        if let pin { Unmanaged.passUnretained(database)._withUnsafeGuaranteedRef { $0.unpin(pin) } }
    }

    /// Makes a read context for one thread.
    static func memory(_ database: Database, _ state: VersionState) -> ReadContext {
        let memory = ReadContext(
            database.file.mapping, limit: state.limit, since: state.moment)
        memory.setSlab(state.nodes)
        memory.setDerived(state.legacy.map { Unmanaged.passUnretained($0) })
        return memory
    }

    public var schema: Schema { state.schema }
    public var version: UInt64 { state.version }

    /// Returns the leaf directory of `table` at `root` for a full scan; nil if the scan must walk
    /// the tree.
    func leafDirectory(_ table: TableKey, _ root: Ref) -> LeafDirectory? {
        isStored ? state.leaves.forVisit(of: table, root, memory.lookup) : nil
    }

    var lookup: NodeSpace { memory.lookup }
    var walk: NodeSpace { memory.walk }

    /// Returns the leaf that contains the object at index `position` in table order; nil if the
    /// index is out of range. Caches the leaf, except in an open write transaction, where leaves
    /// change.
    func place(of position: Int, in table: TableInfo) throws(RealmError) -> LeafAtKey? {
        let tree = ClusterTree(space: lookup, root: table.root)
        guard isStored else { return try tree.leaf(at: position) }
        guard let last = lastLookup, last.table == table.key else {
            guard let found = try tree.leaf(at: position) else { return nil }
            lastLookup = LastLookup(table.key, found)
            return found
        }
        if last.leaf.start <= position, position < last.leaf.end { return last.leaf }
        guard let found = try tree.leaf(at: position, near: last.leaf) else { return nil }
        last.leaf = found
        return found
    }

    private final class LastLookup {
        let table: TableKey
        var leaf: LeafAtKey

        init(_ table: TableKey, _ leaf: LeafAtKey) {
            self.table = table
            self.leaf = leaf
        }
    }

    /// Returns the leaf and row of the object with `key` in the tree at `root`; nil if there is
    /// none. Caches the leaf, because successive look-ups are often in the same leaf, except in an
    /// open write transaction.
    func find(
        _ key: ObjectKey, root: Ref
    ) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        if let last = lastFound, last.root == root, let row = last.leaf.row(of: key) {
            return (last.leaf, row)
        }
        let found = try ClusterTree(space: lookup, root: root).find(key)
        if let found, isStored { lastFound = (root, found.leaf) }
        return found
    }

    /// Restores the read budget, before all of the database or of a table is visited. The budget
    /// depends on the size of the file, so walks around cycles in damaged files end with an error.
    package func beginWalk() { memory.walk.resetBudget() }

    public func table(_ info: TableInfo) -> Table { Table(snapshot: self, info: info) }

    /// Returns the table with `key`. Throws `corrupt` if it does not exist.
    public func table(_ key: TableKey) throws(RealmError) -> Table {
        guard let info = schema.table(key) else {
            throw .corrupt("a link leads to table \(key.raw), which does not exist", in: "link")
        }
        return Table(snapshot: self, info: info)
    }

    /// Returns the elements of a list or set. If `walking`, the reads count against the budget of
    /// the current walk: pass true for collections that a walk visits once, and false for
    /// collections that may be reached repeatedly through links.
    public func elements(of view: CollectionView, walking: Bool = false) -> ElementCursor {
        ElementCursor(walking ? walk : lookup, view)
    }

    /// Returns the entries of a dictionary. See `elements(of:walking:)`.
    public func entries(
        of view: CollectionView, walking: Bool = false
    ) throws(RealmError) -> DictionaryCursor {
        try DictionaryCursor(walking ? walk : lookup, view, clustered: hasClusteredDictionaries)
    }

    /// Number of elements of a list or set, or of entries of a dictionary; 0 for other values.
    public func count(of value: Value) throws(RealmError) -> Int {
        switch value {
        case .list(let view), .set(let view): return try ElementCursor.count(lookup, view)
        case .dictionary(let view): return try dictionaryCount(view)
        default: return 0
        }
    }

    private func dictionaryCount(_ view: CollectionView) throws(RealmError) -> Int {
        if view.root.isNone { return 0 }
        if hasClusteredDictionaries {
            return try ClusterTree(space: lookup, root: view.root).count()
        }
        let node = try lookup.refNode(view.root, slots: DictionaryShape.count, "dictionary")
        guard let keys = node.slot(DictionaryShape.keys).child else {
            throw .corrupt("a dictionary without its keys", at: view.root)
        }
        let key: ColumnType = view.element.hasIntegerKeys ? .int : .string
        let element = ElementType(type: key, isNullable: false)
        return try ElementCursor.count(lookup, CollectionView(root: keys, element: element))
    }

    /// Counts an embedded object against the budget of the current walk. Embedded objects have one
    /// parent each, so a walk visits each of them once.
    package func chargeEmbeddedObject() throws(RealmError) {
        try walk.charge(4, at: .none)
    }
}

extension Snapshot {
    /// Upper limit for the number of objects nested in one object; larger than any file can
    /// contain.
    package var nestedObjectLimit: Int {
        Int(truncatingIfNeeded: min(memory.lookup.limit, 1 << 48)) * 4 + 65536
    }
}
