import RealmEngine

/// A type of properties that need no `@Persisted`: the property `let dogs = List<Dog>()` of a class
/// becomes its column `dogs`.
protocol HolderColumn {
    /// Operations on columns of this type.
    static var column: any ColumnWrapper.Type { get }
}

/// A column whose property is an object ("holder") such as `List` or `RealmProperty`. The property
/// keeps the same holder when its owner becomes managed; the holder then reads and writes the
/// database.
protocol HolderValue: AnyObject, HolderColumn {
    static var shape: _PropertyShape { get }
    var content: Any? { get }
    /// Sets the content of this object (a `List` or `RealmProperty`, for example) to `any`. Returns
    /// false if the type of `any` does not fit.
    func setContent(_ any: Any?) -> Bool
    /// Writes `any` to the managed object if it differs from the stored value, according to
    /// `Realm.UpdatePolicy.modified`. Returns false if the type of `any` does not fit.
    func update(_ any: Any?, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing) -> Bool
    /// Returns the value of this holder while its object is unmanaged, converted to the value type
    /// of RealmEngine.
    func stored(_ storing: _Storing) -> Value
    func attach(_ property: UInt16, of object: ObjectBase)
    func adopt(_ object: ObjectBase, _ property: UInt16, _ storing: _Storing)
}

extension HolderValue {
    static var column: any ColumnWrapper.Type { HolderWrapper<Self>.self }
}

/// A collection that can be a holder: `List`, `MutableSet` or `Map`.
protocol HolderCollection: HolderValue, _Persistable {
    /// Name of the collection type without its generic parameters: `List`.
    static var kindName: String { get }
    var managed: ManagedCollection? { get set }
    /// Replaces all elements by the elements of `other`.
    func assign(_ other: Self)
}

extension HolderCollection {
    static var shape: _PropertyShape { _rlmShape }
    var content: Any? { self }

    func setContent(_ any: Any?) -> Bool {
        guard let other = Self._rlmConverted(any) else { return false }
        assign(other)
        return true
    }

    func stored(_ storing: _Storing) -> Value { .null }

    func update(_ any: Any?, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing) -> Bool
    {
        guard let other = Self._rlmConverted(any) else { return false }
        Self._rlmUpdate(object, property, other, storing)
        return true
    }

    func attach(_ property: UInt16, of object: ObjectBase) {
        if object.isManaged { managed = ManagedCollection(object, Int(property), Self.kindName) }
    }

    func adopt(_ object: ObjectBase, _ property: UInt16, _ storing: _Storing) {
        _ = Self._rlmAdopt(self, object, property, storing)
    }
}

/// Operations on columns that are holders: a `List`, for example.
enum HolderWrapper<Holder: HolderValue>: ColumnWrapper {
    private static func holder(_ address: UnsafeMutableRawPointer) -> Holder {
        address.assumingMemoryBound(to: Holder.self).pointee
    }

    static var isHolder: Bool { true }
    static var shape: _PropertyShape { Holder.shape }

    static func facts(at address: UnsafeMutableRawPointer) -> ColumnFacts {
        ColumnFacts(isIndexed: false, isPrimaryKey: false)
    }

    static func localValue(at address: UnsafeMutableRawPointer, _ storing: _Storing) -> Value {
        holder(address).stored(storing)
    }

    static func adopt(
        from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) { holder(address).adopt(object, property, storing) }

    static func any(at address: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        holder(address).content
    }

    static func setAny(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool { holder(address).setContent(value) }

    static func update(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool { holder(address).update(value, object, property, storing) }

    static func attach(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) { holder(address).attach(property, of: object) }
}

/// Operations on columns of type `LinkingObjects` in classes that do not use `@Persisted`.
enum HolderLinks<Element: ObjectBase & RealmCollectionValue>: ColumnWrapper {
    private static func links(
        _ address: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<LinkingObjects<Element>> {
        address.assumingMemoryBound(to: LinkingObjects<Element>.self)
    }

    static var isHolder: Bool { true }
    static var shape: _PropertyShape { LinkingObjects<Element>._rlmShape }

    static func facts(at address: UnsafeMutableRawPointer) -> ColumnFacts {
        ColumnFacts(
            isIndexed: false, isPrimaryKey: false,
            originProperty: links(address).pointee.originProperty)
    }

    static func localValue(at address: UnsafeMutableRawPointer, _ storing: _Storing) -> Value {
        .null
    }

    static func adopt(
        from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {}

    static func any(at address: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        links(address).pointee
    }

    static func setAny(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool { false }

    static func update(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool { false }

    static func attach(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) {
        guard object.managed != nil else { return }
        links(address).pointee = LinkingObjects<Element>._rlmRead(object, property)
    }
}
