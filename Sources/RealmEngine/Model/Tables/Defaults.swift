/// The values that properties have in new objects (object format 1.8).
enum Defaults {
    private static let noBytes: UInt64 = 0

    static func value(_ column: ColumnInfo) -> Value {
        let empty = CollectionView(root: .none, element: column.layout.element)
        switch column.collection {
        case .list: return .list(empty)
        case .set: return .set(empty)
        case .dictionary: return .dictionary(empty)
        case nil: return column.isNullable ? .null : zero(column.type)
        }
    }

    static func zero(_ type: ColumnType) -> Value {
        switch type {
        case .int: .int(0)
        case .bool: .bool(false)
        case .float: .float(0)
        case .double: .double(0)
        case .string: .string(ByteView.empty)
        case .binary: .binary(ByteView.empty)
        case .timestamp: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
        case .decimal: .decimal(.zero)
        case .objectID: .objectID(ObjectID(high: 0, low: 0))
        case .uuid: .uuid(UUIDValue(high: 0, low: 0))
        case .mixed, .link, .backlink, .typedLink: .null
        }
    }
}
