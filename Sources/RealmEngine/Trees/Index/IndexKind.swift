/// What search index a column has (object format 5.1).
public enum IndexKind: Int, Sendable {
    case none = 0
    case general = 1
    case fullText = 2
}

extension IndexKind {
    /// Why properties of a type have no such index; nil when they may.
    func obstacle(_ type: ColumnType, _ collection: CollectionKind?) -> String? {
        if self == .general {
            switch type {
            case .int, .bool, .string, .timestamp, .objectID, .uuid, .mixed: break
            default: return "\(type.name) cannot be indexed"
            }
        }
        // Of collections only lists of strings have an index, of their elements.
        let isWordList = collection == .list && type == .string && self == .general
        guard self == .none || collection == nil || isWordList else {
            return "a collection cannot be indexed"
        }
        return self == .fullText && type != .string ? "only strings have a full-text index" : nil
    }
}
