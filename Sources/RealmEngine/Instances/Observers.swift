import Synchronization

/// What observers of an instance are told: by `Instance.observe` and its kin.
public enum InstanceNotice: Sendable {
    /// The instance shows a newer version.
    case didChange
    /// There is a newer version, and the instance does not move by itself.
    case refreshRequired
}

/// What happened to an observed object.
public enum ObjectNotice: Sendable {
    /// Properties that changed, as indexes into the class's columns.
    case changed([Int])
    case deleted
}

/// What happened to an observed collection.
public enum CollectionNotice: Sendable {
    case initial
    case changed(CollectionChange)
    /// The collection is gone with its object.
    case deleted
}

/// Ends an observation when released or invalidated. Free to cross threads.
public final class ObservationToken: Sendable {
    private let isValid = Atomic<Bool>(true)

    deinit { invalidate() }

    /// No call begins after this; false when the observation had ended already.
    @discardableResult
    public func invalidate() -> Bool { isValid.exchange(false, ordering: .acquiringAndReleasing) }

    var isActive: Bool { isValid.load(ordering: .acquiring) }
}

/// Someone who is told what changed between two versions. Confined as its instance is.
protocol Observer: AnyObject {
    /// What it has to know before it is told anything is known.
    var isReady: Bool { get }
    /// The instance shows `view`, with nothing to compare it with.
    func begin(at view: Snapshot) throws(RealmError)
    func deliver(_ changes: ChangeSet, _ new: Snapshot) throws(RealmError)
}

final class ObjectObserver: Observer {
    private let object: ObjectLink
    private let filter: ChangeFilter
    private let block: (ObjectNotice) -> Void
    private var isGone = false

    init(_ object: ObjectLink, _ filter: ChangeFilter, _ block: @escaping (ObjectNotice) -> Void) {
        self.object = object
        self.filter = filter
        self.block = block
    }

    var isReady: Bool { true }

    func begin(at view: Snapshot) throws(RealmError) {
        guard let info = view.schema.table(object.table),
            try view.table(info).row(object.key) != nil
        else { return tellGone() }
    }

    func deliver(_ changes: ChangeSet, _ new: Snapshot) throws(RealmError) {
        if isGone { return }
        if changes[object.table]?.isDeleted(object.key) == true
            || new.schema.table(object.table) == nil
        {
            return tellGone()
        }
        let probe = ChangeProbe(changes, filter, in: new)
        let columns = try probe.changedColumns(of: object.key)
        if !columns.isEmpty { block(.changed(columns)) }
    }

    private func tellGone() {
        if isGone { return }
        isGone = true
        block(.deleted)
    }
}
