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
        /// Tells it from all others there ever were.
        let number: Int
        let observer: any Observer
        /// The version told of last; nil before the first, and when the instance let go of it.
        var told: Snapshot?

        init(
            _ token: ObservationToken, _ number: Int, _ observer: any Observer, _ told: Snapshot?
        ) {
            self.token = token
            self.number = number
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
    private var lastNumber = 0
    /// A delivery is under way to the place.
    private var isPosted = false
    /// What own commits set whose versions are not in the file yet.
    private var assignments = PropertyAssignments()
    /// Who hears nothing of the commit under way.
    var skipped: [ObservationToken] = []
    /// Most observers were told of the same version.
    private var comparison: Comparison?
    /// What another thread found out ahead.
    private var prepared: PreparedChanges?
    /// Where collections are evaluated, and versions compared ahead of telling.
    var evaluate: (@escaping @Sendable () -> Void) -> Void = BackgroundWorker.run

    /// What takes those out whose tokens ended: they keep what their blocks refer to.
    var ending: @Sendable () -> Void = {}
    /// Versions that commits of the instance led through to the one shown, the last of them.
    private var own: [VersionState] = []

    /// Whether somebody is to be told what exactly changed.
    var isWatching: Bool { !entries.isEmpty }

    func add(_ block: @escaping (InstanceNotice) -> Void) -> ObservationToken {
        let token = ObservationToken(ending)
        instanceEntries.append(InstanceEntry(token: token, block: block))
        return token
    }

    /// - Parameter told: the version the observer knows; nil when it does not know any yet.
    func add(_ observer: any Observer, knowing told: Snapshot?) -> ObservationToken {
        let token = ObservationToken(ending)
        lastNumber += 1
        entries.append(Entry(token, lastNumber, observer, told))
        return token
    }

    func removeAll() { (instanceEntries, entries) = ([], []) }

    /// Takes out those that are told nothing any more.
    func removeEnded() {
        let (oldInstances, old) = (instanceEntries, entries)
        instanceEntries = oldInstances.filter { $0.token?.isActive == true }
        entries = old.filter(\.isActive)
        // What goes with them may end other observations: not before the lists are as they will be.
        withExtendedLifetime((oldInstances, old)) {}
    }

    /// The instance went from one version to another, by a commit of its own or of others.
    func moved(from old: VersionState, to new: VersionState, isOwn: Bool) {
        if !isOwn || entries.isEmpty {
            own = []
        } else {
            if own.last !== old { own = [old] }
            own.append(new)
        }
    }

    private func isOwn(from old: VersionState, to new: VersionState) -> Bool {
        own.last === new && own.contains { $0 === old }
    }

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
        removeEnded()
        for entry in instanceEntries {
            guard let token = entry.token, token.isActive,
                !skipped.contains(where: { $0 === token })
            else { continue }
            entry.block(notice)
        }
    }

    /// Tells everybody who is behind what has changed.
    ///
    /// - Parameter isHurried: whose first look is not done yet by another thread takes it now.
    func deliver(_ instance: Instance, isHurried: Bool = false) {
        removeEnded()
        guard let view = instance.view else { return }
        for entry in entries {
            // A block may have the instance write: the others were told before that, or are later.
            guard instance.transaction == nil, instance.view === view else { break }
            if entry.isActive { deliver(view, to: entry, isHurried) }
        }
        comparison = nil
        let state = instance.view?.state
        if entries.allSatisfy({ $0.told == nil || $0.told?.state === state }) {
            assignments = PropertyAssignments()
            if let state { own = [state] }
        }
    }

    private func deliver(_ view: Snapshot, to entry: Entry, _ isHurried: Bool) {
        guard let told = entry.told else {
            guard isHurried || entry.observer.isReady else { return }
            entry.told = view
            try? entry.observer.begin(at: view)
            return
        }
        // A version that never reached the file may have the number of one that did.
        if told.state === view.state { return }
        entry.told = view
        if let finding = finding(for: entry, told, view) {
            try? entry.observer.tell(
                finding, from: told, to: view, isOwn: isOwn(from: told.state, to: view.state))
        }
    }

    /// Nil when nothing changed, or what is there makes no sense.
    private func finding(
        for entry: Entry, _ told: Snapshot, _ view: Snapshot
    ) -> Finding? {
        if let known = prepared?.finding(for: entry.number, told.state, view.state) {
            return known
        }
        guard let changes = compare(told, view), !changes.isEmpty else { return nil }
        return try? entry.observer.finder(changes, told, view)
    }

    private func compare(_ old: Snapshot, _ new: Snapshot) -> ChangeSet? {
        if let known = comparison, known.from === old.state, known.to === new.state {
            return known.changes
        }
        let changes = try? ChangeSet(from: old, to: new, adding: assignments)
        comparison = Comparison(from: old.state, to: new.state, changes: changes)
        return changes
    }

    /// Has everybody who is behind told on a later turn of the instance's place, once another thread
    /// has found out what to tell.
    func deliverLater(_ instance: Instance) {
        let view = instance.view
        guard !isPosted,
            entries.contains(where: { $0.isActive && $0.told?.state !== view?.state })
        else { return }
        isPosted = true
        if let view, prepare(instance, for: view, then: { $0.observers.deliverPosted($0, $1) }) {
            return
        }
        let target = instance.whereabouts
        let isTaken = instance.confinement.post {
            if let instance = target.object { instance.observers.deliverPosted(instance, nil) }
        }
        if !isTaken { isPosted = false }
    }

    private func deliverPosted(_ instance: Instance, _: FrozenVersion?) {
        isPosted = false
        instance.deliverPending()
    }

    // MARK: Ahead of telling

    /// Has another thread compare what observers know with `target`; `arrive` is then called at the
    /// instance's place, and finds what it tells them at hand. False when there is nothing to compare.
    func prepare(
        _ instance: Instance, for target: Snapshot,
        then arrive: @escaping (Instance, FrozenVersion) -> Void
    ) -> Bool {
        guard let to = try? FrozenVersion.of(target) else { return false }
        let tasks = entries.compactMap { entry -> PreparedChanges.Task? in
            guard entry.isActive, let told = entry.told, told.state !== target.state,
                let from = try? FrozenVersion.of(told)
            else { return nil }
            return PreparedChanges.Task(
                observer: entry.number, from: from,
                finder: entry.observer.finder)
        }
        if tasks.isEmpty { return false }
        let (place, assignments) = (instance.confinement, assignments)
        let (target, arrival) = (instance.whereabouts, Unchecked(arrive))
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

    // MARK: Leaving out

    /// Throws nothing: traps unless each token is one of this instance's.
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

    /// The instance went from `old` to `new` by a commit that those with a token in `skipped` are not
    /// told of. Who was not told all that came before is told of the commit with it.
    func leaveOut(from old: Snapshot, to new: Snapshot) {
        for entry in entries where entry.told?.state === old.state {
            guard let token = entry.token, skipped.contains(where: { $0 === token }) else {
                continue
            }
            entry.told = new
            entry.observer.forgetContent()
        }
    }
}
