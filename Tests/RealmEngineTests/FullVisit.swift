@testable import EngineSupport
@testable import RealmEngine

/// Reads everything in a file: the schema, every value of every object with nested collections,
/// backlinks, tombstones, and every object again by its key. Values are also written as text and
/// compared with their neighbours, which must work for any stored number.
///
/// Damage is counted and skipped, so that one fault does not hide later ones; only an exhausted
/// budget ends the visit.
struct FullVisit: ~Copyable {
    /// Number of values, including elements and entries.
    private(set) var values = 0
    /// Hash of all names, values and bytes.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var errors = 0
    private(set) var firstError: RealmError?
    private(set) var deepest = 0
    /// Number of objects that are missing in the index of their column.
    private(set) var unindexed = 0
    private let snapshot: Snapshot
    private let limit: Int
    private var text = ByteBuffer(capacity: 1 << 12)
    private var previous = Value.null

    /// Visits `database`; stops after `limit` values.
    init(_ database: Database, limit: Int) {
        snapshot = database.snapshot()
        self.limit = limit
        visit()
    }

    /// Whether more values than `limit` were found, so that the visit was not bounded.
    var isOverLimit: Bool { values > limit }

    private mutating func attempt(_ body: (inout FullVisit) throws(RealmError) -> Void) {
        do throws(RealmError) { try body(&self) } catch {
            errors += 1
            values += 1
            if firstError == nil { firstError = error }
        }
    }

    private mutating func mix(_ number: UInt64) {
        digest = (digest ^ number) &* 0x100_0000_01B3
    }

    private mutating func visit() {
        snapshot.beginWalk()
        for info in snapshot.schema.tables {
            for byte in info.name.utf8 { mix(UInt64(byte)) }
            for column in info.columns { mix(UInt64(column.name.utf8.count)) }
            _ = snapshot.schema.table(named: info.className)
            let table = snapshot.table(info)
            attempt { visit throws(RealmError) in visit.mix(UInt64(try table.count())) }
            attempt { visit throws(RealmError) in try visit.objects(table) }
            attempt { visit throws(RealmError) in try visit.tombstones(table) }
        }
    }

    private mutating func objects(_ table: Table) throws(RealmError) {
        // Each column is read separately first, so that a damaged one does not hide the others.
        for i in table.info.columns.indices {
            attempt { visit throws(RealmError) in try visit.column(table, i) }
        }
        let scan = table.scan(columns: [])
        while values <= limit, try scan.next() {
            for row in 0..<scan.count {
                let object = scan.row(row)
                attempt { visit throws(RealmError) in try visit.again(table, object.key) }
                for backlink in table.info.backlinks {
                    attempt { visit throws(RealmError) in try visit.backlinks(object, backlink) }
                }
            }
        }
    }

    private mutating func column(_ table: Table, _ index: Int) throws(RealmError) {
        let scan = table.scan(columns: [index])
        while values <= limit, try scan.next() {
            for row in 0..<scan.count {
                mix(UInt64(bitPattern: scan.key(row).raw))
                attempt { visit throws(RealmError) in
                    let value = try scan.value(row: row, column: 0)
                    try visit.value(value, depth: 0)
                    if row & 15 == 0 {
                        try visit.search(table.info.columns[index], value, scan.key(row))
                    }
                }
            }
        }
    }

    /// Looks the value up in the column's index, if there is one.
    private mutating func search(
        _ column: ColumnInfo, _ value: Value, _ key: ObjectKey
    ) throws(RealmError) {
        guard column.index == .general, column.collection == nil, column.type != .mixed else {
            return
        }
        var keys: [ObjectKey] = []
        let index = SearchIndex(space: snapshot.lookup, root: column.indexRoot)
        try index.candidates(for: value, into: &keys)
        values += keys.count
        if !keys.contains(key) { unindexed += 1 }
    }

    /// Finds the object by its key and reads one of its values.
    private mutating func again(_ table: Table, _ key: ObjectKey) throws(RealmError) {
        values += 1
        guard let object = try table.row(key) else { return mix(1) }
        mix(UInt64(bitPattern: object.key.raw))
        if try object.primaryKey() != nil { mix(2) }
        if !table.info.columns.isEmpty { _ = try object.value(values % table.info.columns.count) }
    }

    private mutating func backlinks(
        _ object: Row, _ backlink: BacklinkInfo
    ) throws(RealmError) {
        var cursor = try object.backlinks(backlink)
        while values <= limit, let key = try cursor.next() {
            values += 1
            mix(UInt64(bitPattern: key.raw))
        }
    }

    private mutating func tombstones(_ table: Table) throws(RealmError) {
        mix(UInt64(try table.tombstoneCount()))
        for key in try table.keys(tombstones: true) where values <= limit {
            attempt { visit throws(RealmError) in try visit.again(table, key) }
        }
    }

    private mutating func value(_ value: Value, depth: Int) throws(RealmError) {
        values += 1
        deepest = max(deepest, depth)
        render(value)
        mix(UInt64(bitPattern: Int64(ValueOrder.compare(previous, value).signum())))
        previous = value
        switch value {
        case .link(let v): try link(v)
        case .list(let view), .set(let view):
            try elements(view, depth: depth)
            mix(UInt64(try snapshot.count(of: value)))
        case .dictionary(let view):
            try entries(view, depth: depth)
            mix(UInt64(try snapshot.count(of: value)))
        default: break
        }
    }

    private mutating func render(_ value: Value) {
        text.removeAll()
        switch value {
        case .null, .link, .list, .set, .dictionary: text.append("null")
        case .int(let v): text.append(number: v)
        case .bool(let v): text.append(v)
        case .string(let v): text.append(json: v)
        case .binary(let v): text.append(base64: v)
        case .timestamp(let v): text.append(rfc3339: v)
        case .float(let v): text.append(json: v)
        case .double(let v): text.append(json: v)
        case .decimal(let v): text.append(number: v)
        case .objectID(let v): text.append(v)
        case .uuid(let v): text.append(v)
        }
        mix(UInt64(text.count))
        // Hashes every 8th byte of long values: digests need not be strong, but visits must be
        // short.
        let bytes = text.bytes
        for i in stride(from: 0, to: bytes.count, by: bytes.count > 64 ? 8 : 1) {
            mix(UInt64(bytes[i]))
        }
    }

    private mutating func link(_ link: ObjectLink) throws(RealmError) {
        mix(UInt64(link.table.raw))
        if let target = try snapshot.table(link.table).row(link.key) {
            mix(UInt64(bitPattern: target.key.raw))
        }
    }

    private mutating func elements(_ view: CollectionView, depth: Int) throws(RealmError) {
        var cursor = snapshot.elements(of: view, walking: true)
        while values <= limit, let element = try cursor.next() {
            attempt { visit throws(RealmError) in try visit.value(element, depth: depth + 1) }
        }
    }

    private mutating func entries(_ view: CollectionView, depth: Int) throws(RealmError) {
        var cursor = try snapshot.entries(of: view, walking: true)
        while values <= limit, let (key, element) = try cursor.next() {
            attempt { visit throws(RealmError) in
                try visit.value(key, depth: depth)
                try visit.value(element, depth: depth + 1)
            }
        }
    }
}
