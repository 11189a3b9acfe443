/// What search index a column has (object format 5.1).
public enum IndexKind: Int, Sendable {
    case none = 0
    case general = 1
    case fullText = 2
}
