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

/// The observers of one instance; confined as it is.
final class ObserverList {
    private struct Entry {
        weak var token: ObservationToken?
        let observer: any Observer
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    func add(_ observer: any Observer) -> ObservationToken {
        let token = ObservationToken()
        entries.append(Entry(token: token, observer: observer))
        return token
    }

    func removeAll() { entries = [] }

    /// Tells everybody what changed between two versions the instance showed.
    func deliver(_ instance: Instance, from old: Snapshot?, to new: Snapshot) {
        entries.removeAll { $0.token?.isActive != true }
        // A version that never reached the file may have the number of one that did.
        guard !entries.isEmpty, let old, old.state !== new.state else { return }
        instance.isNotifying = true
        defer { instance.isNotifying = false }
        guard let changes = try? ChangeSet(from: old, to: new).attributingEmbedded(in: new) else {
            return
        }
        for entry in entries where entry.token?.isActive == true {
            try? entry.observer.deliver(changes, old, new)
        }
    }

    func tellRefreshRequired() {
        for entry in entries where entry.token?.isActive == true {
            entry.observer.refreshRequired()
        }
    }
}

/// Someone who is told of changes.
protocol Observer: AnyObject {
    func deliver(_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) throws(RealmError)
    func refreshRequired()
}

extension Observer {
    func refreshRequired() {}
}

final class InstanceObserver: Observer {
    private let block: (InstanceNotice) -> Void

    init(_ block: @escaping (InstanceNotice) -> Void) { self.block = block }

    func deliver(_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) { block(.didChange) }
    func refreshRequired() { block(.refreshRequired) }
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

    func deliver(_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) throws(RealmError) {
        if isGone { return }
        if changes[object.table]?.isDeleted(object.key) == true
            || new.schema.table(object.table) == nil
        {
            isGone = true
            return block(.deleted)
        }
        let probe = ChangeProbe(changes, filter, in: new)
        let columns = try probe.changedColumns(of: object.key)
        if !columns.isEmpty { block(.changed(columns)) }
    }
}

/// Observes a list, set or dictionary, or the objects of a class that a query yields.
final class CollectionObserver: Observer {
    enum Subject {
        case collection(ObjectLink, ColumnKey)
        case query(TableKey, Query?)
    }

    private let subject: Subject
    private let filter: ChangeFilter?
    private let block: (CollectionNotice) -> Void
    private var elements: [Element]
    private var isGone = false

    /// One element as it can be compared between versions.
    enum Element: Hashable {
        case object(ObjectLink)
        case value([UInt8])
    }

    init(
        _ subject: Subject, _ filter: ChangeFilter?, _ snapshot: Snapshot,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) {
        self.subject = subject
        self.filter = filter
        self.block = block
        elements = try Self.read(subject, snapshot) ?? []
    }

    func begin() { block(.initial) }

    func deliver(_ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot) throws(RealmError) {
        if isGone || changes.isEmpty { return }
        guard let now = try Self.read(subject, new) else {
            isGone = true
            return block(.deleted)
        }
        let probe = filter.map { ChangeProbe(changes, $0, in: new) }
        var replaces = true
        if case .query = subject { replaces = false }
        let change = try CollectionChange(from: elements, to: now, replaces: replaces) {
            (index) throws(RealmError) -> Bool in
            guard let probe, case .object(let link) = now[index] else { return false }
            return try probe.isModified(link.key)
        }
        elements = now
        if !change.isEmpty { block(.changed(change)) }
    }

    /// The elements in order; nil when the collection is gone.
    private static func read(
        _ subject: Subject, _ snapshot: Snapshot
    ) throws(RealmError) -> [Element]? {
        switch subject {
        case .query(let key, let query):
            guard let info = snapshot.schema.table(key) else { return nil }
            let table = snapshot.table(info)
            snapshot.beginWalk()
            guard let query else {
                return try table.keys().map { .object(ObjectLink(table: key, key: $0)) }
            }
            let plan = try QueryPlan(try query.bound(to: table), in: snapshot)
            return try plan.rows(in: snapshot).keys.map {
                .object(ObjectLink(table: key, key: $0))
            }
        case .collection(let link, let column):
            guard let info = snapshot.schema.table(link.table),
                let index = info.columns.firstIndex(where: { $0.key == column }),
                let row = try snapshot.table(info).row(link.key)
            else { return nil }
            return try elements(try row.value(index), snapshot)
        }
    }

    private static func elements(
        _ value: Value, _ snapshot: Snapshot
    ) throws(RealmError) -> [Element] {
        var result: [Element] = []
        switch value {
        case .list(let view), .set(let view):
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() {
                result.append(try Self.element(element, snapshot))
            }
        case .dictionary(let view):
            var cursor = try snapshot.entries(of: view)
            while let (key, value) = try cursor.next() {
                var bytes = ElementBytes()
                try bytes.append(key, snapshot)
                try bytes.append(value, snapshot)
                result.append(.value(bytes.bytes))
            }
        default: break
        }
        return result
    }

    private static func element(
        _ value: Value, _ snapshot: Snapshot
    ) throws(RealmError) -> Element {
        if case .link(let link) = value { return .object(link) }
        var bytes = ElementBytes()
        try bytes.append(value, snapshot)
        return .value(bytes.bytes)
    }
}

/// Values as bytes that are equal when the values are.
private struct ElementBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: Value, _ snapshot: Snapshot) throws(RealmError) {
        switch value {
        case .null: bytes.append(0)
        case .int(let v): put(1, UInt64(bitPattern: v))
        case .bool(let v): put(2, v ? 1 : 0)
        case .float(let v): put(3, UInt64(v.bitPattern))
        case .double(let v): put(4, v.bitPattern)
        case .string(let v): put(5, v)
        case .binary(let v): put(6, v)
        case .timestamp(let v):
            put(7, UInt64(bitPattern: v.seconds))
            put(7, UInt64(bitPattern: Int64(v.nanoseconds)))
        case .decimal(let v):
            put(8, v.high)
            put(8, v.low)
        case .objectID(let v):
            put(9, v.high)
            put(9, UInt64(v.low))
        case .uuid(let v):
            put(10, v.high)
            put(10, v.low)
        case .link(let v):
            put(11, UInt64(v.table.raw))
            put(11, UInt64(bitPattern: v.key.raw))
        case .list(let view), .set(let view):
            bytes.append(12)
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() { try append(element, snapshot) }
            bytes.append(255)
        case .dictionary(let view):
            bytes.append(13)
            var cursor = try snapshot.entries(of: view)
            while let (key, element) = try cursor.next() {
                try append(key, snapshot)
                try append(element, snapshot)
            }
            bytes.append(255)
        }
    }

    private mutating func put(_ tag: UInt8, _ word: UInt64) {
        bytes.append(tag)
        withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
    }

    private mutating func put(_ tag: UInt8, _ view: ByteView) {
        put(tag, UInt64(view.count))
        bytes.append(contentsOf: view.buffer)
    }
}
