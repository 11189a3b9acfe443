/// A 64-bit digest of the content of a table's objects, independent of how they are stored.
///
/// The digest covers the name of the class, the names of its properties, and all values of every
/// object with their types. An object is identified by its primary key, or by its object key in a
/// class without one. A link is represented by the class and key of its target; an embedded object
/// by its content. The order of lists matters; the order of sets and dictionaries does not. In a
/// set, several links without a target count as one null, and all NaNs are one value.
///
/// The digest does not cover table and column keys, the order of properties and objects, indexes,
/// whether a property may be null, backlinks, tombstones, and all details of nodes, space and
/// history. It is thus not changed by compaction, encryption, or a change of the file format. It
/// detects differences by accident, not by an adversary.
///
/// Confined to its snapshot's thread.
public final class ContentDigest {
    /// Which part of a link's target the digest includes.
    enum Links {
        /// Class and primary key of the target. For an embedded object, its content instead.
        case resolved
        /// Class and object key of the target, which are the same in all versions of a file.
        case stored
    }

    private let snapshot: Snapshot
    private let links: Links
    private var tables: [TableKey: DigestTable] = [:]

    private static let maximumDepth = EmbeddedNesting.limit

    /// Tags that distinguish types of values. Digests depend on the raw values, so never renumber
    /// them.
    private enum Tag: UInt64 {
        case null, int, bool, float, double, string, binary, timestamp, decimal, objectID, uuid
        case link, object, list, set, dictionary
    }

    public convenience init(_ snapshot: Snapshot) { self.init(snapshot, links: .resolved) }

    init(_ snapshot: Snapshot, links: Links) { (self.snapshot, self.links) = (snapshot, links) }

    /// Returns the digest of the class and all its objects.
    ///
    /// - Parameter progress: receives the number of objects read since the last call.
    /// - Throws: `corrupt` if the file is damaged.
    public func digest(
        _ info: TableInfo, progress: (Int) -> Void = { _ in }
    ) throws(RealmError) -> UInt64 {
        snapshot.beginWalk()
        let facts = try table(info.key)
        let scan = snapshot.table(info).scan(columns: facts.columns)
        var sum: UInt64 = 0
        var count: UInt64 = 0
        while try scan.next() {
            for row in 0..<scan.count {
                sum &+= try object(scan, row, facts)
            }
            count &+= UInt64(scan.count)
            progress(scan.count)
        }
        var hash = ContentHash(seed: facts.nameHash)
        for name in facts.columnNames { hash.update(name) }
        hash.update(count)
        hash.update(sum)
        return hash.value
    }

    /// Returns the digest of one value. Throws `corrupt`.
    func digest(of value: Value) throws(RealmError) -> UInt64 {
        var hash = ContentHash()
        try update(&hash, value, depth: 0)
        return hash.value
    }

    /// Combines the digests of several classes, given in the order of the class names.
    public static func combined(_ digests: [UInt64]) -> UInt64 {
        var hash = ContentHash(seed: UInt64(digests.count))
        for digest in digests { hash.update(digest) }
        return hash.value
    }

    private func object(
        _ scan: TableScan, _ row: Int, _ facts: DigestTable
    ) throws(RealmError) -> UInt64 {
        var hash = ContentHash()
        if facts.keys == nil { hash.update(UInt64(bitPattern: scan.key(row).raw)) }
        for column in facts.columns.indices {
            hash.update(facts.columnNames[column])
            try update(&hash, try scan.value(row: row, column: column), depth: 0)
        }
        return hash.value
    }

    private func update(
        _ hash: inout ContentHash, _ value: Value, depth: Int
    ) throws(RealmError) {
        switch value {
        case .null: hash.update(Tag.null.rawValue)
        case .int(let number): Self.update(&hash, .int, UInt64(bitPattern: number))
        case .bool(let flag): Self.update(&hash, .bool, flag ? 1 : 0)
        case .float(let number):
            let bits = number.isNaN ? Float.nan.bitPattern : number.bitPattern
            Self.update(&hash, .float, UInt64(bits))
        case .double(let number):
            let bits = number.isNaN ? Double.nan.bitPattern : number.bitPattern
            Self.update(&hash, .double, bits)
        case .string(let text): Self.update(&hash, .string, text)
        case .binary(let bytes): Self.update(&hash, .binary, bytes)
        case .timestamp(let time):
            Self.update(&hash, .timestamp, UInt64(bitPattern: time.seconds))
            hash.update(UInt64(bitPattern: Int64(time.nanoseconds)))
        case .decimal(let number):
            Self.update(&hash, .decimal, number.high)
            hash.update(number.low)
        case .objectID(let id):
            Self.update(&hash, .objectID, id.high)
            hash.update(UInt64(id.low))
        case .uuid(let id):
            Self.update(&hash, .uuid, id.high)
            hash.update(id.low)
        case .link(let link): try update(&hash, link, depth: depth)
        case .list, .set, .dictionary: try collection(&hash, value, depth: depth)
        }
    }

