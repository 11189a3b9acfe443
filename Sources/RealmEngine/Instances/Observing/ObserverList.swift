/// Observers of one instance; confined like the instance.
///
/// Observers of the instance are notified of each move to another version. Observers of objects and
/// collections are notified at once after commits of others, and in a later turn of the context
/// after commits of the instance itself. For each of them, the list stores the version of the last
/// notification. All changes since that version are reported as one change, even if a block moves
/// the instance to another version.
final class ObserverList {
    private struct InstanceEntry {
        weak var token: ObservationToken?
        let block: (InstanceNotice) -> Void
    }

    private final class Entry {
        weak var token: ObservationToken?
        /// Identifies the observer in its list.
        let number: Int
        let observer: any Observer
        /// Version of the last notification; nil before the initial one, and after the instance was
        /// invalidated.
        var lastDelivered: Snapshot?

        init(
            _ token: ObservationToken, _ number: Int, _ observer: any Observer,
            _ lastDelivered: Snapshot?
        ) {
            self.token = token
            self.number = number
            self.observer = observer
            self.lastDelivered = lastDelivered
        }

        var isActive: Bool { token?.isActive == true }
    }

    private struct Comparison {
        let from: VersionState
        let to: VersionState
        let changes: ChangeSet?
    }

    private var instanceEntries: [InstanceEntry] = []
    private var entries: [Entry] = []
    private var lastNumber = 0
    /// Whether a notification is posted to the context and has not run yet.
    private var isPosted = false
    /// Values that commits of this instance assigned to properties, as long as the changesets of
    /// these commits are not in the file.
    private var assignments = PropertyAssignments()
    /// Tokens of the observers that are not notified of the current commit.
    var skipped: [ObservationToken] = []
    /// Last comparison of two versions, cached because most observers compare the same versions.
    private var comparison: Comparison?
    /// Changes that a background thread has computed for the coming notification; nil otherwise.
    private var prepared: PreparedChanges?
    /// Runs a closure in the background: evaluations of collections and comparisons of versions.
    var evaluate: (@escaping @Sendable () -> Void) -> Void = BackgroundWorker.run

    /// Schedules a call of `removeEnded`, to release what the blocks of ended observers capture.
    var ending: @Sendable () -> Void = {}
    /// The versions of the last consecutive commits of this instance, up to the current version;
    /// empty after a commit of others.
    private var ownCommits: [VersionState] = []

    /// Whether there are observers of objects or collections.
    var isWatching: Bool { !entries.isEmpty }

    func add(_ block: @escaping (InstanceNotice) -> Void) -> ObservationToken {
        let token = ObservationToken(ending)
        instanceEntries.append(InstanceEntry(token: token, block: block))
        return token
    }

    /// - Parameter lastDelivered: version from which changes are reported to the observer; nil if
    ///   an initial call comes first.
    func add(_ observer: any Observer, knowing lastDelivered: Snapshot?) -> ObservationToken {
        let token = ObservationToken(ending)
        lastNumber += 1
        entries.append(Entry(token, lastNumber, observer, lastDelivered))
        return token
    }

    func removeAll() { (instanceEntries, entries) = ([], []) }

    /// Removes observers whose token ended.
    func removeEnded() {
        let (oldInstances, old) = (instanceEntries, entries)
        instanceEntries = oldInstances.filter { $0.token?.isActive == true }
        entries = old.filter(\.isActive)
        // Releasing an observer may end other observations. Therefore release the old arrays only
        // after both properties of this list are set.
        withExtendedLifetime((oldInstances, old)) {}
    }

    /// Records that the instance moved to another version, by its own commit (`isOwn`) or by a
    /// commit of others.
    func moved(from old: VersionState, to new: VersionState, isOwn: Bool) {
        if !isOwn || entries.isEmpty {
            ownCommits = []
        } else {
            if ownCommits.last !== old { ownCommits = [old] }
            ownCommits.append(new)
        }
    }

    private func isOwn(from old: VersionState, to new: VersionState) -> Bool {
        ownCommits.last === new && ownCommits.contains { $0 === old }
    }

    /// Releases the version of each observer's last notification, when the instance is invalidated.
    /// Each observer is next notified when the instance has read a version again.
    func discardVersions() {
        for entry in entries { entry.lastDelivered = nil }
        assignments = PropertyAssignments()
    }

    /// Replaces the snapshot of the last notification of each observer that was notified of `old`.
    /// `new` is another snapshot of the same version.
    func replace(_ old: Snapshot, with new: Snapshot) {
        for entry in entries where entry.lastDelivered === old { entry.lastDelivered = new }
    }

    /// Records the changeset of a commit whose log is not in the file yet.
    func note(_ changeset: ByteView) { try? assignments.add(changeset) }

    // MARK: Delivery

    func notify(_ notice: InstanceNotice) {
        removeEnded()
        for entry in instanceEntries {
            guard let token = entry.token, token.isActive,
                !skipped.contains(where: { $0 === token })
            else { continue }
            entry.block(notice)
        }
    }

