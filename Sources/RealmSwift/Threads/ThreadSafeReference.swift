import RealmEngine

/// Something of a realm on its way to another thread, queue or actor, where it is resolved once. Keeps
/// its version until then.
@frozen public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let reference: HandOver

    /// Traps for what is in no realm, and for what is gone.
    public init(to threadConfined: Confined) { reference = HandOver(threadConfined) }

    /// Resolved already.
    public var isInvalidated: Bool { reference.isInvalidated }

    func resolve(in realm: RealmInstance) -> Confined? { reference.resolve(in: realm) as? Confined }
}

extension Realm {
    /// The thing for this realm; nil when it was deleted, or is of another file. Traps when it was
    /// resolved before.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: instance)
    }
}

/// What can be handed over, without its type.
protocol HandedOver {
    /// Nil for what is in no realm.
    var confined: RealmEngine.Confined? { get }
    var instance: RealmInstance? { get }
    /// How to make the same thing of what the engine found elsewhere.
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? { get }
    /// The objects found, where the thing is some.
    var found: ObjectResults? { get }
    /// Reads the values of results that are ordered otherwise than their collection, else nil.
    var arrangedValues: (() -> [AnyHashable])? { get }
}

extension HandedOver {
    var found: ObjectResults? { nil }
    var arrangedValues: (() -> [AnyHashable])? { nil }
}

@usableFromInline
final class HandOver: @unchecked Sendable {
    private let handle: ThreadSafeHandle
    private let maker: (RealmInstance, RealmEngine.Confined) -> Any?

    init(_ thing: any ThreadConfined) {
        guard let thing = thing as? any HandedOver, let confined = thing.confined else {
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

extension ObjectBase: HandedOver {
    var instance: RealmInstance? { keeper }
    var confined: RealmEngine.Confined? {
        guard let keeper, let handle else { return nil }
        return RealmEngine.Confined(keeper.engine, .object(handle.link))
    }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let type = Swift.type(of: self)
        return { realm, confined in
            guard case .object(let link) = confined.target else { return nil }
            return realm.object(type, link)
        }
    }
}

extension Results: HandedOver {
    var instance: RealmInstance? { home }
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

extension LinkingObjects: HandedOver {
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

extension AnyRealmCollection: HandedOver {
    private var handed: (any HandedOver)? { base as? any HandedOver }
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

extension Projection: HandedOver {
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
    /// The same sections of what the results became elsewhere.
    fileprivate var maker: (RealmInstance, RealmEngine.Confined) -> SectionsSource? {
        let (maker, key) = (results.maker, key)
        return { realm, confined in
            (maker(realm, confined) as? Results<Element>).map { SectionsSource($0, key) }
        }
    }
}

extension SectionedResults: HandedOver {
    var instance: RealmInstance? { source.results.instance }
    var confined: RealmEngine.Confined? { source.results.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let maker = source.maker
        return { maker($0, $1).map { SectionedResults($0) } }
    }
}

extension ResultsSection: HandedOver {
    var instance: RealmInstance? { source.results.instance }
    var confined: RealmEngine.Confined? { source.results.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        let (maker, key) = (source.maker, key)
        return { maker($0, $1).map { ResultsSection($0, key) } }
    }
}

extension List: HandedOver {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { List($0) } }
    }
}

extension MutableSet: HandedOver {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { MutableSet($0) } }
    }
}

extension Map: HandedOver {
    var instance: RealmInstance? { managed?.realm }
    var confined: RealmEngine.Confined? { managed?.confined }
    var maker: (RealmInstance, RealmEngine.Confined) -> Any? {
        { realm, confined in ManagedCollection(realm, confined).map { Map($0) } }
    }
}

extension ManagedCollection {
    /// As the engine hands it over: the collection of a property.
    var confined: RealmEngine.Confined? {
        guard handle.steps.isEmpty else { return nil }
        let column = handle.owner.objects.properties[handle.property].key
        return RealmEngine.Confined(realm.engine, .collection(handle.owner.link, column))
    }

    convenience init?(_ realm: RealmInstance, _ confined: RealmEngine.Confined) {
        guard case .collection(let link, let column) = confined.target,
            let objects = ObjectClass(realm.engine, link.table),
            let property = objects.properties.firstIndex(where: { $0.key == column }),
            let owner = try? ObjectHandle(objects, link.key)
        else { return nil }
        self.init(realm, CollectionHandle(owner, property), "List")
    }
}
