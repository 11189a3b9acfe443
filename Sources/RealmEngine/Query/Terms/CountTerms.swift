/// Compares a constant with the number of objects that are linked to or from the queried object and
/// match a condition. The condition is evaluated once for all objects of their table.
final class SubqueryTerm: QueryTerm {
    private let hop: PathHop
    private var cells: ColumnCells<NodeView>
    private let satisfying: SubqueryMembers
    private let counts: CountTest
    private let evaluator: QueryEvaluator
    private let scratch = LeafScratch()

    override var label: String { "members of a set of objects" }

    /// Nil unless one side is a subquery over links of the queried object and the other side a
    /// constant.
    init?(
        _ comparison: BoundComparison, _ builder: TermBuilder, _ evaluator: QueryEvaluator
    ) {
        guard case .subquery(let subquery) = comparison.left.kind, subquery.path.hops.count == 1,
            let counts = CountTest(comparison)
        else { return nil }
        hop = subquery.path.hops[0]
        cells = ColumnCells(hop.column)
        satisfying = builder.members(of: subquery)
        self.counts = counts
        self.evaluator = evaluator
    }

    /// Table of the linked objects that the subquery counts.
    var table: TableContext { hop.target }

    override func attach(_ directory: LeafDirectory) {
        if hop.kind != .backlink { cells.attach(directory) }
    }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        guard let set = try satisfying.set() else { return .none }
        if hop.kind == .backlink {
            let column = try BacklinkLeaf(leaf.space, try leaf.columnRef(hop.column.leafIndex))
            guard column.count == leaf.count else {
                throw leaf.unevenColumn(hop.column.leafIndex)
            }
            return try among.filter { (row) throws(RealmError) in
                let slot = column.slot(row)
                if slot.isTagged {
                    return counts.accepts(set.contains(Int64(bitPattern: slot.value)) ? 1 : 0)
                }
                return counts.accepts(try members(slot.ref, set))
            }
        }
        let roots = CollectionLeaf(try cells.leaf(leaf))
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        let filled = roots.filled(among)
        let rows = try roots.rows(filled, leaf.space, scratch) { (root) throws(RealmError) in
            counts.accepts(try members(root, set))
        }
        return counts.accepts(0) ? rows | among.subtracting(filled) : rows
    }

    /// Returns the number of object keys in a B+tree that are in `set`.
    private func members(_ root: Ref, _ set: ObjectSet) throws(RealmError) -> Int64 {
        if root.isNone { return 0 }
        var count: Int64 = 0
        let space = evaluator.visits.pass
        var leaves = BPlusTree(space: space, root: root).leaves()
        while let ref = try leaves.next() {
            let keys = try space.integers(ref, "link list leaf")
            try space.chargeElements(keys.count, at: ref)
            for i in 0..<keys.count where set.contains(keys.integer(i)) { count &+= 1 }
        }
        return count
    }
}

/// Set of the objects that match the condition of a subquery, evaluated on first use. Shared by
/// equal subqueries of a query.
final class SubqueryMembers {
    private let target: QueryTerm
    private let table: TableContext
    private let evaluator: QueryEvaluator
    private var known: ObjectSet?

    init(_ target: QueryTerm, _ table: TableContext, _ evaluator: QueryEvaluator) {
        self.target = target
        self.table = table
        self.evaluator = evaluator
    }

    /// Returns the set of objects that match the subquery's condition. Nil if the set would need
    /// too much memory, because the keys of the table are too sparse.
    func set() throws(RealmError) -> ObjectSet? {
        if known == nil { known = try ObjectSet(of: target, in: table, evaluator) }
        return known
    }
}

/// Comparison of a number of elements, links or matches with a constant.
struct CountTest {
    private let ranges: [IntegerRange]
    private let isNegated: Bool

    /// Nil if the right side of the comparison is not a single constant.
    init?(_ comparison: BoundComparison) {
        guard let value = comparison.right.constantValue, !comparison.relation.isTextual,
            comparison.left.shape == .scalar
        else { return nil }
        (ranges, isNegated) = TestBounds.integers(comparison.relation, constant: value)
    }

    @inline(__always)
    func accepts(_ count: Int64) -> Bool {
        for range in ranges where range.contains(count) { return !isNegated }
        return isNegated
    }
}

extension CollectionLeaf {
    /// Returns the rows of `among` whose collection has a root node. Without a root node, a
    /// collection is empty and has been empty since its object was created.
    func filled(_ among: Selection) -> Selection {
        let none = IntegerRange(low: 0, high: 0)
        return among.subtracting(
            IntegerKernels.rows(in: none, node, first: 0, count: min(count, ClusterRows.maximum)))
    }

    /// Returns the rows of `filled` for which `test` is true; `test` receives the root of the row's
    /// collection. All roots of a leaf are prefetched before the first test, because they are
    /// scattered in the file.
    @inline(__always)
    func rows(
        _ filled: Selection, _ space: NodeSpace, _ scratch: LeafScratch,
        _ test: (Ref) throws(RealmError) -> Bool
    ) throws(RealmError) -> Selection {
        if filled.isEmpty { return .none }
        let slots = scratch.numbers
        IntegerKernels.decode(
            node, first: 0, count: min(count, ClusterRows.maximum), into: slots)
        filled.each { Prefetch.bytes(space.base + Int(slots[$0]), 1) }
        return try filled.filter { (row) throws(RealmError) in
            let slot = NodeSlot(raw: UInt64(bitPattern: slots[row]))
            if slot.isTagged { throw Self.numberForRoot }
            return try test(slot.ref)
        }
    }
}

/// Compares the number of elements of a collection of the queried object with a constant.
final class CountTerm: QueryTerm {
    private var cells: ColumnCells<NodeView>
    private let counts: CountTest
    private let evaluator: QueryEvaluator
    private let scratch = LeafScratch()

    override var label: String { "sizes of collections" }

    /// Nil unless the comparison is between a constant and the size of a collection of the queried
    /// object itself.
    init?(_ comparison: BoundComparison, _ evaluator: QueryEvaluator) {
        guard case .count(let path) = comparison.left.kind, let counts = CountTest(comparison)
        else { return nil }
        switch path.end {
        case .objects where path.hops.count == 1:
            let hop = path.hops[0]
            guard hop.kind == .list || hop.kind == .set else { return nil }
            cells = ColumnCells(hop.column)
        case .collection(let column, .all) where path.hops.isEmpty:
            guard column.layout.collection != .dictionary else { return nil }
            cells = ColumnCells(column)
        default: return nil
        }
        self.counts = counts
        self.evaluator = evaluator
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let roots = CollectionLeaf(try cells.leaf(leaf))
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        let element = cells.column.layout.element
        let filled = roots.filled(among)
        let space = evaluator.visits.pass
        let rows = try roots.rows(filled, leaf.space, scratch) { (root) throws(RealmError) in
            let view = CollectionView(root: root, element: element)
            return counts.accepts(Int64(try ElementCursor.count(space, view)))
        }
        return counts.accepts(0) ? rows | among.subtracting(filled) : rows
    }
}
