/// A query as text, predicates, typed closures and programs make it: the condition and the clauses
/// after it (query language 3).
///
/// A value of bounded height (`QueryLimits.depth`), so neither walking nor releasing it can exhaust
/// the stack. Each part has a range of the text for the errors of binding.
struct QueryTree: Sendable {
    var condition: QueryCondition
    var clauses: [QueryClause] = []
    var dialect = QueryDialect.language
    /// A constant is the time at which the tree was made.
    var isMomentary = false
}

/// A condition that is true or false of an object. Its functions build it, values in place; text
/// becomes the same tree (query language 3 to 21). Free to cross threads.
public struct QueryCondition: Sendable {
    let kind: Kind
    /// Conditions and operands nested in each other, this one included.
    let height: Int

    enum Kind: Sendable {
        case constant(Bool)
        case and([QueryCondition])
        case or([QueryCondition])
        indirect case not(QueryCondition)
        case comparison(QueryComparison)
        indirect case between(QueryOperand, QueryList, SourceRange)
        indirect case geoWithin(QueryProperty, QueryRegion, SourceRange)
    }

    init(_ kind: Kind) {
        self.kind = kind
        let inner: Int =
            switch kind {
            case .constant, .geoWithin: 0
            case .and(let parts), .or(let parts): parts.reduce(0) { max($0, $1.height) }
            case .not(let part): part.height
            case .comparison(let comparison): max(comparison.left.height, comparison.right.height)
            case .between(let operand, _, _): operand.height
            }
        height = inner + 1
    }
}

/// Two operands and the relation between them.
struct QueryComparison: Sendable {
    var left: QueryOperand
    var relation: QueryRelation
    /// `[c]`
    var foldsCase: Bool
    /// `[d]`, of predicates and of a language that folds by Unicode.
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
    /// A regular expression: an extension of the language.
    case matches
}

/// How many elements of a list must satisfy a comparison (query language 11).
public enum QueryQuantifier: UInt8, Sendable {
    case any, all, none
}

/// One side of a comparison: a value, a path to values, or something calculated of them.
public struct QueryOperand: Sendable {
    let kind: Kind
    var range: SourceRange
    /// Conditions and operands nested in each other, this one not included.
    let height: Int

    enum Kind: Sendable {
        case constant(QueryConstant)
        case list(QueryList)
        case property(QueryProperty)
        indirect case aggregate(QueryAggregate)
        indirect case subquery(QuerySubquery)
        /// `first op operand op operand ...`, all operators of one precedence, left to right.
        indirect case arithmetic(QueryOperand, [ArithmeticTerm])
        indirect case function(QueryFunctionCall)
    }

    init(kind: Kind, range: SourceRange = .none) {
        self.kind = kind
        self.range = range
        height =
            switch kind {
            case .constant, .list, .property, .aggregate: 0
            case .subquery(let subquery): subquery.condition.height + 1
            case .function(let call): call.operand.height + 1
            case .arithmetic(let first, let terms):
                terms.reduce(first.height) { max($0, $1.operand.height) } + 1
            }
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

/// A function of one value, or of each of several.
struct QueryFunctionCall: Sendable {
    let function: ScalarFunction
    let operand: QueryOperand
    /// Of `floor`.
    let width: QueryConstant?
    let quantifier: QueryQuantifier?
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

/// A literal, a value or the place of an argument.
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
    /// A value in place, as an argument has it.
    case value(QueryArgument)
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

/// Steps from the queried object to a value (query language 5).
public struct QueryPath: Sendable {
    /// Apart from the others, so that a path of one step is in no memory of its own.
    let first: QueryStep
    let rest: [QueryStep]
    var range: SourceRange
}

/// A step of a path (query language 5).
public struct QueryStep: Sendable {
    let kind: Kind
    var range = SourceRange.none
    /// The name of a property, even if it is `@links`.
    var isQuoted = false

    enum Kind: Sendable {
        /// A property, a key of a dictionary, `@links`, `@keys` or `@values`.
        case name(String)
        /// `$Kn`
        case argument(Int)
        case index(Index)
    }

    enum Index: Sendable {
        case at(Int64)
        case first
        case last
        case all
        case key(String)
        /// `[$n]`
        case argument(Int)
    }
}

/// `path.@min`, `links.@sum.property` and the like.
struct QueryAggregate: Sendable {
    var path: QueryPath
    var function: AggregateFunction
    var functionRange: SourceRange
    var property: QueryStep?
}

/// `SUBQUERY(path, $x, condition).@count`
struct QuerySubquery: Sendable {
    var path: QueryPath
    /// Nil where the condition needs none: its paths begin at the elements.
    var variable: String?
    var variableRange: SourceRange
    var condition: QueryCondition
}

/// The right side of GEOWITHIN.
enum QueryRegion: Sendable {
    case box(QueryPoint, QueryPoint)
    case circle(QueryPoint, radius: QueryCoordinate)
    case polygon([[QueryPoint]])
    case argument(Int)
    case shape(GeoShape)
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
