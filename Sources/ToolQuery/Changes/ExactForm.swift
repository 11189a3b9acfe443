import RealmEngine
import ToolKit

/// Converts values to bytes for comparing values of two files. The bytes of two values are equal if
/// and only if the values are equal.
///
/// The bytes include the type and all bits of a value. The elements of sets and dictionaries are in
/// a canonical order. A link is represented by the class and the key of its target, an embedded
/// object by its content in the order of property names. All NaNs are equal. Confined to the thread
/// of its snapshot.
final class ExactForm {
    private let snapshot: Snapshot
    private let targets: LinkTargets
    /// Classes that were removed and created again. In these classes, equal keys refer to different
    /// objects.
    private let replaced: Set<String>
    /// For each table, its columns in the order of their names.
    private var columns: [TableKey: [Int]] = [:]
    /// Number of embedded objects that the current value may still contain. A value with more
    /// objects is reported as damaged.
    private var budget = 0

    init(_ snapshot: Snapshot, replaced: Set<String>) {
        self.snapshot = snapshot
        self.replaced = replaced
        targets = LinkTargets(snapshot)
    }

    private enum Tag: UInt8 {
        case null, int, bool, float, double, notANumber, string, binary, timestamp, decimal
        case objectID, uuid, link, otherLink, object, list, set, dictionary
    }

    /// Moves a scan of all columns to the leaf of an object. Calls `body` with the scan and the row
    /// of the object in the leaf.
    func read(
        _ key: ObjectKey, of table: TableInfo,
        _ body: (TableScan, Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        let target = try targets[table.key]
        let scan = target.borrowScan()
        defer { target.releaseScan() }
        guard let row = try scan.seek(key) else { throw target.missing(key) }
        try body(scan, row)
    }

    /// Compares two values of the same type directly. Returns nil for other types: the caller must
    /// compare their bytes in exact form.
    static func areEqual(_ a: Value, _ b: Value) -> Bool? {
        switch (a, b) {
        case (.null, .null): true
        case (.int(let x), .int(let y)): x == y
        case (.bool(let x), .bool(let y)): x == y
        case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)): x == y
        default: nil
        }
    }

    func append(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        budget = snapshot.nestedObjectLimit
        try append(value, depth: 0, to: &out)
    }

    private func append(
        _ value: Value, depth: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        switch value {
        case .null: add(.null, to: &out)
        case .int(let number): add(.int, UInt64(bitPattern: number), to: &out)
        case .bool(let flag): add(.bool, flag ? 1 : 0, to: &out)
        case .float(let number):
            if number.isNaN { return add(.notANumber, 4, to: &out) }
            add(.float, UInt64(number.bitPattern), to: &out)
        case .double(let number):
            if number.isNaN { return add(.notANumber, 8, to: &out) }
            add(.double, number.bitPattern, to: &out)
        case .string(let text): add(.string, text, to: &out)
        case .binary(let bytes): add(.binary, bytes, to: &out)
        case .timestamp(let time):
            add(.timestamp, UInt64(bitPattern: time.seconds), to: &out)
            out.append(word: UInt64(bitPattern: Int64(time.nanoseconds)))
        case .decimal(let number):
            add(.decimal, number.high, to: &out)
            out.append(word: number.low)
        case .objectID(let id):
            add(.objectID, id.high, to: &out)
            out.append(word: UInt64(id.low))
        case .uuid(let id):
            add(.uuid, id.high, to: &out)
            out.append(word: id.low)
        case .link(let link): try append(link, depth: depth, to: &out)
        case .list, .set, .dictionary: try appendCollection(value, depth: depth, to: &out)
        }
    }

    private func add(_ tag: Tag, to out: inout ByteBuffer) { out.append(tag.rawValue) }

    private func add(_ tag: Tag, _ word: UInt64, to out: inout ByteBuffer) {
        out.append(tag.rawValue)
        out.append(word: word)
    }

    private func add(_ tag: Tag, _ bytes: ByteView, to out: inout ByteBuffer) {
        add(tag, UInt64(bytes.count), to: &out)
        out.append(bytes)
    }

    private func add(_ tag: Tag, _ name: String, to out: inout ByteBuffer) {
        add(tag, UInt64(name.utf8.count), to: &out)
        out.append(name)
    }
}

