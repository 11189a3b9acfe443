/// Execution of a plan on one thread: the terms with their buffers, for one snapshot.
///
/// Parallel workers each make a run of the same plan, over snapshots of the same version. Each leaf
/// is visited by only one of the workers.
public final class QueryRun {
    let plan: QueryPlan
    let snapshot: Snapshot
    let evaluator: QueryEvaluator
    private let term: QueryTerm
    /// Cache of opened leaves used by `forEachLeaf`; nil if there is none.
    private(set) var directory: LeafDirectory?
    /// Leaf cursor that `first` reuses from call to call.
    private var leaves: LeafCursor?

    public init(_ plan: QueryPlan, in snapshot: Snapshot) {
        self.plan = plan
        self.snapshot = snapshot
        evaluator = QueryEvaluator(snapshot, maximumReads: plan.condition.maximumReads)
        // For a few candidates, testing values is faster than preparing a loop over packed values.
        if case .test(let test) = plan.condition, let candidates = plan.candidates,
            candidates.count <= Self.fewCandidates
        {
            term = ValueTerm(test)
        } else {
            term = TermBuilder(evaluator, plan.options).term(for: plan.condition)
        }
    }

    private static let fewCandidates = 4

    /// Returns the leaf of a leaf slice and the rows that match the condition.
    private func match(
        _ part: LeafSlice
    ) throws(RealmError) -> (leaf: ClusterLeaf, rows: Selection) {
        let leaf = try part.leaf(snapshot.lookup, readIn: evaluator.visits.pass)
        return (leaf, try term.match(leaf, part.among))
    }

    /// Calls `body` with the matching rows of each leaf in a range. Returns the number of objects
    /// in the range, matching or not, and the last key in the range.
    func visit(
        _ stretch: LeafRange, _ body: (Selection) -> Void
    ) throws(RealmError) -> (objects: Int, lastKey: UInt64) {
        var leaves = try LeafCursor(stretch, evaluator.visits.pass)
        while let leaf = try leaves.next() {
            body(try term.match(leaf, Selection(first: leaf.count)))
        }
        return leaves.met
    }

    /// Appends the matching rows of a leaf slice. If there are any, also moves `scan` to the leaf;
    /// `scan` must be of the same snapshot.
    package func appendRows(
        of part: LeafSlice, to rows: inout [Int], moving scan: TableScan
    ) throws(RealmError) {
        let (leaf, selection) = try match(part)
        if selection.isEmpty { return }
        try selection.visit { rows.append($0) }
        try scan.move(to: leaf, position: part.position)
    }

    /// Appends the keys of the matching objects of a leaf slice, in table order.
    package func appendKeys(
        of part: LeafSlice, to keys: inout [ObjectKey]
    ) throws(RealmError) {
        let (leaf, rows) = try match(part)
        try rows.visit { keys.append(leaf.key($0)) }
    }

    /// Visits every leaf that may contain matches, in table order, until `body` returns false.
    ///
    /// - Parameter columns: columns that `body` reads, to be prefetched.
    func forEachLeaf(
        reading columns: [ColumnLeaves] = [],
        _ body: (ClusterLeaf, Selection) throws(RealmError) -> Bool
    ) throws(RealmError) {
        evaluator.visits.beginPass()
        if plan.candidates != nil {
            for part in try plan.parts(in: snapshot) {
                let (leaf, rows) = try match(part)
                if !rows.isEmpty, try !body(leaf, rows) { return }
            }
            return
        }
        var leaves = newCursor()
        directory = leaves.directory
        if let directory { for column in columns { column.attach(directory) } }
        let meter = plan.options.meter
        meter?.begin(.objects, total: try snapshot.table(plan.query.table).count())
        var ahead = LeafAhead(columns)
        while let leaf = try ahead.next(&leaves) {
            meter?.add(leaf.count)
            let rows = try term.match(leaf, Selection(first: leaf.count))
            if !rows.isEmpty, try !body(leaf, rows) { return }
        }
    }

    /// Returns the first matching object in table order; nil if there is none. May be called
    /// repeatedly.
    public func first() throws(RealmError) -> ObjectKey? {
        if plan.candidates == nil { return try firstOfLeaves() }
        var found: ObjectKey?
        try forEachLeaf { (leaf, rows) throws(RealmError) in
            found = rows.first.map { leaf.key($0) }
            return false
        }
        return found
    }

    /// Most searches for the first match end among the first rows of the table. The first leaf is
    /// therefore matched in parts: the first 2 rows, then up to row 16, then up to row 256.
    private static let steps = [2, 16, 256].map { Selection(first: $0) }

    private func firstOfLeaves() throws(RealmError) -> ObjectKey? {
        evaluator.visits.beginPass()
        if leaves?.restart() != true { leaves = newCursor() }
        if let leaf = try leaves!.next(), let key = try firstByStep(leaf) { return key }
        while let leaf = try leaves!.next() {
            let rows = try term.match(leaf, Selection(first: leaf.count))
            if let row = rows.first { return leaf.key(row) }
        }
        return nil
    }

    private func firstByStep(_ leaf: ClusterLeaf) throws(RealmError) -> ObjectKey? {
        var rest = Selection(first: leaf.count)
        for step in Self.steps where !rest.isEmpty {
            if let row = try term.match(leaf, rest & step).first { return leaf.key(row) }
            rest = rest.subtracting(step)
        }
        return nil
    }

    private func newCursor() -> LeafCursor {
        LeafCursor(snapshot, TableContext(plan.query.table), evaluator.visits.pass, for: term)
    }

    /// Returns the number of objects that match the condition, before DISTINCT and LIMIT.
    public func matchCount() throws(RealmError) -> Int {
        guard let candidates = plan.candidates else {
            evaluator.visits.beginPass()
            var leaves = newCursor()
            return try leaves.count(term)
        }
        if candidates.isFinal { return candidates.count }
        var total = 0
        try forEachLeaf { (_, rows) throws(RealmError) in
            total &+= rows.count
            return true
        }
        return total
    }
}

/// Reads one leaf more than the caller has received, and prefetches the columns of that leaf while
/// the caller uses the current one.
private struct LeafAhead {
    private let columns: [ColumnLeaves]
    private var next: ClusterLeaf?
    /// Error of reading the next leaf. Thrown when the caller asks for the next leaf, after it has
    /// used the current leaf.
    private var failure: RealmError?
    private var hasBegun = false

    init(_ columns: [ColumnLeaves]) { self.columns = columns }

    mutating func next(_ leaves: inout LeafCursor) throws(RealmError) -> ClusterLeaf? {
        if columns.isEmpty { return try leaves.next() }
        if !hasBegun {
            hasBegun = true
            next = try leaves.next()
        }
        if let failure { throw failure }
        let leaf = next
        if leaf != nil { read(&leaves) }
        return leaf
    }

    private mutating func read(_ leaves: inout LeafCursor) {
        next = nil
        do throws(RealmError) { next = try leaves.next() } catch { failure = error }
        if let next { for column in columns { column.prefetch(next) } }
    }
}
