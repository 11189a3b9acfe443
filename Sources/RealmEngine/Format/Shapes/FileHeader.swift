/// The 24 bytes at offset 0, read once (storage format 1.1).
struct RawHeader: Equatable {
    static let size = 24
    /// The lowest offset of a node.
    static let end = UInt64(size)
    /// Offsets of the root and the format of a slot, and of the byte whose lowest bit selects a slot.
    static func topOffset(_ slot: Int) -> Int { 8 * slot }
    static func formatOffset(_ slot: Int) -> Int { 20 + slot }
    static let flagsOffset = 23

    let top0: UInt64
    let top1: UInt64
    let info: UInt64
    /// Digest of the root that the header selects; 0 where it was not read. Two commits may leave the same
    /// header behind when their roots take the places of those before them. Their roots differ by the number of
    /// the version.
    private(set) var root: UInt64 = 0

    /// With the root, of which `size` bytes of the file can be read.
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

    /// A root with its header and twelve slots.
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

/// A header that passed validation: which root a reader follows, and how it is stored.
package struct FileHeader: Sendable {
    /// Which of the two header slots is selected.
    let slot: Int
    /// File format number of that slot; 0 while undecided (an empty new file).
    package let format: Int
    /// Written in one forward pass, root in the footer (storage format 1.3).
    let isStreaming: Bool
    /// Root of the snapshot; none for an empty database.
    let top: Ref
    /// Physical size the header was validated against, in bytes.
    let fileSize: Int

    /// The root and a mark, at the end of a streaming file.
    static let footerSize = 16
    static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8
    static let streamingMark = UInt64.max

    /// Validates the header of `size` mapped bytes at `base` (storage format 1.6, checks 4-9).
    init(base: UnsafeRawPointer, size: Int) throws(RealmError) {
        try self.init(base: base, size: size, slot: nil)
    }

    /// As above for a slot of the caller's choice (`--at previous`); nil means the selected one.
    init(base: UnsafeRawPointer, size: Int, slot wanted: Int?) throws(RealmError) {
        guard size >= RawHeader.size else { throw Self.notRealm("the file has only \(size) bytes") }
        try self.init(RawHeader(base), base: base, size: size, slot: wanted)
    }

    /// As above for a header that was read before: `size` has to be taken after it, since whatever
    /// a header leads to was in the file when the header was written.
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
