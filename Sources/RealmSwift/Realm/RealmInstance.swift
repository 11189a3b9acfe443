import Foundation
import RealmEngine

/// The object that a `Realm` wraps: a live realm of one thread, queue or actor, or a frozen
/// version. There is one `RealmInstance` for each `Instance` of the engine.
@usableFromInline
final class RealmInstance: @unchecked Sendable {
    let engine: Instance
    let configuration: Realm.Configuration
    let schema: ModelSchema
    var isMigrating = false
    /// Whether properties have the names that are in the file. True for the realm with the state
    /// before a migration.
    var hasStoredNames = false
    /// Whether the instance is notified of commits. False for instances that tests open without
    /// notifications.
    private(set) var receivesNotices = true
    /// A reference to itself, which keeps the instance alive during a write transaction on a queue
    /// or actor. For a write transaction on a plain thread, `ThreadRecord` has this reference.
    private var keepAlive: RealmInstance?
    /// Number of times the realm was invalidated. Objects and collections that were read before the
    /// last time are invalid.
    @exclusivity(unchecked) private(set) var releases = 0
    private let classes = LockedValue<[ObjectIdentifier: ManagedClass]>([:])

    private let weakBox = WeakBox<RealmInstance>()

    private static let live = LockedValue<[ObjectIdentifier: WeakBox<RealmInstance>]>([:])

    private init(
        _ engine: Instance, _ configuration: Realm.Configuration, _ schema: ModelSchema
    ) {
        self.engine = engine
        self.configuration = configuration
        self.schema = schema
        weakBox.begin(self)
    }

    deinit { weakBox.end() }

    /// Returns the `RealmInstance` of an engine's instance, creating it if necessary.
    static func of(
        _ engine: Instance, _ configuration: Realm.Configuration, _ schema: ModelSchema
    ) -> RealmInstance {
        let id = ObjectIdentifier(engine)
        let fresh = RealmInstance(engine, configuration, schema)
        return live.withLock { live in
            if let known = live[id]?.object, known.engine === engine { return known }
            if live.count > 64 { live = live.filter { $0.value.object != nil } }
            live[id] = fresh.weakBox
            return fresh
        }
    }

    // MARK: Opening

    /// Opens a realm for the given context. Throws `Realm.Error`.
    static func open(
        _ configuration: Realm.Configuration, on place: Confinement, receivesNotices: Bool = true
    ) throws -> RealmInstance {
        let schema = ModelSchema.of(configuration.objectTypes)
        if let refusal = schema.refusal {
            throw Realm.Error(.misuse(refusal, code: "SchemaValidationFailed"))
        }
        do throws(RealmError) {
            var request = try configuration.request(schema)
            (request.configuration.autorefresh, request.configuration.isShared) = (
                receivesNotices, receivesNotices
            )
            let realm = of(try Instance.open(request, on: place), configuration, schema)
            if realm.configuration.textComparison != configuration.textComparison {
                throwRealmException(
                    "Realm at path '\(configuration.place)' already opened with another textComparison"
                )
            }
            if !receivesNotices {
                (realm.engine.autorefresh, realm.receivesNotices) = (true, false)
            }
            Logger.logToShared(.detail, "opened \(configuration.place)")
            Logger.logToShared(
                .trace, "\(configuration.place) is at version \(realm.engine.version)")
            return realm
        } catch {
            // Opening a file with other options than those with which it is already open is misuse.
            if error.code == "MismatchedConfig", !error.message.contains("schema version") {
                throwRealmException(error.message)
            }
            throw Realm.Error(error)
        }
    }

    /// All `RealmInstance` objects of the process.
    static var all: [RealmInstance] { live.withLock { $0.values.map { $0 } }.compactMap(\.object) }

    // MARK: Lifetime

