/// A condition with names, types and constants resolved for one class of one snapshot.
enum BoundCondition: Sendable {
    case constant(Bool)
    case and([BoundCondition])
    case or([BoundCondition])
    indirect case not(BoundCondition)
    /// A comparison of constants with a property of the queried object itself.
    case test(ColumnTest)
    case comparison(BoundComparison)
    case fullText(BoundFullText)
    case geoWithin(BoundGeo)
}

extension BoundCondition {
    fileprivate var hasSubquery: Bool {
        switch self {
        case .constant, .test, .fullText, .geoWithin: false
        case .and(let children), .or(let children): children.contains { $0.hasSubquery }
        case .not(let child): child.hasSubquery
        case .comparison(let comparison):
            comparison.left.hasSubquery || comparison.right.hasSubquery
        }
    }
}

/// Number of values of an operand per object: one, a list, or several lists. Determined when
/// binding, not from data (query language 6).
enum OperandShape: Sendable {
    case scalar, list, groups
}

/// One side of a comparison after binding: a constant, a path or a computation.
final class BoundOperand: Sendable {
    let kind: Kind
    let type: OperandType
    let shape: OperandShape
    let quantifier: QueryQuantifier?
    let range: SourceRange

    init(
        kind: Kind, type: OperandType, shape: OperandShape, quantifier: QueryQuantifier? = nil,
        range: SourceRange
    ) {
        self.kind = kind
        self.type = type
        self.shape = shape
        self.quantifier = quantifier
        self.range = range
    }

    /// Returns this operand with another quantifier.
    func with(_ quantifier: QueryQuantifier?) -> BoundOperand {
        BoundOperand(kind: kind, type: type, shape: shape, quantifier: quantifier, range: range)
    }

    enum Kind: Sendable {
        /// A constant or a list of constants.
        case constant(ValueBuffer)
        case path(BoundPath)
        /// `@count`: the number of elements of each collection, or the number of links or
        /// backlinks.
        case count(BoundPath)
        /// Size of texts in bytes, or number of elements of collections nested in mixed values.
        case size(BoundPath)
        /// Type of each value at the end of the path.
        case typeOf(BoundPath)
        case aggregate(BoundAggregate)
        case subquery(BoundSubquery)
        case arithmetic(BoundOperand, [BoundTerm])
        case function(BoundFunction, BoundOperand)
    }

    var isConstant: Bool {
        if case .constant = kind { return true }
        return false
    }

    fileprivate var hasSubquery: Bool {
        switch kind {
        case .subquery: true
        case .function(_, let operand): operand.hasSubquery
        case .arithmetic(let first, let terms):
            first.hasSubquery || terms.contains { $0.operand.hasSubquery }
        default: false
        }
    }

    /// The value of a scalar constant; nil for other operands.
    var constantValue: Value? {
        guard case .constant(let buffer) = kind, shape == .scalar else { return nil }
        return buffer.values[0]
    }

    /// The elements of a list literal or list argument; nil for other operands.
    var constantList: [Value]? {
        guard case .constant(let buffer) = kind, shape == .list else { return nil }
        return Array(buffer.values.all)
    }

    /// The column of the operand if it is a property of the queried object itself; nil for other
    /// operands.
    var directColumn: BoundColumn? {
        guard case .path(let path) = kind, path.hops.isEmpty, case .scalar(let column) = path.end
        else { return nil }
        return column
    }

    /// Whether the operand is a collection of values that are not links, or one element of it
    /// selected by index. False for an entry of a dictionary, which is a single value, and for the
    /// keys of a dictionary.
    var isPrimitiveCollection: Bool {
        guard case .path(let path) = kind, case .collection(_, let selector) = path.end else {
            return false
        }
        switch selector {
        case .all, .at: return true
        case .key, .keys: return false
        }
    }
}

/// An arithmetic operator and the operand to its right.
struct BoundTerm: Sendable {
    let sign: QueryArithmetic
    let operand: BoundOperand
}

/// An aggregate such as `@min`, over a collection of values or a property of linked objects.
final class BoundAggregate: Sendable {
    let function: AggregateFunction
    let path: BoundPath
    /// Aggregated property of linked objects; nil for a collection of values.
    let property: BoundColumn?
    /// Operand type of the values to which the function is applied.
    let element: OperandType

