/// Compares two single-valued operands, a leaf at a time. Each part of an expression is computed
/// for all rows of a leaf before the next part, so that the type of the expression is examined once
/// per leaf.
final class ScalarTerm: QueryTerm {
    private let comparison: BoundComparison
    private let left: ScalarColumn
    private let right: ScalarColumn
    /// The same comparison as loops over packed numbers, if both operands are computed from numeric
    /// properties of the queried object; otherwise nil.
    private let numbers: NumberComparison?

    override var label: String {
        numbers == nil ? "expressions, a leaf at a time" : "numbers, whole leaves"
    }

    /// Minimum number of rows for which operands are loaded together; fewer rows are evaluated one
    /// by one.
    private static let minimumRows = 16

    /// Nil if an operand may have several values or none.
    init?(_ comparison: BoundComparison, _ evaluator: QueryEvaluator) {
        guard let left = ScalarColumn.make(comparison.left, evaluator),
            let right = ScalarColumn.make(comparison.right, evaluator)
        else { return nil }
        self.comparison = comparison
        self.left = left
        self.right = right
        numbers = NumberComparison(comparison)
    }

    override func attach(_ directory: LeafDirectory) { numbers?.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if let numbers, among.count >= Self.minimumRows { return try numbers.match(leaf, among) }
        try left.load(leaf, among)
        try right.load(leaf, among)
        let a = left.values
        let b = right.values
        return try among.filter { (row) throws(RealmError) in comparison.relate(a[row], b[row]) }
    }
}

/// The values of an operand for the rows of one leaf, computed together. Subclasses compute
/// operands of one kind.
class ScalarColumn {
    /// Value in each row of the leaf that was loaded last; undefined for rows that were not
    /// selected.
    fileprivate(set) var values: UnsafeMutablePointer<Value>

    fileprivate init() {
        values = .allocate(capacity: ClusterRows.maximum)
        values.initialize(repeating: .null, count: ClusterRows.maximum)
    }

    deinit { values.deallocate() }

    /// Loads the operand's values for the selected rows of a leaf.
    func load(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {}

    /// Makes the column that computes an operand leaf by leaf; nil unless the operand has exactly
    /// one value for every object.
    static func make(_ operand: BoundOperand, _ evaluator: QueryEvaluator) -> ScalarColumn? {
        guard operand.shape == .scalar else { return nil }
        switch operand.kind {
        case .constant: return operand.constantValue.map { ConstantColumn($0) }
        case .path(let path):
            guard case .scalar(let column) = path.end else {
                return isSingle(path) ? GeneralColumn(operand, evaluator) : nil
            }
            return path.hops.isEmpty
                ? PropertyColumn(column) : PathColumn(path, column, evaluator)
        case .arithmetic(let first, let terms):
            guard let start = make(first, evaluator) else { return nil }
            var parts: [(QueryArithmetic, ScalarColumn)] = []
            for term in terms {
                guard let part = make(term.operand, evaluator) else { return nil }
                parts.append((term.sign, part))
            }
            return ArithmeticColumn(start, parts)
        case .size(let path):
            guard case .scalar = path.end else { return nil }
            return GeneralColumn(operand, evaluator)
        case .typeOf(let path):
            return isSingle(path) ? GeneralColumn(operand, evaluator) : nil
        case .function(_, let inner):
            return make(inner, evaluator) == nil ? nil : GeneralColumn(operand, evaluator)
        case .count, .aggregate, .subquery: return GeneralColumn(operand, evaluator)
        }
    }

    /// Whether the path has one value for every object. False for an entry of a dictionary, for
    /// instance: in an empty dictionary it has no value.
    private static func isSingle(_ path: BoundPath) -> Bool {
        switch path.end {
        case .objects, .scalar: true
        default: false
        }
    }
}

private final class ConstantColumn: ScalarColumn {
    init(_ value: Value) {
        super.init()
        values.update(repeating: value, count: ClusterRows.maximum)
    }
}

/// An operand that is a property of the queried object; reads its values from the leaf.
private final class PropertyColumn: ScalarColumn {
    private let column: BoundColumn

    init(_ column: BoundColumn) {
        self.column = column
        super.init()
    }

    override func load(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        let cells = try leaf.column(column.leafIndex, column.layout)
        let values = values
        try rows.visit { (row) throws(RealmError) in values[row] = try cells.value(row) }
    }
}

/// An operand that is a property at the end of to-one links; reads it object by object.
private final class PathColumn: ScalarColumn {
    private let path: BoundPath
    private let column: BoundColumn
    private let evaluator: QueryEvaluator

    init(_ path: BoundPath, _ column: BoundColumn, _ evaluator: QueryEvaluator) {
        self.path = path
        self.column = column
        self.evaluator = evaluator
        super.init()
    }

    override func load(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        let values = values
        let hops = path.hops[...]
        try rows.visit { (row) throws(RealmError) in
            if let target = try evaluator.follow(hops, from: RowLocation(leaf: leaf, row: row)) {
                values[row] = try target.value(column)
            } else {
                values[row] = .null
            }
        }
    }
}

private final class ArithmeticColumn: ScalarColumn {
    private let start: ScalarColumn
    private let parts: [(sign: QueryArithmetic, column: ScalarColumn)]

    init(_ start: ScalarColumn, _ parts: [(QueryArithmetic, ScalarColumn)]) {
        self.start = start
        self.parts = parts
        super.init()
    }

    override func load(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        try start.load(leaf, rows)
        var left = start.values
        let result = values
        for part in parts {
            try part.column.load(leaf, rows)
            let right = part.column.values
            let sign = part.sign
            try rows.visit { (row) throws(RealmError) in
                result[row] = Arithmetic.apply(sign, left[row], right[row])
            }
            left = result
        }
    }
}

/// Values of an operand of any kind, computed object by object with `QueryEvaluator`. Slower than
/// the other subclasses of `ScalarColumn`.
private final class GeneralColumn: ScalarColumn {
    private let operand: BoundOperand
    private let evaluator: QueryEvaluator

    init(_ operand: BoundOperand, _ evaluator: QueryEvaluator) {
        self.operand = operand
        self.evaluator = evaluator
        super.init()
    }

    override func load(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        let values = values
        try rows.visit { (row) throws(RealmError) in
            values[row] = try evaluator.value(of: operand, RowLocation(leaf: leaf, row: row))
        }
    }
}