// MARK: - Links and collections

extension ExactForm {
    private func append(
        _ link: ObjectLink, depth: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        let target = try targets[link.table]
        let name = target.table.info.className
        if target.isEmbedded { return try appendObject(link.key, target, depth: depth, to: &out) }
        add(replaced.contains(name) ? .otherLink : .link, name, to: &out)
        if let key = try target.primaryKey(link.key) {
            try append(key, depth: depth, to: &out)
        } else {
            out.append(word: UInt64(bitPattern: link.key.raw))
        }
    }

    private func appendObject(
        _ key: ObjectKey, _ target: LinkTarget, depth: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        try checkDepth(depth)
        budget -= 1
        guard budget >= 0 else {
            throw .corrupt("one object holds more than the file can", in: "embedded object")
        }
        add(.object, target.table.info.className, to: &out)
        let scan = target.borrowScan()
        defer { target.releaseScan() }
        guard let row = try scan.seek(key) else { throw target.missing(key) }
        for column in sortedColumns(target.table.info) {
            add(.string, target.table.info.columns[column].name, to: &out)
            try append(try scan.value(row: row, column: column), depth: depth + 1, to: &out)
        }
    }

    private func sortedColumns(_ table: TableInfo) -> [Int] {
        if let known = columns[table.key] { return known }
        let sorted = Array(table.columns.indices).ordered {
            table.columns[$0].name.utf8.lexicographicallyPrecedes(table.columns[$1].name.utf8)
        }
        columns[table.key] = sorted
        return sorted
    }

    private func appendCollection(
        _ value: Value, depth: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        try checkDepth(depth)
        switch value {
        case .list(let view):
            add(.list, to: &out)
            var elements = snapshot.elements(of: view, walking: false)
            while let element = try elements.next() {
                try append(element, depth: depth + 1, to: &out)
            }
        case .set(let view):
            var pieces: [[UInt8]] = []
            var elements = snapshot.elements(of: view, walking: false)
            while let element = try elements.next() {
                pieces.append(try piece(element, depth: depth))
            }
            // A link to a deleted object counts as null. If elements of a set become equal in this
            // way, they count once.
            append(.set, Self.sorted(pieces, isSet: true), to: &out)
        case .dictionary(let view):
            var pieces: [[UInt8]] = []
            var entries = try snapshot.entries(of: view, walking: false)
            while let (key, element) = try entries.next() {
                pieces.append(
                    try piece(key, depth: depth) + (try piece(element, depth: depth)))
            }
            append(.dictionary, Self.sorted(pieces, isSet: false), to: &out)
        default: return
        }
        // Ends the value. No element begins with this byte.
        out.append(0xFF)
    }

    private func piece(_ value: Value, depth: Int) throws(RealmError) -> [UInt8] {
        var piece = ByteBuffer(capacity: 64)
        try append(value, depth: depth + 1, to: &piece)
        return [UInt8](piece.bytes)
    }

    private static func sorted(_ pieces: [[UInt8]], isSet: Bool) -> [[UInt8]] {
        let sorted = pieces.ordered { $0.lexicographicallyPrecedes($1) }
        guard isSet else { return sorted }
        var unique: [[UInt8]] = []
        for piece in sorted where unique.last != piece { unique.append(piece) }
        return unique
    }

    private func append(_ tag: Tag, _ pieces: [[UInt8]], to out: inout ByteBuffer) {
        add(tag, UInt64(pieces.count), to: &out)
        for piece in pieces { out.append(piece) }
    }

    private func checkDepth(_ depth: Int) throws(RealmError) {
        if depth >= JSONRenderer.maximumDepth { throw JSONRenderer.tooDeep }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(word: UInt64) {
        withUnsafeBytes(of: word) { append($0) }
    }
}
