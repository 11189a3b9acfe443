/// The first rows of a sort without sorting all of them: candidates are cut back to as many as are
/// wanted whenever enough have gathered, and a leaf's rows that cannot come before the last of them
/// are passed over by a kernel where the first key is a number of the object itself.
struct TopRows {
    private let wanted: Int
    private let keys: [BoundSortKey]
    private let arranger: RowArranger
    private var candidates: [ObjectKey] = []
    /// Passes rows that may still come in.
    private var gate: QueryTerm?

    /// More than this are better sorted all at once.
    static let maximum = 4096

    init(_ wanted: Int, _ keys: [BoundSortKey], _ arranger: RowArranger) {
        self.wanted = wanted
        self.keys = keys
        self.arranger = arranger
    }

    mutating func add(
        _ leaf: ClusterLeaf, _ rows: Selection, _ builder: TermBuilder, _ directory: LeafDirectory?
    ) throws(RealmError) {
        let rows = try gate?.match(leaf, rows) ?? rows
        if rows.isEmpty { return }
        try rows.visit { candidates.append(leaf.key($0)) }
        if candidates.count >= wanted &* 2 &+ 512 { try cut(builder, directory) }
    }

    /// Keeps the best candidates, in table order: that is what decides ties.
    private mutating func cut(
        _ builder: TermBuilder, _ directory: LeafDirectory?
    ) throws(RealmError) {
        try order()
        if let last = candidates.last {
            gate = try self.gate(behind: last, builder)
            if let directory { gate?.attach(directory) }
        }
        candidates.sort { UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw) }
    }

    /// A test for rows not behind the object `last` by the first key alone.
    private func gate(
        behind last: ObjectKey, _ builder: TermBuilder
    ) throws(RealmError) -> QueryTerm? {
        let first = keys[0]
        guard first.isOwn, let value = try arranger.value(last, first) else { return nil }
        switch value {
        case .int, .double, .float, .timestamp: break
        default: return nil
        }
        if ValueRules.isNaN(value) { return nil }
        let test = ColumnTest(
            column: first.column, range: .none,
            relation: first.isAscending ? .lessEqual : .greaterEqual,
            operand: .general(value))
        let term = builder.term(for: test)
        // Null and NaN are below every number: first when ascending.
        guard first.isAscending else { return term }
        let null = ColumnTest(
            column: first.column, range: .none, relation: .equal,
            operand: .general(.null))
        return OrTerm([term, builder.term(for: null)])
    }

    /// The rows in order.
    mutating func finish() throws(RealmError) -> [ObjectKey] {
        if !candidates.isEmpty { try order() }
        return candidates
    }

    /// Sorts the candidates and drops those too many.
    private mutating func order() throws(RealmError) {
        candidates = Array(try arranger.sorted(RowKeys(candidates), keys).prefix(wanted))
    }
}