    init(
        _ function: AggregateFunction, _ path: BoundPath, property: BoundColumn?,
        element: OperandType
    ) {
        self.function = function
        self.path = path
        self.property = property
        self.element = element
    }

    /// Whether the aggregated values are the values of a dictionary.
    var isOfDictionary: Bool {
        guard property == nil, case .collection(let column, _) = path.end else { return false }
        return column.layout.collection == .dictionary
    }
}

final class BoundSubquery: Sendable {
    let path: BoundPath
    let condition: BoundCondition
    /// Whether the condition of the subquery contains another subquery. Computed once.
    let isNested: Bool
    /// Estimated cost of testing the condition. Computed once: BETWEEN uses the same subquery for
    /// both limits, so computing it anew would double the work with each level of nesting.
    let cost: Double
    let maximumReads: Int

    private static let maximumLooks = 1 << 40

    init(_ path: BoundPath, _ condition: BoundCondition) {
        self.path = path
        self.condition = condition
        cost = ConditionOrder.cost(condition)
        maximumReads = min(condition.maximumReads, Self.maximumLooks)
        isNested = condition.hasSubquery
    }
}

/// Values of an operand for one object, or the values of a constant. The evaluator reuses buffers
/// from object to object.
final class ValueBuffer: @unchecked Sendable {
    let values: ReusedBuffer<Value>
    /// End of each group of values, as an index in `values`; empty if the values form no groups.
    let groupEnds = ReusedBuffer<Int>(capacity: 4)

    init() { values = ReusedBuffer() }

    init(_ values: [Value]) {
        self.values = ReusedBuffer(capacity: values.count)
        for value in values { self.values.append(value) }
    }

    func removeAll() {
        values.removeAll()
        groupEnds.removeAll()
    }

    func endGroup() { groupEnds.append(values.count) }
}

/// A SORT, DISTINCT or LIMIT clause with its keys bound.
enum BoundDescriptor: Sendable {
    case sort([BoundSortKey])
    case distinct([BoundSortKey])
    case limit(Int)
}

/// A key of SORT or DISTINCT: a property at the end of to-one links, or an operand.
struct BoundSortKey: Sendable {
    /// To-one links from the queried object to the object with the property.
    let hops: [PathHop]
    let column: BoundColumn
    /// Key of the dictionary entry by which objects are sorted; nil if the property is not a
    /// dictionary.
    let key: ByteView?
    /// Operand that is computed for each object and replaces the property; only its first value is
    /// used. Nil if the key is a property.
    var operand: BoundOperand? = nil
    let isAscending: Bool
    /// Rule by which the texts of the keys are ordered.
    var collation = TextCollation.binary
    /// Error to throw because the path cannot be used as a sort key. Thrown only if there are
    /// objects to sort.
    let failure: RealmError?
    let name: String

    /// Whether the key is a property of the queried object itself.
    var isOwn: Bool { hops.isEmpty && key == nil && operand == nil }
}

/// A query bound to one class of one snapshot. Safe to use from any thread.
public final class BoundQuery: Sendable {
    /// The class whose objects the query finds.
    public let table: TableInfo
    let source: QuerySource
    let condition: BoundCondition
    let descriptors: [BoundDescriptor]
    /// Owner of the bytes of the constants; nil if no constant has bytes.
    let pool: ConstantPool?
    /// Cached decision on how to run the query. The inner value is nil until a plan was made; the
    /// outer value is nil for queries used once.
    let decision: LockedValue<QueryDecision?>?
    /// Whether a constant is an object that was looked up by its primary key. The result then also
    /// depends on the table of that object's class.
    let namesObjects: Bool
    /// Queries that this query combines and whose constants it uses.
    private let parts: [BoundQuery]

    init(
        table: TableInfo, source: QuerySource, condition: BoundCondition,
        descriptors: [BoundDescriptor], pool: ConstantPool?,
        isCached: Bool, parts: [BoundQuery] = []
    ) {
        self.table = table
        self.source = source
        self.condition = condition
        self.descriptors = descriptors
        self.pool = pool
        self.parts = parts
        namesObjects =
            pool?.namesObjects == true || parts.contains { $0.namesObjects }
        decision = isCached ? LockedValue(nil) : nil
    }
}
