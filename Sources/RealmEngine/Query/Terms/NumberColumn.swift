/// The numbers of an operand for all rows of one leaf, stored in arrays. Arithmetic and comparisons
/// are loops over these arrays.
///
/// Confined to one thread.
class NumberColumn {
    /// Type of the operand's numbers, which selects the array that contains them.
    enum Kind {
        case int, float, double
    }

    let kind: Kind
    /// Number in each row of the leaf that was loaded last. Used only if `kind` is `.int`.
    let integers: UnsafeMutablePointer<Int64>
    /// Number in each row of the leaf that was loaded last, if `kind` is not `.int`. Floats are
    /// stored as doubles, which represent them exactly.
    let doubles: UnsafeMutablePointer<Double>
    /// Rows in which the operand is null. The elements of these rows in `integers` or `doubles` are
    /// arbitrary.
    fileprivate(set) var nulls = Selection.none

    fileprivate init(_ kind: Kind) {
        self.kind = kind
        integers = .allocate(capacity: ClusterRows.maximum)
        integers.initialize(repeating: 0, count: ClusterRows.maximum)
        doubles = .allocate(capacity: ClusterRows.maximum)
        doubles.initialize(repeating: 0, count: ClusterRows.maximum)
    }

    deinit {
        integers.deallocate()
        doubles.deallocate()
    }

    /// Loads the operand's numbers for all rows of a leaf.
    func load(_ leaf: ClusterLeaf) throws(RealmError) {}

    /// Computes the operand's numbers in the first `count` rows without reading a leaf. Instead,
    /// the operand uses the numbers that the caller has stored in its properties (`properties`).
    func reload(count: Int) {}

    func attach(_ directory: LeafDirectory) {}

    /// The stored properties from which the operand is computed.
    var properties: [NumberProperty] { [] }

    /// Stores the first `count` integers as doubles, too. Returns whether every double equals its
    /// integer.
    func convertToDoubles(count: Int) -> Bool {
        var magnitude: UInt64 = 0
        for i in 0..<count {
            doubles[i] = Double(integers[i])
            magnitude |= integers[i].magnitude
        }
        return magnitude <= 1 << 53
    }

    /// Returns the value of the operand in a row of the leaf that was loaded last.
    func value(_ row: Int) -> Value {
        if nulls.contains(row) { return .null }
        return switch kind {
        case .int: .int(integers[row])
        case .float: .float(Float(doubles[row]))
        case .double: .double(doubles[row])
        }
    }

    /// Makes a number column for an operand that consists of constants, properties of the queried
    /// object itself, and arithmetic on them. Nil for other operands, and if a value is not an
    /// integer, float or double.
    static func make(_ operand: BoundOperand) -> NumberColumn? {
        guard operand.shape == .scalar else { return nil }
        switch operand.kind {
        case .constant: return operand.constantValue.flatMap(NumberConstant.init)
        case .path: return operand.directColumn.flatMap(NumberProperty.init)
        case .arithmetic(let first, let terms):
            guard var result = make(first) else { return nil }
            for term in terms {
                guard let part = make(term.operand) else { return nil }
                result = NumberArithmetic(result, term.sign, part)
            }
            return result
        case .count, .size, .typeOf, .aggregate, .subquery, .function: return nil
        }
    }
}

/// A constant operand, which is the same number in every row.
private final class NumberConstant: NumberColumn {
    /// Nil for a value that is not an integer, float or double.
    init?(_ value: Value) {
        switch value {
        case .int(let number):
            super.init(.int)
            integers.update(repeating: number, count: ClusterRows.maximum)
        case .float(let number):
            super.init(.float)
            doubles.update(repeating: Double(number), count: ClusterRows.maximum)
        case .double(let number):
            super.init(.double)
            doubles.update(repeating: number, count: ClusterRows.maximum)
        default: return nil
        }
    }
}

/// An operand that is a numeric property of the queried object.
final class NumberProperty: NumberColumn {
    let column: BoundColumn
    private var cells: ColumnCells<NodeView>

    /// Nil for a property that is not an integer, float or double.
    init?(_ column: BoundColumn) {
        self.column = column
        cells = ColumnCells(column)
        guard column.layout.collection == nil else { return nil }
        switch column.layout.type {
        case .int: super.init(.int)
        case .float: super.init(.float)
        case .double: super.init(.double)
        default: return nil
        }
    }

    override var properties: [NumberProperty] { [self] }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    /// Returns the property's values in a cluster leaf, as a packed array.
    func cells(of leaf: ClusterLeaf) throws(RealmError) -> NodeView { try cells.leaf(leaf) }

