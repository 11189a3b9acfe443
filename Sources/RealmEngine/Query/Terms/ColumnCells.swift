/// One column as a kernel reads it, leaf by leaf: leaves an earlier query opened, or each opened when
/// its turn comes.
struct ColumnCells<Leaf: CachedLeaf> {
    let column: BoundColumn
    /// Those of the directory, which it keeps.
    private(set) var kept: UnsafePointer<Leaf>?
    private var directory: LeafDirectory?
    /// How many are kept, where it pays to look ahead.
    private var fetched = 0

    init(_ column: BoundColumn) { self.column = column }

    /// The leaves asked about from now on may come from `directory`.
    mutating func attach(_ directory: LeafDirectory) {
        kept = directory.leaves(column.leafIndex, column.layout)
        self.directory = directory
        fetched = directory.count > Self.mostCached ? directory.count : 0
    }

    /// The column's leaf of a cluster leaf: as many values as that has objects.
    @inline(__always)
    func leaf(_ leaf: ClusterLeaf) throws(RealmError) -> Leaf {
        if leaf.place >= 0, let kept { return kept[leaf.place].reading(in: leaf.space) }
        return try opened(leaf)
    }

    /// Columns of no more leaves stay in the processor's cache from one query to the next.
    private static var mostCached: Int { 1024 }

    /// The leaf behind that of a cluster leaf, where it is open already and may have to be fetched.
    @inline(__always)
    func next(_ leaf: ClusterLeaf) -> UnsafePointer<Leaf>? {
        guard leaf.place >= 0, let kept, leaf.place &+ 1 < fetched else { return nil }
        return kept + (leaf.place &+ 1)
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
    /// The leaves of a table, about which `term` is going to be asked; what they hold is read in
    /// `pass`.
    init(_ snapshot: Snapshot, _ table: TablePlace, _ pass: NodeSpace, for term: QueryTerm) {
        guard let directory = snapshot.leafDirectory(table.key, table.root) else {
            let tree = ClusterTree(space: snapshot.lookup, root: table.root)
            self.init(metered: tree, readIn: pass)
            return
        }
        term.attach(directory)
        self.init(directory, readIn: pass)
    }

    /// Number of rows of all leaves for which `term`, the one announced, holds.
    mutating func count(_ term: QueryTerm) throws(RealmError) -> Int {
        if let directory, let known = try term.count(directory) { return known }
        var total = 0
        while let leaf = try next() {
            total &+= try term.match(leaf, Selection(first: leaf.count)).count
        }
        return total
    }
}
