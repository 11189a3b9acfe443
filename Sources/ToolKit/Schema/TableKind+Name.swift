import RealmEngine

extension TableKind {
    /// Name of the kind in schema text, schema files and change records.
    package var name: String {
        switch self {
        case .topLevel: "class"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