    override func load(_ leaf: ClusterLeaf) throws(RealmError) {
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        let node = try cells.leaf(leaf)
        let count = leaf.count
        switch kind {
        case .int: loadIntegers(node, count)
        case .float:
            for i in 0..<count {
                doubles[i] = Double(
                    node.payload.loadUnaligned(fromByteOffset: 4 &* i, as: Float.self))
            }
            nulls = FloatKernels.rows(equalTo: FloatLeaf.nullBits, node.payload, count: count)
        case .double:
            UnsafeMutableRawPointer(doubles)
                .copyMemory(from: node.payload, byteCount: 8 &* count)
            nulls = FloatKernels.rows(equalTo: DoubleLeaf.nullBits, node.payload, count: count)
        }
    }

    private func loadIntegers(_ node: NodeView, _ count: Int) {
        let first = column.layout.isNullable ? NullableIntegerLeaf.first : 0
        IntegerKernels.decode(node, first: first, count: count, into: integers)
        nulls = .none
        guard first > 0 else { return }
        let marker = node.nullMarker
        nulls = IntegerKernels.rows(
            in: IntegerRange(low: marker, high: marker), node, first: NullableIntegerLeaf.first,
            count: count)
    }

    /// Stores the 256 integers from -128 to 127 as the property's values, one per row, or null in
    /// every row. An operand that contains the property then computes its results for all of these
    /// integers in one call of `reload`.
    func setEveryByte(isNull: Bool) {
        for i in 0..<ClusterRows.maximum { integers[i] = Int64(i) - 128 }
        nulls = isNull ? .all : .none
    }
}

/// An operand that applies an arithmetic operator to two operands.
private final class NumberArithmetic: NumberColumn {
    private let left: NumberColumn
    private let sign: QueryArithmetic
    private let right: NumberColumn

    init(_ left: NumberColumn, _ sign: QueryArithmetic, _ right: NumberColumn) {
        self.left = left
        self.sign = sign
        self.right = right
        super.init(Self.kind(left.kind, right.kind))
    }

    private static func kind(_ a: Kind, _ b: Kind) -> Kind {
        if a == .double || b == .double { return .double }
        return a == .float || b == .float ? .float : .int
    }

    override var properties: [NumberProperty] { left.properties + right.properties }

    override func attach(_ directory: LeafDirectory) {
        left.attach(directory)
        right.attach(directory)
    }

    override func load(_ leaf: ClusterLeaf) throws(RealmError) {
        try left.load(leaf)
        try right.load(leaf)
        combine(count: leaf.count)
    }

    override func reload(count: Int) {
        left.reload(count: count)
        right.reload(count: count)
        combine(count: count)
    }

    private func combine(count: Int) {
        nulls = left.nulls | right.nulls
        switch kind {
        case .int: combineIntegers(count)
        case .float:
            prepareDoubles(left, count)
            prepareDoubles(right, count)
            combineDoubles(count)
            // Rounding the double result of an operation on two floats gives the same float as
            // float arithmetic.
            for i in 0..<count { doubles[i] = Double(Float(doubles[i])) }
        case .double:
            prepareDoubles(left, count)
            prepareDoubles(right, count)
            combineDoubles(count)
        }
    }

    /// Converts the integers of an operand to doubles if the type of the result requires it.
    private func prepareDoubles(_ part: NumberColumn, _ count: Int) {
        guard part.kind == .int else { return }
        _ = part.convertToDoubles(count: count)
        guard kind == .float else { return }
        for i in 0..<count { part.doubles[i] = Double(Float(part.integers[i])) }
    }

    private func combineIntegers(_ count: Int) {
        let (a, b, result) = (left.integers, right.integers, integers)
        switch sign {
        case .add: for i in 0..<count { result[i] = a[i] &+ b[i] }
        case .subtract: for i in 0..<count { result[i] = a[i] &- b[i] }
        case .multiply: for i in 0..<count { result[i] = a[i] &* b[i] }
        case .divide: for i in 0..<count { result[i] = Arithmetic.quotient(a[i], b[i]) }
        }
    }

    private func combineDoubles(_ count: Int) {
        let (a, b, result) = (left.doubles, right.doubles, doubles)
        switch sign {
        case .add: for i in 0..<count { result[i] = a[i] + b[i] }
        case .subtract: for i in 0..<count { result[i] = a[i] - b[i] }
        case .multiply: for i in 0..<count { result[i] = a[i] * b[i] }
        case .divide: for i in 0..<count { result[i] = a[i] / b[i] }
        }
    }
}
