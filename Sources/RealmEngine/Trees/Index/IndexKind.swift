/// Kind of a column's search index (object format 5.1).
public enum IndexKind: Int, Sendable {
    case none = 0
    case general = 1
    case fullText = 2
}

extension IndexKind {
    /// Returns the reason why a property of `type` and `collection` cannot have an index of this
    /// kind; nil if it can.
    func obstacle(_ type: ColumnType, _ collection: CollectionKind?) -> String? {
        if self == .general, !type.mayBeIndexed { return "\(type.name) cannot be indexed" }
        // Lists of strings are the only collections with an index. It indexes the elements.
        let isWordList = collection == .list && type == .string && self == .general
        guard self == .none || collection == nil || isWordList else {
            return "a collection cannot be indexed"
        }
        return self == .fullText && type != .string ? "only strings have a full-text index" : nil
    }
}
