/// Observes a list, set or dictionary, or the results of a query.
final class CollectionObserver: Observer {
    enum Subject: Sendable {
        case collection(ObjectLink, ColumnKey, [CollectionLocation.Step])
        case results(ResultsDefinition)

        /// Whether a deletion and an insertion at the same index are reported as one modification:
        /// true for collections, false for results.
        var hasPositions: Bool {
            if case .collection = self { true } else { false }
        }
    }

    /// Content of the observed collection or results in a version. `content` is nil if it could not
    /// be read.
    struct Evaluation: Sendable {
        let content: ObservedContent?
        let state: VersionState
    }

    let subject: Subject
    private let filter: ChangeFilter?
    private let block: (CollectionNotice) -> Void
    /// The observed `ObjectResults`, if the observation was begun through them. The objects that
    /// the observer finds become the content of these results before `block` is called.
    private let shown: ObjectResults?
    private var evaluation: Evaluation?
    private var hasBegun = false
    /// Content at the last notification; nil if it must be read again from the version of that
    /// notification.
    private var content: ObservedContent?
    private var wasDeleted = false

    init(
        _ subject: Subject, _ filter: ChangeFilter?, showing shown: ObjectResults? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) {
        self.subject = subject
        self.filter = filter
        self.shown = shown
        self.block = block
    }

    // MARK: Initial evaluation

    /// Reads the content of the subject in `snapshot`. Free to call on any thread.
    static func evaluate(_ subject: Subject, _ snapshot: Snapshot) -> Evaluation {
        Evaluation(
            content: (try? ObservedContent(subject, snapshot)) ?? nil, state: snapshot.state)
    }

    func take(_ evaluation: Evaluation) { if !hasBegun { self.evaluation = evaluation } }

    var isReady: Bool { evaluation != nil || hasBegun }

    func begin(at view: Snapshot) throws(RealmError) {
        // The observer got its initial call before, but the instance was invalidated since. Compare
        // with the content of the last notification.
        if hasBegun {
            let finding = try Self.find(subject, content ?? .nothing, nil, view)
            return try notify(finding, from: view, to: view, isOwn: false)
        }
        // The instance may have moved to another version since the background thread evaluated the
        // content.
        if evaluation?.state !== view.state { evaluation = Self.evaluate(subject, view) }
        content = evaluation?.content ?? .nothing
        evaluation = nil
        hasBegun = true
        show(view)
        block(.initial)
    }

    // MARK: Changes

    var finder: ChangeFinder {
        let (subject, filter, content) = (subject, filter, content)
        return { (changes, old, new) throws(RealmError) in
            let before: ObservedContent
            if let content {
                before = content
            } else {
                before = try ObservedContent(subject, old) ?? .nothing
            }
            let probe = filter.map { ChangeProbe(changes, $0, from: old, to: new) }
            if case .results(let definition) = subject, case .objects(let keys) = before,
                let followed = try IncrementalResults(
                    definition, of: keys, changes, probe, from: old, to: new)
            {
                return .elements(.objects(followed.keys), followed.change)
            }
            return try Self.find(subject, before, probe, new)
        }
    }

    private static func find(
        _ subject: Subject, _ before: ObservedContent, _ probe: ChangeProbe?, _ new: Snapshot
    ) throws(RealmError) -> Finding {
        func isModified(_ element: ObservedContent.Element) throws(RealmError) -> Bool {
            guard let probe, case .object(let link) = element else { return false }
            return try probe.isModified(link.key)
        }
        switch (try ObservedContent(subject, new), before) {
        case (nil, let before): return .lost(before)
        case (.entries(let now)?, let before):
            var old: [ObservedContent.Entry] = []
            if case .entries(let entries) = before { old = entries }
            return .entries(now, try DictionaryChange(from: old, to: now, isModified))
        case (.elements(let now)?, let before):
            var old: [ObservedContent.Element] = []
            if case .elements(let elements) = before { old = elements }
            let change = try CollectionChange(from: old, to: now, replaces: subject.hasPositions) {
                (index) throws(RealmError) in try isModified(now[index])
            }
            return .elements(.elements(now), change)
        case (.objects(let now)?, let before):
            var old: [ObjectKey] = []
            if case .objects(let keys) = before { old = keys }
            let change = try CollectionChange(from: old, to: now) {
                (index) throws(RealmError) in try probe?.isModified(now[index]) ?? false
            }
            return .elements(.objects(now), change)
        }
    }

    func notify(
        _ finding: Finding, from old: Snapshot, to new: Snapshot, isOwn: Bool
    ) throws(RealmError) {
        if wasDeleted { return }
        switch finding {
        case .elements(let now, let change):
            content = now
            show(new)
            if !change.isEmpty { block(.changed(change)) }
        case .entries(let now, let change):
            content = .entries(now)
            if !change.isEmpty { block(.changedKeys(change)) }
        case .lost(let last):
            wasDeleted = true
            if let removal = last.removal { block(removal) }
            block(.deleted)
        case .objectDeleted, .object: return
        }
    }

    private func show(_ view: Snapshot) {
        if let shown, case .objects(let keys) = content { shown.adopt(keys, in: view) }
    }

    func discardContent() { if hasBegun { content = nil } }
}
