/// Finds the first rows of a SORT with a LIMIT without sorting all rows. Whenever enough candidates
/// have accumulated, the rows beyond the limit are removed. If the first key is a number property
/// of the objects themselves, a loop over the packed numbers then skips rows that cannot precede
/// the last candidate.
struct TopRows {
    private let wanted: Int
    private let keys: [BoundSortKey]
    private let arranger: RowArranger
    private var candidates: [ObjectKey] = []
    /// Term that matches rows which may be among the first `wanted` rows. It compares only their
    /// first sort key. Nil if no row can be excluded yet.
    private var gate: QueryTerm?

    /// Maximum LIMIT for which only the first rows are kept; with a higher limit, sorting all rows
    /// is faster.
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

    /// Removes the candidates beyond the limit. Then sorts the remaining candidates in table order,
    /// because rows with equal keys are ordered by their position in the table.
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

    /// Makes a term that matches the rows whose first sort key is not after the first sort key of
    /// the object `last`; nil if the type of the sort key allows no such term.
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
        // Null and NaN are before every number in ascending order, so rows with null can still be
        // among the first rows.
        guard first.isAscending else { return term }
        let null = ColumnTest(
            column: first.column, range: .none, relation: .equal,
            operand: .general(.null))
        return OrTerm([term, builder.term(for: null)])
    }

    /// Returns the keys of the rows within the limit, in sorted order.
    mutating func finish() throws(RealmError) -> [ObjectKey] {
        if !candidates.isEmpty { try order() }
        return candidates
    }

    /// Sorts the candidates by the keys and removes those beyond the limit.
    private mutating func order() throws(RealmError) {
        candidates = Array(try arranger.sorted(RowKeys(candidates), keys).prefix(wanted))
    }
}
