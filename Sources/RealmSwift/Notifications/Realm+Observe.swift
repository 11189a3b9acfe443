import Dispatch
import Foundation
import RealmEngine

/// A block that is called after a realm has advanced to another version, or when a newer version is
/// available.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// Reason why a `NotificationBlock` is called. The raw values are the names that the SDK uses.
    @frozen public enum Notification: String, Sendable {
        /// The realm has advanced to a newer version.
        case didChange = "RLMRealmDidChangeNotification"
        /// A newer version is available, but `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Calls `block` each time the realm advances to another version.
    ///
    /// `block` is called during the commit or refresh that advances the realm, on the same thread.
    /// If `autorefresh` is off, commits of other realm instances cause a call with
    /// `refreshRequired`.
    ///
    /// ```swift
    /// let token = realm.observe { notification, realm in
    ///     print(notification, realm.objects(Dog.self).count)
    /// }
    /// ```
    ///
    /// Traps on a frozen or read-only realm, and for a realm of a plain thread (no queue or actor).
    ///
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        let realm = instance
        let token = engine.observe { [unowned realm] notice in
            switch notice {
            case .didChange: block(.didChange, Realm(realm))
            case .refreshRequired: block(.refreshRequired, Realm(realm))
            }
        }
        return NotificationToken(token, keeping: realm)
    }
}

// MARK: - Collections

