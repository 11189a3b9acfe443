import RealmEngine

extension TableKind {
    /// What schema text, schema files and change records call it.
    package var name: String {
        switch self {
        case .topLevel: "class"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
