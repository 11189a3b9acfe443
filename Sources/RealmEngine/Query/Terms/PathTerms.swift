/// Tests one link of a path: matches rows whose link refers to an object of a set. To build the
/// set, the term of the rest of the path is applied to every object of the target table, when the
/// first row is tested.
final class HopTerm: QueryTerm {
    private let hop: PathHop
    private let target: QueryTerm?
    private let evaluator: QueryEvaluator
    private var set: ObjectSet?
    private let scratch = LeafScratch()
    /// Result of this term for an object whose to-one link is null.
    private let missing: Bool
    /// The column from which the term reads: links, or for collections of links their root refs.
    private var cells: ColumnCells<NodeView>

    override var label: String { "links into a set of objects" }

    init(_ hop: PathHop, target: QueryTerm, missing: Bool, _ evaluator: QueryEvaluator) {
        self.hop = hop
        cells = ColumnCells(hop.column)
        self.target = target
        self.missing = missing
        self.evaluator = evaluator
    }

    /// Makes the term for a link into a set of objects that the caller has computed.
    init(_ hop: PathHop, set: ObjectSet, missing: Bool, _ evaluator: QueryEvaluator) {
        self.hop = hop
        cells = ColumnCells(hop.column)
        self.set = set
        self.missing = missing
        self.evaluator = evaluator
        target = nil
    }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if set == nil { set = try madeSet() }
        guard let set else { return .none }
        switch hop.kind {
        case .toOne: return try matchLinks(leaf, among, set)
        case .backlink: return try matchBacklinks(leaf, among, set)
        case .list, .set, .dictionary: return try matchLists(leaf, among, set)
        }
    }

    private func madeSet() throws(RealmError) -> ObjectSet? {
        guard let target else { return nil }
        return try ObjectSet(of: target, in: hop.target, evaluator)
    }

    override func attach(_ directory: LeafDirectory) {
        // A `LeafDirectory` caches leaves of links, but backlinks have leaves of another form.
        if hop.kind != .backlink { cells.attach(directory) }
    }

    private func matchLinks(
        _ leaf: ClusterLeaf, _ among: Selection, _ set: ObjectSet
    ) throws(RealmError) -> Selection {
        let node = try cells.leaf(leaf)
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        let rows = set.rows(node, offset: -1, count: leaf.count, scratch)
        if !missing { return rows & among }
        let unset = IntegerRange(low: .min, high: 0)
        let nulls = IntegerKernels.rows(in: unset, node, first: 0, count: leaf.count)
        return (rows | nulls) & among
    }

    private func matchBacklinks(
        _ leaf: ClusterLeaf, _ among: Selection, _ set: ObjectSet
    ) throws(RealmError) -> Selection {
        let column = try BacklinkLeaf(leaf.space, try leaf.columnRef(hop.column.leafIndex))
        guard column.count == leaf.count else { throw leaf.unevenColumn(hop.column.leafIndex) }
        let (space, bits) = (evaluator.visits.pass, set.bits)
        return try among.filter { (row) throws(RealmError) in
            let slot = column.slot(row)
            if slot.isNone { return false }
            if slot.isTagged { return set.contains(Int64(bitPattern: slot.value)) }
            return try hasMember(space, slot.ref, set, bits)
        }
    }

    private func matchLists(
        _ leaf: ClusterLeaf, _ among: Selection, _ set: ObjectSet
    ) throws(RealmError) -> Selection {
        let column = CollectionLeaf(try cells.leaf(leaf))
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        let (space, bits) = (evaluator.visits.pass, set.bits)
        return try column.rows(column.filled(among), space, scratch) { (root) throws(RealmError) in
            try hasMember(space, root, set, bits)
        }
    }

    /// Whether a B+tree of object keys contains a key of `set`. Unresolved links have negative
    /// keys, which no set contains.
    @inline(__always)
    private func hasMember(
        _ space: NodeSpace, _ root: Ref, _ set: ObjectSet, _ bits: ObjectSet.Bits
    ) throws(RealmError) -> Bool {
        let node = try space.node(root)
        return node.isInner
            ? try hasMember(space, tree: root, set, bits)
            : try hasMember(space, node, root, set, bits)
    }

    @inline(never)
    private func hasMember(
        _ space: NodeSpace, tree root: Ref, _ set: ObjectSet, _ bits: ObjectSet.Bits
    ) throws(RealmError) -> Bool {
        var leaves = BPlusTree(space: space, root: root).leaves()
        while let ref = try leaves.next() {
            if try hasMember(space, space.node(ref), ref, set, bits) { return true }
        }
        return false
    }

    @inline(__always)
    private func hasMember(
        _ space: NodeSpace, _ leaf: NodeView, _ ref: Ref, _ set: ObjectSet, _ bits: ObjectSet.Bits
    ) throws(RealmError) -> Bool {
        let keys = try space.integers(leaf, ref, "link list leaf")
        try space.chargeElements(keys.count, at: ref)
        for i in 0..<keys.count {
            let key = keys.integer(i)
            if bits.contains(key) ?? set.containsOther(key) { return true }
        }
        return false
    }
}

/// Tests a path object by object until that has cost about as much as one test of every object in
/// the path's target table. Then tests all objects of that table once and uses the results.
final class AdaptiveTerm: QueryTerm {
    private let fast: QueryTerm
    private let general: QueryTerm
    /// Target table of each link of the path.
    private let tables: [TableContext]
    override var label: String { fast.label + ", tested once for the table linked to" }

    /// Number of rows that may still be tested one by one with `general`. Each target object that
    /// the path reaches reduces this number too. At 0, the term `fast` takes over: it tests the
    /// whole table to which the path's links lead, once. Nil before the first row.
    private var allowance: Int?
    private let evaluator: QueryEvaluator
    /// Whether the path may reach a large part of its target table from a single object. The target
    /// table is then tested as a whole when the first row is tested.
    private let spreads: Bool

    /// Number of target objects, reached by the path from one row, that cost as much as one tested
    /// row.
    private static let reachedPerRow = 8

    init(
        _ tables: [TableContext], fast: QueryTerm, general: QueryTerm, spreads: Bool,
        _ evaluator: QueryEvaluator
    ) {
        self.spreads = spreads
        self.tables = tables
        self.fast = fast
        self.general = general
        self.evaluator = evaluator
    }

    override func attach(_ directory: LeafDirectory) {
        fast.attach(directory)
        general.attach(directory)
    }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if allowance == nil { allowance = try initialAllowance() }
        guard let left = allowance, left > 0 else { return try fast.match(leaf, among) }
        let reached = evaluator.reached
        let rows = try general.match(leaf, among)
        allowance = left - among.count - (evaluator.reached &- reached) / Self.reachedPerRow
        return rows
    }

    private func initialAllowance() throws(RealmError) -> Int {
        let space = evaluator.space
        for table in tables where try ObjectSet.form(for: table, space) == nil { return .max }
        if spreads { return 0 }
        return 16 + (try ClusterTree(space: space, root: tables[0].root).count()) / 256
    }
}
