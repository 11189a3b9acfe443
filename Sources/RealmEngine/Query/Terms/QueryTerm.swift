/// A condition made ready to run over cluster leaves of one table. One call per leaf: what happens
/// per row is a loop inside. Confined to its snapshot's thread.
class QueryTerm {
    /// How the condition is tested, for `explanation`.
    var label: String { "object by object" }

    /// The rows of `among` for which the condition holds.
    func match(_ leaf: ClusterLeaf, _ among: Selection) throws(RealmError) -> Selection { among }

    /// Leaves asked about from now on may come from `directory`, which has their columns.
    func attach(_ directory: LeafDirectory) {}

    /// Number of rows of all leaves of the directory attached for which the condition holds; nil when
    /// they have to be matched.
    func count(_ directory: LeafDirectory) throws(RealmError) -> Int? { nil }
}

/// TRUEPREDICATE and FALSEPREDICATE.
final class ConstantTerm: QueryTerm {
    private let value: Bool

    init(_ value: Bool) { self.value = value }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection { value ? among : .none }
}

/// Several terms about the same rows.
class JoinedTerms: QueryTerm {
    fileprivate let terms: [QueryTerm]

    init(_ terms: [QueryTerm]) { self.terms = terms }

    override func attach(_ directory: LeafDirectory) {
        for term in terms { term.attach(directory) }
    }
}

/// Terms that must all hold; each tests only the rows that the terms before it left.
final class AndTerm: JoinedTerms {
    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        var rows = among
        for term in terms {
            rows = try term.match(leaf, rows)
            if rows.isEmpty { break }
        }
        return rows
    }
}

/// Terms of which one must hold; each tests only the rows that no term before it took.
final class OrTerm: JoinedTerms {
    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        var rest = among
        for term in terms {
            rest = rest.subtracting(try term.match(leaf, rest))
            if rest.isEmpty { break }
        }
        return among.subtracting(rest)
    }
}

final class NotTerm: QueryTerm {
    private let term: QueryTerm

    override var label: String { "not " + term.label }

    init(_ term: QueryTerm) { self.term = term }

    override func attach(_ directory: LeafDirectory) { term.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection { among.subtracting(try term.match(leaf, among)) }
}

/// Any condition, row by row.
final class GeneralTerm: QueryTerm {
    private let condition: BoundCondition
    private let evaluator: QueryEvaluator

    init(_ condition: BoundCondition, _ evaluator: QueryEvaluator) {
        self.condition = condition
        self.evaluator = evaluator
    }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        try among.filter { (row) throws(RealmError) in
            try evaluator.evaluate(condition, RowLocation(leaf: leaf, row: row))
        }
    }
}

/// A test of one column, value by value: for the types without a kernel.
final class ValueTerm: QueryTerm {
    private let test: ColumnTest

    override var label: String { "value by value" }

    init(_ test: ColumnTest) { self.test = test }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let column = try leaf.column(test.column.leafIndex, test.column.layout)
        return try among.filter { (row) throws(RealmError) in test.matches(try column.value(row)) }
    }
}
