import Dispatch
import Foundation
import RealmEngine

/// A realm: objects in a file, as one thread, queue or actor sees them (API specification 2.1).
///
/// Live, at one version until it moves on, or frozen. A live one is used where it was opened, and so is
/// everything that comes from it; using it elsewhere ends the program with a sentence.
@frozen public struct Realm: Equatable {
    @usableFromInline let instance: RealmInstance

    init(_ instance: RealmInstance) { self.instance = instance }

    public static func == (a: Realm, b: Realm) -> Bool { a.instance.isSame(as: b.instance) }

    var engine: Instance { instance.engine }

    public var configuration: Configuration { instance.configuration }
    public var schema: Schema { Schema(instance.schema) }

    /// No class has an object.
    public var isEmpty: Bool {
        let snapshot = engine.snapshot()
        return instance.schema.models.allSatisfy { model in
            let info = snapshot.schema.objectClass(named: model.name)
            return info.map { ((try? snapshot.table($0).count()) ?? 0) == 0 } ?? true
        }
    }

    // MARK: Opening

    /// The realm of the default configuration, for the calling thread or, if given, for `queue`, on
    /// which the caller must be.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the realm: as one step, in which the file is made, compacted or brought to the schema.
    /// Throws `Realm.Error`.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        if configuration.readOnly, configuration.deleteRealmIfMigrationNeeded {
            throwRealmException(
                "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
        }
        let place = queue.map { Scheduler.queue($0) } ?? Scheduler.here()
        self.init(try RealmInstance.open(configuration, on: place))
        _ = ThreadRecord.current.keep(instance)
    }

    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Classes that are in every realm whose configuration names none, whether they are found or not.
    public static func register(_ types: ObjectBase.Type...) { ModelSchema.register(types) }

    // MARK: Transactions

    /// Runs `block` in a write transaction and commits it, unless the block ended it. What it throws is
    /// thrown on, after everything was taken back.
    ///
    /// - Parameter tokens: of observers of this realm that are not told of it.
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

    /// Waits for the writer's turn among all threads and processes, and moves to the newest version.
    public func beginWrite() { instance.beginWrite() }

    /// Makes the changes durable. Throws when the file cannot be written.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        do throws(RealmError) {
            defer { instance.letGo() }
            try engine.commitWrite(withoutNotifying: tokens.compactMap(\.engineToken))
            Logger.tell(.trace, "committed version \(engine.version) of \(configuration.place)")
        } catch { throw Error(error) }
    }

    public func cancelWrite() {
        engine.cancelWrite()
        instance.letGo()
    }

    public var isInWriteTransaction: Bool { engine.isInWriteTransaction }

    // MARK: Objects

    /// What happens when an object with the same primary key is there.
    @frozen public enum UpdatePolicy: Int, Sendable {
        /// A mistake.
        case error = 1
        /// Values that differ from the stored ones are written; observers are notified of those alone.
        ///
        /// Embedded objects, and linked objects without a primary key, are changed in place. Lists
        /// become what is given; sets and maps keep members and keys that are not given.
        case modified = 3
        /// All properties are set.
        case all = 2
    }

    /// Stores an object, with the objects it links to. It is the accessor of what is stored from then on.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        _ = engine.write
        if update != .error, ClassModel.of(type(of: object)).primaryKey == nil {
            throwRealmException(
                "'\(type(of: object).className())' does not have a primary key and can not be updated"
            )
        }
        _ = instance.adopt(object, _Storing(instance, update))
    }

    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error)
    where S.Iterator.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Deletes an object, with the embedded ones it has. An object that is deleted already is left alone.
    ///
    /// Traps for an object that belongs to no realm or to another one.
    public func delete(_ object: ObjectBase) {
        checkDeletable(object)
        _ = engine.write
        instance.remove(object)
    }

    /// Deletes the objects of a sequence, with the embedded ones they have. One that occurs several
    /// times, or that goes with another one of the sequence, is deleted once.
    ///
    /// Faster than deleting them one by one where collections contain many of them. Traps for an object
    /// that belongs to no realm or to another one.
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        // Deleting changes the collection that the objects may come from.
        let objects = Array(objects)
        if objects.isEmpty { return }
        for object in objects { checkDeletable(object) }
        _ = engine.write
        var start = 0
        while start < objects.count {
            let model = type(of: objects[start])
            let end = objects[start...].firstIndex { type(of: $0) != model } ?? objects.count
            instance.remove(run: objects[start..<end])
            start = end
        }
    }

    private func checkDeletable(_ object: ObjectBase) {
        guard object.keeper === instance else {
            throwRealmException("Can only delete an object from the Realm it belongs to.")
        }
    }

    /// Deletes the objects that a map has. Afterwards the map is empty.
    ///
    /// Traps for a map of another realm.
    public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        if let realm = map.realm, realm.instance !== instance {
            throwRealmException("Can only delete objects from the Realm they belong to.")
        }
        delete(map.values.compactMap { $0 })
        // The object that has the map may have been among them.
        if map.realm != nil, !map.isInvalidated { map.removeAll() }
    }

    /// Deletes every object of every class.
    public func deleteAll() {
        let transaction = engine.write
        let tables = instance.schema.models.compactMap {
            instance.managedClass($0.type)?.objects.key
        }
        attempt { () throws(RealmError) in try transaction.removeAllObjects(of: tables) }
    }

    /// All objects of a class.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let projected = (type as? any AnyProjection.Type)?.rootType
        guard let model = projected ?? type as? ObjectBase.Type else {
            throwRealmException("'\(type)' is no class of objects.")
        }
        return objects(instance.requireClass(model))
    }

    /// All objects of a class that is known by its name.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        objects(instance.requireClass(named: typeName))
    }

    private func objects<Element>(_ managed: ManagedClass) -> Results<Element> {
        let maker = ResultsSource.maker(of: Element.self)
        return Results(ResultsSource(managed, ObjectResults(managed.objects), maker))
    }

    /// The object with a primary key; nil when there is none.
    public func object<Element: Object, KeyType>(
        ofType type: Element.Type, forPrimaryKey key: KeyType
    ) -> Element? {
        let managed = instance.requireClass(type)
        return find(managed, key).map { managed.accessor($0, as: type) }
    }

    /// The same for a class that is known by its name.
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

    // MARK: Moving on

    /// Whether the realm moves on by itself where work can be delivered.
    public var autorefresh: Bool {
        get { engine.autorefresh }
        nonmutating set { engine.autorefresh = newValue }
    }

    /// Moves to the newest version; false when there is nothing newer.
    @discardableResult public func refresh() -> Bool {
        if configuration.readOnly {
            throwRealmException("Read-only Realms do not change and cannot be refreshed.")
        }
        return (try? engine.refresh()) ?? false
    }

    // MARK: Frozen

    public var isFrozen: Bool { instance.isFrozen }
    /// This version, for any thread.
    public func freeze() -> Realm { Realm(instance.freeze(asOfStart: false)) }
    /// The live realm of the place that asks.
    public func thaw() -> Realm { Realm(instance.thaw()) }
    public func freeze<T: ObjectBase>(_ object: T) -> T { RealmInstance.frozen(object) }
    public func thaw<T: ObjectBase>(_ object: T) -> T? { RealmInstance.thawed(object) }
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
        collection.freeze()
    }

    /// Lets go of the version; objects that came from it are of no use any more.
    public func invalidate() { instance.invalidate() }
}

/// A class that a realm can be asked for the objects of.
public protocol RealmFetchable: RealmCollectionValue {
    static func className() -> String
}

/// A realm stays where it was opened; open another, or hand a reference over.
@available(*, unavailable) extension Realm: Sendable {}
