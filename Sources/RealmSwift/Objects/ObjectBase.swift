import CRealmSystem
import Foundation
import RealmEngine

/// Common base class of `Object` and `EmbeddedObject`. Model classes derive from one of these two.
open class ObjectBase: NSObject {
    @exclusivity(unchecked) private final var state = State.unmanaged
    /// Key of the stored object. `position` is its location when it was read last.
    @exclusivity(unchecked) final var key = ObjectKey.none
    @exclusivity(unchecked) final var position = ObjectLocation()

    /// Creates an unmanaged object with the default values of its properties.
    public required override init() { super.init() }

    deinit {
        if isManaged { releaseRealm() }
    }

    // MARK: The class

    /// Returns the name of the class in files: the Swift name without its module, unless
    /// `_realmObjectName()` returns another name.
    open class func className() -> String {
        _realmObjectName() ?? String(describing: self)
    }

    /// Returns the name of the class in files; nil for the Swift name. To be overridden.
    open class func _realmObjectName() -> String? { nil }
    /// Whether the class belongs to a realm whose configuration has no `objectTypes`. True unless
    /// overridden.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }
    /// Returns column names by property name, for properties that have another name in files. To be
    /// overridden.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Returns the names of properties that are not stored, in a class that does not use
    /// `@Persisted`. To be overridden.
    open class func ignoredProperties() -> [String] { [] }
    /// Returns the names of properties with a search index, in a class that does not use
    /// `@Persisted`. To be overridden.
    open class func indexedProperties() -> [String] { [] }

    /// Returns the schema of the class; nil for the base classes of the library.
    open class func sharedSchema() -> ObjectSchema? {
        ModelSchema.isModel(self) ? ObjectSchema(ClassModel.of(self)) : nil
    }

    // MARK: State

    /// State of an accessor. Takes one machine word, because programs have many accessors at once.
    private enum State {
        /// Managed, of a class that the program declares. The `ManagedClass` does not retain its
        /// realm, so the accessor counts a reference to the realm, too.
        case managed(ManagedClass)
        /// Managed, of a class that is in the file but not in the program.
        case dynamic(Unmodelled)
        /// Records the properties that a key path reads.
        case recording(_KeyPathRecording)
        /// Unmanaged.
        case unmanaged
    }

    private final class Unmodelled {
        let realm: RealmInstance
        let objects: ObjectClass
        /// Value of `RealmInstance.releases` when the object was read; a greater value means that
        /// the realm was invalidated since.
        private let releases: Int

        init(_ realm: RealmInstance, _ objects: ObjectClass) {
            (self.realm, self.objects, releases) = (realm, objects, realm.releases)
        }

        var isStale: Bool { realm.releases != releases }
    }

    /// The class in the realm; nil for an unmanaged object.
    @inline(__always)
    final var managed: ManagedClass? {
        if case .managed(let managed) = state { managed } else { nil }
    }

    /// The class in the file, for an object of a class that the program does not declare; otherwise
    /// nil.
    final var unmodelled: ObjectClass? {
        if case .dynamic(let found) = state { found.objects } else { nil }
    }

    final var recorder: _KeyPathRecording? {
        get { if case .recording(let recorder) = state { recorder } else { nil } }
        set {
            detach()
            if let newValue { state = .recording(newValue) }
        }
    }

    /// The realm, which the object retains; nil for an unmanaged object.
    final var keepAlive: RealmInstance? {
        switch state {
        case .managed(let managed): managed.realm
        case .dynamic(let found): found.realm
        case .recording, .unmanaged: nil
        }
    }

    /// The realm of the object; nil for an unmanaged object. A deleted object keeps its realm.
    public var realm: Realm? { keepAlive.map { Realm($0) } }
    /// Schema of the object's class.
    public var objectSchema: ObjectSchema { ObjectSchema(ClassModel.of(Swift.type(of: self))) }
    /// Whether the object belongs to a frozen realm. May be read on any thread.
    public var isFrozen: Bool { keepAlive?.isFrozen ?? false }
    /// Returns a frozen copy of the object in its current version, which any thread may read.
    ///
    /// Traps for an unmanaged or deleted object, and for an object that was created in the open
    /// write transaction.
    public func freeze() -> Self { RealmInstance.frozen(self) }
    /// Returns the live object, for the caller's thread, queue or actor; nil if it was deleted. A
    /// live object returns itself. Traps for an unmanaged object.
    public func thaw() -> Self? { RealmInstance.thawed(self) }

