import RealmEngine

/// Marks a stored property of a model class as a column.
///
/// In an unmanaged object, the wrapper contains the value. In a managed object, the property reads
/// and writes the database, and setting it outside of a write transaction traps.
///
/// ```swift
/// final class Dog: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted(indexed: true) var name = "Rex"
///     @Persisted var owner: Person?
///     @Persisted var toys: List<String>
///     @Persisted var weights: Map<String, Double>
/// }
/// ```
///
/// A property that links to an object must be optional; a collection must not be optional.
@propertyWrapper public struct Persisted<Value: _Persistable> {
    // This order of the fields leaves no padding. Every object has a wrapper for each column.
    @usableFromInline var local: Value?
    @usableFromInline var isIndexed = false
    @usableFromInline var isPrimaryKey = false
    /// Index of the property in its class once the object is managed. `ManagedClass.bind` stores it
    /// directly in these two bytes.
    @usableFromInline var property: UInt16 = .max

    /// Declares a column. Its initial value is the default of the type: zero, empty, null, the
    /// first case of an enum, or a new identifier.
    @inlinable public init() { local = nil }
    /// Declares a column with an initial value.
    @inlinable public init(wrappedValue value: Value) { local = value }

    @inlinable init(local: Value?, isIndexed: Bool = false, isPrimaryKey: Bool = false) {
        self.local = local
        self.isIndexed = isIndexed
        self.isPrimaryKey = isPrimaryKey
    }

    /// Not available: a property is accessed through its object.
    @available(
        *, unavailable, message: "@Persisted can only be used as a property on a Realm object"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        // swiftlint:disable:next unused_setter_value
        set { fatalError() }
    }

