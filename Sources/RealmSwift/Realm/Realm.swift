import Dispatch
import Foundation
import RealmEngine

/// A database, as one thread, queue or actor uses it (API specification 2.1).
///
/// A live realm shows one version of the data until `refresh`, automatic refresh or a write
/// transaction advances it to the newest version. A frozen realm never changes, and any thread may
/// use it. A live realm and everything read from it may be used only in the context that opened it:
/// on its thread, its serial queue or its actor. Any other use traps.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write {
///     realm.add(Dog(value: ["name": "Rex", "age": 3]))
/// }
/// let puppies = realm.objects(Dog.self).where { $0.age < 2 }
/// print(puppies.count)
/// ```
@frozen public struct Realm: Equatable {
    @usableFromInline let instance: RealmInstance

    init(_ instance: RealmInstance) { self.instance = instance }

    /// Whether both refer to the same live instance, or to the same frozen version.
    public static func == (a: Realm, b: Realm) -> Bool { a.instance.isSame(as: b.instance) }

    var engine: Instance { instance.engine }

    /// The configuration that the realm was opened with.
    public var configuration: Configuration { instance.configuration }
    /// The classes of the realm.
    public var schema: Schema { Schema(instance.schema) }

    /// Whether the realm has no objects. Traps if the file is damaged.
    public var isEmpty: Bool {
        let snapshot = engine.snapshot()
        return attempt { () throws(RealmError) in
            for model in instance.schema.models {
                guard let info = snapshot.schema.objectClass(named: model.name) else { continue }
                if try snapshot.table(info).count() > 0 { return false }
            }
            return true
        }
    }

    // MARK: Opening

