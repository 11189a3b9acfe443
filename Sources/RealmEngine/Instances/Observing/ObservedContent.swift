/// Content of a collection or of results, for comparing two versions. Free to cross threads.
enum ObservedContent: Sendable {
    /// Keys of the objects in results, in order; eight bytes each.
    case objects([ObjectKey])
    /// Elements of a list or set, in order.
    case elements([Element])
    /// Entries of a dictionary, in its order.
    case entries([Entry])

    enum Element: Hashable, Sendable {
        case object(ObjectLink)
        case value([UInt8])
    }

    struct Entry: Hashable, Sendable {
        /// The key as text; an integer key in decimal.
        let key: String
        let element: Element
    }

    static let nothing = ObservedContent.elements([])

    /// Nil if the class, the object or a nested collection does not exist in the version.
    init?(_ subject: CollectionObserver.Subject, _ snapshot: Snapshot) throws(RealmError) {
        switch subject {
        case .results(let definition):
            if snapshot.schema.table(definition.table) == nil { return nil }
            self = .objects(try definition.keys(in: snapshot).array)
        case .collection(let link, let column, let steps):
            guard let info = snapshot.schema.table(link.table),
                let index = info.columns.firstIndex(where: { $0.key == column }),
                let row = try snapshot.table(info).row(link.key),
                let value = try CollectionHandle.value(
                    along: steps, in: try row.value(index), snapshot.lookup)
            else { return nil }
            try self.init(value, snapshot)
        }
    }

    private init(_ value: Value, _ snapshot: Snapshot) throws(RealmError) {
        switch value {
        case .list(let view), .set(let view):
            var result: [Element] = []
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() {
                result.append(try Self.element(element, snapshot))
            }
            self = .elements(result)
        case .dictionary(let view):
            var result: [Entry] = []
            var cursor = try snapshot.entries(of: view)
            while let (key, element) = try cursor.next() {
                result.append(
                    Entry(key: Self.text(key), element: try Self.element(element, snapshot)))
            }
            self = .entries(result)
        default: self = .nothing
        }
    }

    /// Notification that reports all elements as deleted; nil if there were none.
    var removal: CollectionNotice? {
        let count: Int
        switch self {
        case .objects(let keys): count = keys.count
        case .elements(let elements): count = elements.count
        case .entries(let entries):
            return entries.isEmpty ? nil : .changedKeys(DictionaryChange(removing: entries))
        }
        var change = CollectionChange()
        change.deletions = Array(0..<count)
        return count == 0 ? nil : .changed(change)
    }

    private static func text(_ key: Value) -> String {
        switch key {
        case .string(let bytes): String(decoding: bytes.buffer, as: UTF8.self)
        case .int(let number): "\(number)"
        default: ""
        }
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

/// Encodes values as bytes. The bytes of two values are equal if and only if the values are equal.
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
