/// A condition that is being put together by `Query`, in the shape of its text (API specification
/// 2.15).
indirect enum QueryNode {
    case path(QueryPath)
    case constant(Any?)
    case comparison(QueryNode, String, QueryNode, StringOptions)
    /// `(path BETWEEN {%@, %@})`
    case between(QueryNode, Any?, Any?)
    case joined(QueryNode, String, QueryNode)
    case not(QueryNode)
    /// How many elements of the collection at `path` a condition holds for.
    case subqueryCount(QueryPath, QueryNode)
}

/// A path of properties, as text with places for arguments.
struct QueryPath {
    enum Part {
        case name(String)
        /// `@count`, `@allKeys` and their kin.
        case function(String)
        /// `[%@]`
        case key(Any)
        /// `[%K]`: any element.
        case any

        /// Of a property.
        var name: String? {
            if case .name(let name) = self { return name }
            return nil
        }
    }

    var parts: [Part] = []
    /// Values are compared with each of several ones.
    var isCollection = false

    init(_ parts: [Part] = []) { self.parts = parts }

    /// The first property that is a collection, where sub-queries begin.
    var collectionRoot: Int?

    func appending(_ part: Part, isCollection: Bool? = nil) -> QueryPath {
        var path = self
        path.parts.append(part)
        if let isCollection {
            path.isCollection = isCollection || self.isCollection
            if isCollection, collectionRoot == nil { path.collectionRoot = parts.count }
        }
        return path
    }

    /// Of a collection of objects a function comes behind the collection, what it reduces behind that.
    func reduced(_ function: String) -> QueryPath {
        var path = self
        path.isCollection = false
        if let root = collectionRoot, root + 1 < parts.count {
            path.parts.insert(.function(function), at: root + 1)
        } else {
            path.parts.append(.function(function))
        }
        return path
    }
}

/// Writes conditions as text with arguments.
struct QueryText {
    private(set) var text = ""
    private(set) var arguments: [Any] = []
    private var subqueries = 0
    /// Stands for the collection at the beginning of a path inside a sub-query.
    private var variable: Variable?

    private struct Variable {
        let name: String
        let parts: [QueryPath.Part]

        func isRoot(of path: QueryPath) -> Bool {
            path.parts.count > parts.count
                && zip(parts, path.parts).allSatisfy { $0.name == $1.name && $0.name != nil }
        }
    }

    init(_ node: QueryNode) { writeCondition(node) }

    /// A property of truth values stands for itself compared with `true`, or with `false` when negated.
    private mutating func writeCondition(_ node: QueryNode) {
        switch node {
        case .path(let path):
            write(path, hasAny: true)
            text += " == true"
        case .not(.path(let path)):
            write(path, hasAny: true)
            text += " == false"
        default: write(node)
        }
    }

    private mutating func write(_ node: QueryNode) {
        switch node {
        case .path(let path): write(path, hasAny: true)
        case .constant(let value): argument(value)
        case .comparison, .between: writeComparison(node, "")
        case .joined(let left, let word, let right):
            text += "("
            writeCondition(left)
            text += " \(word) "
            writeCondition(right)
            text += ")"
        case .not(let node): writeNegation(node)
        case .subqueryCount(let path, let condition): writeSubquery(path, condition)
        }
    }

    private mutating func writeNegation(_ node: QueryNode) {
        switch node {
        case .comparison, .between: writeComparison(node, "NOT ")
        default:
            text += "NOT "
            writeCondition(node)
        }
    }

    private mutating func writeComparison(_ node: QueryNode, _ prefix: String) {
        text += "(" + prefix
        if case .comparison(let left, let relation, let right, let options) = node {
            write(left)
            text += " \(relation)\(options.text) "
            write(right)
        } else if case .between(let operand, let low, let high) = node {
            write(operand)
            text += " BETWEEN {"
            argument(low)
            text += ", "
            argument(high)
            text += "}"
        }
        text += ")"
    }

    private mutating func writeSubquery(_ path: QueryPath, _ condition: QueryNode) {
        subqueries += 1
        let name = "$col\(subqueries)"
        text += "SUBQUERY("
        write(path, hasAny: false)
        text += ", \(name), "
        let outer = variable
        variable = Variable(name: name, parts: path.parts)
        writeCondition(condition)
        variable = outer
        text += ").@count"
    }

    /// A word of predicates as a name, and what no name may be as an argument.
    private mutating func writeName(_ name: String) {
        if Self.reserved.contains(name.uppercased()) {
            text += "#\(name)"
        } else if name.first?.isNumber == true
            || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
        {
            text += "%K"
            arguments.append(name)
        } else {
            text += name
        }
    }

    /// Words of predicates that are no names unless `#` is put in front.
    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "LIKE", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "FIRST", "LAST", "SIZE", "SUBQUERY", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    private mutating func argument(_ value: Any?) {
        text += "%@"
        arguments.append(value ?? Optional<Any>.none as Any)
    }

    private mutating func write(_ path: QueryPath, hasAny: Bool) {
        var parts = path.parts[...]
        var isFirst = true
        if parts.isEmpty { text += "self" }
        if let variable, variable.isRoot(of: path) {
            text += variable.name
            parts = parts.dropFirst(variable.parts.count)
            isFirst = false
        } else if path.isCollection, hasAny {
            text += "ANY "
        }
        for part in parts {
            switch part {
            case .name(let name):
                text += isFirst ? "" : "."
                writeName(name)
            case .function(let name): text += isFirst ? name : ".\(name)"
            case .key(let key):
                text += "["
                argument(key)
                text += "]"
            case .any:
                text += "[%K]"
                arguments.append("#any")
            }
            isFirst = false
        }
    }
}

extension StringOptions {
    /// Behind a word: `[cd]`.
    fileprivate var text: String {
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
