/// A query from text, a predicate, a typed closure or a program: the condition and the clauses
/// after it (query language 3).
///
/// The height of the tree is limited by `QueryLimits.depth`, so that neither visiting nor releasing
/// it can exhaust the stack. Each part has its range in the query text, for errors in binding.
struct QueryTree: Sendable {
    var condition: QueryCondition
    var clauses: [QueryClause] = []
    var dialect = QueryDialect.language
    /// Whether the tree contains the current time, read when the tree was built, as a constant.
    var isMomentary = false
}

/// A condition on an object. Its static functions build conditions from values; parsed text becomes
/// the same tree (query language 3 to 21). Safe to use from any thread.
public struct QueryCondition: Sendable {
    let kind: Kind
    /// Depth of nesting: 1 more than the largest height of a condition or operand inside this
    /// condition. Constants and properties have the height 0.
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

/// A comparison in the query tree: two operands and the relation between them.
struct QueryComparison: Sendable {
    var left: QueryOperand
    var relation: QueryRelation
    /// Whether to ignore case: `[c]`.
    var foldsCase: Bool
    /// Whether to ignore diacritical marks: `[d]`, in predicates and in the extended language.
    var foldsMarks = false
    var right: QueryOperand
    /// Range of the operator, such as `==`, in the query text.
    var range: SourceRange
}

/// The operators of comparisons, such as `==` and BEGINSWITH (query language 3).
public enum QueryRelation: UInt8, Sendable {
    case equal, notEqual, less, lessEqual, greater, greaterEqual
    case `in`
    case beginsWith, endsWith, contains, like
    case text
    /// A regular expression. Not in the query language of the SDKs.
    case matches
}

/// Number of a list's elements that must satisfy a comparison (query language 11).
public enum QueryQuantifier: UInt8, Sendable {
    case any, all, none
}

/// One side of a comparison: a value, a path to values, or a computation on them.
public struct QueryOperand: Sendable {
    let kind: Kind
    var range: SourceRange
    /// Depth of nesting: 0 for a constant, list, path or aggregate, otherwise 1 more than the
    /// largest height of an operand or condition inside this operand.
    let height: Int

    enum Kind: Sendable {
        case constant(QueryConstant)
        case list(QueryList)
        case property(QueryProperty)
        indirect case aggregate(QueryAggregate)
        indirect case subquery(QuerySubquery)
        /// `first op operand op operand ...`: operators of equal precedence, evaluated from left to
        /// right.
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
    /// Whether the operand is a constant or a list of constants.
    var isLiteral: Bool {
        switch kind {
        case .constant, .list: true
        default: false
        }
    }
}

/// A function of one value, or of each of several values.
struct QueryFunctionCall: Sendable {
    let function: ScalarFunction
    let operand: QueryOperand
    /// Second argument of `floor`, to whose multiples numbers are rounded; nil for other functions.
    let width: QueryConstant?
    let quantifier: QueryQuantifier?
}

/// An arithmetic operator and the operand to its right.
struct ArithmeticTerm: Sendable {
    var sign: QueryArithmetic
    var operand: QueryOperand
    var range: SourceRange
}

/// Arithmetic operators (query language 16).
public enum QueryArithmetic: UInt8, Sendable {
    case add, subtract, multiply, divide
}

/// A constant operand: a literal, an argument, or a value given by a program.
enum QueryConstant: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// A double literal with its text. A decimal is converted from the text, to keep all digits.
    case double(Double, text: [UInt8])
    /// A literal that ends in `f`, such as `1.5f`, and its text, from which a decimal is converted.
    case float(Float, text: [UInt8])
    case infinity(isNegative: Bool)
    case nan
    case string([UInt8])
    case binary([UInt8])
    case timestamp(Timestamp)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    /// The object of a class with a primary key: `obj('Class', key)`
    indirect case object(className: [UInt8], key: QueryConstant)
    /// `O5`: an object key. The class of the object is the class of the link on the other side of
    /// the comparison.
    case objectKey(Int64)
    /// `L3:5`: the object with key 5 in the table with key 3.
    case typedKey(UInt32, Int64)
    /// The argument `$n` with its quantifier.
    case argument(Int, QueryQuantifier?)
    /// A value that a program gives, not query text.
    case value(QueryArgument)
}

/// A list literal: `{a, b, ...}`
struct QueryList: Sendable {
    var quantifier: QueryQuantifier?
    var elements: [QueryElement]
    var range: SourceRange
}

struct QueryElement: Sendable {
    var constant: QueryConstant
    var range: SourceRange
}

/// An operand that is a path, with its quantifier, such as ANY, and its suffix, such as `.@count`.
struct QueryProperty: Sendable {
    var quantifier: QueryQuantifier?
    var path: QueryPath
    var suffix: Suffix
    var range: SourceRange

    enum Suffix: UInt8, Sendable {
        case none
        /// Number of elements of a collection, or of bytes of a text: `.@count`, `.@size`, `[SIZE]`
        case count
        /// Type of the value: `.@type`
        case type
    }
}

/// Steps from the queried object to a value (query language 5).
public struct QueryPath: Sendable {
    /// First step. Stored outside of `rest`, so that a path of one step needs no heap memory.
    let first: QueryStep
    let rest: [QueryStep]
    var range: SourceRange
}

/// A step of a path, such as a property name or an index in brackets (query language 5).
public struct QueryStep: Sendable {
    let kind: Kind
    var range = SourceRange.none
    /// Whether the name is a property's name even if it begins with `@`.
    var isQuoted = false

    enum Kind: Sendable {
        /// A property, a key of a dictionary, `@links`, `@keys` or `@values`.
        case name(String)
        /// Placeholder `$K2` for a key path that is given as the argument with this number.
        case argument(Int)
        case index(Index)
    }

    enum Index: Sendable {
        case at(Int64)
        case first
        case last
        case all
        case key(String)
        /// Placeholder `[$2]`: the argument with this number is the index or key.
        case argument(Int)
    }
}

/// An aggregate in the query tree, such as `path.@min` or `links.@sum.property`.
struct QueryAggregate: Sendable {
    var path: QueryPath
    var function: AggregateFunction
    var functionRange: SourceRange
    var property: QueryStep?
}

/// `SUBQUERY(path, $x, condition).@count`
struct QuerySubquery: Sendable {
    var path: QueryPath
    /// Name of the variable, such as `$x`. Nil if there is no variable: the paths of the condition
    /// then begin at the linked objects.
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
