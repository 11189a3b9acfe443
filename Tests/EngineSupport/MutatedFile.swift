@testable import RealmEngine

/// A valid file to be damaged.
struct HostileSeed: Sendable {
    let name: String
    let bytes: [UInt8]
    let map: NodeMap

    init(name: String, bytes: [UInt8]) throws {
        self.name = name
        self.bytes = bytes
        map = try NodeMap(bytes)
    }

    /// Returns the same database without the free space after its last node, so that reading past
    /// the end of that node is reading past the end of the file. Nil for a file that already ends
    /// with its last node, or whose root node cannot store the new file size.
    func tightened() throws -> HostileSeed? {
        let ends = map.places.map { place in
            place.offset + 8
                + (NodeView.payloadSize(flags: place.flags, count: place.count) + 7) & ~7
        }
        guard let end = ends.max(), let top = map.places.first, end + 16 < bytes.count else {
            return nil
        }
        let width = (1 << Int(top.flags & 7)) >> 1 / 8
        let size = UInt64(end) << 1 | 1
        guard width >= 1, size >> UInt64(8 * width - 1) == 0 else { return nil }
        var cut = Array(bytes[..<end])
        for i in 0..<width {
            cut[top.offset + 8 + 2 * width + i] = UInt8(truncatingIfNeeded: size >> UInt64(8 * i))
        }
        return try HostileSeed(name: "tight " + name, bytes: cut)
    }
}

/// A copy of a valid file with one to four faults, which are determined by the random generator.
struct MutatedFile {
    private(set) var bytes: [UInt8]
    /// A description of each fault, for messages.
    private(set) var story: [String] = []
    private let map: NodeMap
    private var random: SeededRandom

    init(_ seed: HostileSeed, random: SeededRandom) {
        bytes = seed.bytes
        map = seed.map
        self.random = random
        let faults = [1, 1, 1, 2, 2, 3, 4].randomElement(using: &self.random)!
        for _ in 0..<faults where bytes.count >= 64 { addFault() }
    }