    /// Whether the object was deleted or its realm was invalidated. False for an unmanaged object.
    open var isInvalidated: Bool {
        guard let handle else { return false }
        return isStale || !((try? handle.exists) ?? false)
    }

    /// Whether the realm was invalidated after the object was read.
    private final var isStale: Bool {
        switch state {
        case .managed(let managed): managed.isStale
        case .dynamic(let found): found.isStale
        case .recording, .unmanaged: false
        }
    }

    @inline(__always)
    final var isManaged: Bool {
        if case .managed = state { true } else { false }
    }

    /// Whether the object is managed and belongs to the managed class `other`, in the same realm.
    @inline(__always)
    final func isOf(_ other: ManagedClass) -> Bool {
        isManaged && uncounted.toOpaque() == Unmanaged.passUnretained(other).toOpaque()
    }

    /// Makes the accessor reference another object of its class.
    @inline(__always)
    final func rebind(_ other: ObjectKey, _ place: ObjectLocation) {
        (key, position) = (other, place)
    }

    /// Makes an unmanaged object an accessor. Consumes two references that the caller has counted:
    /// one to the class and one to its realm.
    @inline(__always)
    final func begin(
        _ managed: Unmanaged<ManagedClass>, _ key: ObjectKey, _ place: ObjectLocation
    ) {
        if case .unmanaged = state {} else { detach() }
        // The old state is `unmanaged`, which holds no reference, so it is overwritten without
        // being released.
        withUnsafeMutablePointer(to: &state) {
            $0.initialize(to: .managed(managed.takeRetainedValue()))
        }
        rebind(key, place)
    }

    /// Makes the object unmanaged. Called before the object becomes an accessor, because its
    /// initializer may have added it to a realm.
    @inline(never)
    private final func detach() {
        if isManaged { releaseRealm() }
        state = .unmanaged
    }

    /// Makes the object an accessor of an object whose class the program does not declare.
    final func begin(_ realm: RealmInstance, _ handle: ObjectHandle) {
        detach()
        state = .dynamic(Unmodelled(realm, handle.objects))
        rebind(handle.key, handle.place)
    }