    private static func update(_ hash: inout ContentHash, _ tag: Tag, _ word: UInt64) {
        hash.update(tag.rawValue)
        hash.update(word)
    }

    private static func update(_ hash: inout ContentHash, _ tag: Tag, _ bytes: ByteView) {
        hash.update(tag.rawValue)
        hash.update(UInt64(bytes.count))
        hash.update(bytes)
    }
}

extension ContentDigest {
    /// Adds a link: an embedded object by its content, any other object by class and key.
    private func update(
        _ hash: inout ContentHash, _ link: ObjectLink, depth: Int
    ) throws(RealmError) {
        if links == .stored {
            Self.update(&hash, .link, UInt64(link.table.raw))
            return hash.update(UInt64(bitPattern: link.key.raw))
        }
        let facts = try table(link.table)
        guard facts.table.info.kind == .embedded else {
            Self.update(&hash, .link, facts.nameHash)
            guard let keys = facts.keys else {
                return hash.update(UInt64(bitPattern: link.key.raw))
            }
            guard let row = try keys.seek(link.key) else { throw facts.missing(link.key) }
            return try update(&hash, try keys.value(row: row, column: 0), depth: depth)
        }
        guard depth < Self.maximumDepth else {
            throw .corrupt("nested more than \(Self.maximumDepth) deep", in: "embedded object")
        }
        try snapshot.chargeEmbeddedObject()
        Self.update(&hash, .object, facts.nameHash)
        guard let row = try facts.table.row(link.key) else { throw facts.missing(link.key) }
        for (position, column) in facts.columns.enumerated() {
            hash.update(facts.columnNames[position])
            try update(&hash, try row.value(column), depth: depth + 1)
        }
    }

    private func collection(
        _ hash: inout ContentHash, _ value: Value, depth: Int
    ) throws(RealmError) {
        guard depth < Self.maximumDepth else {
            throw .corrupt("nested more than \(Self.maximumDepth) deep", in: "collection")
        }
        var sum: UInt64 = 0
        var count: UInt64 = 0
        switch value {
        case .list(let view):
            hash.update(Tag.list.rawValue)
            var elements = snapshot.elements(of: view, walking: true)
            while let element = try elements.next() {
                try update(&hash, element, depth: depth + 1)
                count &+= 1
            }
        case .set(let view):
            hash.update(Tag.set.rawValue)
            var elements = snapshot.elements(of: view, walking: true)
            var hasNull = false
            while let element = try elements.next() {
                if case .null = element {
                    if hasNull { continue }
                    hasNull = true
                }
                var own = ContentHash()
                try update(&own, element, depth: depth + 1)
                sum &+= own.value
                count &+= 1
            }
        case .dictionary(let view):
            hash.update(Tag.dictionary.rawValue)
            var entries = try snapshot.entries(of: view, walking: true)
            while let (key, value) = try entries.next() {
                var own = ContentHash()
                try update(&own, key, depth: depth + 1)
                try update(&own, value, depth: depth + 1)
                sum &+= own.value
                count &+= 1
            }
        default: return
        }
        hash.update(sum)
        hash.update(count)
    }

    private func table(_ key: TableKey) throws(RealmError) -> DigestTable {
        if let known = tables[key] { return known }
        let fresh = DigestTable(try snapshot.table(key))
        tables[key] = fresh
        return fresh
    }
}

/// A table, with hashes of its names and the order of its columns, cached for all of its objects.
private final class DigestTable {
    let table: Table
    let nameHash: UInt64
    /// Indexes of the columns in the order of their names. `columnNames` contains the hashes of the
    /// names in the same order.
    let columns: [Int]
    let columnNames: [UInt64]
    /// Scan that reads primary keys; nil for a table without a primary key.
    let keys: TableScan?

    init(_ table: Table) {
        self.table = table
        let info = table.info
        nameHash = Self.hash(info.className)
        columns = Array(info.columns.indices).ordered {
            info.columns[$0].name.utf8.lexicographicallyPrecedes(info.columns[$1].name.utf8)
        }
        columnNames = columns.map { Self.hash(info.columns[$0].name) }
        keys = info.primaryKey.map { table.scan(columns: [$0]) }
    }

    private static func hash(_ name: String) -> UInt64 {
        var hash = ContentHash()
        Array(name.utf8).withUnsafeBytes { hash.update($0) }
        return hash.value
    }

    func missing(_ key: ObjectKey) -> RealmError {
        .corrupt(
            "it leads to object \(key.raw) of \(table.info.className), which does not exist",
            in: "link")
    }
}
