import CRealmSystem
import Foundation
import RealmEngine

/// What `Object` and `EmbeddedObject` have in common. Not to be subclassed.
open class ObjectBase: NSObject {
    @exclusivity(unchecked) private final var state = State.unmanaged
    /// Which object it is, and where that was found last.
    @exclusivity(unchecked) final var key = ObjectKey.none
    @exclusivity(unchecked) final var position = ObjectPlace()

    public required override init() { super.init() }

    deinit {
        if isManaged { releaseRealm() }
    }

    // MARK: The class

    /// The name of the class in files: without its module, unless it says otherwise.
    open class func className() -> String {
        _realmObjectName() ?? String(describing: self)
    }

    open class func _realmObjectName() -> String? { nil }
    /// Whether realms whose configuration names no classes have this one.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }
    /// Names of columns by those of properties, where they differ.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Names of members that are no columns, and of those that are indexed, in a class that does not use
    /// `@Persisted`.
    open class func ignoredProperties() -> [String] { [] }
    open class func indexedProperties() -> [String] { [] }

    /// What the class is in a realm; nil for those that others are made of.
    open class func sharedSchema() -> ObjectSchema? {
        ModelSchema.isModel(self) ? ObjectSchema(ClassModel.of(self)) : nil
    }

    // MARK: State

    /// State of an accessor, in one word: programs keep many accessors.
    private enum State {
        /// In a realm, of a class of the program. The class does not retain its realm, so the object does,
        /// with a reference that is counted by hand.
        case managed(ManagedClass)
        /// In a realm, of a class that the program does not declare.
        case dynamic(Unmodelled)
        /// Records which properties a key path visits.
        case recording(_KeyPathRecording)
        /// In no realm.
        case unmanaged
    }

    private final class Unmodelled {
        let realm: RealmInstance
        let objects: ObjectClass

        init(_ realm: RealmInstance, _ objects: ObjectClass) {
            (self.realm, self.objects) = (realm, objects)
        }
    }

    /// Its class in the realm; nil as long as it is in none.
    @inline(__always)
    final var managed: ManagedClass? {
        if case .managed(let managed) = state { managed } else { nil }
    }

    /// Its class in the file, of an object that has none in the program.
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

    /// The realm, which the object keeps.
    final var keeper: RealmInstance? {
        switch state {
        case .managed(let managed): managed.realm
        case .dynamic(let found): found.realm
        case .recording, .unmanaged: nil
        }
    }

    /// Nil for an object that is in no realm; one that was deleted keeps its.
    public var realm: Realm? { keeper.map { Realm($0) } }
    public var objectSchema: ObjectSchema { ObjectSchema(ClassModel.of(Swift.type(of: self))) }
    public var isFrozen: Bool { keeper?.isFrozen ?? false }
    /// The object as it is in this version, for any thread.
    public func freeze() -> Self { RealmInstance.frozen(self) }
    /// The object in the live realm of the place that asks; nil when it is gone.
    public func thaw() -> Self? { RealmInstance.thawed(self) }

    /// The object was deleted, or its realm let go of it.
    open var isInvalidated: Bool {
        guard let handle, let managed else { return false }
        return managed.isStale || !((try? handle.exists) ?? false)
    }

    @inline(__always)
    final var isManaged: Bool {
        if case .managed = state { true } else { false }
    }

    @inline(__always)
    final func isOf(_ other: ManagedClass) -> Bool {
        isManaged && uncounted.toOpaque() == Unmanaged.passUnretained(other).toOpaque()
    }

    /// Makes the accessor refer to another object of its class.
    @inline(__always)
    final func rebind(_ other: ObjectKey, _ place: ObjectPlace) { (key, position) = (other, place) }

    /// Stands for its first object, and takes over two references which are counted already: one to the
    /// class, one to its realm.
    @inline(__always)
    final func begin(
        _ managed: Unmanaged<ManagedClass>, _ key: ObjectKey, _ place: ObjectPlace
    ) {
        if case .unmanaged = state {} else { detach() }
        // Nothing is there that would have to be let go of.
        withUnsafeMutablePointer(to: &state) {
            $0.initialize(to: .managed(managed.takeRetainedValue()))
        }
        rebind(key, place)
    }

    /// Makes the object unmanaged: an initializer may have put it into a realm.
    @inline(never)
    private final func detach() {
        if isManaged { releaseRealm() }
        state = .unmanaged
    }

    /// The same of a class that the program has not.
    final func begin(_ realm: RealmInstance, _ handle: ObjectHandle) {
        detach()
        state = .dynamic(Unmodelled(realm, handle.objects))
        rebind(handle.key, handle.place)
    }

