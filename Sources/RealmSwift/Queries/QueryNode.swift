import RealmEngine

/// A condition that a closure builds with `Query` (API specification 2.15).
indirect enum QueryNode {
    case path(NodePath)
    case constant(Any?)
    case comparison(QueryNode, QueryRelation, QueryNode, StringOptions)
    /// `(path BETWEEN {%@, %@})`
    case between(QueryNode, Any?, Any?)
    case joined(QueryNode, isAnd: Bool, QueryNode)
    case not(QueryNode)
    /// Number of elements of the collection at the path for which the condition holds.
    case subqueryCount(NodePath, QueryNode)
}

/// A path of properties, keys and functions.
struct NodePath {
    enum Part {
        case name(String)
        /// `@count`, `@allKeys` and other functions.
        case function(String)
        /// `[%@]`
        case key(Any)
        /// `[%K]`: any element.
        case any

        /// Name of a property; nil for other parts.
        var name: String? {
            if case .name(let name) = self { return name }
            return nil
        }
    }

    var parts: [Part] = []
    /// Whether the path leads to several values, any of which a comparison may match.
    var isCollection = false

    init(_ parts: [Part] = []) { self.parts = parts }

    /// Index of the first part that is a collection, where subqueries begin; nil if there is none.
    var collectionRoot: Int?

    func appending(_ part: Part, isCollection: Bool? = nil) -> NodePath {
        var path = self
        path.parts.append(part)
        if let isCollection {
            path.isCollection = isCollection || self.isCollection
            if isCollection, collectionRoot == nil { path.collectionRoot = parts.count }
        }
        return path
    }

    /// Adds an aggregate function. In a path through a collection of objects, the function follows
    /// the collection and precedes the property that it aggregates.
    func reduced(_ function: String) -> NodePath {
        var path = self
        path.isCollection = false
        if let root = collectionRoot, root + 1 < parts.count {
            path.parts.insert(.function(function), at: root + 1)
        } else {
            path.parts.append(.function(function))
        }
        return path
    }

    /// Whether `path` continues from this one, the collection of a subquery, to its elements.
    func isRoot(of path: NodePath) -> Bool {
        path.parts.count > parts.count
            && zip(parts, path.parts).allSatisfy { $0.name == $1.name && $0.name != nil }
    }
}
