final class ObjectObserver: Observer {
    private let object: ObjectLink
    private let filter: ChangeFilter
    private let block: (ObjectNotice) -> Void
    private var wasDeleted = false

    init(_ object: ObjectLink, _ filter: ChangeFilter, _ block: @escaping (ObjectNotice) -> Void) {
        self.object = object
        self.filter = filter
        self.block = block
    }

    var isReady: Bool { true }

    func begin(at view: Snapshot) throws(RealmError) {
        if try Self.row(object, view) == nil { deliverDeletion() }
    }

    var finder: ChangeFinder {
        let (object, filter) = (object, filter)
        return { (changes, old, new) throws(RealmError) in
            if changes[object.table]?.isDeleted(object.key) == true
                || new.schema.table(object.table) == nil
            {
                return .objectDeleted
            }
            return .object(
                try ChangeProbe(changes, filter, from: old, to: new).changedColumns(of: object.key))
        }
    }

    func notify(
        _ finding: Finding, from old: Snapshot, to new: Snapshot, isOwn: Bool
    ) throws(RealmError) {
        if wasDeleted { return }
        guard case .object(let columns) = finding else { return deliverDeletion() }
        guard let columns, let before = try Self.row(object, old),
            let now = try Self.row(object, new)
        else { return }
        block(.changed(ObjectChange(columns: columns, old: before, new: now, isOwn: isOwn)))
    }

    func discardContent() {}

    private static func row(
        _ object: ObjectLink, _ snapshot: Snapshot
    ) throws(RealmError) -> Row? {
        guard let info = snapshot.schema.table(object.table) else { return nil }
        return try snapshot.table(info).row(object.key)
    }

    private func deliverDeletion() {
        if wasDeleted { return }
        wasDeleted = true
        block(.deleted)
    }
}
