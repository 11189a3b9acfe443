import CRealmSystem
import Foundation
import RealmEngine

/// Common base class of `Object` and `EmbeddedObject`. Model classes derive from these two.
open class ObjectBase: NSObject {
    @exclusivity(unchecked) private final var state = State.unmanaged
    /// Key of the stored object, and the location where it was found last (`position`).
    @exclusivity(unchecked) final var key = ObjectKey.none
    @exclusivity(unchecked) final var position = ObjectLocation()

    /// Creates an unmanaged object with the default values of its properties.
    public required override init() { super.init() }

    deinit {
        if isManaged { releaseRealm() }
    }

    // MARK: The class

    /// Name of the class in files: the name without its module, unless `_realmObjectName()` returns
    /// one.
    open class func className() -> String {
        _realmObjectName() ?? String(describing: self)
    }

    /// Name of the class in files, for overriding; nil for the Swift name.
    open class func _realmObjectName() -> String? { nil }
    /// Whether the class belongs to realms whose configuration names no classes. True unless
    /// overridden.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }
    /// Column names by property name, for properties whose names differ in files.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Names of properties that are not stored, in a class that does not use `@Persisted`.
    open class func ignoredProperties() -> [String] { [] }
    /// Names of properties with a search index, in a class that does not use `@Persisted`.
    open class func indexedProperties() -> [String] { [] }

    /// Schema of the class; nil for the library's base classes.
    open class func sharedSchema() -> ObjectSchema? {
        ModelSchema.isModel(self) ? ObjectSchema(ClassModel.of(self)) : nil
    }

    // MARK: State

    /// State of an accessor, in one word: programs keep many accessors.
    private enum State {
        /// In a realm, of a class of the program. The class does not retain its realm, so the
        /// object retains it, with a reference that is counted by hand.
        case managed(ManagedClass)
        /// In a realm, of a class that the program does not declare.
        case dynamic(Unmodelled)
        /// Records which properties a key path visits.
        case recording(_KeyPathRecording)
        /// Unmanaged.
        case unmanaged
    }

    private final class Unmodelled {
        let realm: RealmInstance
        let objects: ObjectClass
        /// Value of the realm's `releases` when the object was read.
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

    /// The class in the file, for an object whose class the program does not have; else nil.
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
    /// Returns a frozen copy of the object as it is in this version, which any thread may read.
    ///
    /// Traps for an unmanaged or deleted object, and for one that the open write transaction
    /// created.
    public func freeze() -> Self { RealmInstance.frozen(self) }
    /// Returns the live object, in the context of the caller; nil if it has been
    /// deleted. A live object returns itself. Traps for an unmanaged object.
    public func thaw() -> Self? { RealmInstance.thawed(self) }

    /// Whether the object was deleted or its realm was invalidated. False for an unmanaged object.
    open var isInvalidated: Bool {
        guard let handle else { return false }
        return isStale || !((try? handle.exists) ?? false)
    }

    /// Whether `invalidate` released the version that the object belongs to.
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

    /// Whether the object is an accessor of class `other` in its realm.
    @inline(__always)
    final func isOf(_ other: ManagedClass) -> Bool {
        isManaged && uncounted.toOpaque() == Unmanaged.passUnretained(other).toOpaque()
    }

    /// Makes the accessor refer to another object of its class.
    @inline(__always)
    final func rebind(_ other: ObjectKey, _ place: ObjectLocation) {
        (key, position) = (other, place)
    }

    /// Makes the object an accessor. Takes over two references that are already counted: to the
    /// class and to its realm.
    @inline(__always)
    final func begin(
        _ managed: Unmanaged<ManagedClass>, _ key: ObjectKey, _ place: ObjectLocation
    ) {
        if case .unmanaged = state {} else { detach() }
        // The enum is unmanaged here, so no old value has to be released.
        withUnsafeMutablePointer(to: &state) {
            $0.initialize(to: .managed(managed.takeRetainedValue()))
        }
        rebind(key, place)
    }

    /// Makes the object unmanaged: an initializer may have added it to a realm.
    @inline(never)
    private final func detach() {
        if isManaged { releaseRealm() }
        state = .unmanaged
    }

