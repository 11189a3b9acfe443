/// A query as written: the condition and the descriptors after it (query language 3).
///
/// A value tree of bounded height (`QueryLimits.depth`), so neither walking nor releasing
/// it can exhaust the stack. Every part knows its place in the text for the errors of binding.
struct QueryTree: Sendable {
    var condition: QueryCondition
    var descriptors: [QueryDescriptor]
}

/// What is true or false of an object.
indirect enum QueryCondition: Sendable {
    case constant(Bool)
    case and([QueryCondition])
    case or([QueryCondition])
    case not(QueryCondition)
    case comparison(QueryComparison)
    case between(QueryOperand, QueryList, SourceRange)
    case geoWithin(QueryProperty, QueryRegion, SourceRange)
}

/// Two operands and what is asked of them.
struct QueryComparison: Sendable {
    var left: QueryOperand
    var relation: QueryRelation
    /// `[c]`
    var foldsCase: Bool
    /// `[d]`, of predicates alone.
    var foldsMarks = false
    var right: QueryOperand
    /// Place of the operator.
    var range: SourceRange
}

/// The operators of comparisons (query language 3).
public enum QueryRelation: UInt8, Sendable {
    case equal, notEqual, less, lessEqual, greater, greaterEqual
    case `in`
    case beginsWith, endsWith, contains, like
    case text
}

/// How many elements of a list must satisfy a comparison (query language 11).
public enum QueryQuantifier: UInt8, Sendable {
    case any, all, none
}

/// One side of a comparison.
struct QueryOperand: Sendable {
    var kind: Kind
    var range: SourceRange

    indirect enum Kind: Sendable {
        case constant(QueryConstant)
        case list(QueryList)
        case property(QueryProperty)
        case aggregate(QueryAggregate)
        case subquery(QuerySubquery)
        /// `first op operand op operand ...`, all operators of one precedence, left to right.
        case arithmetic(QueryOperand, [ArithmeticTerm])
    }
}

extension QueryOperand {
    /// A constant or a list of them.
    var isLiteral: Bool {
        switch kind {
        case .constant, .list: true
        default: false
        }
    }
}

/// An operator and the operand behind it.
struct ArithmeticTerm: Sendable {
    var sign: QueryArithmetic
    var operand: QueryOperand
    var range: SourceRange
}

/// The operators between numbers (query language 16).
public enum QueryArithmetic: UInt8, Sendable {
    case add, subtract, multiply, divide
}

/// A literal or an argument.
enum QueryConstant: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// With its text, from which decimals are read.
    case double(Double, text: [UInt8])
    /// A literal that ends in `f`, with its text.
    case float(Float, text: [UInt8])
    case infinity(isNegative: Bool)
    case nan
    case string([UInt8])
    case binary([UInt8])
    case timestamp(Timestamp)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    /// `obj('Class', key)`
    indirect case object(className: [UInt8], key: QueryConstant)
    /// `O5`: an object key of the class compared with.
    case objectKey(Int64)
    /// `L3:5`: table key and object key.
    case typedKey(UInt32, Int64)
    /// `$n`, with the quantifier in front of it.
    case argument(Int, QueryQuantifier?)
}

/// `{a, b, ...}`
struct QueryList: Sendable {
    var quantifier: QueryQuantifier?
    var elements: [QueryElement]
    var range: SourceRange
}

struct QueryElement: Sendable {
    var constant: QueryConstant
    var range: SourceRange
}

/// A path with what may stand before and behind it.
struct QueryProperty: Sendable {
    var quantifier: QueryQuantifier?
    var path: QueryPath
    var suffix: Suffix
    var range: SourceRange

    enum Suffix: UInt8, Sendable {
        case none
        /// `.@count`, `.@size`, `[SIZE]`
        case count
        /// `.@type`
        case type
    }
}

/// Steps from the queried object to a value.
struct QueryPath: Sendable {
    var steps: [Step]
    var range: SourceRange

    struct Step: Sendable {
        var kind: Kind
        var range: SourceRange
        /// In backticks, so that it is the name of a property whatever it looks like.
        var isQuoted = false
    }

    enum Kind: Sendable {
        /// A property, a key of a dictionary, `@links`, `@keys` or `@values`.
        case name([UInt8])
        /// `$Kn`
        case argument(Int)
        case index(Index)
    }

    enum Index: Sendable {
        case at(Int64)
        case first
        case last
        case all
        case key([UInt8])
        /// `[$n]`
        case argument(Int)
    }
}

/// `path.@min`, `links.@sum.property` and the like.
struct QueryAggregate: Sendable {
    var path: QueryPath
    var function: AggregateFunction
    var functionRange: SourceRange
    var property: QueryPath.Step?
}

/// `SUBQUERY(path, $x, condition).@count`
struct QuerySubquery: Sendable {
    var path: QueryPath
    var variable: [UInt8]
    var variableRange: SourceRange
    var condition: QueryCondition
}

/// The right side of GEOWITHIN.
enum QueryRegion: Sendable {
    case box(QueryPoint, QueryPoint)
    case circle(QueryPoint, radius: QueryCoordinate)
    case polygon([[QueryPoint]])
    case argument(Int)
}

struct QueryPoint: Sendable {
    var longitude: QueryCoordinate
    var latitude: QueryCoordinate
}

struct QueryCoordinate: Sendable {
    var kind: Kind
    var range: SourceRange

    enum Kind: Sendable {
        case number(Double)
        case argument(Int)
    }
}

/// What happens to the matches, in the order written (query language 22).
enum QueryDescriptor: Sendable {
    case sort([QuerySortKey])
    case distinct([QueryPath])
    case limit(Int64)
}

struct QuerySortKey: Sendable {
    var path: QueryPath
    var isAscending: Bool
}
