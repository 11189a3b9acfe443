/// One version of a database as one thread sees it: every read goes through here and sees the same
/// state for as long as the snapshot lives.
///
/// Confined to the thread that uses it; making one costs a few allocations, so every worker takes
/// its own. Values handed out (`Value`, `ByteView`, cursors) point into the mapping and are valid
/// as long as the snapshot.
public final class Snapshot {
    public let database: Database
    /// Kept with the version that is pinned, or else by `keeper`.
    private let keptState: Unmanaged<VersionState>
    var state: VersionState { keptState.takeUnretainedValue() }
    let memory: ReadContext
    /// Nil for a view of an open write transaction.
    let pin: VersionPin?
    /// What keeps the version, or its state alone, instead of a pin of its own.
    private let keeper: AnyObject?
    /// Nothing of the version changes or moves any more: it is in the file, and no view of an open
    /// write transaction.
    let isSettled: Bool
    /// The version is not in the file, or was not when this was made.
    let isBorrowed: Bool
    /// Where the object was that was found by its position last.
    private var lastPlace: LastPlace?
    /// Where the object was that was found by its key last, and the root of its tree.
    private var lastFound: (root: Ref, leaf: ClusterLeaf)?
    /// What queries keep beside the snapshot: theirs to fill.
    var queryMemory: AnyObject?
    /// Dictionaries are cluster trees in formats 21 and 22.
    let hasClusteredDictionaries: Bool

    /// Takes over `pin`.
    convenience init(_ database: Database, _ pin: VersionPin) {
        self.init(database, pin.keptState, pin, keeper: nil)
    }

    /// A version not in the file yet, readable as long as `pin` keeps the one its group began with;
    /// takes over `pin`.
    convenience init(_ database: Database, _ state: VersionState, guardedBy pin: VersionPin) {
        self.init(database, .passUnretained(state), pin, keeper: state)
    }

    /// A view of an open write transaction's own state, which pins nothing.
    convenience init(unpinned database: Database, _ state: VersionState, memory: ReadContext) {
        self.init(database, .passUnretained(state), nil, keeper: state, changing: memory)
    }

    /// A version that `keeper` keeps readable, and its state.
    convenience init(_ database: Database, _ state: VersionState, keptBy keeper: AnyObject) {
        self.init(database, .passUnretained(state), nil, keeper: keeper)
    }

    /// - Parameter changing: what a state is read through that does not stay as it is.
    private init(
        _ database: Database, _ state: Unmanaged<VersionState>, _ pin: VersionPin?,
        keeper: AnyObject?, changing: ReadContext? = nil
    ) {
        // Stored last is what would be counted once more if it was used after that.
        (memory, isBorrowed, hasClusteredDictionaries) = state._withUnsafeGuaranteedRef { state in
            (
                changing ?? Self.memory(database, state), state.nodes != nil,
                (21...22).contains(state.format)
            )
        }
        isSettled = changing == nil && !isBorrowed
        self.pin = pin
        self.keeper = keeper
        keptState = state
        self.database = database
    }

    deinit {
        // The database is let go of last, and need not be kept once more for that.
        if let pin { Unmanaged.passUnretained(database)._withUnsafeGuaranteedRef { $0.unpin(pin) } }
    }

    /// What a version's nodes are read through by one thread.
    static func memory(_ database: Database, _ state: VersionState) -> ReadContext {
        let memory = ReadContext(
            database.file.mapping, limit: state.limit, since: state.moment)
        memory.setSlab(state.nodes)
        memory.setDerived(state.legacy.map { Unmanaged.passUnretained($0) })
        return memory
    }

    public var schema: Schema { state.schema }
    public var version: UInt64 { state.version }

    /// The leaves of `table` at `root`, which is about to be visited as a whole; nil when it has to
    /// be walked over.
    func leafDirectory(_ table: TableKey, _ root: Ref) -> LeafDirectory? {
        isSettled ? state.leaves.forVisit(of: table, root, memory.lookup) : nil
    }

