final class IndexEditor {
    enum Kind { case general, fullText }
    init(
        context: EditContext, root: Ref, kind: Kind,
        value: @escaping (ObjectKey) throws(RealmError) -> Value
    ) throws(RealmError) {}
    func insert(_ value: Value, _ key: ObjectKey) throws(RealmError) {}
    func remove(_ value: Value, _ key: ObjectKey) throws(RealmError) {}
    func find(_ value: Value) throws(RealmError) -> ObjectKey? { nil }
    func flush() throws(RealmError) -> Ref { .none }
    func clear() throws(RealmError) {}
}