    private mutating func addFault() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: flipBytes()
        case 12..<22: flipBit()
        case 22..<30: overwriteWord()
        case 30..<33: truncate()
        case 33..<38: editHeader()
        case 38..<41: editTop()
        case 41..<58: redirect()
        case 58..<70: resize()
        case 70..<82: reshape()
        case 82..<92: recount()
        default: overwriteElement()
        }
    }

    private mutating func below(_ limit: Int) -> Int {
        limit > 1 ? Int.random(in: 0..<limit, using: &random) : 0
    }

    private mutating func place() -> NodeMap.NodeEntry { map.places[below(map.places.count)] }

    // MARK: - Faults independent of the format

    private mutating func flipBytes() {
        for _ in 0...below(8) {
            let at = below(bytes.count)
            bytes[at] = UInt8.random(in: 0...255, using: &random)
            story.append("byte \(at) = \(bytes[at])")
        }
    }

    private mutating func flipBit() {
        let at = below(bytes.count)
        bytes[at] ^= 1 << UInt8(below(8))
        story.append("byte \(at) = \(bytes[at])")
    }

    private static let interesting: [UInt64] = [
        0, 1, 2, 3, 7, 8, 16, 23, 24, 32, 0x7F, 0x80, 0xFF, 0x100, 0x1FF, 0x201, 0x7FFF, 0x8000,
        0xFFFF, 0x1_0000, 0xFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 32, 1 << 47,
        (1 << 48) - 1, 1 << 48, 1 << 56, 0x7FFF_FFFF_FFFF_FFF8, 0x7FFF_FFFF_FFFF_FFFF, 1 << 63,
        .max - 7, .max - 1, .max,
    ]

    private mutating func interestingWord() -> UInt64 {
        switch below(4) {
        case 0: UInt64(below(bytes.count))
        case 1: UInt64(bytes.count) &+ UInt64(below(64)) &- 32
        default: Self.interesting.randomElement(using: &random)!
        }
    }

    private mutating func overwriteWord() {
        let at = below(bytes.count / 8) * 8
        store(interestingWord(), at: at, bytes: 8)
    }

    private mutating func truncate() {
        let page = 4096
        switch below(3) {
        case 0: cut(to: below(bytes.count))
        case 1: cut(to: below(bytes.count / 8) * 8)
        default: cut(to: below(bytes.count / page) * page)
        }
    }

    private mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
        story.append("cut to \(count)")
    }

    // MARK: - Faults aimed at the format

    private mutating func editHeader() {
        switch below(4) {
        case 0: store(UInt64(place().offset), at: below(2) * 8, bytes: 8)
        case 1: store(UInt64(below(256)), at: 16 + below(8), bytes: 1)
        case 2: store(UInt64(below(8)) + 18, at: 20 + below(2), bytes: 1)
        default: store(interestingWord(), at: below(3) * 8, bytes: 8)
        }
    }

    /// Overwrites a part of the root: free lists, size or version.
    private mutating func editTop() {
        guard map.top > 0, map.top + 64 <= bytes.count else { return }
        store(UInt64(below(1 << 16)), at: map.top + 8 + below(24) * 2, bytes: 2)
    }

    /// Changes a random ref to reference another node: any node, a sibling, the node that contains
    /// the ref, or an ancestor.
    private mutating func redirect() {
        guard !map.refs.isEmpty else { return }
        let slot = map.refs[below(map.refs.count)]
        let above = map.ancestors(of: slot.place)
        let target: NodeMap.NodeEntry
        switch below(3) {
        case 0: target = map.places[above[below(above.count)]]
        case 1:
            let sibling = map.refs[below(map.refs.count)]
            setSlot(slot, to: sibling.value)
            return
        default: target = place()
        }
        setSlot(slot, to: UInt64(target.offset) &+ (below(8) == 0 ? UInt64(below(16)) : 0))
    }

    private mutating func resize() {
        let place = place()
        let counts = [
            0, 1, 2, place.count + 1, place.count + below(16), place.count * 2,
            max(0, place.count - 1),
            255, 256, 257, 1000, 1001, 0xFFFF, 0x10_0000, 0xFF_FFFF, below(0xFF_FFFF),
        ]
        let count = counts.randomElement(using: &random)!
        for (i, shift) in [16, 8, 0].enumerated() {
            store(UInt64((count >> shift) & 0xFF), at: place.offset + 5 + i, bytes: 1)
        }
    }

    /// Changes flags, width type or width in the header of a random node.
    private mutating func reshape() {
        let place = place()
        let flags: UInt8
        switch below(4) {
        case 0: flags = place.flags ^ (1 << UInt8(below(8)))
        case 1: flags = place.flags & ~7 | UInt8(below(8))
        case 2: flags = place.flags & ~0x18 | UInt8(below(4)) << 3
        default: flags = UInt8(below(256))
        }
        store(UInt64(flags), at: place.offset + 4, bytes: 1)
    }

    /// Changes a random tagged integer in a node: an object count, a depth, a key or a backlink.
    private mutating func recount() {
        guard !map.tagged.isEmpty else { return }
        let slot = map.tagged[below(map.tagged.count)]
        let old = slot.value >> 1
        let value =
            [old &+ 1, old &- 1, old << 1, 0, 1, UInt64(below(300)), UInt64(below(1 << 15))]
            .randomElement(using: &random)!
        setSlot(slot, to: below(12) == 0 ? value << 1 : value << 1 | 1)
    }

    /// Overwrites random bytes in the payload of a node: offsets, keys, column types or values.
    private mutating func overwriteElement() {
        let place = place()
        let size = NodeView.payloadSize(flags: place.flags, count: place.count)
        guard size > 0 else { return }
        for _ in 0...below(3) {
            let near = UInt64(below(32))
            store(
                below(2) == 0 ? near : UInt64(below(256)), at: place.offset + 8 + below(size),
                bytes: 1)
        }
    }

    /// Writes `value` into a slot, with the element width of the slot's node; higher bits of the
    /// value are lost.
    private mutating func setSlot(_ slot: NodeMap.Slot, to value: UInt64) {
        let place = map.places[slot.place]
        let width = (1 << Int(place.flags & 7)) >> 1
        guard width >= 8 else { return }
        store(value, at: place.offset + 8 + slot.index * width / 8, bytes: width / 8)
    }

    private mutating func store(_ value: UInt64, at offset: Int, bytes count: Int) {
        guard offset >= 0, offset + count <= bytes.count else { return }
        for i in 0..<count { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
        story.append("\(count) bytes at \(offset) = \(value)")
    }
}
