import RealmEngine

/// Variants of `add(_:update:)` that throw an error for a duplicate primary key instead of
/// trapping. An addition to the SDK.
extension Realm {
    /// Error for a primary key that already exists.
    public struct DuplicateKey: Swift.Error, Sendable, Hashable, CustomStringConvertible {
        /// Name of the class in files.
        public let className: String
        /// Name of the primary key in the class.
        public let property: String
        /// The primary key as text.
        public let value: String

        /// A message with the class and the key.
        public var description: String {
            "An object of type '\(className)' with \(property) '\(value)' already exists."
        }
    }

    /// Adds an object and the unmanaged objects that it links to, or throws an error if one of
    /// their primary keys already exists. An addition to the SDK.
    ///
    /// ```swift
    /// try realm.write {
    ///     do throws(Realm.DuplicateKey) {
    ///         try realm.add(checking: user)
    ///     } catch { print(error.property, error.value) }
    /// }
    /// ```
    ///
    /// All primary keys are checked before the first object is stored: if this throws, nothing was
    /// added. Traps for all other reasons for which `add(_:update:)` traps. Searches the primary
    /// key of each added object.
    ///
    /// - Throws: the first primary key that an object of the realm, or another object of this call,
    ///   already has.
    public func add(checking object: Object) throws(DuplicateKey) {
        try add(checking: CollectionOfOne(object))
    }

    /// Adds the objects of a sequence and the unmanaged objects that they link to, or throws an
    /// error if one of their primary keys already exists. An addition to the SDK.
    ///
    /// All primary keys are checked before the first object is stored: if this throws, nothing was
    /// added. Traps for all other reasons for which `add(_:update:)` traps.
    ///
    /// - Throws: the first primary key that an object of the realm, or another object of this call,
    ///   already has.
    public func add<S: Sequence>(checking objects: S) throws(DuplicateKey)
    where S.Element: Object {
        _ = engine.write
        let objects = Array(objects)
        var check = KeyCheck(instance)
        for object in objects { try check.add(object) }
        for object in objects { add(object) }
    }
}

/// Finds primary keys of unmanaged objects that are already used, before the objects are added.
private struct KeyCheck {
    private struct Key: Hashable {
        let className: String
        let value: String?
    }

    private let realm: RealmInstance
    private let storing: _Storing
    private var seen: Set<ObjectIdentifier> = []
    private var keys: Set<Key> = []

    init(_ realm: RealmInstance) {
        self.realm = realm
        storing = _Storing(realm)
    }

    /// Checks that the primary keys of an object, and of the unmanaged objects that will be added
    /// together with it, are not used yet.
    mutating func add(_ object: ObjectBase) throws(Realm.DuplicateKey) {
        var pending = [object]
        while let object = pending.popLast() {
            guard object.keepAlive == nil, seen.insert(ObjectIdentifier(object)).inserted else {
                continue
            }
            let managed = realm.requireClass(type(of: object))
            try check(object, managed)
            for field in managed.model.fields
            where field.shape.type == .object || field.shape.type == .any {
                pending += Links.of(object.value(forKey: field.name))
            }
        }
    }

    private mutating func check(
        _ object: ObjectBase, _ managed: ManagedClass
    ) throws(Realm.DuplicateKey) {
        guard let field = managed.model.primaryKey else { return }
        storing.reuse()
        let value = field.wrapper.localValue(at: object.place(of: field), storing)
        let key = Key(className: managed.model.name, value: value.isNull ? nil : value.text)
        let isFound = attempt { () throws(RealmError) in
            try managed.objects.object(primaryKey: value) != nil
        }
        if isFound || !keys.insert(key).inserted {
            throw Realm.DuplicateKey(
                className: key.className, property: field.name, value: value.text)
        }
    }
}

extension RealmEngine.Value {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
