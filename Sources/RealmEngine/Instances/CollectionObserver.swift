/// Observes a list, set or dictionary, or the objects of a class that a query yields.
final class CollectionObserver: Observer {
    enum Subject: Sendable {
        case collection(ObjectLink, ColumnKey)
        case results(ResultsDefinition)
    }

    /// One element as it can be compared between versions.
    enum Element: Hashable, Sendable {
        case object(ObjectLink)
        case value([UInt8])
    }

    /// What the subject was found to hold in a version; nil elements when that failed.
    struct Evaluation: Sendable {
        let elements: [Element]?
        let state: VersionState
    }

    let subject: Subject
    private let filter: ChangeFilter?
    private let block: (CollectionNotice) -> Void
    private var evaluation: Evaluation?
    /// What the observer was told of last; nil before `initial`.
    private var elements: [Element]?
    private var isGone = false

    init(
        _ subject: Subject, _ filter: ChangeFilter?, _ block: @escaping (CollectionNotice) -> Void
    ) {
        self.subject = subject
        self.filter = filter
        self.block = block
    }

    // MARK: Beginning

    /// What the subject holds in the version `snapshot` shows. For any thread.
    static func evaluate(_ subject: Subject, _ snapshot: Snapshot) -> Evaluation {
        Evaluation(elements: (try? read(subject, snapshot)) ?? nil, state: snapshot.state)
    }

    func take(_ evaluation: Evaluation) { self.evaluation = evaluation }

    var isReady: Bool { evaluation != nil || elements != nil }

    func begin(at view: Snapshot) throws(RealmError) {
        // Not the first time: the instance had let go of its version.
        if elements != nil { return try update(nil, view) }
        // The instance may have moved on since.
        if evaluation?.state !== view.state { evaluation = Self.evaluate(subject, view) }
        elements = evaluation?.elements ?? []
        evaluation = nil
        block(.initial)
    }

    // MARK: Changes

    func deliver(_ changes: ChangeSet, _ new: Snapshot) throws(RealmError) {
        if !changes.isEmpty { try update(filter.map { ChangeProbe(changes, $0, in: new) }, new) }
    }

    private func update(_ probe: ChangeProbe?, _ new: Snapshot) throws(RealmError) {
        if isGone { return }
        guard let now = try Self.read(subject, new) else {
            isGone = true
            return block(.deleted)
        }
        var replaces = true
        if case .results = subject { replaces = false }
        let change = try CollectionChange(from: elements ?? [], to: now, replaces: replaces) {
            (index) throws(RealmError) -> Bool in
            guard let probe, case .object(let link) = now[index] else { return false }
            return try probe.isModified(link.key)
        }
        elements = now
        if !change.isEmpty { block(.changed(change)) }
    }

    // MARK: Reading

    /// The elements in order; nil when the collection is gone.
    static func read(
        _ subject: Subject, _ snapshot: Snapshot
    ) throws(RealmError) -> [Element]? {
        switch subject {
        case .results(let definition):
            let key = definition.table
            if snapshot.schema.table(key) == nil { return nil }
            return try definition.keys(in: snapshot).map {
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
