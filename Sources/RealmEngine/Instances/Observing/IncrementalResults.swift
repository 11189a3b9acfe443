/// Results in a newer version, computed from the results in an older version and the changes
/// between both. Tests only changed objects, so the cost depends on the size of the change, not on
/// the number of objects.
struct IncrementalResults {
    /// Keys of the results in the newer version, in table order.
    let keys: [ObjectKey]
    let change: CollectionChange

    /// Minimum ratio of the number of all objects to the number of changed objects. If more objects
    /// changed, evaluating the query for all objects costs no more.
    static let share = 256

    /// Computes the results in `new` from the results in `old`.
    ///
    /// Nil if the condition reads objects other than the tested one, or if the query has a SORT,
    /// DISTINCT or LIMIT. Also nil if the properties of the class differ between the versions, or
    /// if too many objects changed.
    ///
    /// - Parameters:
    ///   - before: keys in the version `old`, in table order.
    ///   - changes: changes from `old` to `new`.
    ///   - probe: decides which objects the observer counts as modified; nil if the observer
    ///     ignores modifications.
    @_optimize(size)
    init?(
        _ definition: ResultsDefinition, of before: [ObjectKey], _ changes: ChangeSet,
        _ probe: ChangeProbe?, from old: Snapshot, to new: Snapshot, share: Int = share
    ) throws(RealmError) {
        guard definition.origin == .objects, let then = old.schema.table(definition.table),
            let now = new.schema.table(definition.table), now.hasPropertiesOf(then)
        else { return nil }
        let table = new.table(now)
        let query = try definition.bound(to: table)
        if let query, !query.readsOnlyObjects { return nil }
        let changed = changes[definition.table]
        if let changed {
            let count = changed.insertions.count + changed.modifications.count
            guard count <= (try table.count()) / share else { return nil }
        }
        guard let changeCandidates = probe.map({ $0.changeCandidates }) ?? [] else { return nil }
        var difference = Difference(before)
        if let changed {
            let test = query.map { ObjectTest($0, new) }
            try difference.compare(changed) { (key) throws(RealmError) in
                try test?.matches(key) ?? true
            }
        }
        keys = difference.applied()
        var change = difference.change
        for key in changeCandidates {
            guard let place = before.position(of: key), difference.stays(place),
                try probe?.isModified(key) == true
            else { continue }
            change.addModification(place, difference.newIndex(of: key, place))
        }
        self.change = change
    }
}

extension TableInfo {
    /// Whether both tables have the same properties. A condition then has the same meaning for
    /// both.
    fileprivate func hasPropertiesOf(_ other: TableInfo) -> Bool {
        if self === other { return true }
        return columns.count == other.columns.count
            && zip(columns, other.columns).allSatisfy {
                $0.key == $1.key && $0.name == $1.name
            }
    }
}

/// Differences between the ascending object keys of results in an older and in a newer version.
private struct Difference {
    private let before: [ObjectKey]
    /// Indexes of deleted keys in `before`, ascending.
    private(set) var deletedIndexes: [Int] = []
    /// Inserted keys, ascending.
    private(set) var added: [ObjectKey] = []

    init(_ before: [ObjectKey]) { self.before = before }

    /// Compares the results in the older version, `before`, with the newer version.
    ///
    /// - Parameter changed: changes of the class between both versions.
    /// - Parameter matches: returns whether an object is in the results in the newer version.
    @_optimize(size)
    mutating func compare(
        _ changed: TableChanges, _ matches: (ObjectKey) throws(RealmError) -> Bool
    ) throws(RealmError) {
        for key in changed.deletions { note(key, exists: false) }
        for key in changed.insertions { note(key, exists: try matches(key)) }
        for key in changed.modifications { note(key, exists: try matches(key)) }
        deletedIndexes = deletedIndexes.ordered(by: <)
        added = added.ordered(by: <)
    }

    @inline(never)
    private mutating func note(_ key: ObjectKey, exists: Bool) {
        let place = before.position(of: key)
        if exists {
            if place == nil { added.append(key) }
        } else if let place {
            deletedIndexes.append(place)
        }
    }

    /// Whether the object at the index `place` of the older results is also in the newer results.
    func stays(_ place: Int) -> Bool {
        let i = deletedBefore(place)
        return i == deletedIndexes.count || deletedIndexes[i] != place
    }

    @inline(never)
    private func deletedBefore(_ place: Int) -> Int { deletedIndexes.place(of: place) }

    /// Index of `key` in the newer results. `place` is the index of `key` in the older results, or
    /// the index at which it would be inserted there.
    func newIndex(of key: ObjectKey, _ place: Int) -> Int {
        place - deletedBefore(place) + added.place(of: key)
    }

    /// Returns the keys of the newer results. If no key was deleted or inserted, returns the array
    /// `before` itself, without copying it.
    @_optimize(size)
    func applied() -> [ObjectKey] {
        if deletedIndexes.isEmpty, added.isEmpty { return before }
        var result: [ObjectKey] = []
        result.reserveCapacity(before.count - deletedIndexes.count + added.count)
        var (from, i, j) = (0, 0, 0)
        while i < deletedIndexes.count || j < added.count {
            let next = j < added.count ? before.place(of: added[j]) : before.count
            if i < deletedIndexes.count, deletedIndexes[i] < next {
                result += before[from..<deletedIndexes[i]]
                from = deletedIndexes[i] + 1
                i += 1
            } else {
                result += before[from..<next]
                from = next
                result.append(added[j])
                j += 1
            }
        }
        result += before[from...]
        return result
    }

    /// The deletions and insertions as a `CollectionChange`.
    @_optimize(size)
    var change: CollectionChange {
        var change = CollectionChange()
        change.deletions = deletedIndexes
        change.insertions = added.map { newIndex(of: $0, before.place(of: $0)) }
        return change
    }
}
