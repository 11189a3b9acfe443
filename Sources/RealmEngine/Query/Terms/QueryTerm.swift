/// A condition prepared for the cluster leaves of one table. `match` is called once per leaf and
/// loops over the rows. Confined to its snapshot's thread.
class QueryTerm {
    /// Method by which the condition is tested, for the text of `explanation`.
    var label: String { "object by object" }

    /// Returns the rows of `among` for which the condition is true.
    func match(_ leaf: ClusterLeaf, _ among: Selection) throws(RealmError) -> Selection { among }

    /// Reads the columns' leaves from the cache of `directory` from now on.
    func attach(_ directory: LeafDirectory) {}

    /// Returns the number of matching rows in all leaves of `directory`, without matching leaf by
    /// leaf. Nil if the term cannot do that. The caller must have called `attach` with `directory`.
    func count(_ directory: LeafDirectory) throws(RealmError) -> Int? { nil }
}

/// The term for TRUEPREDICATE and FALSEPREDICATE.
final class ConstantTerm: QueryTerm {
    private let value: Bool

    init(_ value: Bool) { self.value = value }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection { value ? among : .none }
}

/// Base class of AND and OR: several terms that are tested for the same rows.
class JoinedTerms: QueryTerm {
    fileprivate let terms: [QueryTerm]

    init(_ terms: [QueryTerm]) { self.terms = terms }

    override func attach(_ directory: LeafDirectory) {
        for term in terms { term.attach(directory) }
    }
}

/// AND of terms; each term is tested only for rows that match all previous terms.
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

/// OR of terms; each term is tested only for rows that match no previous term.
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

/// Tests a condition of any kind row by row, with `QueryEvaluator`.
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

/// Tests one column value by value. Used for column types for which no loop over packed leaves
/// exists.
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
