/// Offset of a node's header from the start of the file, a multiple of 8. In an encrypted file,
/// offset in the decrypted content. 0 means no node. See storage format section 0.
public struct Ref: Hashable, Sendable, BitwiseCopyable {
    public var raw: UInt64

    @inline(__always) init(_ raw: UInt64) { self.raw = raw }

    static let none = Ref(0)

    @inline(__always) package var isNone: Bool { raw == 0 }
}

/// Identifies a table. The low 16 bits are its slot in the table directory. The bits above are a
/// tag, which changes when the slot is used again (object format 1.1).
public struct TableKey: Hashable, Sendable {
    public var raw: UInt32

    @inline(__always) package init(_ raw: UInt32) { self.raw = raw }

    public static let none = TableKey(0x7FFF_FFFF)

    package var slot: Int { Int(raw & 0xFFFF) }
    var tag: UInt32 { raw >> 16 }
}

/// Identifies an object in its table. Keys of objects are not negative; -1 means no object; smaller
/// keys belong to tombstones (object format 1.12).
public struct ObjectKey: Hashable, Comparable, Sendable {
    public var raw: Int64

    @inlinable @inline(__always) public init(_ raw: Int64) { self.raw = raw }

    @inlinable public static var none: ObjectKey { @inline(__always) get { ObjectKey(-1) } }

    @inline(__always) var isUnresolved: Bool { raw <= -2 }

    @inline(__always) public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.raw < b.raw }
}

/// Identifies a column by its leaf index, type, attributes and tag, in a number of 62 bits (object
/// format 1.4). The key determines type, nullability and kind of collection.
public struct ColumnKey: Hashable, Sendable {
    public var raw: Int64

    @inline(__always) init(_ raw: Int64) { self.raw = raw }

    public static let none = ColumnKey(0x7FFF_FFFF_FFFF_FFFF)

    /// Leaf index: the column is in slot `1 + leafIndex` of every cluster leaf.
    var leafIndex: Int { Int(raw & 0xFFFF) }
    var typeNumber: Int { Int((raw >> 16) & 0x3F) }
    var attributes: ColumnAttributes {
        ColumnAttributes(rawValue: UInt16(truncatingIfNeeded: (raw >> 22) & 0xFF))
    }
    var tag: UInt32 { UInt32(truncatingIfNeeded: raw >> 30) }

    init(leafIndex: Int, type: ColumnType, attributes: ColumnAttributes, tag: UInt32) {
        raw =
            Int64(leafIndex & 0xFFFF) | Int64(type.rawValue) << 16
            | Int64(attributes.rawValue & 0xFF) << 22 | Int64(tag) << 30
    }
}

/// Attribute flags of a column (object format 1.6).
package struct ColumnAttributes: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    static let indexed = ColumnAttributes(rawValue: 0x01)
    static let nullable = ColumnAttributes(rawValue: 0x10)
    static let list = ColumnAttributes(rawValue: 0x20)
    static let dictionary = ColumnAttributes(rawValue: 0x40)
    static let set = ColumnAttributes(rawValue: 0x80)
    static let fullText = ColumnAttributes(rawValue: 0x100)

    static let collection: ColumnAttributes = [.list, .dictionary, .set]
}
