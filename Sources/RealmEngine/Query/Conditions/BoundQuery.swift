/// A condition whose names, types and constants are settled for one class of one snapshot.
enum BoundCondition: Sendable {
    case constant(Bool)
    case and([BoundCondition])
    case or([BoundCondition])
    indirect case not(BoundCondition)
    /// A property of the object itself against a constant.
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

/// Scalar, list or several lists: settled when binding, never by content (query language 6).
enum OperandShape: Sendable {
    case scalar, list, groups
}

/// One side of a comparison.
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

    /// The same operand under another quantifier.
    func with(_ quantifier: QueryQuantifier?) -> BoundOperand {
        BoundOperand(kind: kind, type: type, shape: shape, quantifier: quantifier, range: range)
    }

    enum Kind: Sendable {
        /// A constant or a list of constants.
        case constant(ValueBuffer)
        case path(BoundPath)
        /// Elements of collections, links or incoming links.
        case count(BoundPath)
        /// Bytes of text, elements of nested collections.
        case size(BoundPath)
        /// Type of each value.
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

    /// The value of a scalar constant.
    var constantValue: Value? {
        guard case .constant(let buffer) = kind, shape == .scalar else { return nil }
        return buffer.values[0]
    }

    /// The elements of a list literal or list argument.
    var constantList: [Value]? {
        guard case .constant(let buffer) = kind, shape == .list else { return nil }
        return Array(buffer.values.all)
    }

    /// The column, when this is a single property of the queried object itself.
    var directColumn: BoundColumn? {
        guard case .path(let path) = kind, path.hops.isEmpty, case .scalar(let column) = path.end
        else { return nil }
        return column
    }

    /// A collection of the schema that holds no links, whole or indexed. The entry of a dictionary is
    /// a single value, and its keys are no property.
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

/// An operator of an arithmetic chain and what stands behind it.
struct BoundTerm: Sendable {
    let sign: QueryArithmetic
    let operand: BoundOperand
}

/// `@min` and its kin, over a collection of values or over a property of linked objects.
final class BoundAggregate: Sendable {
    let function: AggregateFunction
    let path: BoundPath
    /// For links: the property of the objects reached.
    let property: BoundColumn?
    /// Type of what is aggregated.
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

    /// Whether a dictionary has the values.
    var isOfDictionary: Bool {
        guard property == nil, case .collection(let column, _) = path.end else { return false }
        return column.layout.collection == .dictionary
    }
}

final class BoundSubquery: Sendable {
    let path: BoundPath
    let condition: BoundCondition
    /// The condition has a subquery of its own.
    let isNested: Bool
    /// Of the condition, told once: a range test has the same subquery twice, and nested in itself
    /// twice as often with each level.
    let cost: Double
    let looks: Int

    private static let maximumLooks = 1 << 40

    init(_ path: BoundPath, _ condition: BoundCondition) {
        self.path = path
        self.condition = condition
        cost = ConditionOrder.cost(condition)
        looks = min(condition.looks, Self.maximumLooks)
        isNested = condition.hasSubquery
    }
}

/// Values of an operand for one object, or of a constant. Reused from object to object.
final class ValueBuffer: @unchecked Sendable {
    let values: ReusedBuffer<Value>
    /// For groups: where each ends in `values`.
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

/// What happens to the matches.
enum BoundDescriptor: Sendable {
    case sort([BoundSortKey])
    case distinct([BoundSortKey])
    case limit(Int)
}

/// A key of SORT or DISTINCT: a property at the end of links, or an operand.
struct BoundSortKey: Sendable {
    /// To-one links, from the queried object on.
    let hops: [PathHop]
    let column: BoundColumn
    /// Entry of a dictionary.
    let key: ByteView?
    /// Calculated for each object, instead of a property; its first value counts.
    var operand: BoundOperand? = nil
    let isAscending: Bool
    /// Raised when there is something to sort: a path that cannot be used for it.
    let failure: RealmError?
    let name: String

    /// Whether the key is a property of the object itself.
    var isOwn: Bool { hops.isEmpty && key == nil && operand == nil }
}

/// A query ready for one class of one snapshot; free to cross threads.
public final class BoundQuery: Sendable {
    /// The class queried.
    public let table: TableInfo
    let source: QuerySource
    let condition: BoundCondition
    let descriptors: [BoundDescriptor]
    /// Owns the bytes of the constants; nil when they have none.
    let pool: ConstantPool?
    /// How the query runs, once that was decided; nil for queries used once.
    let decision: LockedValue<QueryDecision?>?
    /// A constant is an object that was looked for, in a table of whatever class.
    let namesObjects: Bool
    /// What this was put together from, whose constants it uses.
    private let parts: [BoundQuery]

    init(
        table: TableInfo, source: QuerySource, condition: BoundCondition,
        descriptors: [BoundDescriptor], pool: ConstantPool?,
        isKept: Bool, parts: [BoundQuery] = []
    ) {
        self.table = table
        self.source = source
        self.condition = condition
        self.descriptors = descriptors
        self.pool = pool
        self.parts = parts
        namesObjects =
            pool?.namesObjects == true || parts.contains { $0.namesObjects }
        decision = isKept ? LockedValue(nil) : nil
    }
}
