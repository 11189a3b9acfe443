/// The 24 bytes at the start of the file, as they were at one moment (storage format 1.1).
struct RawHeader: Equatable {
    static let size = 24
    /// Smallest possible offset of a node.
    static let end = UInt64(size)
    /// Offset in the header of the ref of a header slot's root.
    static func topOffset(_ slot: Int) -> Int { 8 * slot }
    /// Offset in the header of the format number of a header slot.
    static func formatOffset(_ slot: Int) -> Int { 20 + slot }
    /// Offset in the header of the byte whose lowest bit selects a header slot.
    static let flagsOffset = 23

    let top0: UInt64
    let top1: UInt64
    let info: UInt64
    /// Digest of the selected root; 0 if the root was not read. Two versions of the file may have
    /// equal header bytes, because a later commit may store its root at the same offset again.
    /// Their digests differ, because each root contains its version number.
    private(set) var root: UInt64 = 0

    /// Reads the header, and computes the digest of the selected root. `size` is the number of
    /// readable bytes of the file.
    init(_ base: UnsafeRawPointer, size: Int) {
        self.init(base)
        let top = top(selected)
        guard top & 7 == 0, top >= Self.end, top < UInt64(size) else { return }
        for at in stride(from: Int(top), to: min(size - 7, Int(top) + Self.rootBytes), by: 8) {
            let word = base.load(fromByteOffset: at, as: UInt64.self)
            root = (root ^ word) &* 0x9E37_79B9_7F4A_7C15
            root ^= root >> 29
        }
    }

    /// Maximum size of a root in bytes: a node header and twelve slots.
    private static let rootBytes = 104

    init(_ p: UnsafeRawPointer) {
        top0 = p.load(as: UInt64.self)
        top1 = p.load(fromByteOffset: 8, as: UInt64.self)
        info = p.load(fromByteOffset: 16, as: UInt64.self)
    }

    var hasMagic: Bool { UInt32(truncatingIfNeeded: info) == 0x4244_2D54 }
    var selected: Int { Int((info >> 56) & 1) }

    func top(_ slot: Int) -> UInt64 { slot == 0 ? top0 : top1 }
    func format(_ slot: Int) -> Int {
        Int(UInt8(truncatingIfNeeded: info >> (32 + 8 * UInt64(slot))))
    }
}

/// A validated header: the root to read and how the file was written.
package struct FileHeader: Sendable {
    /// Index of the header slot in use: the selected one, unless the caller chose another.
    let slot: Int
    /// Format number that belongs to header slot `slot`; 0 in an empty new file, whose format is
    /// not decided.
    package let format: Int
    /// Whether the file was written from start to end without seeking, with the root in a footer
    /// (storage format 1.3).
    let isStreaming: Bool
    /// Ref of the root; none in an empty database.
    let top: Ref
    /// Size of the file in bytes when the header was validated.
    let fileSize: Int

    /// Size of the footer of a streamed file: the ref of the root and a mark.
    static let footerSize = 16
    static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8
    static let streamingMark = UInt64.max

    /// Validates the header of the file whose first `size` bytes are mapped at `base` (storage
    /// format 1.6, checks 4-9).
    init(base: UnsafeRawPointer, size: Int) throws(RealmError) {
        try self.init(base: base, size: size, slot: nil)
    }

    /// Validates the header, for the header slot `wanted` (`--at previous`) or, if nil, the
    /// selected one.
    init(base: UnsafeRawPointer, size: Int, slot wanted: Int?) throws(RealmError) {
        guard size >= RawHeader.size else { throw Self.notRealm("the file has only \(size) bytes") }
        try self.init(RawHeader(base), base: base, size: size, slot: wanted)
    }

    /// Validates `raw`, a header that was read before `size` was determined, so that everything
    /// that the header references is within `size`.
    init(
        _ raw: RawHeader, base: UnsafeRawPointer, size: Int, slot wanted: Int? = nil
    ) throws(RealmError) {
        guard raw.hasMagic else { throw Self.notRealm("the signature at offset 16 is missing") }
        guard size & 7 == 0 else {
            throw .corrupt("its size of \(size) bytes is not a multiple of 8", in: "file")
        }
        slot = wanted ?? raw.selected
        format = raw.format(slot)
        fileSize = size
        isStreaming = slot == 0 && raw.top0 == Self.streamingMark
        if isStreaming {
            guard size >= RawHeader.size + 16 else {
                throw .corrupt("a streaming file without its footer (truncated)", in: "file")
            }
            let cookie = base.load(fromByteOffset: size - 8, as: UInt64.self)
            guard cookie == Self.footerCookie else {
                throw .corrupt("the footer of a streaming file is missing (truncated)", in: "file")
            }
            top = Ref(base.load(fromByteOffset: size - 16, as: UInt64.self))
        } else {
            top = Ref(raw.top(slot))
        }
        guard top.raw & 7 == 0 else { throw .corrupt("the root is not aligned", at: top) }
        guard top.raw < UInt64(size) else {
            throw .corrupt("the root lies outside the file of \(size) bytes (truncated)", at: top)
        }
    }

    private static func notRealm(_ why: String) -> RealmError {
        RealmError(
            .input, code: "InvalidDatabase", reason: "not-a-realm",
            "not a Realm file, or encrypted: \(why)",
            hint: "an encrypted file needs its key")
    }
}
