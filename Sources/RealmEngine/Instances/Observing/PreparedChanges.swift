/// What a thread in the background found out for observers, so that telling them takes no time where
/// they belong. Free to cross threads.
struct PreparedChanges: Sendable {
    /// What one observer would do itself.
    struct Task: Sendable {
        /// Its number in the list.
        let observer: Int
        /// The version it was told of.
        let from: FrozenVersion
        let finder: ChangeFinder
    }

    private struct Found: Sendable {
        let from: VersionState
        let finding: Finding
    }

    private let to: FrozenVersion
    private var found: [Int: Found] = [:]

    /// Compares; what makes no sense is left out.
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

    /// What to tell an observer between exactly these versions; nil when nobody looked.
    func finding(
        for observer: Int, _ old: VersionState, _ new: VersionState
    ) -> Finding? {
        guard to.state === new, let found = found[observer], found.from === old
        else { return nil }
        return found.finding
    }
}

extension ChangeSet {
    /// As observers see changes: with what was set to the value it had, and with embedded objects
    /// counted to those that hold them.
    init(
        from old: Snapshot, to new: Snapshot, adding assignments: PropertyAssignments
    ) throws(RealmError) {
        self = try ChangeSet(from: old, to: new)
            .adding(assignments, loggedIn: new).attributingEmbedded(in: new)
    }
}
