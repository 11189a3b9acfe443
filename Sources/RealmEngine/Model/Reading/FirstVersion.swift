/// The version a database begins with: a root without tables, right behind the header.
///
///      24  names   32  tables   40  free positions, lengths and versions   64  root
///
/// With it no header of this engine selects nothing while a first commit's nodes are in the file.
enum FirstVersion {
    private static let root: UInt64 = 64
    private static let end: UInt64 = 88

    /// The beginning of a file whose header has its root in `slot`, to be written with one call.
    static func bytes(slot: Int, top0: UInt64 = 0) -> [UInt8] {
        var words: [UInt64] = slot == 0 ? [root, 0] : [top0, root]
        let formats: UInt64 = slot == 0 ? 0x18 : 0x1818
        words.append(0x4244_2D54 | formats << 32 | UInt64(slot) << 56)
        // Names are of width type 1, tables are refs, free lists are integers.
        words += [0x08, 0x40, 0, 0, 0].map { node(flags: $0) }
        let slots = [24, 32, NodeEncoder.tag(end), 40, 48, 56, NodeEncoder.tag(1)]
        words.append(node(flags: 0x45, count: UInt64(slots.count)))
        var payload = [UInt64](repeating: 0, count: 2)
        for (i, slot) in slots.enumerated() { payload[i / 4] |= slot << UInt64(16 * (i % 4)) }
        return (words + payload).flatMap { word in withUnsafeBytes(of: word) { [UInt8]($0) } }
    }

    private static func node(flags: UInt64, count: UInt64 = 0) -> UInt64 {
        0x4141_4141 | flags << 32 | count << 56
    }
}