    @inline(__always)
    private final func releaseRealm() {
        uncounted._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.realm).release() }
    }

    /// Whether the object has only one strong reference, and never had unowned or weak references.
    /// Its reference count then equals `countOfNew`, the count of a new object.
    @inline(__always)
    final func isUnshared(_ countOfNew: Int) -> Bool {
        realm_reference_count(Unmanaged.passUnretained(self).toOpaque()) == countOfNew
    }

    static let countOfNew: Int = {
        let new = Unmanaged.passRetained(ObjectBase())
        defer { new.release() }
        return realm_reference_count(new.toOpaque())
    }()

    /// Name of the object's class in files.
    final var className: String {
        (self as? DynamicObject)?.storedName ?? ClassModel.of(Swift.type(of: self)).name
    }

    // MARK: Values

    /// The object in the file; nil for an unmanaged object.
    final var handle: ObjectHandle? {
        get { (managed?.objects ?? unmodelled).map { ObjectHandle($0, key, position) } }
        set {
            guard let newValue else { return }
            rebind(newValue.key, newValue.place)
        }
    }

    /// The class as an unmanaged reference. A local variable of type `ManagedClass` would count a
    /// reference.
    @inline(__always)
    private final var uncounted: Unmanaged<ManagedClass> {
        guard case .managed(let managed) = state else { Self.notManaged() }
        return Unmanaged.passUnretained(managed)
    }

    /// Calls `body` with the class, key and location of the object. If the realm has advanced,
    /// looks up the location first.
    @inline(__always)
    private final func read<T>(
        _ body: (ObjectClass, ObjectKey, ObjectLocation) throws(RealmError) -> T
    ) -> T {
        uncounted._withUnsafeGuaranteedRef { managed in
            attempt { () throws(RealmError) in
                if managed.objects.isBehind(position) { try relocate() }
                return try body(managed.objects, key, position)
            }
        }
    }

    /// Looks up the object's location in the current version of the realm.
    @inline(never)
    private final func relocate() throws(RealmError) {
        checkNotInvalidated()
        try handle!.follow()
    }

    /// Traps if the realm was invalidated after the object was read.
    final func checkNotInvalidated() {
        if isStale {
            throwRealmException("Object has been deleted or invalidated.")
        }
    }

    /// Returns the value of a property, and its realm. Traps if the object was deleted.
    @inline(__always)
    final func stored(_ property: Int) -> _Stored {
        _Stored(value: value(property), realm: keepAlive)
    }

    /// Returns the stored value of a property, without the realm that `stored` also returns. Only
    /// values of some types need the realm. Traps if the object was deleted.
    @inline(__always)
    final func value(_ property: Int) -> Value {
        read { (objects, key, place) throws(RealmError) in
            try objects.value(property, of: key, at: place)
        }
    }

    /// Returns the value of an `AnyRealmValue` property with its location in the database, in case
    /// the value is a collection.
    final func placed(_ property: Int) -> _Stored {
        var stored = stored(property)
        stored.place = .property(self, property)
        return stored
    }

    @inline(__always)
    final func integer(_ property: Int) -> Int64 {
        read { (objects, key, place) throws(RealmError) in
            try objects.int(property, of: key, at: place) ?? 0
        }
    }

    /// Returns the stored bytes of a text, without a copy; nil for null.
    @inline(__always)
    final func text(_ property: Int) -> ByteView? {
        read { (objects, key, place) throws(RealmError) in
            try objects.text(property, of: key, at: place)
        }
    }

    /// Stores the value of a property when its object becomes managed.
    @inline(__always)
    final func adopt(_ value: some _ObjcBridgeable, in property: Int, _ storing: _Storing) {
        if storing.policy == .modified {
            return ValueSlot.property(self, property).update(value, storing)
        }
        if let child = value._rlmEmbedded { return storeEmbedded(property, child, storing) }
        adopt(value._rlmStored(storing), in: property, storing)
    }

    @inline(__always)
    final func adopt(_ value: Value, in property: Int, _ storing: _Storing) {
        uncounted._withUnsafeGuaranteedRef { managed in
            attempt { () throws(RealmError) in
                if storing.policy == .modified {
                    try handle!.update(property, value)
                } else {
                    try managed.objects.set(property, of: key, value)
                }
            }
        }
    }

    /// Sets a property of a managed object. Traps outside of a write transaction, and for the
    /// primary key.
    final func store(_ property: Int, _ value: (_Storing) -> Value) {
        guard let managed else { Self.notManaged() }
        checkNotInvalidated()
        _ = managed.realm.engine.forWriting()
        if property == managed.primaryKey, !managed.realm.isMigrating {
            throwRealmException(
                "Cannot modify primary key: Primary key can't be changed after an object is inserted."
            )
        }
        let storing = _Storing(managed.realm)
        let value = value(storing)
        attempt { () throws(RealmError) in try handle!.set(property, value) }
    }

    /// Sets a property of a managed object. If the value is an unmanaged embedded object, it
    /// becomes managed.
    final func store(_ value: some _ObjcBridgeable, in property: Int) {
        if let child = value._rlmEmbedded {
            guard let managed else { Self.notManaged() }
            return storeEmbedded(property, child, _Storing(managed.realm))
        }
        store(property) { value._rlmStored($0) }
    }

    /// Replaces the embedded object of a property by a new object with the values of `child`.
    private final func storeEmbedded(
        _ property: Int, _ child: EmbeddedObject, _ storing: _Storing
    ) {
        guard let managed else { Self.notManaged() }
        _ = managed.realm.engine.forWriting()
        let current = attempt { () throws(RealmError) in try handle!.value(property) }
        if let owner = child.managed?.realm {
            if owner === managed.realm, current.isLink(to: child) { return }
            throwRealmException("Can't set link to existing managed embedded object")
        }
        attempt { () throws(RealmError) in
            let key = try handle!.makeEmbedded(property)
            managed.realm.fill(child, key, storing)
        }
    }

    private static func notManaged() -> Never {
        throwRealmException("The object is not managed by a Realm.")
    }

    // MARK: Key-value access

    /// Returns the address of a field's property wrapper in this object.
    final func place(of field: ClassModel.Field) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + field.offset
    }

    /// The value of the property with this name; nil for null. Traps if the class has no such
    /// property, and when set outside of a write transaction.
    open subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// Returns the value of a property by its name; nil for null. Traps if the class has no such
    /// property.
    open func value(forKey key: String) -> Any? {
        guard let field = ClassModel.of(Swift.type(of: self)).field(named: key) else {
            return value(forUndefinedKey: key)
        }
        return field.wrapper.any(at: place(of: field), self)
    }

    /// Returns the value at the end of a key path, such as `owner.name` or `dogs.@max.age`.
    ///
    /// A collection in the path yields an array with a value for each element, or an aggregate. Nil
    /// if a link in the path is null. Traps if a step of the path is not a property.
    open func value(forKeyPath keyPath: String) -> Any? {
        if !keyPath.contains(".") { return value(forKey: keyPath) }
        return KeyPathWalk(keyPath).value(of: self)
    }

    /// Called by `value(forKey:)` if the class has no property with this name. Traps unless
    /// overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        throwRealmException(
            "Property '\(key)' not found in object of type '\(Swift.type(of: self).className())'"
                + KeyPathWalk.messageSuffix)
    }

    /// Sets a property by its name. Traps for an unknown name, for a value of the wrong type, and
    /// for a managed object outside of a write transaction.
    open func setValue(_ value: Any?, forKey key: String) {
        let type = Swift.type(of: self)
        guard let field = ClassModel.of(type).field(named: key) else {
            return setValue(value, forUndefinedKey: key)
        }
        if field.wrapper.setAny(value, at: place(of: field), self) { return }
        if let refusal = field.wrapper.refusal(of: value) { throwRealmException(refusal) }
        throwRealmException(
            "Invalid value '\(value ?? "<null>")' of type "
                + "\(ObjectDescription.typeName(of: value, notOf: field.shape.target)) for "
                + "'\(field.shape.type)' property '\(type.className()).\(key)'.")
    }

    /// Sets the property at the end of a key path, for every object that the path reaches.
    ///
    /// Does nothing if a link in the path is null. Traps if a step of the path is not a property.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        if !keyPath.contains(".") { return setValue(value, forKey: keyPath) }
        KeyPathWalk(keyPath).setValue(value, of: self)
    }

    /// Called by `setValue(_:forKey:)` if the class has no property with this name. Traps unless
    /// overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        _ = self.value(forUndefinedKey: key)
    }

    // MARK: Equality

    /// Whether both are accessors of the same object in the same realm.
    final func isSame(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        guard let handle, let keepAlive, let theirs = other.handle,
            let theirKeeper = other.keepAlive
        else { return false }
        return keepAlive.isSame(as: theirKeeper) && handle.link == theirs.link
    }

    /// Whether both are the same object: the same accessor, or accessors of the same stored object
    /// if the class has a primary key or the realm is frozen.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        // Live objects without a primary key are equal only if they are the same accessor.
        guard let managed, managed.model.primaryKey != nil || managed.realm.isFrozen else {
            return false
        }
        return isSame(as: other)
    }

    /// Hash value, equal for equal objects.
    open override var hash: Int {
        guard let managed, let handle, managed.model.primaryKey != nil || managed.realm.isFrozen
        else { return ObjectIdentifier(self).hashValue }
        return handle.key.raw.hashValue
    }

    /// The properties and their values as text, with linked objects up to a depth of 5.
    open override var description: String { ObjectDescription.text(self) }
}

extension Unmanaged {
    /// Adds `count` strong references.
    func retain(_ count: UInt32) { swift_retain_n(toOpaque(), count) }
    /// Releases `count` strong references.
    func release(_ count: UInt32) { swift_release_n(toOpaque(), count) }
}

extension Unmanaged where Instance == ObjectBase {
    /// Returns the reference as a `T`, without a check and without a reference count. A cast would
    /// retain it.
    @inline(__always)
    func unsafelyCast<T>() -> T {
        var reference = toOpaque()
        return withUnsafeMutableBytes(of: &reference) {
            $0.baseAddress!.assumingMemoryBound(to: T.self).move()
        }
    }
}

/// Objects are confined to the context of their realm: pass a `ThreadSafeReference` or a frozen
/// copy.
@available(*, unavailable) extension ObjectBase: @unchecked Sendable {}
extension ObjectBase: KeypathSortable {}

extension Value {
    fileprivate func isLink(to object: ObjectBase) -> Bool {
        if case .link(let link) = self { return link == object.handle?.link }
        return false
    }
}