    /// Notifies observers of changes since their last notification.
    ///
    /// - Parameter isImmediate: whether to evaluate the initial content of observers whose
    ///   background evaluation is not finished.
    func deliver(_ instance: Instance, isImmediate: Bool = false) {
        removeEnded()
        guard let view = instance.view else { return }
        for entry in entries {
            // Stop if a block has begun a write. Beginning a write has already notified the other
            // observers, or will do so later.
            guard instance.transaction == nil, instance.view === view else { break }
            if entry.isActive { deliver(view, to: entry, isImmediate) }
        }
        comparison = nil
        let state = instance.view?.state
        if entries.allSatisfy({ $0.lastDelivered == nil || $0.lastDelivered?.state === state }) {
            assignments = PropertyAssignments()
            if let state { ownCommits = [state] }
        }
    }

    private func deliver(_ view: Snapshot, to entry: Entry, _ isImmediate: Bool) {
        guard let lastDelivered = entry.lastDelivered else {
            guard isImmediate || entry.observer.isReady else { return }
            entry.lastDelivered = view
            try? entry.observer.begin(at: view)
            return
        }
        // Compare states, not version numbers: a version that never reached the file may have the
        // number of another version.
        if lastDelivered.state === view.state { return }
        entry.lastDelivered = view
        if let finding = finding(for: entry, lastDelivered, view) {
            try? entry.observer.notify(
                finding, from: lastDelivered, to: view,
                isOwn: isOwn(from: lastDelivered.state, to: view.state))
        }
    }

    /// Returns the changes for one observer. Nil if nothing changed, or if comparing the two
    /// versions failed, for example because the file is damaged.
    private func finding(
        for entry: Entry, _ lastDelivered: Snapshot, _ view: Snapshot
    ) -> Finding? {
        if let known = prepared?.finding(for: entry.number, lastDelivered.state, view.state) {
            return known
        }
        guard let changes = compare(lastDelivered, view), !changes.isEmpty else { return nil }
        return try? entry.observer.finder(changes, lastDelivered, view)
    }

    private func compare(_ old: Snapshot, _ new: Snapshot) -> ChangeSet? {
        if let known = comparison, known.from === old.state, known.to === new.state {
            return known.changes
        }
        let changes = try? ChangeSet(from: old, to: new, adding: assignments)
        comparison = Comparison(from: old.state, to: new.state, changes: changes)
        return changes
    }

    /// Notifies observers in a later turn of the instance's context. A background thread first
    /// compares the versions.
    func deliverLater(_ instance: Instance) {
        let view = instance.view
        guard !isPosted,
            entries.contains(where: { $0.isActive && $0.lastDelivered?.state !== view?.state })
        else { return }
        isPosted = true
        if let view, prepare(instance, for: view, then: { $0.observers.deliverPosted($0, $1) }) {
            return
        }
        let target = instance.weakBox
        let isTaken = instance.confinement.post {
            if let instance = target.object { instance.observers.deliverPosted(instance, nil) }
        }
        if !isTaken { isPosted = false }
    }

    private func deliverPosted(_ instance: Instance, _: FrozenVersion?) {
        isPosted = false
        instance.deliverPending()
    }

    // MARK: Evaluation before delivery

    /// Compares the observers' versions with `target` on a background thread, then calls `arrive`
    /// in the instance's context, where the changes can be delivered without further comparison.
    /// Returns false if there is nothing to compare.
    func prepare(
        _ instance: Instance, for target: Snapshot,
        then arrive: @escaping (Instance, FrozenVersion) -> Void
    ) -> Bool {
        guard let to = try? FrozenVersion.of(target) else { return false }
        let tasks = entries.compactMap { entry -> PreparedChanges.Task? in
            guard entry.isActive, let lastDelivered = entry.lastDelivered,
                lastDelivered.state !== target.state,
                let from = try? FrozenVersion.of(lastDelivered)
            else { return nil }
            return PreparedChanges.Task(
                observer: entry.number, from: from,
                finder: entry.observer.finder)
        }
        if tasks.isEmpty { return false }
        let (place, assignments) = (instance.confinement, assignments)
        let (target, arrival) = (instance.weakBox, Unchecked(arrive))
        evaluate {
            let found = PreparedChanges(tasks, to: to, assignments)
            _ = place.post {
                guard let instance = target.object else { return }
                instance.observers.prepared = found
                arrival.value(instance, to)
                instance.observers.prepared = nil
            }
        }
        return true
    }

    // MARK: Skipped observers

    /// Traps unless each token belongs to this instance.
    func check(_ tokens: [ObservationToken]) {
        for token in tokens {
            let isOwn =
                instanceEntries.contains { $0.token === token }
                || entries.contains { $0.token === token }
            if !isOwn {
                Misuse.trap(
                    "Incorrect Realm: only notifications for the Realm being modified can be "
                        + "skipped.")
            }
        }
    }

    /// Skips the commit from `old` to `new` for observers with a token in `skipped`. If an observer
    /// has not been notified of `old` yet, the commit is not skipped but reported together with the
    /// earlier changes.
    func leaveOut(from old: Snapshot, to new: Snapshot) {
        for entry in entries where entry.lastDelivered?.state === old.state {
            guard let token = entry.token, skipped.contains(where: { $0 === token }) else {
                continue
            }
            entry.lastDelivered = new
            entry.observer.discardContent()
        }
    }
}