    @inline(__always)
    private final func releaseRealm() {
        uncounted._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.realm).release() }
    }

    /// There is one strong reference to the object, and there never was one of another kind: the
    /// runtime's count is that of a new object.
    @inline(__always)
    final func isUnshared(_ countOfNew: Int) -> Bool {
        realm_reference_count(Unmanaged.passUnretained(self).toOpaque()) == countOfNew
    }

    static let countOfNew: Int = {
        let new = Unmanaged.passRetained(ObjectBase())
        defer { new.release() }
        return realm_reference_count(new.toOpaque())
    }()

    /// The name of the object's class in files.
    final var className: String {
        (self as? DynamicObject)?.storedName ?? ClassModel.of(Swift.type(of: self)).name
    }

    // MARK: Values

    /// The object in the file; nil as long as it is in no realm.
    final var handle: ObjectHandle? {
        get { (managed?.objects ?? unmodelled).map { ObjectHandle($0, key, position) } }
        set {
            guard let newValue else { return }
            rebind(newValue.key, newValue.place)
        }
    }

    /// Its class, without counting a reference to that: a local name for it would.
    @inline(__always)
    private final var uncounted: Unmanaged<ManagedClass> {
        guard case .managed(let managed) = state else { Self.notManaged() }
        return Unmanaged.passUnretained(managed)
    }

    /// What `body` finds with the class the object is of, after the realm has moved, too. The object
    /// keeps its class meanwhile.
    @inline(__always)
    private final func read<T>(
        _ body: (ObjectClass, ObjectKey, ObjectPlace) throws(RealmError) -> T
    ) -> T {
        uncounted._withUnsafeGuaranteedRef { managed in
            attempt { () throws(RealmError) in
                if managed.objects.isBehind(position) { try catchUp() }
                return try body(managed.objects, key, position)
            }
        }
    }

    /// Looks up where the object is after the realm has moved.
    @inline(never)
    private final func catchUp() throws(RealmError) {
        checkFresh()
        try handle!.follow()
    }

    /// Traps for an object of a version that the realm let go of.
    final func checkFresh() {
        if managed?.isStale == true {
            throwRealmException("Object has been deleted or invalidated.")
        }
    }

    /// The value of a property. Traps when the object is gone.
    @inline(__always)
    final func stored(_ property: Int) -> _Stored {
        _Stored(value: value(property), realm: keeper)
    }

    /// The same without the realm, which few types of values need.
    @inline(__always)
    final func value(_ property: Int) -> Value {
        read { (objects, key, place) throws(RealmError) in
            try objects.value(property, of: key, at: place)
        }
    }

    /// The value of a property that may be a collection of any values.
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

    /// Text where it is stored; nil for null.
    @inline(__always)
    final func text(_ property: Int) -> ByteView? {
        read { (objects, key, place) throws(RealmError) in
            try objects.text(property, of: key, at: place)
        }
    }

    /// Stores what a property had before the object was managed.
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

    /// Sets a property, in the realm's write transaction. Traps outside of one.
    final func store(_ property: Int, _ value: (_Storing) -> Value) {
        guard let managed else { Self.notManaged() }
        checkFresh()
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

    /// Sets a property, to a new embedded object where the value is one.
    final func store(_ value: some _ObjcBridgeable, in property: Int) {
        if let child = value._rlmEmbedded {
            guard let managed else { Self.notManaged() }
            return storeEmbedded(property, child, _Storing(managed.realm))
        }
        store(property) { value._rlmStored($0) }
    }

    /// Puts an embedded object in the place of the one that a property has.
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

    /// Where the wrapper of a field lies in this object.
    final func place(of field: ClassModel.Field) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + field.offset
    }

    /// The property called `key`; nil when it is null.
    open subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The value of a property by its name. Traps for an unknown one.
    open func value(forKey key: String) -> Any? {
        guard let field = ClassModel.of(Swift.type(of: self)).field(named: key) else {
            return value(forUndefinedKey: key)
        }
        return field.wrapper.any(at: place(of: field), self)
    }

    /// The value at the end of a key path: through links, and through collections, which yield an array of
    /// what their elements have, or an aggregate, as `dogs.@max.age` does. Nil behind null. Traps if a step
    /// of the path is no property.
    open func value(forKeyPath keyPath: String) -> Any? {
        if !keyPath.contains(".") { return value(forKey: keyPath) }
        return KeyPathWalk(keyPath).value(of: self)
    }

    open func value(forUndefinedKey key: String) -> Any? {
        throwRealmException(
            "Property '\(key)' not found in object of type '\(Swift.type(of: self).className())'"
                + KeyPathWalk.messageSuffix)
    }

    /// Sets a property by its name. Traps for an unknown one, and for a value that does not fit.
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

    /// Sets the property at the end of a key path, of every object that it leads to. Does nothing behind
    /// null. Traps if a step of the path is no property.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        if !keyPath.contains(".") { return setValue(value, forKey: keyPath) }
        KeyPathWalk(keyPath).setValue(value, of: self)
    }

    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        _ = self.value(forUndefinedKey: key)
    }

    // MARK: Equality

    /// The same object of the same realm.
    final func isSame(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        guard let handle, let keeper, let theirs = other.handle, let theirKeeper = other.keeper
        else { return false }
        return keeper.isSame(as: theirKeeper) && handle.link == theirs.link
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectBase else { return false }
        if self === other { return true }
        // Without a primary key two live objects are told by where they are in memory.
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
    /// Counts that many references at once, or lets go of them.
    func retain(_ count: UInt32) { swift_retain_n(toOpaque(), count) }
    func release(_ count: UInt32) { swift_release_n(toOpaque(), count) }
}

extension Unmanaged where Instance == ObjectBase {
    /// The reference as a reference to `T`, without a check and without counting it: a cast would retain it.
    @inline(__always)
    func unsafelyCast<T>() -> T {
        var reference = toOpaque()
        return withUnsafeMutableBytes(of: &reference) {
            $0.baseAddress!.assumingMemoryBound(to: T.self).move()
        }
    }
}

@available(*, unavailable) extension ObjectBase: @unchecked Sendable {}
extension ObjectBase: KeypathSortable {}

extension Value {
    fileprivate func isLink(to object: ObjectBase) -> Bool {
        if case .link(let link) = self { return link == object.handle?.link }
        return false
    }
}
