/// Checks whether a value may be stored in a property (the limits of size are in object format 14).
package enum ValueCheck {
    /// Maximum number of bytes in a string. It is stored with a terminating zero.
    package static let maximumStringSize = maximumBinarySize - 1
    /// Maximum number of bytes in a binary. It is stored in one blob.
    package static let maximumBinarySize = BytesLeaf.maximumBlobSize

    static func check(_ value: Value, _ column: ColumnInfo) throws(RealmError) {
        guard column.collection == nil else {
            throw .misuse("property \(column.name) is a collection", reason: "type")
        }
        try check(value, column.layout.element, name: column.name)
    }

    /// Throws `data` unless `value` may be stored as a single value or an element of this type.
    static func check(
        _ value: Value, _ element: ElementType, name: String
    ) throws(RealmError) {
        let fits: Bool
        switch (value, element.type) {
        case (.null, _): fits = element.isNullable
        case (.int, .int), (.bool, .bool), (.float, .float), (.double, .double),
            (.timestamp, .timestamp), (.decimal, .decimal), (.objectID, .objectID),
            (.uuid, .uuid):
            fits = true
        case (.link(let link), .link): fits = link.table == element.target
        case (.string(let bytes), .string):
            try checkLength(bytes, maximumStringSize, name)
            fits = true
        case (.binary(let bytes), .binary):
            try checkLength(bytes, maximumBinarySize, name)
            fits = true
        case (.set, .mixed): fits = false
        case (.string(let bytes), .mixed), (.binary(let bytes), .mixed):
            try checkLength(bytes, maximumStringSize, name)
            fits = true
        case (_, .mixed): fits = true
        default: fits = false
        }
        guard fits else {
            throw RealmError(
                .data, code: "TypeMismatch", reason: "type",
                "\(name) holds \(element.type.name)\(element.isNullable ? " or null" : ""), not \(value.kindName)"
            )
        }
    }

    static func checkLength(
        _ bytes: ByteView, _ limit: Int, _ name: String
    ) throws(RealmError) {
        guard bytes.count <= limit else {
            throw RealmError(
                .data, code: "LimitExceeded", reason: "too-long",
                "\(name) holds at most \(limit) bytes, not \(bytes.count)")
        }
    }
}

extension Value {
    /// Name of the value's type, as in a schema.
    public var kindName: String {
        switch self {
        case .list: "list"
        case .set: "set"
        case .dictionary: "dictionary"
        default: columnType?.name ?? "null"
        }
    }
}