extension RealmCollection {
    /// Calls `block` first with the initial collection, and then after each change. Several commits
    /// may be reported as one change. Deletions and insertions are always reported.
    ///
    /// ```swift
    /// let token = person.dogs.observe { change in
    ///     switch change {
    ///     case .initial(let dogs): print(dogs.count)
    ///     case .update(_, let deletions, let insertions, let modifications):
    ///         print(deletions, insertions, modifications)
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// Traps for an unmanaged or frozen collection, on a read-only realm, if `queue` is nil and the
    /// realm belongs to a plain thread (no queue or actor), in a write transaction that has made
    /// changes, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties of the objects whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` on an actor, first with the initial collection and then after each change. The
    /// observation has begun when this function returns.
    ///
    /// Must be called on the thread, queue or actor of the collection. Traps for an unmanaged or
    /// frozen collection, on a read-only realm, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties of the objects whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the owner of the collection has
    ///   been deleted, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(keyPaths, $1) }
    }

    /// Begins to observe the collection.
    ///
    /// - Parameter ended: called after the last change, when the owner of the collection was
    ///   deleted.
    func begin(
        _ keyPaths: [String]?, ended: @escaping () -> Void = {},
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> ObservationToken {
        guard let thing = self as? any ThreadTransferable, let confined = thing.confined,
            let realm = thing.instance
        else {
            throwRealmException("Change notifications are only supported on managed collections.")
        }
        let me = self
        let filter = keyPaths.flatMap { paths in
            elementClass.map { realm.requireClass($0).filter(paths) }
        }
        func update(_ change: CollectionChange) {
            if change.isEmpty { return }
            block(
                .update(
                    me, deletions: change.deletions, insertions: change.insertions,
                    modifications: change.modifications))
        }
        let values = thing.arrangedValues
        var last: [AnyHashable] = []
        return attempt { () throws(RealmError) in
            try realm.engine.observe(confined, filter, showing: thing.found) { notice in
                switch notice {
                case .initial:
                    last = values?() ?? []
                    block(.initial(me))
                case .changed, .changedKeys:
                    if let values {
                        let now = values()
                        let change = CollectionChange(from: last, to: now, replaces: true) { _ in
                            false
                        }
                        last = now
                        return update(change)
                    }
                    if case .changed(let change) = notice { update(change) }
                // When the owner is deleted, an update that reports all elements as deletions comes
                // before this notice.
                case .deleted: ended()
                }
            }
        }
    }

    /// Class of the elements, or of the objects that projections show; nil if the elements are not
    /// objects.
    private var elementClass: ObjectBase.Type? {
        (Element.self as? any AnyProjection.Type)?.rootType
            ?? (Element.self as? any _RealmSchemaDiscoverable.Type)?._rlmShape.target
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Calls `block` first with the initial collection, and then after each change. Modifications
    /// are reported only for the given properties. Traps under the same conditions as the overload
    /// whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls `block` on an actor, first with the initial collection and then after each change.
    /// Modifications are reported only for the given properties. Traps under the same conditions as
    /// the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the owner of the collection has
    ///   been deleted, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension Map {
    /// Calls `block` first with the initial map, and then after each change.
    ///
    /// Traps for an unmanaged or frozen map, on a read-only realm, if `queue` is nil and the realm
    /// belongs to a plain thread (no queue or actor), in a write transaction that has made changes,
    /// and for an unknown property.
    ///
    /// - Parameter keyPaths: properties of the values whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` on an actor, first with the initial map and then after each change. The
    /// observation has begun when this function returns.
    ///
    /// Must be called on the thread, queue or actor of the map. Traps for an unmanaged or frozen
    /// map, on a read-only realm, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties of the values whose modifications are reported; nil for
    ///   all, also of objects that they link to.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the owner of the map has been
    ///   deleted, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(keyPaths, $1) }
    }

    /// Begins to observe the map.
    ///
    /// - Parameter ended: called after the last change, when the owner of the map was deleted.
    func begin(
        _ keyPaths: [String]?, ended: @escaping () -> Void = {},
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> ObservationToken {
        guard let confined, let realm = instance else {
            throwRealmException("Change notifications are only supported on managed collections.")
        }
        func keys(_ names: [String]) -> [Key] { names.compactMap { $0 as? Key } }
        let target = (Value.self as? any _RealmSchemaDiscoverable.Type)?._rlmShape.target
        let filter = keyPaths.flatMap { paths in
            target.map { realm.requireClass($0).filter(paths) }
        }
        return attempt { () throws(RealmError) in
            try realm.engine.observe(confined, filter) { [self] notice in
                switch notice {
                case .initial: block(.initial(self))
                case .changedKeys(let change):
                    block(
                        .update(
                            self, deletions: keys(change.deletions),
                            insertions: keys(change.insertions),
                            modifications: keys(change.modifications)))
                // When the owner is deleted, an update that reports all keys as deletions comes
                // before this notice.
                case .deleted: ended()
                case .changed: return
                }
            }
        }
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Calls `block` first with the initial map, and then after each change. Modifications are
    /// reported only for the given properties. Traps under the same conditions as the overload
    /// whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls `block` on an actor, first with the initial map and then after each change.
    /// Modifications are reported only for the given properties. Traps under the same conditions as
    /// the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the owner of the map has been
    ///   deleted, the token has no observation.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension Instance {
    /// Begins to observe the results or the collection that `thing` describes. `found` are results
    /// that are equal to `thing`, if the caller has them: they are observed directly if they belong
    /// to this instance.
    fileprivate func observe(
        _ thing: RealmEngine.Confined, _ filter: ChangeFilter?, showing found: ObjectResults? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        if let found, found.instance === self { return try found.observe(filter, block) }
        return switch thing.target {
        case .results(let definition): try observe(results: definition, filter, block)
        case .collection(let link, let column, let steps):
            try observe(collection: link, column, at: steps, filter, block)
        case .table(let key): try observe(table: key, nil, filter, block)
        case .object:
            throw RealmError.misuse("an object is no collection", code: "IllegalOperation")
        }
    }
}

// MARK: - Objects

/// Begins to observe an object. Traps for an unmanaged or deleted object.
extension ObjectBase {
    func begin<T: ObjectBase>(
        _ keyPaths: [String]?, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> ObservationToken {
        guard let realm = keepAlive, let handle, let managed else {
            throwRealmException(
                "Only objects which are managed by a Realm support change notifications")
        }
        if isInvalidated { throwRealmException("Object has been deleted or invalidated.") }
        let me = self
        let incoming = managed.linkingNames(keyPaths ?? [])
        return realm.engine.observe(object: handle.link, keyPaths.map { managed.filter($0) }) {
            notice in
            switch notice {
            case .deleted: block(.deleted)
            case .changed(let change):
                var properties = change.columns.compactMap { column in
                    managed.change(change, column, me)
                }
                if properties.isEmpty { properties = incoming }
                if let object = me as? T { block(.change(object, properties)) }
            }
        }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// Calls `block` after each change of a property of the object, and once when the object is
    /// deleted.
    ///
    /// ```swift
    /// let token = dog.observe(keyPaths: ["name"]) { (change: ObjectChange<Dog>) in
    ///     switch change {
    ///     case .change(let dog, let properties): print(dog.name, properties.map(\.name))
    ///     case .deleted: print("deleted")
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// Traps for an unmanaged, deleted or frozen object, on a read-only realm, if `queue` is nil
    /// and the realm belongs to a plain thread (no queue or actor), in a write transaction that has
    /// made changes, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties to observe, also of linked objects: `owner.name`; nil for
    ///   the object's own properties.
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        RealmSwift.observe(self, on: queue, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` after each change of the given properties, and once when the object is
    /// deleted. Traps under the same conditions as the overload whose `keyPaths` are strings.
    ///
    /// - Parameter queue: a serial queue on which `block` is called; nil for the realm's own queue
    ///   or actor.
    /// - Returns: a token. The observation ends when the token is released.
    public func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `block` on an actor after each change of a property of the object, and once when the
    /// object is deleted. The observation has begun when this function returns.
    ///
    /// Must be called on the thread, queue or actor of the object. Traps for an unmanaged, deleted
    /// or frozen object, on a read-only realm, and for an unknown property.
    ///
    /// - Parameter keyPaths: properties to observe, also of linked objects; nil for the object's
    ///   own properties.
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the object has been deleted, the
    ///   token has no observation.
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await RealmSwift.observe(self, on: actor, block) { $0.begin(keyPaths, $1) }
    }

    /// Calls `block` on an actor after each change of the given properties, and once when the
    /// object is deleted. The observation has begun when this function returns. Traps under the
    /// same conditions as the overload whose `keyPaths` are strings.
    ///
    /// - Returns: a token. The observation ends when the token is released. If the task is
    ///   cancelled, the realm cannot be opened on the actor, or the object has been deleted, the
    ///   token has no observation.
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension ManagedClass {
    /// Returns a filter for changes of the given key paths, which use property names of the class.
    /// Traps for an unknown property.
    fileprivate func filter(_ keyPaths: [String]) -> ChangeFilter {
        ChangeFilter(
            keyPaths.flatMap { path in
                steps(
                    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[
                        ...])
            }, in: objects.key)
    }

    /// Returns a change without old and new values for each property of type `LinkingObjects` that
    /// is the first name of a key path in `keyPaths`.
    fileprivate func linkingNames(_ keyPaths: [String]) -> [PropertyChange] {
        let names = Set(keyPaths.compactMap { $0.split(separator: ".").first.map(String.init) })
        return model.fields.filter { $0.isLinkingObjects && names.contains($0.name) }
            .map { PropertyChange(name: $0.name, oldValue: nil, newValue: nil) }
    }

    private func steps(_ names: ArraySlice<String>) -> [[ChangeFilter.Step]] {
        guard let name = names.first else { return [[]] }
        let fields = name == "*" ? Array(model.fields.indices) : [index(of: name)]
        return fields.flatMap { i -> [[ChangeFilter.Step]] in
            let field = model.fields[i]
            let rest = names.dropFirst()
            guard let step = step(i) else { return [] }
            guard !rest.isEmpty else { return [[step]] }
            guard let target = field.shape.target else {
                if name == "*" { return [] }
                throwRealmException(
                    "Invalid property name: property '\(rest.first!)' not found in object of type '\(field.shape.type)'"
                )
            }
            return realm.requireClass(target).steps(rest).map { [step] + $0 }
        }
    }

    private func index(of name: String) -> Int {
        if let i = model.fields.firstIndex(where: { $0.name == name }) { return i }
        throwRealmException(
            "Invalid property name: property '\(name)' not found in object of type '\(model.name)'."
        )
    }

    private func step(_ i: Int) -> ChangeFilter.Step? {
        if let property = properties[i] { return .property(objects.properties[property].key) }
        let field = model.fields[i]
        guard let target = field.shape.target, let name = field.originProperty else { return nil }
        let origin = realm.requireClass(target)
        let column = origin.model.field(named: name)?.column ?? name
        guard let property = origin.objects.property(named: column) else { return nil }
        return .incoming(origin.objects.key, origin.objects.properties[property].key)
    }

    /// Converts a changed column to a changed property of the class, with its name and values; nil
    /// if the class does not declare the column.
    fileprivate func change(
        _ change: RealmEngine.ObjectChange, _ column: Int, _ object: ObjectBase
    ) -> PropertyChange? {
        let key = change.new.table.info.columns[column].key
        guard let property = objects.properties.firstIndex(where: { $0.key == key }),
            let i = properties.firstIndex(of: property)
        else { return nil }
        let field = model.fields[i]
        var old: Any?
        if field.shape.collection == nil, !change.isOwn, let value = try? change.oldValue(column) {
            old = _Stored(value: value, realm: realm).any
        }
        return PropertyChange(
            name: field.name, oldValue: old,
            newValue: field.shape.collection == nil
                ? field.wrapper.any(at: object.place(of: field), object) : nil)
    }
}
