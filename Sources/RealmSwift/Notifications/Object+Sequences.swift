import Foundation
import RealmEngine

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object's properties, as a sequence for `for await` on the realm's actor.
    /// When the object is deleted, the sequence ends with `deleted`. An addition to the SDK.
    ///
    /// ```swift
    /// for await change in dog.changes {
    ///     if case .change(let dog, let properties) = change {
    ///         print(dog.name, properties.map(\.name))
    ///     }
    /// }
    /// ```
    ///
    /// If several changes occur before the consumer requests the next one, they are merged into
    /// one: each property has the oldest old value and the newest new value. Traps for an unmanaged
    /// object. Iterating traps for a deleted object.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the given properties, as a sequence for `for await` on the realm's actor. A
    /// key path can lead to linked objects: `owner.name`; nil observes the object's own properties.
    /// An addition to the SDK.
    ///
    /// Traps for an unmanaged object. Iterating traps for a deleted object, and for an unknown
    /// property.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) { change, end in
                self.begin(keyPaths, ending(change, end))
            })
    }

    /// The changes of the given properties, as a sequence for `for await` on the realm's actor. An
    /// addition to the SDK.
    ///
    /// Traps for an unmanaged object. Iterating traps for a deleted object.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Frozen copies of the object, as a sequence for `for await` in any task: the object as it is
    /// now, then a copy after each change. The sequence ends when the object is deleted. An
    /// addition to the SDK.
    ///
    /// Traps for an unmanaged object, on a frozen realm, and for a realm of a plain thread (no
    /// queue or actor).
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
    /// The changes of the properties that the projection shows, as a sequence for `for await` on
    /// the realm's actor. When the object is deleted, the sequence ends with `deleted`. An addition
    /// to the SDK.
    ///
    /// Traps for a projection of an unmanaged object. Iterating traps if the object was deleted.
    public var changes: RealmChanges<ObjectChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) { change, end in
                self.begin(nil, ending(change, end))
            })
    }
}

extension Realm {
    /// A notification each time the realm advances to another version, as a sequence for `for
    /// await` on the realm's actor. If several notifications occur before the consumer requests the
    /// next one, they are merged into one. An addition to the SDK.
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

    /// Frozen versions of the realm, as a sequence for `for await` in any task: the current
    /// version, then a version after each change. An addition to the SDK.
    ///
    /// ```swift
    /// for await version in realm.versions { print(version.objects(Dog.self).count) }
    /// ```
    ///
    /// A consumer that is slower than the changes skips versions and receives the newest one. Traps
    /// on a frozen realm, and for a realm of a plain thread (no queue or actor).
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

/// Returns a block that passes changes of an object to `change`, and calls `end` after the object's
/// deletion.
private func ending<T>(
    _ change: @escaping (ObjectChange<T>) -> Void, _ end: @escaping () -> Void
) -> (ObjectChange<T>) -> Void {
    {
        change($0)
        if case .deleted = $0 { end() }
    }
}

extension ObjectChange {
    /// Returns one change with the effect of this change followed by `next`. A deletion replaces
    /// all earlier changes.
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
