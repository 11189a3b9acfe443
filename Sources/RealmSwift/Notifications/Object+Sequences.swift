import Foundation
import RealmEngine

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object's properties, for `for await` on the actor of the realm. The last
    /// one is `deleted`. An addition to the SDK.
    ///
    /// ```swift
    /// for await change in dog.changes {
    ///     if case .change(let dog, let properties) = change {
    ///         print(dog.name, properties.map(\.name))
    ///     }
    /// }
    /// ```
    ///
    /// Changes that a slow consumer missed are one change: a property has its first old value and
    /// its last new one. Traps for an unmanaged object, and when it is iterated for a deleted one.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the given properties, also of linked objects: `owner.name`; nil for the
    /// object's own properties. An addition to the SDK.
    ///
    /// Traps for an unmanaged object, and when it is iterated for an unknown property or a deleted
    /// object.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) { change, end in
                self.begin(keyPaths, ending(change, end))
            })
    }

    /// The changes of the given properties. An addition to the SDK.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Frozen copies of the object, the current one and one after each change of its properties,
    /// for `for await` in any task. Ends when the object is deleted. An addition to the SDK.
    ///
    /// Traps for an unmanaged object, on a frozen realm, and on a plain thread.
    public var values: RealmSnapshots<Self> {
        RealmSnapshots(
            SnapshotSource(requireRealm(self)) { put, end in
                if !self.isInvalidated { put(self.freeze()) }
                return self.begin(nil) { (change: ObjectChange<Self>) in
                    switch change {
                    case .change(let object, _): if !object.isInvalidated { put(object.freeze()) }
                    case .deleted: end()
                    case .error: return
                    }
                }
            })
    }
}

extension ProjectionObservable {
    /// The changes of the properties that the projection shows, for `for await` on the actor of the
    /// realm. The last one is `deleted`. An addition to the SDK.
    ///
    /// Traps for a projection of an unmanaged object, and when it is iterated for a deleted one.
    public var changes: RealmChanges<ObjectChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) { change, end in
                self.begin(nil, ending(change, end))
            })
    }
}

extension Realm {
    /// A notification for each change of the version that the realm shows, for `for await` on the
    /// actor of the realm. Notifications that a slow consumer missed are one. An addition to the
    /// SDK.
    ///
    /// ```swift
    /// for await _ in realm.changes { print(realm.objects(Dog.self).count) }
    /// ```
    public var changes: RealmChanges<Notification> {
        RealmChanges(
            ChangeSource(instance, merging: { $1 }) { change, _ in
                engine.observe { change($0.public) }
            })
    }

    /// The realm as frozen versions, the current one and one after each change, for `for await` in
    /// any task. An addition to the SDK.
    ///
    /// ```swift
    /// for await version in realm.versions { print(version.objects(Dog.self).count) }
    /// ```
    ///
    /// A slow consumer receives the newest version. Traps on a frozen realm, and on a plain thread.
    public var versions: RealmSnapshots<Realm> {
        RealmSnapshots(
            SnapshotSource(instance) { put, _ in
                let realm = instance
                put(Realm(realm.freeze()))
                return realm.engine.observe { [unowned realm] notice in
                    if case .didChange = notice { put(Realm(realm.freeze())) }
                }
            })
    }
}

extension InstanceNotice {
    fileprivate var `public`: Realm.Notification {
        switch self {
        case .didChange: .didChange
        case .refreshRequired: .refreshRequired
        }
    }
}

/// Returns a block that passes changes of an object on, and reports the end after its deletion.
private func ending<T>(
    _ change: @escaping (ObjectChange<T>) -> Void, _ end: @escaping () -> Void
) -> (ObjectChange<T>) -> Void {
    {
        change($0)
        if case .deleted = $0 { end() }
    }
}

extension ObjectChange {
    /// Returns the change that has the effect of this change followed by `next`.
    fileprivate func followed(by next: Self) -> Self? {
        guard case .change(_, let before) = self, case .change(let object, let after) = next else {
            return next
        }
        let later = Dictionary(after.map { ($0.name, $0) }) { _, last in last }
        let known = Set(before.map(\.name))
        let merged = before.map { property in
            later[property.name].map {
                PropertyChange(
                    name: property.name, oldValue: property.oldValue, newValue: $0.newValue)
            } ?? property
        }
        return .change(object, merged + after.filter { !known.contains($0.name) })
    }
}
