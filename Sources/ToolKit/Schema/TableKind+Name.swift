import RealmEngine

extension TableKind {
    /// Name of the kind of class in schema text, schema files and change records.
    package var name: String {
        switch self {
        case .topLevel: "class"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
