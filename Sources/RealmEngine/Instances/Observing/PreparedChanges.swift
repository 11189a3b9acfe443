/// Changes that a background thread has computed for observers, so that notifying them takes little
/// time in their context. Free to cross threads.
struct PreparedChanges: Sendable {
    /// Comparison for one observer.
    struct Task: Sendable {
        /// Number of the observer in the instance's `ObserverList`.
        let observer: Int
        /// Version of the observer's last notification.
        let from: FrozenVersion
        let finder: ChangeFinder
    }

    private struct Found: Sendable {
        let from: VersionState
        let finding: Finding
    }

    private let to: FrozenVersion
    private var found: [Int: Found] = [:]

    /// Compares two versions for each observer: the version of the observer's last notification,
    /// and `to`. If a comparison fails, `found` has no entry for its observer.
    init(_ tasks: [Task], to: FrozenVersion, _ assignments: PropertyAssignments) {
        self.to = to
        let new = to.snapshot()
        var comparisons: [UInt64: (old: Snapshot, changes: ChangeSet?)] = [:]
        for task in tasks {
            let known = comparisons[task.from.number]
            let comparison = known ?? Self.compare(task.from, new, assignments)
            comparisons[task.from.number] = comparison
            guard let changes = comparison.changes, !changes.isEmpty,
                let finding = try? task.finder(changes, comparison.old, new)
            else { continue }
            found[task.observer] = Found(from: task.from.state, finding: finding)
        }
    }

    private static func compare(
        _ from: FrozenVersion, _ new: Snapshot, _ assignments: PropertyAssignments
    ) -> (old: Snapshot, changes: ChangeSet?) {
        let old = from.snapshot()
        return (old, try? ChangeSet(from: old, to: new, adding: assignments))
    }

    /// Returns the result of comparing `old` with `new` for an observer. Nil if these two versions
    /// were not compared for this observer in the background.
    func finding(
        for observer: Int, _ old: VersionState, _ new: VersionState
    ) -> Finding? {
        guard to.state === new, let found = found[observer], found.from === old
        else { return nil }
        return found.finding
    }
}

extension ChangeSet {
    /// Compares two versions for observers. Also reports properties to which an equal value was
    /// assigned; these assignments are in `assignments` and in the changesets of the file. Marks
    /// the owners of changed embedded objects as modified.
    init(
        from old: Snapshot, to new: Snapshot, adding assignments: PropertyAssignments
    ) throws(RealmError) {
        self = try ChangeSet(from: old, to: new)
            .adding(assignments, loggedIn: new).attributingEmbedded(in: new)
    }
}
