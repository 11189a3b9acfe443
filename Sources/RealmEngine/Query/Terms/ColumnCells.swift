/// Access to one column, leaf by leaf, for kernels: the loops that test the packed values of a
/// leaf. Leaves come from the cache of a `LeafDirectory`, or are opened when needed.
struct ColumnCells<Leaf: CachedLeaf> {
    let column: BoundColumn
    /// The column's leaves as the `LeafDirectory` caches them; nil without a directory.
    private(set) var cachedLeaf: UnsafePointer<Leaf>?
    private var directory: LeafDirectory?
    /// Number of leaves in the directory; 0 for a small directory, whose leaves are read without
    /// prefetching.
    private var fetched = 0

    init(_ column: BoundColumn) { self.column = column }

    /// Reads the column's leaves from the cache of `directory` from now on.
    mutating func attach(_ directory: LeafDirectory) {
        cachedLeaf = directory.leaves(column.leafIndex, column.layout)
        self.directory = directory
        fetched = directory.count > Self.maximumCachedCells ? directory.count : 0
    }

    /// Returns the leaf of this column in a cluster leaf. It contains one value per object.
    @inline(__always)
    func leaf(_ leaf: ClusterLeaf) throws(RealmError) -> Leaf {
        if leaf.place >= 0, let cachedLeaf { return cachedLeaf[leaf.place].reading(in: leaf.space) }
        return try opened(leaf)
    }

    /// Maximum number of leaves that are read without prefetching. That few leaves stay in the
    /// processor's cache from query to query.
    private static var maximumCachedCells: Int { 1024 }

    /// Returns the column's leaf in the next cluster leaf, so that the caller can prefetch it. Nil
    /// if that leaf is not cached, or if the leaves are so few that prefetching is not useful.
    @inline(__always)
    func next(_ leaf: ClusterLeaf) -> UnsafePointer<Leaf>? {
        guard leaf.place >= 0, let cachedLeaf, leaf.place &+ 1 < fetched else { return nil }
        return cachedLeaf + (leaf.place &+ 1)
    }

    @inline(never)
    private func opened(_ leaf: ClusterLeaf) throws(RealmError) -> Leaf {
        let ref = try leaf.columnRef(column.leafIndex)
        guard let cells = try Leaf.opened(leaf.space, ref, column.layout, rows: leaf.count) else {
            throw leaf.space.wrongShape(ref, "column leaf")
        }
        return cells
    }
}

extension LeafCursor {
    /// Makes a cursor over the leaves of `table`, for use with `term`. Reads through the cursor
    /// count against the read budget of `pass`, which ends walks in cycles of damaged files.
    init(_ snapshot: Snapshot, _ table: TableContext, _ pass: NodeSpace, for term: QueryTerm) {
        guard let directory = snapshot.leafDirectory(table.key, table.root) else {
            let tree = ClusterTree(space: snapshot.lookup, root: table.root)
            self.init(metered: tree, readIn: pass)
            return
        }
        term.attach(directory)
        self.init(directory, readIn: pass)
    }

    /// Returns the number of matching rows in all leaves of the cursor. `term` must be the term
    /// with which the cursor was made.
    mutating func count(_ term: QueryTerm) throws(RealmError) -> Int {
        if let directory, let known = try term.count(directory) { return known }
        var total = 0
        while let leaf = try next() {
            total &+= try term.match(leaf, Selection(first: leaf.count)).count
        }
        return total
    }
}
