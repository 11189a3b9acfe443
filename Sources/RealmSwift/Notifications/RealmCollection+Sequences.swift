import Foundation
import RealmEngine

extension RealmCollection {
    /// The changes of the collection, as a sequence for `for await` on the realm's actor. The first
    /// change is `initial`. An addition to the SDK.
    ///
    /// Traps for an unmanaged collection. See `RealmChanges` for when the sequence ends.
    public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the collection, as a sequence for `for await` on the realm's actor.
    /// Modifications are reported only for the given properties; nil reports them for all, also for
    /// linked objects. An addition to the SDK.
    ///
    /// Traps for an unmanaged collection. Iterating traps for an unknown property.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) {
                begin(keyPaths, ended: $1, $0)
            })
    }

    /// Frozen copies of the collection, as a sequence for `for await` in any task: the collection
    /// as it is now, then a copy after each change. An addition to the SDK.
    ///
    /// ```swift
    /// for await dogs in realm.objects(Dog.self).values { print(dogs.count) }
    /// ```
    ///
    /// Traps for an unmanaged collection, on a frozen realm, and for a realm of a plain thread (no
    /// queue or actor). See `RealmSnapshots` for when the sequence ends.
    public var values: RealmSnapshots<Self> { values(keyPaths: nil) }

    /// Frozen copies of the collection, as a sequence for `for await` in any task: the collection
    /// as it is now, then a copy after each change. A modification counts as a change only if it
    /// concerns a given property; nil selects all properties, also of linked objects. An addition
    /// to the SDK.
    ///
    /// Traps for an unmanaged collection, on a frozen realm, and for a realm of a plain thread (no
    /// queue or actor).
    public func values(keyPaths: [String]?) -> RealmSnapshots<Self> {
        RealmSnapshots(
            SnapshotSource(requireRealm(self)) { put, end in
                begin(keyPaths, ended: end) { change in
                    switch change {
                    case .initial(let now), .update(let now, _, _, _):
                        if !now.isInvalidated { put(now.freeze()) }
                    case .error: return
                    }
                }
            })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The changes of the collection, as a sequence for `for await` on the realm's actor.
    /// Modifications are reported only for the given properties. An addition to the SDK.
    ///
    /// ```swift
    /// for await change in dogs.changes(keyPaths: [\.name]) { print(change) }
    /// ```
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Frozen copies of the collection, as a sequence for `for await` in any task: the collection
    /// as it is now, then a copy after each change. A modification counts as a change only if it
    /// concerns a given property. An addition to the SDK.
    public func values(keyPaths: [PartialKeyPath<Element>]) -> RealmSnapshots<Self> {
        values(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Map {
    /// The changes of the map, as a sequence for `for await` on the realm's actor. The first change
    /// is `initial`. An addition to the SDK.
    ///
    /// Traps for an unmanaged map. See `RealmChanges` for when the sequence ends.
    public var changes: RealmChanges<RealmMapChange<Map>> { changes(keyPaths: nil) }

    /// The changes of the map, as a sequence for `for await` on the realm's actor. Modifications
    /// are reported only for the given properties of the values; nil reports them for all, also for
    /// linked objects. An addition to the SDK.
    ///
    /// Traps for an unmanaged map. Iterating traps for an unknown property.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Map>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) {
                self.begin(keyPaths, ended: $1, $0)
            })
    }

    /// Frozen copies of the map, as a sequence for `for await` in any task: the map as it is now,
    /// then a copy after each change. An addition to the SDK. Other collections have this sequence
    /// under the name `values`, which in a map is the collection of its values.
    ///
    /// Traps for an unmanaged map, on a frozen realm, and for a realm of a plain thread (no queue
    /// or actor).
    public var snapshots: RealmSnapshots<Map> {
        RealmSnapshots(
            SnapshotSource(requireRealm(self)) { put, end in
                self.begin(nil, ended: end) { change in
                    switch change {
                    case .initial(let now), .update(let now, _, _, _):
                        if !now.isInvalidated { put(now.freeze()) }
                    case .error: return
                    }
                }
            })
    }
}

/// Returns the realm of an observable value. Traps for an unmanaged value.
func requireRealm(_ thing: Any) -> RealmInstance {
    guard let realm = (thing as? any ThreadTransferable)?.instance else {
        throwRealmException("Change notifications are only supported on managed collections.")
    }
    return realm
}

// MARK: - Merging

extension RealmCollectionChange {
    /// Returns one change with the effect of this change followed by `next`; nil if they cancel
    /// each other.
    fileprivate func followed(by next: Self) -> Self? {
        switch (self, next) {
        case (.initial, .update(let now, _, _, _)): return .initial(now)
        case (
            .update(_, let deletions, let insertions, let modifications),
            .update(let now, let laterDeletions, let laterInsertions, let laterModifications)
        ):
            let merged = FlatChange(deletions, insertions, modifications)
                .followed(by: FlatChange(laterDeletions, laterInsertions, laterModifications))
            if merged.isEmpty { return nil }
            return .update(
                now, deletions: merged.deletions, insertions: merged.insertions,
                modifications: merged.modifications)
        default: return next
        }
    }
}

extension RealmMapChange {
    /// Returns one change with the effect of this change followed by `next`; nil if they cancel
    /// each other.
    fileprivate func followed(by next: Self) -> Self? {
        switch (self, next) {
        case (.initial, .update(let now, _, _, _)): return .initial(now)
        case (
            .update(_, let deletions, let insertions, let modifications),
            .update(let now, let laterDeletions, let laterInsertions, let laterModifications)
        ):
            let (before, after) = (Set(insertions), Set(laterDeletions))
            // A key that was deleted and inserted again counts as modified, because its value may
            // differ.
            let again = Set(deletions).intersection(laterInsertions)
            let gone =
                deletions.filter { !again.contains($0) }
                + laterDeletions.filter { !before.contains($0) }
            let came =
                insertions.filter { !after.contains($0) }
                + laterInsertions.filter { !again.contains($0) }
            let kept =
                modifications.filter { !after.contains($0) }
                + laterInsertions.filter(again.contains)
            let known = before.union(kept)
            let changed = kept + laterModifications.filter { !known.contains($0) }
            if gone.isEmpty, came.isEmpty, changed.isEmpty { return nil }
            return .update(now, deletions: gone, insertions: came, modifications: changed)
        default: return next
        }
    }
}
