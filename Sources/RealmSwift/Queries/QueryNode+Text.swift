import RealmEngine

/// Converts a condition to the text and arguments of a predicate, in the format of the SDK.
struct QueryText {
    private(set) var text = ""
    private(set) var arguments: [Any] = []
    private var subqueries = 0
    /// Inside a subquery: the name of the variable, and the collection whose elements the variable
    /// denotes.
    private var variable: (name: String, root: NodePath)?

    init(_ node: QueryNode) { writeCondition(node) }

    /// Writes a condition. A Boolean property alone is compared with `true`; with `false` if it is
    /// negated.
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
        case .joined(let left, let isAnd, let right):
            text += "("
            writeCondition(left)
            text += isAnd ? " && " : " || "
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
            text += " \(relation.predicateText)\(options.text) "
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

    private mutating func writeSubquery(_ path: NodePath, _ condition: QueryNode) {
        subqueries += 1
        let name = "$col\(subqueries)"
        text += "SUBQUERY("
        write(path, hasAny: false)
        text += ", \(name), "
        let outer = variable
        variable = (name, path)
        writeCondition(condition)
        variable = outer
        text += ").@count"
    }

    /// Appends a property name to the text. A reserved word of the predicate language gets the
    /// prefix `#`. A name that is not an identifier becomes an argument (`%K`).
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

    /// Words of the predicate language. They denote properties only with `#` before them.
    private static let reserved: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "LIKE", "MATCHES", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "FIRST", "LAST", "SIZE", "SUBQUERY", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    private mutating func argument(_ value: Any?) {
        text += "%@"
        arguments.append(value ?? Optional<Any>.none as Any)
    }

    private mutating func write(_ path: NodePath, hasAny: Bool) {
        var parts = path.parts[...]
        var isFirst = true
        if parts.isEmpty { text += "self" }
        if let variable, variable.root.isRoot(of: path) {
            text += variable.name
            parts = parts.dropFirst(variable.root.parts.count)
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
    /// The options as a suffix of the operator, such as `[cd]`.
    fileprivate var text: String {
        let letters =
            (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

extension QueryRelation {
    fileprivate var predicateText: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessEqual: "<="
        case .greater: ">"
        case .greaterEqual: ">="
        case .in: "IN"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .like: "LIKE"
        case .text: "TEXT"
        case .matches: "MATCHES"
        }
    }
}
