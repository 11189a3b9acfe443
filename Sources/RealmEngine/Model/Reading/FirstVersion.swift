/// The first version of a database: a root without tables, directly after the header.
///
/// ```
///      24  names   32  tables   40  free positions, lengths and versions   64  root
/// ```
///
/// So the header of a file that this engine creates always selects a root, even if the first commit
/// is interrupted.
enum FirstVersion {
    /// Offset of the first node of a new file. The file begins with five empty nodes of 8 bytes;
    /// the root follows them.
    private static let nodes = RawHeader.end
    private static let root = nodes + 5 * 8
    private static let end = root + 8 + 16

    /// Returns the header and the nodes of a new file, to be written with one call.
    ///
    /// - Parameters:
    ///   - slot: header slot that refers to the root; the header selects this slot.
    ///   - top0: ref for header slot 0 if `slot` is 1.
    static func bytes(slot: Int, top0: UInt64 = 0) -> [UInt8] {
        var words: [UInt64] = slot == 0 ? [root, 0] : [top0, root]
        let formats: UInt64 = slot == 0 ? 0x18 : 0x1818
        words.append(0x4244_2D54 | formats << 32 | UInt64(slot) << 56)
        // The names are strings (width type 1), the tables refs, the free lists integers.
        words += [0x08, 0x40, 0, 0, 0].map { node(flags: $0) }
        var content = TopArray.Content(names: Ref(nodes), tables: Ref(nodes + 8), version: 1)
        content.freePositions = Ref(nodes + 16)
        content.freeLengths = Ref(nodes + 24)
        content.freeVersions = Ref(nodes + 32)
        let slots = content.slots(logicalSize: end)
        words.append(node(flags: 0x45, count: UInt64(slots.count)))
        var payload = [UInt64](repeating: 0, count: 2)
        for (i, slot) in slots.enumerated() { payload[i / 4] |= slot << UInt64(16 * (i % 4)) }
        return (words + payload).flatMap { word in withUnsafeBytes(of: word) { [UInt8]($0) } }
    }

    /// Whether `bytes`, a whole file, are the beginning of a new file. This means that a process
    /// ended while it was creating the file.
    static func isPartial(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count < end else { return false }
        return bytes.elementsEqual(Self.bytes(slot: 0).prefix(bytes.count))
    }

    private static func node(flags: UInt64, count: UInt64 = 0) -> UInt64 {
        0x4141_4141 | flags << 32 | count << 56
    }
}
