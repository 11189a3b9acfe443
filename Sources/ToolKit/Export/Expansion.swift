import RealmEngine

/// The paths of `--expand` as a tree. A link on one of the paths is printed as the object that it
/// references.
///
/// Immutable. The tree has no cycles, so expansion ends even if the links of the objects form a
/// cycle.
package final class Expansion: Sendable {
    private let children: [String: Expansion]

    private init(children: [String: Expansion]) { self.children = children }

    /// Returns the subtree for the property called `name`. Nil if links of that property are not
    /// expanded.
    func child(_ name: String) -> Expansion? { children[name] }

    /// Builds the tree of expanded links from the paths of `--expand`; nil if there are none.
    convenience init?(_ paths: [[String]]) {
        if paths.isEmpty { return nil }
        self.init(tree: paths[...])
    }

    private convenience init(tree paths: ArraySlice<[String]>) {
        var rest: [String: [[String]]] = [:]
        for path in paths {
            guard let first = path.first else { continue }
            rest[first, default: []].append(Array(path.dropFirst()))
        }
        self.init(children: rest.mapValues { Expansion(tree: $0[...]) })
    }
}
