/// The observers of one instance; confined as it is.
///
/// Those of the instance itself are told whenever it shows another version. Those of objects and
/// collections are told apart from that: at once of what others committed, on the next turn of the
/// place of what the instance committed. Each remembers the version it was told of last, so that what
/// comes between is told as one change, in whatever order blocks move the instance on.
final class ObserverList {
    private struct InstanceEntry {
        weak var token: ObservationToken?
        let block: (InstanceNotice) -> Void
    }

    private final class Entry {
        weak var token: ObservationToken?
        let observer: any Observer
        /// The version told of last; nil before the first, and when the instance let go of it.
        var told: Snapshot?

        init(_ token: ObservationToken, _ observer: any Observer, _ told: Snapshot?) {
            self.token = token
            self.observer = observer
            self.told = told
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
    /// A delivery is under way to the place.
    private var isPosted = false
    /// What own commits set whose versions are not in the file yet.
    private var assignments = PropertyAssignments()
    /// Most observers were told of the same version.
    private var comparison: Comparison?
    /// Where collections are evaluated for the first time.
    var evaluate: (@escaping @Sendable () -> Void) -> Void = BackgroundWorker.run

    /// Whether somebody is to be told what exactly changed.
    var isWatching: Bool { !entries.isEmpty }

    func add(_ block: @escaping (InstanceNotice) -> Void) -> ObservationToken {
        let token = ObservationToken()
        instanceEntries.append(InstanceEntry(token: token, block: block))
        return token
    }

    /// - Parameter told: the version the observer knows; nil when it does not know any yet.
    func add(_ observer: any Observer, knowing told: Snapshot?) -> ObservationToken {
        let token = ObservationToken()
        entries.append(Entry(token, observer, told))
        return token
    }

    func removeAll() { (instanceEntries, entries) = ([], []) }

    /// Lets go of all versions; what comes until the instance shows one again is not compared.
    func forgetVersions() {
        for entry in entries { entry.told = nil }
        assignments = PropertyAssignments()
    }

    /// The same content has another place.
    func replace(_ old: Snapshot, with new: Snapshot) {
        for entry in entries where entry.told === old { entry.told = new }
    }

    /// A commit that is not in the file yet set what `changeset` says.
    func note(_ changeset: ByteView) { try? assignments.add(changeset) }

    // MARK: Telling

    func tell(_ notice: InstanceNotice) {
        instanceEntries.removeAll { $0.token?.isActive != true }
        for entry in instanceEntries where entry.token?.isActive == true { entry.block(notice) }
    }

    /// Tells everybody who is behind what has changed.
    func deliver(_ instance: Instance) {
        entries.removeAll { !$0.isActive }
        guard let view = instance.view else { return }
        for entry in entries {
            // A block may have the instance write: the others were told before that, or are later.
            guard instance.transaction == nil, instance.view === view else { break }
            if entry.isActive { deliver(view, to: entry) }
        }
        comparison = nil
        let state = instance.view?.state
        if entries.allSatisfy({ $0.told == nil || $0.told?.state === state }) {
            assignments = PropertyAssignments()
        }
    }

    private func deliver(_ view: Snapshot, to entry: Entry) {
        guard let told = entry.told else {
            guard entry.observer.isReady else { return }
            entry.told = view
            try? entry.observer.begin(at: view)
            return
        }
        // A version that never reached the file may have the number of one that did.
        if told.state === view.state { return }
        entry.told = view
        if let changes = compare(told, view) { try? entry.observer.deliver(changes, view) }
    }

    private func compare(_ old: Snapshot, _ new: Snapshot) -> ChangeSet? {
        if let known = comparison, known.from === old.state, known.to === new.state {
            return known.changes
        }
        let changes = try? ChangeSet(from: old, to: new)
            .adding(assignments, loggedIn: new).attributingEmbedded(in: new)
        comparison = Comparison(from: old.state, to: new.state, changes: changes)
        return changes
    }

    /// Has everybody who is behind told on the next turn of the instance's place.
    func deliverLater(_ instance: Instance) {
        let view = instance.view?.state
        guard !isPosted, entries.contains(where: { $0.isActive && $0.told?.state !== view })
        else { return }
        isPosted = true
        let target = Weak(instance)
        let isTaken = instance.confinement.post {
            guard let instance = target.object else { return }
            instance.observers.isPosted = false
            instance.deliverPending()
        }
        if !isTaken { isPosted = false }
    }
}
