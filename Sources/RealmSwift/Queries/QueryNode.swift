/// A condition that is being put together by `Query`, in the shape of its text (API specification
/// 2.15).
indirect enum QueryNode {
    case path(QueryPath)
    case constant(Any?)
    case comparison(QueryNode, String, QueryNode, StringOptions)
    /// `(%@ IN path)`, `(ANY path IN %@)`
    case between(QueryNode, Any?, Any?)
    case joined(QueryNode, String, QueryNode)
    case not(QueryNode)
    /// How many elements of the collection at `path` a condition holds for.
    case subqueryCount(QueryPath, QueryNode)
    case within(QueryPath, Any)

    /// A property of truth values stands for itself compared with `true`.
    var condition: QueryNode {
        guard case .path(let path) = self else { return self }
        return .comparison(.path(path), "==", .literal(true), [])
    }

    /// A value that is written into the text.
    static func literal(_ flag: Bool) -> QueryNode {
        .path(QueryPath(words: flag ? "true" : "false"))
    }
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
    }

    var parts: [Part] = []
    /// Values are compared with each of several ones.
    var isCollection = false
    /// Written as it is.
    var words: String?

    init(_ parts: [Part] = []) { self.parts = parts }
    init(words: String) { self.words = words }

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
    private var variable: (name: String, root: Int)?

    init(_ node: QueryNode) { write(node.condition) }

    private mutating func write(_ node: QueryNode) {
        switch node {
        case .path(let path): write(path, hasAny: true)
        case .constant(let value): argument(value)
        case .comparison(let left, let relation, let right, let options):
            text += "("
            write(left)
            text += " \(relation)\(options.text) "
            write(right)
            text += ")"
        case .between(let operand, let low, let high):
            text += "("
            write(operand)
            text += " BETWEEN {"
            argument(low)
            text += ", "
            argument(high)
            text += "})"
        case .joined(let left, let word, let right):
            text += "("
            write(left.condition)
            text += " \(word) "
            write(right.condition)
            text += ")"
        case .not(.path(let path)): writeComparison(path, "false")
        case .not(let node):
            text += "NOT "
            write(node.condition)
        case .subqueryCount(let path, let condition):
            subqueries += 1
            let name = "$col\(subqueries)"
            text += "SUBQUERY("
            write(path, hasAny: false)
            text += ", \(name), "
            let outer = variable
            variable = (name, path.parts.count - 1)
            write(condition.condition)
            variable = outer
            text += ").@count"
        case .within(let path, let shape):
            write(path, hasAny: true)
            text += " IN "
            argument(shape)
        }
    }

    private mutating func writeComparison(_ path: QueryPath, _ word: String) {
        write(path, hasAny: true)
        text += " == \(word)"
    }

    private mutating func argument(_ value: Any?) {
        text += "%@"
        arguments.append(value ?? Optional<Any>.none as Any)
    }

    private mutating func write(_ path: QueryPath, hasAny: Bool) {
        if let words = path.words {
            text += words
            return
        }
        var parts = path.parts[...]
        if let variable {
            text += variable.name
            parts = parts.dropFirst(variable.root + 1)
            if !parts.isEmpty, case .key? = parts.first {} else if !parts.isEmpty { text += "." }
        } else if path.isCollection, hasAny {
            text += "ANY "
        }
        var isFirst = true
        for part in parts {
            switch part {
            case .name(let name), .function(let name):
                text += isFirst ? name : ".\(name)"
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