    /// Makes the object an accessor of a class that the program does not have.
    final func begin(_ realm: RealmInstance, _ handle: ObjectHandle) {
        detach()
        state = .dynamic(Unmodelled(realm, handle.objects))
        rebind(handle.key, handle.place)
    }

    @inline(__always)
    private final func releaseRealm() {
        uncounted._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.realm).release() }
    }

    /// Whether the runtime's reference count equals the count of a new object: there is one strong
    /// reference, and there never were unowned or weak ones.
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

    /// The class, without counting a reference to it as a local variable would.
    @inline(__always)
    private final var uncounted: Unmanaged<ManagedClass> {
        guard case .managed(let managed) = state else { Self.notManaged() }
        return Unmanaged.passUnretained(managed)
    }

    /// Passes the class, key and location of the object to `body`, after looking it up again if the
    /// realm has advanced. The object retains its class meanwhile.
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

    /// Looks up the object's location again after the realm has advanced.
    @inline(never)
    private final func relocate() throws(RealmError) {
        checkNotInvalidated()
        try handle!.follow()
    }

    /// Traps for an object of a version that `invalidate` released.
    final func checkNotInvalidated() {
        if isStale {
            throwRealmException("Object has been deleted or invalidated.")
        }
    }

    /// The value of a property with its realm. Traps if the object is deleted.
    @inline(__always)
    final func stored(_ property: Int) -> _Stored {
        _Stored(value: value(property), realm: keepAlive)
    }

    /// The value of a property without the realm, which few types need. Traps if the object is
    /// deleted.
    @inline(__always)
    final func value(_ property: Int) -> Value {
        read { (objects, key, place) throws(RealmError) in
            try objects.value(property, of: key, at: place)
        }
    }

    /// The value of a property that may be a collection in an `AnyRealmValue`.
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

    /// View of the stored text; nil for null.
    @inline(__always)
    final func text(_ property: Int) -> ByteView? {
        read { (objects, key, place) throws(RealmError) in
            try objects.text(property, of: key, at: place)
        }
    }

    /// Stores the value that a property had before the object was managed.
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

    /// Sets a property. Traps outside of a write transaction, and for the primary key.
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

    /// Sets a property; an embedded object is created from an unmanaged one.
    final func store(_ value: some _ObjcBridgeable, in property: Int) {
        if let child = value._rlmEmbedded {
            guard let managed else { Self.notManaged() }
            return storeEmbedded(property, child, _Storing(managed.realm))
        }
        store(property) { value._rlmStored($0) }
    }

    /// Replaces the embedded object of a property by a new one with the values of `child`.
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

    /// Address of a field's wrapper in this object.
    final func place(of field: ClassModel.Field) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + field.offset
    }

    /// The property with this name; nil for null. Traps if there is none, and when set outside of a
    /// write transaction.
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

    /// Called by `value(forKey:)` for a name that the class does not have; traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        throwRealmException(
            "Property '\(key)' not found in object of type '\(Swift.type(of: self).className())'"
                + KeyPathWalk.messageSuffix)
    }

    /// Sets a property by its name. Traps for an unknown name, for a value that does not fit, and
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

    /// Called by `setValue(_:forKey:)` for a name that the class does not have; traps unless
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

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        // Live objects without a primary key are equal if they are the same instance.
        guard let managed, managed.model.primaryKey != nil || managed.realm.isFrozen else {
            return false
        }
        return isSame(as: other)
    }

    open override var hash: Int {
        guard let managed, let handle, managed.model.primaryKey != nil || managed.realm.isFrozen
        else { return ObjectIdentifier(self).hashValue }
        return handle.key.raw.hashValue
    }

    open override var description: String { ObjectDescription.text(self) }
}

extension Unmanaged {
    /// Adds `count` strong references.
    func retain(_ count: UInt32) { swift_retain_n(toOpaque(), count) }
    /// Releases `count` strong references.
    func release(_ count: UInt32) { swift_release_n(toOpaque(), count) }
}

extension Unmanaged where Instance == ObjectBase {
    /// The reference as a `T`, without a check and without counting it: a cast would retain it.
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
