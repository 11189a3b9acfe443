import RealmEngine

/// The paths of `--expand` as a tree: along them links are printed as the objects they lead to.
///
/// Immutable. A tree has no cycles, so expanding ends however the objects are linked.
package final class Expansion: Sendable {
    private let children: [String: Expansion]

    private init(children: [String: Expansion]) { self.children = children }

    /// What the property called `name` expands to; nil where links stay links.
    func child(_ name: String) -> Expansion? { children[name] }

    /// The tree of the given paths, nil without any.
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
