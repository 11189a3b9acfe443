import RealmEngine

/// A condition, or a part of one, that a closure builds with `Query` (API specification 2.15).
indirect enum QueryNode {
    case path(NodePath)
    case constant(Any?)
    case comparison(QueryNode, QueryRelation, QueryNode, StringOptions)
    /// `(path BETWEEN {%@, %@})`: the value at the path is in a range.
    case between(QueryNode, Any?, Any?)
    case joined(QueryNode, isAnd: Bool, QueryNode)
    case not(QueryNode)
    /// The number of elements, in the collection at the path, for which the condition holds.
    case subqueryCount(NodePath, QueryNode)
}

/// A path that consists of property names, keys and functions.
struct NodePath {
    enum Part {
        case name(String)
        /// A function such as `@count` or `@allKeys`.
        case function(String)
        /// `[%@]`: an index of a list or a key of a map.
        case key(Any)
        /// `[%K]`: any element of a list, or any value of a dictionary.
        case any

        /// The property name; nil for other parts.
        var name: String? {
            if case .name(let name) = self { return name }
            return nil
        }
    }

    var parts: [Part] = []
    /// Whether the path leads to several values. A comparison holds if it holds for any of them.
    var isCollection = false

    init(_ parts: [Part] = []) { self.parts = parts }

    /// Index in `parts` of the first collection property on the path; nil if there is none.
    /// Subqueries count the elements of this collection.
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

    /// Returns the path with an aggregate function. In a path through a collection of objects, the
    /// function is inserted after the collection, before the property that is aggregated:
    /// `dogs.@min.age`.
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

    /// Whether `path` begins with this path, which is the collection of a subquery.
    func isRoot(of path: NodePath) -> Bool {
        path.parts.count > parts.count
            && zip(parts, path.parts).allSatisfy { $0.name == $1.name && $0.name != nil }
    }
}