    var lookup: NodeSpace { memory.lookup }
    var walk: NodeSpace { memory.walk }

    /// The leaf with the object at a position of a table. Leaves of an open write transaction are not
    /// remembered: they change.
    func place(of position: Int, in table: TableInfo) throws(RealmError) -> LeafAtKey? {
        let tree = ClusterTree(space: lookup, root: table.root)
        guard isSettled else { return try tree.leaf(at: position) }
        guard let last = lastPlace, last.table == table.key else {
            guard let found = try tree.leaf(at: position) else { return nil }
            lastPlace = LastPlace(table.key, found)
            return found
        }
        if last.leaf.start <= position, position < last.leaf.end { return last.leaf }
        guard let found = try tree.leaf(at: position, near: last.leaf) else { return nil }
        last.leaf = found
        return found
    }

    private final class LastPlace {
        let table: TableKey
        var leaf: LeafAtKey

        init(_ table: TableKey, _ leaf: LeafAtKey) {
            self.table = table
            self.leaf = leaf
        }
    }

    /// The leaf and row of the object with `key` in the tree at `root`, nil when there is none: objects
    /// looked for one after the other mostly share a leaf. Leaves of an open write transaction are not
    /// remembered.
    func find(
        _ key: ObjectKey, root: Ref
    ) throws(RealmError) -> (leaf: ClusterLeaf, row: Int)? {
        if let last = lastFound, last.root == root, let row = last.leaf.row(of: key) {
            return (last.leaf, row)
        }
        let found = try ClusterTree(space: lookup, root: root).find(key)
        if let found, isSettled { lastFound = (root, found.leaf) }
        return found
    }

    /// Begins a visit of the whole database, or of one table: the work that follows is bounded by
    /// the file's size, so damaged files with cycles end in an error.
    package func beginWalk() { memory.walk.resetBudget() }

    public func table(_ info: TableInfo) -> Table { Table(snapshot: self, info: info) }

    /// The table with `key`; throws `corrupt` when a link names a table that is not there.
    public func table(_ key: TableKey) throws(RealmError) -> Table {
        guard let info = schema.table(key) else {
            throw .corrupt("a link leads to table \(key.raw), which does not exist", in: "link")
        }
        return Table(snapshot: self, info: info)
    }

    /// The elements of a list or set. `walking` charges the work to the current walk: right for
    /// collections met while walking, wrong for those reached through links again and again.
    public func elements(of view: CollectionView, walking: Bool = false) -> ElementCursor {
        ElementCursor(walking ? walk : lookup, view)
    }

    /// The entries of a dictionary.
    public func entries(
        of view: CollectionView, walking: Bool = false
    ) throws(RealmError) -> DictionaryCursor {
        try DictionaryCursor(walking ? walk : lookup, view, clustered: hasClusteredDictionaries)
    }

    /// Number of elements of a list or set, or of entries of a dictionary.
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
        let node = try lookup.refNode(view.root, slots: 2, "dictionary")
        guard let keys = node.slot(0).child else {
            throw .corrupt("a dictionary without its keys", at: view.root)
        }
        let key: ColumnType = view.element.hasIntegerKeys ? .int : .string
        let element = ElementType(type: key, isNullable: false)
        return try ElementCursor.count(lookup, CollectionView(root: keys, element: element))
    }

    /// Charges the visit of an embedded object to the current walk: each has one parent, so a walk
    /// meets it once.
    package func chargeEmbeddedObject() throws(RealmError) {
        try walk.charge(4, at: .none)
    }
}

extension Snapshot {
    /// More objects than the file can hold: bounds what hangs below one object.
    package var nestedObjectLimit: Int {
        Int(truncatingIfNeeded: min(memory.lookup.limit, 1 << 48)) * 4 + 65536
    }
}