    /// Opens the realm of `Realm.Configuration.defaultConfiguration`.
    ///
    /// Traps if the caller is not on `queue`, or if the queue is concurrent.
    ///
    /// - Parameter queue: a serial queue that the caller is running on; nil for the main queue or
    ///   the calling thread.
    /// - Throws: `Realm.Error` if the file cannot be opened or its schema differs.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens a realm. The first open in a process also creates, migrates or compacts the file.
    ///
    /// Realms that are opened on the same thread, queue or actor share an instance: they are always
    /// at the same version.
    ///
    /// Traps if the caller is not on `queue`, if the queue is concurrent, or if the file is already
    /// open with other options.
    ///
    /// - Parameter queue: a serial queue that the caller is running on; nil for the main queue or
    ///   the calling thread.
    /// - Throws: `Realm.Error` if the file cannot be opened or its schema differs.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        if configuration.readOnly, configuration.deleteRealmIfMigrationNeeded {
            throwRealmException(
                "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
        }
        let place = queue.map { Scheduler.queue($0) } ?? Scheduler.here()
        self.init(try RealmInstance.open(configuration, on: place))
        _ = ThreadRecord.current.retainUntilPoolEnds(instance)
    }

    /// Opens the realm at `fileURL`. The other options are taken from
    /// `Realm.Configuration.defaultConfiguration`. Traps if the file is already open with other
    /// options.
    ///
    /// - Throws: `Realm.Error` if the file cannot be opened or its schema differs.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Registers classes that are not found automatically, such as specialised generic classes, as
    /// classes of the program. May be called on any thread.
    public static func register(_ types: ObjectBase.Type...) { ModelSchema.register(types) }

    // MARK: Transactions

    /// Runs `block` in a write transaction and commits the transaction, unless the block has
    /// already committed or cancelled it. The changes are durable when this function returns.
    ///
    /// If the block throws an error, all changes are undone and the error is rethrown.
    ///
    /// Blocks the thread while another thread or process has a write transaction. Traps inside a
    /// write transaction, on a frozen or read-only realm, and for a token of another realm.
    ///
    /// - Parameter tokens: observers of this realm that are not notified of this commit.
    /// - Returns: the result of `block`.
    /// - Throws: the error of `block`, or `Realm.Error` if the commit cannot be written.
    @discardableResult
    public func write<Result>(
        withoutNotifying tokens: [NotificationToken] = [], _ block: (() throws -> Result)
    ) throws -> Result {
        beginWrite()
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Begins a write transaction and advances the realm to the newest version. Blocks the thread
    /// while another thread or process has a write transaction.
    ///
    /// Traps inside a write transaction, on a frozen or read-only realm, in the completion block of
    /// a commit, and if more versions are live than `maximumNumberOfActiveVersions`.
    public func beginWrite() { instance.beginWrite() }

    /// Commits the write transaction. The changes are durable when this function returns.
    ///
    /// Traps outside of a write transaction, and for a token of another realm.
    ///
    /// - Parameter tokens: observers of this realm that are not notified of this commit.
    /// - Throws: `Realm.Error` if the file cannot be written.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        do throws(RealmError) {
            defer { instance.release() }
            try engine.commitWrite(withoutNotifying: tokens.compactMap(\.engineToken))
            Logger.logToShared(
                .trace, "committed version \(engine.version) of \(configuration.place)")
        } catch { throw Error(error) }
    }

    /// Undoes all changes of the write transaction and ends it. Objects that were added in the
    /// transaction become invalid (`isInvalidated`).
    ///
    /// Traps outside of a write transaction.
    public func cancelWrite() {
        engine.cancelWrite()
        instance.release()
    }

    /// Whether a write transaction is open.
    public var isInWriteTransaction: Bool { engine.isInWriteTransaction }

    // MARK: Objects

    /// Policy for adding an object whose primary key already exists.
    @frozen public enum UpdatePolicy: Int, Sendable {
        /// Traps. The default.
        case error = 1
        /// Updates the existing object with the values that differ. Observers are notified of these
        /// properties only.
        ///
        /// Embedded objects, and linked objects without a primary key, are updated in place. A list
        /// becomes equal to the new list. In a set or map, new members and entries are inserted,
        /// and existing ones are not removed.
        case modified = 3
        /// Updates the existing object with all values. Observers are notified of every property.
        case all = 2
    }

    /// Adds an object to the realm, together with the unmanaged objects that it links to. The
    /// object becomes managed. Does nothing if it already belongs to this realm.
    ///
    /// Traps outside of a write transaction, for a deleted object or one of another realm, if the
    /// primary key exists and `update` is `.error`, and if `update` is another policy for a class
    /// without a primary key.
    ///
    /// - Parameter update: policy for an object whose primary key already exists.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        _ = engine.write
        if update != .error, ClassModel.of(type(of: object)).primaryKey == nil {
            throwRealmException(
                "'\(type(of: object).className())' does not have a primary key and can not be updated"
            )
        }
        _ = instance.adopt(object, _Storing(instance, update))
    }

    /// Adds the objects of a sequence one by one. Traps under the same conditions as
    /// `add(_:update:)`.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
    where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Deletes an object, the embedded objects that it owns, and the objects that properties
    /// declared with `@Persisted(cascades: true)` link to. Does nothing if the object is already
    /// deleted.
    ///
    /// Traps outside of a write transaction, and for an object that is unmanaged or belongs to
    /// another realm.
    public func delete(_ object: ObjectBase) {
        checkDeletable(object)
        _ = engine.write
        if instance.schema.cascades { return instance.remove(cascading: [object]) }
        instance.remove(object)
    }

    /// Deletes the objects of a sequence, with the same effect as `delete(_:)` for each of them. An
    /// object may occur several times in the sequence.
    ///
    /// Faster than deleting the objects one by one if lists or sets contain many of them. Traps
    /// outside of a write transaction, and for an object that is unmanaged or belongs to another
    /// realm.
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        // The objects are copied first, since deleting may change the collection that they are read
        // from.
        let objects = Array(objects)
        if objects.isEmpty { return }
        for object in objects { checkDeletable(object) }
        _ = engine.write
        if instance.schema.cascades { return instance.remove(cascading: objects) }
        var start = 0
        while start < objects.count {
            let model = type(of: objects[start])
            let end = objects[start...].firstIndex { type(of: $0) != model } ?? objects.count
            instance.remove(run: objects[start..<end])
            start = end
        }
    }

    private func checkDeletable(_ object: ObjectBase) {
        guard object.keepAlive === instance else {
            throwRealmException("Can only delete an object from the Realm it belongs to.")
        }
    }

    /// Deletes the objects that are values of a map, and removes all entries of the map.
    ///
    /// Traps outside of a write transaction, and for a map of another realm.
    public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        if let realm = map.realm, realm.instance !== instance {
            throwRealmException("Can only delete objects from the Realm they belong to.")
        }
        delete(map.values.compactMap { $0 })
        // The owner of the map may have been among the deleted objects.
        if map.realm != nil, !map.isInvalidated { map.removeAll() }
    }

    /// Deletes every object of every class of the realm. Traps outside of a write transaction.
    public func deleteAll() {
        let transaction = engine.write
        let tables = instance.schema.models.compactMap {
            instance.managedClass($0.type)?.objects.key
        }
        attempt { () throws(RealmError) in try transaction.removeAllObjects(of: tables) }
    }

    /// Returns all objects of a class, or projections of them. The results are live, and evaluated
    /// when they are read.
    ///
    /// Traps if the class is not in the realm.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let projected = (type as? any AnyProjection.Type)?.rootType
        guard let model = projected ?? type as? ObjectBase.Type else {
            throwRealmException("'\(type)' is no class of objects.")
        }
        return objects(instance.requireClass(model))
    }

    /// Returns all objects of a class that is given by name. Traps if the class is not in the
    /// realm.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        objects(instance.requireClass(named: typeName))
    }

    private func objects<Element>(_ managed: ManagedClass) -> Results<Element> {
        let maker = ResultsSource.maker(of: Element.self)
        return Results(ResultsSource(managed, ObjectResults(managed.objects), maker))
    }

    /// Returns the object whose primary key is `key`; nil if there is none.
    ///
    /// Traps if the class is not in the realm or has no primary key, and if `key` does not fit its
    /// type.
    public func object<Element: Object, KeyType>(
        ofType type: Element.Type, forPrimaryKey key: KeyType
    ) -> Element? {
        let managed = instance.requireClass(type)
        return find(managed, key).map { managed.accessor($0, as: type) }
    }

    /// Returns the object of a class, given by name, whose primary key is `key`; nil if there is
    /// none.
    ///
    /// Traps if the class is not in the realm or has no primary key, and if `key` does not fit its
    /// type.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        find(instance.requireClass(named: typeName), key)
            .map { DynamicObject.of(instance, $0.link) }
    }

    private func find<Key>(_ managed: ManagedClass, _ key: Key) -> ObjectHandle? {
        if Key.self == Int.self, managed.hasIntegerKey {
            let number = withUnsafeBytes(of: key) { $0.load(as: Int.self) }
            return find(managed, stored: .int(Int64(number)))
        }
        guard let field = managed.model.primaryKey else {
            throwRealmException("'\(managed.model.name)' does not have a primary key")
        }
        let storing = _Storing(instance)
        guard let stored = field.shape.stored(key, storing) else {
            throwRealmException(
                "Invalid value '\(key)' of type '\(Swift.type(of: key))' for '\(field.shape.type)' "
                    + "property '\(managed.model.name).\(field.name)'.")
        }
        return find(managed, stored: stored)
    }

    private func find(_ managed: ManagedClass, stored key: Value) -> ObjectHandle? {
        attempt { () throws(RealmError) in try managed.objects.object(primaryKey: key) }
    }

    // MARK: Refreshing

    /// Whether the realm advances automatically after commits of other realm instances. True unless
    /// set.
    ///
    /// Automatic refresh happens on the main queue, on a serial queue and on an actor, but not on a
    /// plain thread. Setting this property to true traps on a frozen realm.
    public var autorefresh: Bool {
        get { engine.autorefresh }
        nonmutating set { engine.autorefresh = newValue }
    }

    /// Advances the realm to the newest version and notifies observers.
    ///
    /// Traps on a read-only realm, and if the newest version cannot be read.
    ///
    /// - Returns: false if there is no newer version, inside a write transaction, on a frozen
    ///   realm, and while observers are notified.
    @discardableResult public func refresh() -> Bool {
        if configuration.readOnly {
            throwRealmException("Read-only Realms do not change and cannot be refreshed.")
        }
        return attempt { () throws(RealmError) in try engine.refresh() }
    }

    // MARK: Frozen

    /// Whether the realm is a frozen version. May be read on any thread.
    public var isFrozen: Bool { instance.isFrozen }
    /// Returns a frozen realm with the current version, which any thread may use. The data of the
    /// version remains in the file as long as the frozen realm or an object of it exists.
    ///
    /// Traps inside a write transaction.
    public func freeze() -> Realm { Realm(instance.freeze(asOfStart: false)) }
    /// Returns a live realm for the caller's thread, queue or actor. A live realm returns itself.
    ///
    /// The realm is confined to the first of these that applies: the main queue, the actor that the
    /// caller is isolated to, the serial queue that the caller runs on if a realm is already open
    /// there, the calling thread. An actor with its own executor is found only if a realm is
    /// already open on it.
    ///
    /// ```swift
    /// actor Kennel {
    ///     func rename(_ frozen: Dog) throws {
    ///         guard let dog = frozen.thaw() else { return }
    ///         try dog.realm?.write { dog.name = "Rex" }
    ///     }
    /// }
    /// ```
    ///
    /// Traps if the realm cannot be opened.
    public func thaw() -> Realm { Realm(instance.thaw()) }
    /// Returns a frozen copy of an object, which any thread may read. Traps for an unmanaged or
    /// deleted object.
    public func freeze<T: ObjectBase>(_ object: T) -> T { RealmInstance.frozen(object) }
    /// Returns the live version of a frozen object, for the caller's thread, queue or actor; nil if
    /// the object was deleted. Traps for an unmanaged object.
    public func thaw<T: ObjectBase>(_ object: T) -> T? { RealmInstance.thawed(object) }
    /// Returns a frozen copy of a collection, which any thread may read. Traps for an unmanaged
    /// collection.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
        collection.freeze()
    }

    /// Releases the version that the realm shows, so that its space in the file can be reused. All
    /// objects and collections of the realm become invalid. The realm itself can still be used.
    ///
    /// Waits until asynchronous commits are durable, and cancels an open write transaction. Does
    /// nothing when it is called by an observer, and on a frozen realm, which all threads share.
    public func invalidate() { instance.invalidate() }
}

/// A type of objects that `Realm.objects(_:)` returns: a subclass of `Object` or `Projection`.
public protocol RealmFetchable: RealmCollectionValue {
    /// Name of the class in files.
    static func className() -> String
}

/// A realm may be used only where it was opened. Elsewhere, open another realm, or pass a
/// `ThreadSafeReference`.
@available(*, unavailable) extension Realm: Sendable {}
