/// A node whose header was read and whose size was checked: address of the payload, number of
/// elements and flags. See storage format section 2.
///
///      byte   0     1     2     3     4     5     6     7     8 ...
///           +-----+-----+-----+-----+-----+-----+-----+-----+---------
///           | 41    41    41    41  |flags|   size (be24)   | payload
///           +-----+-----+-----+-----+-----+-----+-----+-----+---------
///      flags: 7 inner, 6 has-refs, 5 context, 4-3 width type, 2-0 width code
///
/// Trivial, and valid as long as the mapping. Functions that return elements do not check the
/// index; the caller must compare it with `count`.
struct NodeView {
    let payload: UnsafeRawPointer
    private let size: UInt32
    let flags: UInt8

    @inline(__always)
    init(payload: UnsafeRawPointer, count: Int, flags: UInt8) {
        self.payload = payload
        size = UInt32(truncatingIfNeeded: count)
        self.flags = flags
    }

    /// Makes a view of a node that was opened and checked before.
    @inline(__always)
    init(checked payload: UnsafeRawPointer) {
        let header = payload.load(fromByteOffset: -Self.headerSize, as: UInt64.self)
        self.init(
            payload: payload, count: Int((header >> 40).byteSwapped >> 40),
            flags: UInt8(truncatingIfNeeded: header >> 32))
    }

    @inline(__always) var count: Int { Int(size) }

    /// Whether the header begins with the signature that all writers store.
    @inline(__always) var hasSignature: Bool {
        payload.load(fromByteOffset: -Self.headerSize, as: UInt32.self) == 0x4141_4141
    }

    static let headerSize = 8
    static let innerFlag: UInt8 = 0x80
    static let hasRefsFlag: UInt8 = 0x40
    static let contextFlag: UInt8 = 0x20
    /// Flags of a node whose elements have a size in whole bytes: width type 1, in which the width
    /// is a number of bytes.
    static let bytesFlag: UInt8 = 0x08
    /// Flags of a blob. An empty blob has another width code.
    static let blobFlags: UInt8 = 0x11
    static let emptyBlobFlags: UInt8 = 0x10
    /// Mask of the flags that distinguish kinds of nodes: the inner flag, the has-refs flag and the
    /// width type.
    static let formMask: UInt8 = 0xD8

    @inline(__always) var isInner: Bool { flags & Self.innerFlag != 0 }
    @inline(__always) var hasRefs: Bool { flags & Self.hasRefsFlag != 0 }
    @inline(__always) var context: Bool { flags & Self.contextFlag != 0 }
    /// Meaning of the width: 0 = bits for each element, 1 = bytes for each element, 2 = the size is
    /// a number of bytes.
    @inline(__always) var widthType: UInt8 { (flags >> 3) & 3 }
    /// Code of the width: 0 ... 7 for the widths 0, 1, 2, 4, 8, 16, 32, 64.
    @inline(__always) var widthCode: UInt8 { flags & 7 }
    @inline(__always) var width: Int { (1 << Int(flags & 7)) >> 1 }

    /// Size of the payload in bytes, without padding.
    @inline(__always)
    static func payloadSize(flags: UInt8, count: Int) -> Int {
        let width = (1 << Int(flags & 7)) >> 1
        switch (flags >> 3) & 3 {
        case 0: return (count &* width &+ 7) >> 3
        case 1: return count &* width
        default: return count
        }
    }

    /// Size of the node in bytes, with its header and padding.
    @inline(__always) var byteSize: Int {
        Self.headerSize + (Self.payloadSize(flags: flags, count: count) + 7) & ~7
    }

    /// Element `i` of an array of integers. Elements of less than 8 bits are unsigned; wider
    /// elements are signed.
    @inline(__always)
    func integer(_ i: Int) -> Int64 {
        switch flags & 7 {
        case 0: return 0
        case 1: return Int64((byte(i >> 3) >> UInt8(i & 7)) & 1)
        case 2: return Int64((byte(i >> 2) >> UInt8((i & 3) << 1)) & 3)
        case 3: return Int64((byte(i >> 1) >> UInt8((i & 1) << 2)) & 15)
        case 4: return Int64(payload.load(fromByteOffset: i, as: Int8.self))
        case 5: return Int64(payload.load(fromByteOffset: i &* 2, as: Int16.self))
        case 6: return Int64(payload.load(fromByteOffset: i &* 4, as: Int32.self))
        default: return payload.load(fromByteOffset: i &* 8, as: Int64.self)
        }
    }

    /// Element `i` of an array of unsigned integers, such as the keys of a cluster leaf or the
    /// offsets of a B+tree.
    @inline(__always)
    func unsigned(_ i: Int) -> UInt64 {
        switch flags & 7 {
        case 4: return UInt64(payload.load(fromByteOffset: i, as: UInt8.self))
        case 5: return UInt64(payload.load(fromByteOffset: i &* 2, as: UInt16.self))
        case 6: return UInt64(payload.load(fromByteOffset: i &* 4, as: UInt32.self))
        default: return UInt64(bitPattern: integer(i))
        }
    }

    @inline(__always)
    func byte(_ i: Int) -> UInt8 { payload.load(fromByteOffset: i, as: UInt8.self) }

    /// Slot `i` of a node with refs: 0, a ref, or a tagged integer.
    @inline(__always)
    func slot(_ i: Int) -> NodeSlot { NodeSlot(raw: UInt64(bitPattern: integer(i))) }
}

/// A slot of a node with refs: 0, a ref, or a tagged integer, whose lowest bit is 1 (storage format
/// 2.4).
struct NodeSlot {
    let raw: UInt64

    @inline(__always) var isNone: Bool { raw == 0 }
    @inline(__always) var isTagged: Bool { raw & 1 != 0 }
    /// The integer of a tagged slot. The slot must be tagged.
    @inline(__always) var value: UInt64 { raw >> 1 }
    @inline(__always) var ref: Ref { Ref(raw) }
    /// The ref; nil if the slot is 0 or tagged.
    @inline(__always) var child: Ref? { raw == 0 || raw & 1 != 0 ? nil : Ref(raw) }
}
