/// A plan being run by one thread: terms with their scratch memory, over one snapshot.
///
/// Several workers each make their own run of the same plan, over snapshots of the same version,
/// and share out its units.
public final class QueryRun {
    public let plan: QueryPlan
    let snapshot: Snapshot
    let evaluator: QueryEvaluator
    private let term: QueryTerm
    /// What `first` looked through before.
    private var leaves: LeafSource?

    public init(_ plan: QueryPlan, in snapshot: Snapshot) {
        self.plan = plan
        self.snapshot = snapshot
        evaluator = QueryEvaluator(snapshot, looks: plan.condition.looks)
        // A few candidates are tested as they are before a kernel is made ready.
        if case .test(let test) = plan.condition, let candidates = plan.candidates,
            candidates.count <= Self.fewCandidates
        {
            term = ValueTerm(test)
        } else {
            term = TermBuilder(evaluator, plan.options).term(for: plan.condition)
        }
    }

    private static let fewCandidates = 4

    /// The rows of `leaf` that match, among the ones given.
    func match(_ leaf: ClusterLeaf, _ among: Selection) throws(RealmError) -> Selection {
        try term.match(leaf, among)
    }

    /// The leaf of a unit and the rows of it that match.
    func match(_ unit: QueryUnit) throws(RealmError) -> (leaf: ClusterLeaf, rows: Selection) {
        let location = unit.location
        let node = try snapshot.lookup.node(location.ref)
        let leaf = try ClusterLeaf(
            evaluator.visits.pass, location.ref, node: node, base: location.base)
        return (leaf, try term.match(leaf, unit.among))
    }

    /// Visits the leaves of a stretch with the rows that match.
    func visit(
        _ stretch: LeafStretch, _ body: (Selection) -> Void
    ) throws(RealmError) -> LeafStretch.Extent {
        try stretch.visit(evaluator.visits.pass) { (leaf) throws(RealmError) in
            body(try term.match(leaf, Selection(first: leaf.count)))
        }
    }

    /// Appends the rows, in the unit's leaf, of the objects that match.
    public func appendRows(of unit: QueryUnit, to rows: inout [Int]) throws(RealmError) {
        let (_, selection) = try match(unit)
        try selection.visit { rows.append($0) }
    }

    /// Appends the keys of the objects that match in a unit, in table order.
    public func appendKeys(
        of unit: QueryUnit, to keys: inout [ObjectKey]
    ) throws(RealmError) {
        let (leaf, rows) = try match(unit)
        try rows.visit { keys.append(leaf.key($0)) }
    }

    /// Visits every leaf that may hold matches, in table order, until `body` returns false.
    func forEachLeaf(
        _ body: (ClusterLeaf, Selection) throws(RealmError) -> Bool
    ) throws(RealmError) {
        evaluator.visits.beginPass()
        if plan.candidates != nil {
            for unit in try plan.units(in: snapshot) {
                let (leaf, rows) = try match(unit)
                if !rows.isEmpty, try !body(leaf, rows) { return }
            }
            return
        }
        let leaves = leafSource()
        while let leaf = try leaves.next() {
            let rows = try term.match(leaf, Selection(first: leaf.count))
            if !rows.isEmpty, try !body(leaf, rows) { return }
        }
    }

    /// The first object in table order that matches, nil when none does. May be asked again.
    public func first() throws(RealmError) -> ObjectKey? {
        if plan.candidates == nil { return try firstOfLeaves() }
        var found: ObjectKey?
        try forEachLeaf { (leaf, rows) throws(RealmError) in
            found = rows.first.map { leaf.key($0) }
            return false
        }
        return found
    }

    /// Rows of the first leaf that are tested before the next, and those before the rest.
    private static let steps = [2, 16, 256].map { Selection(first: $0) }

    private func firstOfLeaves() throws(RealmError) -> ObjectKey? {
        evaluator.visits.beginPass()
        if leaves?.restart() != true { leaves = leafSource() }
        guard let leaves else { return nil }
        if let leaf = try leaves.next(), let key = try firstByStep(leaf) { return key }
        while let leaf = try leaves.next() {
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

    private func leafSource() -> LeafSource {
        LeafSource(snapshot, TablePlace(plan.query.table), evaluator.visits.pass, for: term)
    }

    /// Number of objects that match the condition, before DISTINCT and LIMIT.
    public func matchCount() throws(RealmError) -> Int {
        guard let candidates = plan.candidates else {
            evaluator.visits.beginPass()
            return try leafSource().count(term)
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
