import Synchronization

/// Columns, primary key and indexes of a class in the style before `@Persisted`: class methods such
/// as `primaryKey()`, and properties without a wrapper. Applied only if no property of the class
/// uses `@Persisted`.
struct LegacyRules {
    struct Column {
        let name: String
        let offset: Int
        let wrapper: any ColumnWrapper.Type
    }

    private(set) var primaryKey: String?
    private(set) var indexed: Set<String> = []
    private var ignored: Set<String> = []
    private let isInForce: Bool

    init(_ type: ObjectBase.Type) {
        isInForce =
            ClassModel.acceptsHolders.load(ordering: .relaxed)
            || !RuntimeFields.of(type).contains { $0.type is any ColumnWrapper.Type }
        guard isInForce else { return }
        primaryKey = (type as? Object.Type)?.primaryKey()
        indexed = Set(type.indexedProperties())
        ignored = Set(type.ignoredProperties())
    }

    /// Returns the columns of the class. Those of the base class come first.
    func columns(of type: ObjectBase.Type) -> [Column] {
        RuntimeFields.of(type).compactMap { field in
            if let wrapper = field.type as? any ColumnWrapper.Type {
                // The stored property of a wrapped property has the same name with an underscore
                // before it.
                return Column(
                    name: String(field.name.dropFirst()), offset: field.offset, wrapper: wrapper)
            }
            guard isInForce, let held = field.type as? any HolderColumn.Type else { return nil }
            return Column(name: field.name, offset: field.offset, wrapper: held.column)
        }.filter { !ignored.contains($0.name) }
    }
}
