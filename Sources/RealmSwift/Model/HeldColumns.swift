import RealmEngine

/// A type whose members of model classes are columns without `@Persisted`.
protocol HeldColumn {
    /// Wrapper operations for members of this type.
    static var column: any ColumnWrapper.Type { get }
}

/// A column that is an object of its own, such as `List`. It stays in its member and shows the
/// stored value once the owner is managed.
protocol HeldValue: AnyObject, HeldColumn {
    static var shape: _PropertyShape { get }
    var content: Any? { get }
    /// Sets the value; false if it does not fit.
    func setContent(_ any: Any?) -> Bool
    /// Writes `any` to the managed object if it differs from the stored value, as
    /// `Realm.UpdatePolicy.modified` does; false if it does not fit.
    func update(_ any: Any?, _ object: ObjectBase, _ property: UInt16, _ storing: _Storing) -> Bool
    /// The value before the object was managed, in the engine's form.
    func stored(_ storing: _Storing) -> Value
    func attach(_ property: UInt16, of object: ObjectBase)
    func adopt(_ object: ObjectBase, _ property: UInt16, _ storing: _Storing)
}

extension HeldValue {
    static var column: any ColumnWrapper.Type { HeldWrapper<Self>.self }
}

/// A collection that is a holder.
protocol HeldCollection: HeldValue, _Persistable {
    /// Name of the type without its generic parameters.
    static var kindName: String { get }
    var managed: ManagedCollection? { get set }
    /// Replaces all elements by the elements of `other`.
    func assign(_ other: Self)
}

extension HeldCollection {
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

/// Operations on columns that are holders.
enum HeldWrapper<Holder: HeldValue>: ColumnWrapper {
    private static func holder(_ place: UnsafeMutableRawPointer) -> Holder {
        place.assumingMemoryBound(to: Holder.self).pointee
    }

    static var isHolder: Bool { true }
    static var shape: _PropertyShape { Holder.shape }

    static func facts(at place: UnsafeMutableRawPointer) -> ColumnFacts {
        ColumnFacts(isIndexed: false, isPrimaryKey: false)
    }

    static func localValue(at place: UnsafeMutableRawPointer, _ storing: _Storing) -> Value {
        holder(place).stored(storing)
    }

    static func adopt(
        from place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) { holder(place).adopt(object, property, storing) }

    static func any(at place: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        holder(place).content
    }

    static func setAny(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool { holder(place).setContent(value) }

    static func update(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool { holder(place).update(value, object, property, storing) }

    static func attach(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) { holder(place).attach(property, of: object) }
}

/// Operations on columns that are linking objects.
enum HeldLinks<Element: ObjectBase & RealmCollectionValue>: ColumnWrapper {
    private static func links(
        _ place: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<LinkingObjects<Element>> {
        place.assumingMemoryBound(to: LinkingObjects<Element>.self)
    }

    static var isHolder: Bool { true }
    static var shape: _PropertyShape { LinkingObjects<Element>._rlmShape }

    static func facts(at place: UnsafeMutableRawPointer) -> ColumnFacts {
        ColumnFacts(
            isIndexed: false, isPrimaryKey: false,
            originProperty: links(place).pointee.originProperty)
    }

    static func localValue(at place: UnsafeMutableRawPointer, _ storing: _Storing) -> Value {
        .null
    }

    static func adopt(
        from place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {}

    static func any(at place: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        links(place).pointee
    }

    static func setAny(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool { false }

    static func update(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool { false }

    static func attach(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) {
        guard object.managed != nil else { return }
        links(place).pointee = LinkingObjects<Element>._rlmRead(object, property)
    }
}
