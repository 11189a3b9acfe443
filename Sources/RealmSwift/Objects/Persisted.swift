import RealmEngine

/// Marks a stored property of an object class as a column.
///
/// Until the object is managed the value is here; afterwards the column's place in the class is, and
/// reading and writing goes to the realm.
@propertyWrapper public struct Persisted<Value: _Persistable> {
    // In this order no room is left between them, which every accessor has as often as columns.
    @usableFromInline var local: Value?
    @usableFromInline var isIndexed = false
    @usableFromInline var isPrimaryKey = false
    /// The place of the property in its class once the object is managed, set by a store of two bytes
    /// (`ManagedClass.bind`).
    @usableFromInline var property: UInt16 = .max

    @inlinable public init() { local = nil }
    @inlinable public init(wrappedValue value: Value) { local = value }

    @inlinable init(local: Value?, isIndexed: Bool = false, isPrimaryKey: Bool = false) {
        self.local = local
        self.isIndexed = isIndexed
        self.isPrimaryKey = isPrimaryKey
    }

    @available(
        *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        // swiftlint:disable:next unused_setter_value
        set { fatalError() }
    }

    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped _: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storage: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always) get {
            let property = object[keyPath: storage].property
            if property < 0x4000 {
                // What is frozen is read by many threads, so that nothing is kept there.
                if !Value._rlmIsKept || object.isFrozen { return Value._rlmRead(object, property) }
                if let kept = object[keyPath: storage].local, Value._rlmStays(kept, object) {
                    return kept
                }
                let fresh = Value._rlmRead(object, property)
                object[keyPath: storage].local = fresh
                return fresh
            }
            if property != .max {
                return property < 0x8000
                    ? Value.recorded(object, property) : Value._rlmRead(object, property)
            }
            if let local = object[keyPath: storage].local { return local }
            // What a property is to begin with is made when it is first asked for, and stays.
            let fresh = Value._rlmDefaultValue()
            object[keyPath: storage].local = fresh
            return fresh
        }
        @inline(__always) set {
            let property = object[keyPath: storage].property
            if property != .max {
                Value._rlmWrite(object, property, newValue)
            } else if Value._rlmIsKept {
                let kept = object[keyPath: storage].local ?? Value._rlmDefaultValue()
                object[keyPath: storage].local = kept
                Value._rlmAssign(newValue, to: kept)
            } else {
                object[keyPath: storage].local = newValue
            }
        }
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    public init(indexed: Bool) { self.init(local: nil, isIndexed: indexed) }
    public init(wrappedValue value: Value, indexed: Bool) {
        self.init(local: value, isIndexed: indexed)
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    public init(primaryKey: Bool) { self.init(local: nil, isPrimaryKey: primaryKey) }
    public init(wrappedValue value: Value, primaryKey: Bool) {
        self.init(local: value, isPrimaryKey: primaryKey)
    }
}

extension Persisted where Value: LinkingObjectsProtocol {
    /// The property of the other class whose links lead here.
    public init(originProperty: String) {
        self.init(local: Value(fromType: Value.self, property: originProperty))
    }
}

// MARK: - The columns of a class