    /// Begins a write transaction and keeps the instance alive until the transaction ends.
    func beginWrite() {
        attempt { () throws(RealmError) in try engine.beginWrite() }
        let record = ThreadRecord.current
        if record.retainUntilPoolEnds(self) { return }
        if engine.confinement.isDeliverable { keepAlive = self } else { record.keepWriting(self) }
    }

    /// Called after the write transaction: releases the reference that kept the instance alive
    /// during the transaction.
    func release() {
        keepAlive = nil
        if !engine.confinement.isDeliverable { ThreadRecord.current.release(self) }
    }

    var isFrozen: Bool { engine.isFrozen }

    /// Whether both are the same instance, or frozen realms with the same version.
    func isSame(as other: RealmInstance) -> Bool {
        if self === other { return true }
        guard let number = engine.frozenNumber else { return false }
        return number == other.engine.frozenNumber
    }

    /// Returns a frozen realm with the current version.
    ///
    /// - Parameter asOfStart: if a write transaction is open, true freezes the version at its
    ///   beginning, and false traps.
    func freeze(asOfStart: Bool = true) -> RealmInstance {
        if isFrozen { return self }
        return attempt { () throws(RealmError) in
            engine.checkFreezing(asOfStart: asOfStart)
            // All objects of one version share a frozen realm.
            if let known = engine.frozenCompanion {
                return unsafeDowncast(known, to: RealmInstance.self)
            }
            let fresh = Self.of(try engine.freeze(asOfStart: asOfStart), configuration, schema)
            engine.frozenCompanion = fresh
            return fresh
        }
    }

    /// Returns a live realm for the caller's context. A live realm returns itself.
    func thaw() -> RealmInstance {
        if !isFrozen { return self }
        do { return try Self.open(configuration, on: Scheduler.current()) } catch {
            throwRealmException("\(error)")
        }
    }

    // MARK: Classes

    /// Returns the class in this realm; nil if the realm does not have it.
    func managedClass(_ type: ObjectBase.Type) -> ManagedClass? {
        let id = ObjectIdentifier(type)
        if let known = classes.withLock({ $0[id] }) { return known }
        guard let model = schema.model(of: type) else { return nil }
        return makeClass(model, id)
    }

    private func makeClass(_ model: ClassModel, _ id: ObjectIdentifier) -> ManagedClass? {
        guard let table = engine.schema.objectClass(named: model.name),
            let objects = ObjectClass(engine, table.key)
        else { return nil }
        let fresh = ManagedClass(self, model, objects)
        return classes.withLock { classes in
            let kept = classes[id] ?? fresh
            classes[id] = kept
            return kept
        }
    }

    func requireClass(_ type: ObjectBase.Type) -> ManagedClass {
        if let known = managedClass(type) { return known }
        if let other = schema.model(named: type.className()) {
            throwRealmException(
                "Object type '\(type.className())' is not managed by the Realm. Its class of that "
                    + "name is \(String(reflecting: other.type)), not \(String(reflecting: type)).")
        }
        throwRealmException(
            "Object type '\(type.className())' is not managed by the Realm. If using a custom "
                + "`objectClasses` / `objectTypes` array in your configuration, add "
                + "`\(type.className())` to the list of `objectClasses` / `objectTypes`.")
    }

    /// Returns the class of a table. Traps if the program does not declare it.
    func requireClass(_ key: TableKey) -> ManagedClass {
        requireClass(named: engine.schema.table(key)?.className ?? "")
    }

    func requireClass(named name: String) -> ManagedClass {
        if let model = schema.model(named: name) { return requireClass(model.type) }
        throwRealmException("Object type '\(name)' is not managed by the Realm.")
    }

    /// Releases the current version. Accessors of its objects become invalid. Does nothing for a
    /// frozen realm, which other threads may be using.
    func invalidate() {
        guard engine.invalidate() else { return }
        release()
        releases += 1
        classes.withLock { classes in
            for managed in classes.values { managed.isStale = true }
            classes = [:]
        }
    }

