import RealmEngine

/// A condition that a closure puts together with `Query` (API specification 2.15).
indirect enum QueryNode {
    case path(NodePath)
    case constant(Any?)
    case comparison(QueryNode, QueryRelation, QueryNode, StringOptions)
    /// `(path BETWEEN {%@, %@})`
    case between(QueryNode, Any?, Any?)
    case joined(QueryNode, isAnd: Bool, QueryNode)
    case not(QueryNode)
    /// How many elements of the collection at `path` a condition holds for.
    case subqueryCount(NodePath, QueryNode)
}

/// A path of properties, keys and functions.
struct NodePath {
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

    func appending(_ part: Part, isCollection: Bool? = nil) -> NodePath {
        var path = self
        path.parts.append(part)
        if let isCollection {
            path.isCollection = isCollection || self.isCollection
            if isCollection, collectionRoot == nil { path.collectionRoot = parts.count }
        }
        return path
    }

    /// Of a collection of objects a function comes behind the collection, what it reduces behind that.
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

    /// Whether `path` goes along this one, the collection of a subquery, to its elements.
    func isRoot(of path: NodePath) -> Bool {
        path.parts.count > parts.count
            && zip(parts, path.parts).allSatisfy { $0.name == $1.name && $0.name != nil }
    }
}
