/// Finds the first rows of a sort without sorting all rows. When enough candidates have
/// accumulated, they are reduced to the wanted number. If the first key is an own number property,
/// a kernel then skips rows that cannot precede the last candidate.
struct TopRows {
    private let wanted: Int
    private let keys: [BoundSortKey]
    private let arranger: RowArranger
    private var candidates: [ObjectKey] = []
    /// Matches rows that may still be among the first; nil to test none.
    private var gate: QueryTerm?

    /// Maximum number of wanted rows; for more, sorting all rows is faster.
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

    /// Keeps the best candidates in table order, which decides ties.
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

    /// Makes a test for rows that do not sort after the object `last` by the first key; nil if the
    /// key does not allow one.
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
        // Null and NaN are below every number, so they come first in ascending order.
        guard first.isAscending else { return term }
        let null = ColumnTest(
            column: first.column, range: .none, relation: .equal,
            operand: .general(.null))
        return OrTerm([term, builder.term(for: null)])
    }

    /// Returns the rows in order.
    mutating func finish() throws(RealmError) -> [ObjectKey] {
        if !candidates.isEmpty { try order() }
        return candidates
    }

    /// Sorts the candidates and removes those beyond the wanted number.
    private mutating func order() throws(RealmError) {
        candidates = Array(try arranger.sorted(RowKeys(candidates), keys).prefix(wanted))
    }
}