    /// Returns an accessor of the object that `link` references.
    func object<T: ObjectBase>(_ type: T.Type, _ link: ObjectLink) -> T {
        if type == DynamicObject.self {
            return unsafeDowncast(DynamicObject.of(self, link) as ObjectBase, to: T.self)
        }
        let managed = requireClass(type)
        return attempt { () throws(RealmError) in
            managed.accessor(try ObjectHandle(managed.objects, link.key), as: type)
        }
    }

    /// Returns an accessor of an object of any class. If the program does not declare the class,
    /// the accessor is a `DynamicObject`.
    func anyObject(_ link: ObjectLink) -> ObjectBase {
        let name = engine.schema.table(link.table)?.className ?? ""
        return object(schema.model(named: name)?.type ?? DynamicObject.self, link)
    }

    static func frozen<T: ObjectBase>(_ object: T) -> T {
        guard let realm = object.keepAlive, let handle = object.handle else {
            throwRealmException("Unmanaged objects cannot be frozen.")
        }
        if realm.isFrozen { return object }
        if object.isInvalidated { throwRealmException("Object has been deleted or invalidated.") }
        let frozen = realm.freeze().object(type(of: object), handle.link)
        if frozen.isInvalidated { trapFreezingNewObject() }
        return frozen
    }

    /// Traps because an object, or the owner of a collection, is not in the version that a frozen
    /// copy would show.
    static func trapFreezingNewObject() -> Never {
        throwRealmException(
            "Cannot freeze an object in the same write transaction as it was created in.")
    }

    static func thawed<T: ObjectBase>(_ object: T) -> T? {
        guard let realm = object.keepAlive, let handle = object.handle else {
            throwRealmException("Unmanaged objects cannot be thawed.")
        }
        if !realm.isFrozen { return object }
        let live = realm.thaw().object(type(of: object), handle.link)
        return live.isInvalidated ? nil : live
    }

    // MARK: Changes

    /// Traps on a frozen realm and outside of a write transaction.
    func checkChanging(collection: String) {
        if isFrozen { throwRealmException("Cannot modify a frozen \(collection).") }
        guard engine.isInWriteTransaction else {
            throwRealmException(
                "Cannot modify managed \(collection) outside of a write transaction.")
        }
    }
}

extension Realm.Configuration {
    /// Path of the file, or identifier of the realm in memory, for messages.
    var place: String { fileURL?.path ?? inMemoryIdentifier ?? "" }

    private func migration(
        _ schema: ModelSchema
    ) -> (@Sendable (RealmEngine.Migration) throws(RealmError) -> Void)? {
        guard let block = migrationBlock else { return nil }
        let configuration = self
        return { (engine) throws(RealmError) in
            let migration = Migration(engine, configuration, schema)
            defer { migration.end() }
            block(migration, engine.oldVersion)
        }
    }

    /// Converts this configuration to the request with which RealmEngine opens an instance.
    fileprivate func request(_ schema: ModelSchema) throws(RealmError) -> OpeningRequest {
        var engine: Instance.Configuration
        if let identifier = inMemoryIdentifier {
            engine = Instance.Configuration(inMemory: identifier)
        } else if let url = fileURL {
            engine = Instance.Configuration(path: url.path)
            engine.creation = readOnly ? .never : .ifMissing
        } else {
            throwRealmException("Configuration must specify a path or an in-memory identifier.")
        }
        engine.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions.map { Int($0) }
        if let key = encryptionKey {
            engine.key = try EncryptionKey.of(key)
        }
        var request = OpeningRequest(engine)
        request.isReadOnly = readOnly
        request.seedPath = seedFilePath?.path
        request.shouldCompact = shouldCompactOnLaunch
        request.schema = schema.wanted(
            schemaVersion, deleteRealmIfMigrationNeeded ? .recreate : .migrate(migration(schema)))
        return request
    }
}
