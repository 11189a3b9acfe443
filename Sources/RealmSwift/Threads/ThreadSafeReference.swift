import RealmEngine

/// Passes an object or collection of a realm to another thread, queue or actor. There,
/// `Realm.resolve(_:)` returns the corresponding value of the realm that is open there.
///
/// A reference can be resolved once. It keeps the version of its realm live until it is resolved or
/// released.
///
/// ```swift
/// let reference = ThreadSafeReference(to: dog)
/// queue.async {
///     let realm = try! Realm(queue: queue)
///     guard let dog = realm.resolve(reference) else { return }
///     try! realm.write { dog.age += 1 }
/// }
/// ```
@frozen public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let reference: HandOver

    /// Creates a reference. Must be called on the thread, queue or actor of the value. Traps for an
    /// unmanaged or invalidated value.
    public init(to threadConfined: Confined) { reference = HandOver(threadConfined) }

    /// Whether the reference has been resolved. May be read on any thread.
    public var isInvalidated: Bool { reference.isInvalidated }

    func resolve(in realm: RealmInstance) -> Confined? { reference.resolve(in: realm) as? Confined }
}

extension Realm {
    /// Returns the value that a reference refers to, as a value of this realm.
    ///
    /// If the realm is at an older version than the reference, it advances first.
    ///
    /// Traps if the reference was already resolved.
    ///
    /// - Returns: the value in this realm; nil if it has been deleted or belongs to another file.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: instance)
    }
}

/// A type whose values can be passed to other threads. Has no generic parameter for elements, so it
/// can be used without their type.
protocol ThreadTransferable {
    /// Reference to the value, which RealmEngine can resolve in another context or version; nil for
    /// an unmanaged value.
    var confined: RealmEngine.Confined? { get }
    var instance: RealmInstance? { get }
    /// Function that creates a value of the same type from a realm and a reference that was
    /// resolved in that realm.
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? { get }
    /// The engine's results, if the value is a collection of objects; otherwise nil.
    var found: ObjectResults? { get }
    /// Function that returns the values of results, if they are sorted differently from their list
    /// or set. Observers then compare the values to find the changes. Otherwise nil.
    var arrangedValues: (() -> [AnyHashable])? { get }
}

extension ThreadTransferable {
    var found: ObjectResults? { nil }
    var arrangedValues: (() -> [AnyHashable])? { nil }
}

@usableFromInline
final class HandOver: @unchecked Sendable {
    private let handle: ThreadSafeHandle
    private let maker: (RealmInstance, RealmEngine.Confined) -> Any?

    init(_ thing: any ThreadConfined) {
        guard let thing = thing as? any ThreadTransferable, let confined = thing.confined else {
            throwRealmException(
                "Cannot construct reference to unmanaged object, which can be passed across threads "
                    + "directly")
        }
        handle = attempt { () throws(RealmError) in try ThreadSafeHandle(to: confined) }
        maker = thing.maker
    }

    var isInvalidated: Bool { handle.isInvalidated }

    func resolve(in realm: RealmInstance) -> Any? {
        return attempt { () throws(RealmError) in
            try handle.resolve(in: realm.engine).flatMap { maker(realm, $0) }
        }
    }
}

extension ObjectBase: ThreadTransferable {
    var instance: RealmInstance? { keepAlive }
    var confined: RealmEngine.Confined? {
        guard let keepAlive, let handle else { return nil }
        return RealmEngine.Confined(keepAlive.engine, .object(handle.link))
    }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let type = Swift.type(of: self)
        return { realm, confined in
            guard case .object(let link) = confined.target else { return nil }
            return realm.object(type, link)
        }
    }
}

