@testable import RealmEngine

/// Builds a database node by node, valid or not, for shapes that no writer produces.
struct CraftedFile {
    private var bytes = [UInt8](repeating: 0, count: RawHeader.size)
    private var names: [String] = []
    private var roots: [UInt64] = []
    private var firstSpec: UInt64 = 0

    /// Flags in the header of a node.
    static let refs: UInt8 = 0x40
    static let inner: UInt8 = 0xC0
    static let context: UInt8 = 0x20
    static let byteCells: UInt8 = 0x08
    static let blob: UInt8 = 0x10

    /// Offset at which the next node is appended.
    var next: UInt64 { UInt64(bytes.count) }

    mutating func node(_ flags: UInt8, count: Int, _ payload: [UInt8]) -> UInt64 {
        let ref = next
        bytes += [0x41, 0x41, 0x41, 0x41, flags]
        bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        bytes += payload
        while bytes.count & 7 != 0 { bytes.append(0) }
        return ref
    }

    /// Adds a node of 64-bit numbers.
    mutating func words(_ flags: UInt8, _ words: [UInt64]) -> UInt64 {
        node(
            flags | 7, count: words.count,
            words.flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
            })
    }

    mutating func integers(_ values: [Int64]) -> UInt64 {
        words(0, values.map { UInt64(bitPattern: $0) })
    }

    /// Returns `value` as a tagged integer, an element that is not a ref: shifted left, with the
    /// low bit set.
    static func tag(_ value: UInt64) -> UInt64 { value << 1 | 1 }

    /// Adds a leaf of short strings, such as names, of up to 63 bytes.
    mutating func strings(_ values: [String]) -> UInt64 {
        let cells = values.flatMap { value in
            let text = Array(value.utf8)
            return text + [UInt8](repeating: 0, count: 63 - text.count) + [UInt8(63 - text.count)]
        }
        return node(Self.byteCells | 7, count: values.count, cells)
    }

    mutating func blob(_ bytes: [UInt8]) -> UInt64 { node(Self.blob, count: bytes.count, bytes) }

    struct Column {
        var name: String
        var type: ColumnType
        var attributes: ColumnAttributes = []
        /// Index of the column in leaves; nil for its index in the list of columns.
        var leafIndex: Int?
        /// Ref of the list of distinct values of an enumerated column; 0 for other columns.
        var distinct: UInt64 = 0
        var index: UInt64 = 0
    }

    /// Adds a table whose cluster tree is at `root`.
    mutating func table(
        _ name: String, _ columns: [Column], root: UInt64, primaryKey: Int? = nil
    ) {
        let keys = columns.enumerated().map { i, column in
            ColumnKey(
                leafIndex: column.leafIndex ?? i, type: column.type,
                attributes: column.attributes, tag: 0)
        }
        let distinct =
            columns.contains { $0.distinct != 0 } ? words(Self.refs, columns.map(\.distinct)) : 0
        let spec = words(
            Self.refs,
            [
                integers(columns.map { Int64($0.type.rawValue) | 0x2_0000 }),
                strings(columns.map(\.name)),
                integers(columns.map { Int64($0.attributes.rawValue) }), 0, distinct,
                integers(keys.map(\.raw)),
            ])
        if roots.isEmpty { firstSpec = spec }
        let none = [Int64](repeating: 0x7FFF_FFFF, count: columns.count)
        let indexes = words(Self.refs, columns.map(\.index))
        roots.append(
            words(
                Self.refs,
                [
                    spec, 0, root, Self.tag(UInt64(roots.count)), indexes, 1, 1, integers(none),
                    integers(none.map { _ in .max }), 0, 0,
                    primaryKey.map { Self.tag(UInt64(keys[$0].raw)) } ?? 0, 1, 0,
                ]))
        names.append(name)
    }

    /// Adds a table that shares the spec node (the column descriptions) of the first table.
    mutating func tableSharingFirstSpec(_ name: String, root: UInt64) {
        let key = Self.tag(UInt64(roots.count))
        roots.append(words(Self.refs, [firstSpec, 0, root, key, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0]))
        names.append(name)
    }

    /// Adds a cluster leaf of `count` objects in compact form: the keys are 0, 1, 2 and so on, and
    /// only their number is stored.
    mutating func cluster(count: Int, _ columns: [UInt64]) -> UInt64 {
        words(Self.refs, [Self.tag(UInt64(count))] + columns)
    }

    /// Returns the bytes of the file. Its root is the last node.
    func finished() -> [UInt8] {
        var file = self
        let namesRef = file.strings(names)
        let tables = file.words(Self.refs, roots)
        let root = file.next
        _ = file.words(Self.refs, [namesRef, tables, Self.tag(root + 32)])
        return file.withHeader(root)
    }

    /// Returns the file followed by one more node, so that reading past that node is reading past
    /// the end of the file. `build` is called with the node's offset.
    static func ending(
        _ flags: UInt8, count: Int, _ payload: [UInt8],
        _ build: (inout CraftedFile, UInt64) -> Void
    ) -> [UInt8] {
        var draft = CraftedFile()
        build(&draft, 8)
        let length = draft.finished().count
        var file = CraftedFile()
        build(&file, UInt64(length))
        let bytes = file.finished()
        var last = CraftedFile()
        _ = last.node(flags, count: count, payload)
        let node = last.bytes[RawHeader.size...]
        // The root is the last node so far, and its last element is the file size as a tagged
        // integer. Replaces that size by one that includes the added node.
        let size = UInt64(length + node.count) << 1 | 1
        let sizeBytes = (0..<8).map { UInt8(truncatingIfNeeded: size >> UInt64(8 * $0)) }
        return bytes[..<(length - 8)] + sizeBytes + node
    }

    private func withHeader(_ root: UInt64) -> [UInt8] {
        var out = bytes
        for i in 0..<8 { out[i] = UInt8(truncatingIfNeeded: root >> UInt64(8 * i)) }
        out.replaceSubrange(16..<24, with: [0x54, 0x2D, 0x44, 0x42, 24, 0, 0, 0])
        return out
    }
}
