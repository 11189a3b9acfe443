import Foundation
import RealmEngine

extension RealmCollection {
    /// The changes of the collection, for `for await` on the actor of the realm; the first one is
    /// `initial`. An addition to the SDK.
    ///
    /// Traps for an unmanaged collection. See `RealmChanges` for the end of the sequence.
    public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the collection, where modifications of the given properties are reported; nil
    /// for all, also of objects that they link to. An addition to the SDK.
    ///
    /// Traps for an unmanaged collection, and when it is iterated for an unknown property.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) {
                begin(keyPaths, ended: $1, $0)
            })
    }

    /// Frozen copies of the collection, the current one and one after each change, for `for await`
    /// in any task. An addition to the SDK.
    ///
    /// ```swift
    /// for await dogs in realm.objects(Dog.self).values { print(dogs.count) }
    /// ```
    ///
    /// Traps for an unmanaged collection, on a frozen realm, and on a plain thread. See
    /// `RealmSnapshots` for the end of the sequence.
    public var values: RealmSnapshots<Self> { values(keyPaths: nil) }

    /// Frozen copies of the collection, the current one and one after each change, where
    /// modifications of the given properties count; nil for all, also of objects that they link to.
    /// An addition to the SDK.
    ///
    /// Traps for an unmanaged collection, on a frozen realm, and on a plain thread.
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
    /// The changes of the collection, where modifications of the given properties are reported. An
    /// addition to the SDK.
    ///
    /// ```swift
    /// for await change in dogs.changes(keyPaths: [\.name]) { print(change) }
    /// ```
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Frozen copies of the collection, the current one and one after each change, where
    /// modifications of the given properties count. An addition to the SDK.
    public func values(keyPaths: [PartialKeyPath<Element>]) -> RealmSnapshots<Self> {
        values(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Map {
    /// The changes of the map, for `for await` on the actor of the realm; the first one is
    /// `initial`. An addition to the SDK.
    ///
    /// Traps for an unmanaged map. See `RealmChanges` for the end of the sequence.
    public var changes: RealmChanges<RealmMapChange<Map>> { changes(keyPaths: nil) }

    /// The changes of the map, where modifications of the given properties of the values are
    /// reported; nil for all, also of objects that they link to. An addition to the SDK.
    ///
    /// Traps for an unmanaged map, and when it is iterated for an unknown property.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Map>> {
        RealmChanges(
            ChangeSource(requireRealm(self), merging: { $0.followed(by: $1) }) {
                self.begin(keyPaths, ended: $1, $0)
            })
    }

    /// Frozen copies of the map, the current one and one after each change, for `for await` in any
    /// task. An addition to the SDK; other collections call it `values`, which is a collection
    /// here.
    ///
    /// Traps for an unmanaged map, on a frozen realm, and on a plain thread.
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

/// The realm of a value that can be observed. Traps for an unmanaged value.
func requireRealm(_ thing: Any) -> RealmInstance {
    guard let realm = (thing as? any ThreadTransferable)?.instance else {
        throwRealmException("Change notifications are only supported on managed collections.")
    }
    return realm
}

// MARK: - Merging

extension RealmCollectionChange {
    /// Returns the change that has the effect of this change followed by `next`; nil if they cancel
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
    /// Returns the change that has the effect of this change followed by `next`; nil if they cancel
    /// each other.
    fileprivate func followed(by next: Self) -> Self? {
        switch (self, next) {
        case (.initial, .update(let now, _, _, _)): return .initial(now)
        case (
            .update(_, let deletions, let insertions, let modifications),
            .update(let now, let laterDeletions, let laterInsertions, let laterModifications)
        ):
            let (before, after) = (Set(insertions), Set(laterDeletions))
            // An entry that was deleted and inserted again may have another value.
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