    /// The value of the property of an object. Called for each access to a property with
    /// `@Persisted`.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped _: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storage: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always) get {
            let property = object[keyPath: storage].property
            if property < 0x4000 {
                // A frozen object may be read by several threads, so nothing is cached in it.
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
            // The default value is created at the first read and then kept, so that later reads
            // return the same value.
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
    /// Declares a column with a search index, which makes comparisons with `==` and `in` faster.
    public init(indexed: Bool) { self.init(local: nil, isIndexed: indexed) }
    /// Declares a column with an initial value and a search index.
    public init(wrappedValue value: Value, indexed: Bool) {
        self.init(local: value, isIndexed: indexed)
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Declares the primary key: its values are unique in the class and cannot be changed in a
    /// managed object.
    public init(primaryKey: Bool) { self.init(local: nil, isPrimaryKey: primaryKey) }
    /// Declares the primary key with an initial value. Its values are unique in the class and
    /// cannot be changed in a managed object.
    public init(wrappedValue value: Value, primaryKey: Bool) {
        self.init(local: value, isPrimaryKey: primaryKey)
    }
}

extension Persisted {
    /// Declares a link, or a collection of links, with a cascading delete: when `Realm.delete`
    /// deletes an object, it also deletes the objects that this property links to, even if other
    /// objects link to them as well. An addition to the SDK.
    ///
    /// ```swift
    /// final class Album: Object {
    ///     @Persisted var title: String
    ///     @Persisted(cascades: true) var photos: List<Photo>
    /// }
    /// ```
    ///
    /// Removing an object from the collection, or changing the link, deletes nothing. The rule is
    /// not stored in files, so only programs whose class declares it apply it. Opening a realm
    /// traps if the property cannot contain links.
    public init(cascades: Bool) {
        // The wrapper stores `cascades` as both flags, `isIndexed` and `isPrimaryKey`, because no
        // column has both. That saves a third flag.
        self.init(local: nil, isIndexed: cascades, isPrimaryKey: cascades)
    }
}

extension Persisted where Value: LinkingObjectsProtocol {
    /// Declares linking objects: the objects whose property `originProperty` links to this one.
    public init(originProperty: String) {
        self.init(local: Value(fromType: Value.self, property: originProperty))
    }
}

// MARK: - The columns of a class

/// Operations on a column, without the generic parameter of its type. `address` is the address in
/// an object: of the property wrapper, or of the reference to a holder, such as a `List`.
protocol ColumnWrapper {
    /// Whether the column is a holder: an object such as `List`, which is attached to its stored
    /// value. Otherwise it is a property wrapper, which contains the index of its property.
    static var isHolder: Bool { get }
    /// Offset in bytes, from the start of a property wrapper, of the field that contains the index
    /// of the property.
    static var propertyOffset: Int { get }
    /// Whether the property wrapper caches no stored value.
    static var isPlain: Bool { get }
    static var shape: _PropertyShape { get }
    static func facts(at address: UnsafeMutableRawPointer) -> ColumnFacts
    /// Converts the value in the property wrapper of an unmanaged object to a `RealmEngine.Value`.
    static func localValue(at address: UnsafeMutableRawPointer, _ storing: _Storing) -> Value
    /// Stores the value of the property wrapper when its object becomes managed, and removes the
    /// value from the wrapper.
    static func adopt(
        from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing)
    /// Returns the value of the property as `Any`; nil for null.
    static func any(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Any?
    /// Sets the property to an untyped value. Returns false if the value does not fit.
    static func setAny(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool
    /// Writes `value` to a managed object if it differs from the stored value, according to
    /// `Realm.UpdatePolicy.modified`. Returns false if the value does not fit.
    static func update(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool
    /// Returns a message why a value does not fit the property's type; nil if the caller's own
    /// message is sufficient.
    static func refusal(of value: Any?) -> String?
    /// Whether `value` has the stored type of the property but the property's type rejects it
    /// (`FailableCustomPersistable`).
    static func isRefused(_ value: Any?) -> Bool
    /// Attaches a holder, a property value that is an object such as `List`, to its stored value.
    /// In an object that records which properties a key path reads, the holder is attached to the
    /// recorder instead.
    static func attach(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16)
}

extension ColumnWrapper {
    static var isHolder: Bool { false }
    static var propertyOffset: Int { 0 }
    static var isPlain: Bool { false }
    static func refusal(of value: Any?) -> String? { nil }
    static func isRefused(_ value: Any?) -> Bool { false }
    static func attach(
        at address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) {}
}

/// Options of a column, as the property wrapper in a new object declares them.
struct ColumnFacts {
    var isIndexed: Bool
    var isPrimaryKey: Bool
    /// Whether deleting an object also deletes the objects that the column links to.
    var cascades = false
    /// Name of the property that links to the object, for linking objects; nil for other columns.
    var originProperty: String?
}

extension Persisted: ColumnWrapper {
    static var isPlain: Bool { !Value._rlmIsKept }
    static var shape: _PropertyShape { Value._rlmShape }
    static var propertyOffset: Int { MemoryLayout<Persisted>.offset(of: \.property)! }

    private static func wrapper(
        at address: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<Persisted> { address.assumingMemoryBound(to: Persisted.self) }

    static func facts(at address: UnsafeMutableRawPointer) -> ColumnFacts {
        let wrapper = wrapper(at: address).pointee
        let cascades = wrapper.isIndexed && wrapper.isPrimaryKey
        return ColumnFacts(
            isIndexed: wrapper.isIndexed && !cascades,
            isPrimaryKey: wrapper.isPrimaryKey && !cascades, cascades: cascades,
            originProperty: (wrapper.local as? any LinkingObjectsProtocol)?.originProperty)
    }

    private static func current(_ address: UnsafeMutableRawPointer) -> Value {
        wrapper(at: address).pointee.local ?? Value._rlmDefaultValue()
    }

    static func localValue(
        at address: UnsafeMutableRawPointer, _ storing: _Storing
    ) -> RealmEngine.Value { current(address)._rlmStored(storing) }

    static func adopt(
        from address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16,
        _ storing: _Storing
    ) {
        Value._rlmAdopt(at: address, object, property, storing)
    }

    static func any(at address: UnsafeMutableRawPointer, _ object: ObjectBase) -> Any? {
        let property = wrapper(at: address).pointee.property
        if property != .max { return plain(read(address, object, property)) }
        let value = current(address)
        wrapper(at: address).pointee.local = value
        return plain(value)
    }

    private static func read(
        _ address: UnsafeMutableRawPointer, _ object: ObjectBase, _ property: UInt16
    ) -> Value {
        if !Value._rlmIsKept || object.isFrozen { return Value._rlmRead(object, property) }
        if let kept = wrapper(at: address).pointee.local, Value._rlmStays(kept, object) {
            return kept
        }
        let fresh = Value._rlmRead(object, property)
        wrapper(at: address).pointee.local = fresh
        return fresh
    }

    static func setAny(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> Bool {
        let property = wrapper(at: address).pointee.property
        guard let converted = Value._rlmConverted(value) else {
            return storeRefused(value, object, property)
        }
        if property != .max {
            Value._rlmWrite(object, property, converted)
        } else if Value._rlmIsKept {
            let kept = current(address)
            wrapper(at: address).pointee.local = kept
            Value._rlmAssign(converted, to: kept)
        } else {
            wrapper(at: address).pointee.local = converted
        }
        return true
    }
}

extension Persisted {
    static func update(
        _ value: Any?, at address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ property: UInt16, _ storing: _Storing
    ) -> Bool {
        guard let converted = Value._rlmConverted(value) else {
            return storeRefused(value, object, property)
        }
        Value._rlmUpdate(object, property, converted, storing)
        return true
    }

    /// Sets a property of a managed object to a value that the property's type rejects but that has
    /// the stored type. Returns false for an unmanaged object and for other values.
    private static func storeRefused(
        _ value: Any?, _ object: ObjectBase, _ property: UInt16
    ) -> Bool {
        func store<C: FailableCustomPersistable>(_: C.Type) -> Bool {
            guard let raw = Converted<C.PersistedType>.of(value) else { return false }
            object.store(Int(property)) { raw._rlmStored($0) }
            return true
        }
        guard property < 0x4000, let type = Value.self as? any FailableCustomPersistable.Type
        else { return false }
        return store(type)
    }

    static func isRefused(_ value: Any?) -> Bool {
        refusal(of: value) != nil && Value._rlmConverted(value) == nil
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

/// Unwraps nested optionals; nil if one of them is nil.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.content.flatMap { unwrapped($0) }
}

protocol AnyOptional {
    var content: Any? { get }
    static var nothing: Any { get }
    static var wrapped: Any.Type { get }
    /// Returns an optional that contains `content`, converted to the wrapped type; nil if `content`
    /// cannot be converted.
    static func made(of content: Any) -> Any?
}
extension Optional: AnyOptional {
    var content: Any? { self }
    static var nothing: Any { Wrapped?.none as Any }
    static var wrapped: Any.Type { Wrapped.self }
    static func made(of content: Any) -> Any? {
        if let made = Converted<Wrapped>.of(content) { return made }
        // If the enum or custom type rejects a value of its stored type, the result is null.
        func raw<E: RawRepresentable>(_: E.Type) -> Any? { Converted<E.RawValue>.of(content) }
        func persisted<C: FailableCustomPersistable>(_: C.Type) -> Any? {
            Converted<C.PersistedType>.of(content)
        }
        let refused =
            (Wrapped.self as? any (RealmEnum & RawRepresentable).Type).flatMap { raw($0) }
            ?? (Wrapped.self as? any FailableCustomPersistable.Type).flatMap { persisted($0) }
        guard refused != nil else { return nil }
        return nothing
    }
}