extension Results: ThreadTransferable {
    var instance: RealmInstance? { owningRealm }
    var found: ObjectResults? {
        if case .objects(let source) = source { source.results } else { nil }
    }
    var arrangedValues: (() -> [AnyHashable])? {
        guard case .values(let source) = source, !source.hasCollectionsPositions else { return nil }
        return { [self] in Array(self).map { AnyHashable($0) } }
    }
    var confined: RealmEngine.Confined? {
        switch source {
        case .objects(let source): source.results.confined
        case .values(let source): source.collection.confined
        }
    }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        switch source {
        case .objects(let source):
            let (type, maker) = (source.managed.model.type, source.maker)
            return { realm, confined in
                let managed = realm.requireClass(type)
                guard case .results(let definition) = confined.target else { return nil }
                return Results(
                    ResultsSource(managed, ObjectResults(managed.objects, definition), maker))
            }
        case .values(let source):
            let steps = source.steps
            return { realm, confined in
                ManagedCollection(realm, confined).map { Results(ElementsSource($0, steps)) }
            }
        }
    }
}

extension LinkingObjects: ThreadTransferable {
    var instance: RealmInstance? { source?.realm }
    var confined: RealmEngine.Confined? { source?.results.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let property = originProperty
        return { realm, confined in
            let managed = realm.requireClass(Element.self)
            guard case .results(let definition) = confined.target else { return nil }
            return LinkingObjects(
                property, ResultsSource(managed, ObjectResults(managed.objects, definition)))
        }
    }
}

extension AnyRealmCollection: ThreadTransferable {
    private var handed: (any ThreadTransferable)? { base as? any ThreadTransferable }
    var found: ObjectResults? { handed?.found }
    var arrangedValues: (() -> [AnyHashable])? { handed?.arrangedValues }
    var instance: RealmInstance? { handed?.instance }
    var confined: RealmEngine.Confined? { handed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let maker = handed?.maker
        return { realm, confined in
            (maker?(realm, confined) as? any RealmCollection<Element>)
                .map { AnyRealmCollection(any: $0) }
        }
    }
}

extension Projection: ThreadTransferable {
    var instance: RealmInstance? { rootObject.instance }
    var confined: RealmEngine.Confined? { rootObject.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let (maker, type) = (rootObject.maker, Swift.type(of: self))
        return { realm, confined in
            (maker(realm, confined) as? Root).map { type.init(projecting: $0) }
        }
    }
}

extension SectionsSource {
    /// Function that creates the same sections in another realm: it groups the corresponding
    /// results of that realm by the same key function.
    fileprivate var maker: (RealmInstance, RealmEngine.Confined) -> SectionsSource? {
        let (maker, key) = (results.maker, key)
        return { realm, confined in
            (maker(realm, confined) as? Results<Element>).map { SectionsSource($0, key) }
        }
    }
}

extension SectionedResults: ThreadTransferable {
    var instance: RealmInstance? { source.results.instance }
    var confined: RealmEngine.Confined? { source.results.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let maker = source.maker
        return { maker($0, $1).map { SectionedResults($0) } }
    }
}

extension ResultsSection: ThreadTransferable {
    var instance: RealmInstance? { source.results.instance }
    var confined: RealmEngine.Confined? { source.results.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let (maker, key) = (source.maker, key)
        return { maker($0, $1).map { ResultsSection($0, key) } }
    }
}

extension List: ThreadTransferable {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { List($0) } }
    }
}

extension MutableSet: ThreadTransferable {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { MutableSet($0) } }
    }
}

extension Map: ThreadTransferable {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { Map($0) } }
    }
}

extension ManagedCollection {
    /// Reference to the collection, which RealmEngine can resolve in another context or version.
    var confined: RealmEngine.Confined {
        let column = handle.owner.objects.properties[handle.property].key
        return RealmEngine.Confined(
            realm.engine, .collection(handle.owner.link, column, handle.steps))
    }

    /// Creates an accessor of the collection that `confined` describes. Returns nil if the owner or
    /// the property does not exist, or if `confined` does not describe a collection.
    convenience init?(_ realm: RealmInstance, _ confined: RealmEngine.Confined) {
        guard case .collection(let link, let column, let steps) = confined.target,
            let objects = ObjectClass(realm.engine, link.table),
            let property = objects.properties.firstIndex(where: { $0.key == column }),
            let owner = try? ObjectHandle(objects, link.key)
        else { return nil }
        self.init(realm, CollectionHandle(owner, property, steps), "List")
    }
}