/// What a class's model and the realm have to know of a column without knowing its type. `place` is
/// where the wrapper lies in an object.
protocol ColumnWrapper {
    /// An object of its own, which must learn where its value is; else a wrapper, which has the place
    /// of the property.
    static var isHolder: Bool { get }
    /// Where a wrapper has that.
    static var propertyOffset: Int { get }
    /// Nothing of what is stored is kept beside it.
    static var isPlain: Bool { get }
    static var shape: _PropertyShape { get }
    static func facts(at place: UnsafeMutableRawPointer) -> ColumnFacts
    /// The value before the object is managed, to be stored.
    static func localValue(at place: UnsafeMutableRawPointer, _ storing: _Storing) -> Value
    /// Stores what the object had before in the column, and forgets it here.
    static func adopt(
        from place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
    /// The value as the property shows it.
    static func any(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Any?
    /// Sets the property from what key-value access was given; false when it does not fit.
    static func setAny(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool
    /// Writes to a managed object what differs from the stored value, as `Realm.UpdatePolicy.modified`
    /// does; false for a value that does not fit.
    static func update(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool
    /// Why a value does not fit, if there is more to be said than that.
    static func refusal(of value: Any?) -> String?
    /// Of a holder: the object is managed, or writes down what it is asked for.
    static func attach(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16)
}

extension ColumnWrapper {
    static var isHolder: Bool { false }
    static var propertyOffset: Int { 0 }
    static var isPlain: Bool { false }
    static func refusal(of value: Any?) -> String? { nil }
    static func attach(
        at place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) {}
}

/// What a wrapper of a new object says of its column.
struct ColumnFacts {
    var isIndexed: Bool
    var isPrimaryKey: Bool
    /// Of linking objects.
    var originProperty: String?
}

extension Persisted: ColumnWrapper {
    static var isPlain: Bool { !Value._rlmIsKept }
    static var shape: _PropertyShape { Value._rlmShape }
    static var propertyOffset: Int { MemoryLayout<Persisted>.offset(of: \.property)! }

    private static func wrapper(
        at place: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<Persisted> { place.assumingMemoryBound(to: Persisted.self) }

    static func facts(at place: UnsafeMutableRawPointer) -> ColumnFacts {
        let wrapper = wrapper(at: place).pointee
        return ColumnFacts(
            isIndexed: wrapper.isIndexed, isPrimaryKey: wrapper.isPrimaryKey,
            originProperty: (wrapper.local as? any LinkingObjectsProtocol)?.originProperty)
    }

    private static func current(_ place: UnsafeMutableRawPointer) -> Value {
        wrapper(at: place).pointee.local ?? Value._rlmDefaultValue()
    }

    static func localValue(
        at place: UnsafeMutableRawPointer, _ storing: _Storing
    ) -> RealmEngine.Value { current(place)._rlmStored(storing) }

    static func adopt(
        from place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        Value._rlmAdopt(at: place, object, property, storing)
    }

    static func any(at place: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        let property = wrapper(at: place).pointee.property
        if property != .max { return plain(read(place, object, property)) }
        let value = current(place)
        wrapper(at: place).pointee.local = value
        return plain(value)
    }

    private static func read(
        _ place: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) -> Value {
        if !Value._rlmIsKept || object.isFrozen { return Value._rlmRead(object, property) }
        if let kept = wrapper(at: place).pointee.local, Value._rlmStays(kept, object) {
            return kept
        }
        let fresh = Value._rlmRead(object, property)
        wrapper(at: place).pointee.local = fresh
        return fresh
    }

    static func setAny(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool {
        guard let converted = Value._rlmConverted(value) else { return false }
        let property = wrapper(at: place).pointee.property
        if property != .max {
            Value._rlmWrite(object, property, converted)
        } else if Value._rlmIsKept {
            let kept = current(place)
            wrapper(at: place).pointee.local = kept
            Value._rlmAssign(converted, to: kept)
        } else {
            wrapper(at: place).pointee.local = converted
        }
        return true
    }
}

extension Persisted {
    static func update(
        _ value: Any?, at place: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool {
        guard let converted = Value._rlmConverted(value) else { return false }
        Value._rlmUpdate(object, property, converted, storing)
        return true
    }

    static func refusal(of value: Any?) -> String? {
        func text<C: FailableCustomPersistable>(_: C.Type) -> String? {
            Converted<C.PersistedType>.of(value).map {
                "Could not convert value '\($0)' to type '\(C.self)'."
            }
        }
        return (Value.self as? any FailableCustomPersistable.Type).flatMap { text($0) }
    }
}

/// The value inside any number of optionals.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.content.flatMap { unwrapped($0) }
}

protocol AnyOptional {
    var content: Any? { get }
    static var nothing: Any { get }
    static var wrapped: Any.Type { get }
    /// Nil when `content` cannot be what is inside.
    static func made(of content: Any) -> Any?
}
extension Optional: AnyOptional {
    var content: Any? { self }
    static var nothing: Any { Wrapped?.none as Any }
    static var wrapped: Any.Type { Wrapped.self }
    static func made(of content: Any) -> Any? {
        if let made = Converted<Wrapped>.of(content) { return made }
        // What the type itself refuses is null.
        func raw<E: PersistableEnum>(_: E.Type) -> Any? { Converted<E.RawValue>.of(content) }
        func persisted<C: FailableCustomPersistable>(_: C.Type) -> Any? {
            Converted<C.PersistedType>.of(content)
        }
        let refused =
            (Wrapped.self as? any PersistableEnum.Type).flatMap { raw($0) }
            ?? (Wrapped.self as? any FailableCustomPersistable.Type).flatMap { persisted($0) }
        guard refused != nil else { return nil }
        return nothing
    }
}
