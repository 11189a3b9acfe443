import Synchronization

/// Primary key, indexes and columns that a class declares by class methods and by members without a
/// wrapper, as was usual before `@Persisted`. Not applied to classes that use `@Persisted`.
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

    /// The columns of the class, base class first.
    func columns(of type: ObjectBase.Type) -> [Column] {
        RuntimeFields.of(type).compactMap { field in
            if let wrapper = field.type as? any ColumnWrapper.Type {
                // Wrapped properties are stored under their name with an underscore before it.
                return Column(
                    name: String(field.name.dropFirst()), offset: field.offset, wrapper: wrapper)
            }
            guard isInForce, let held = field.type as? any HolderColumn.Type else { return nil }
            return Column(name: field.name, offset: field.offset, wrapper: held.column)
        }.filter { !ignored.contains($0.name) }
    }
}
