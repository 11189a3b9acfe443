/// Set of byte ranges of a file, with one bit per unit of eight bytes. The bits are stored in
/// blocks of 64 KiB. A block is allocated when one of its bits is first set; alternatively, all
/// blocks are in a temporary file.
final class ExtentMap {
    private var blocks: [UnsafeMutablePointer<UInt64>?] = []
    private let file: FilePages?
    /// All blocks in the mapped pages of a temporary file; nil if blocks are in memory.
    private let pages: UnsafeMutablePointer<UInt64>?
    private let pageBlocks: Int

    private static let wordsPerBlock = 1 << 13
    private static let unitsPerBlock = UInt64(wordsPerBlock * 64)

    init() { (file, pages, pageBlocks) = (nil, nil, 0) }

    /// Makes a map for a file of `bytes` bytes. Stores the bits in an unlinked file in `directory`,
    /// which takes a 64th of `bytes`; or in memory if that file cannot be created.
    init(of bytes: UInt64, in directory: String) {
        let count = Int((bytes >> 3) / Self.unitsPerBlock) + 1
        file = FilePages(count * Self.wordsPerBlock * 8, in: directory)
        pages = file?.start.assumingMemoryBound(to: UInt64.self)
        pageBlocks = pages == nil ? 0 : count
    }

    deinit {
        for block in blocks { block?.deallocate() }
    }

    private func block(_ index: Int) -> UnsafeMutablePointer<UInt64> {
        if let pages, index < pageBlocks { return pages + index * Self.wordsPerBlock }
        while blocks.count <= index { blocks.append(nil) }
        if let block = blocks[index] { return block }
        let block = UnsafeMutablePointer<UInt64>.allocate(capacity: Self.wordsPerBlock)
        block.initialize(repeating: 0, count: Self.wordsPerBlock)
        blocks[index] = block
        return block
    }

    /// Marks the bytes from offset `start` to before `end`; both must be multiples of 8. Returns
    /// false if any of the bytes was already marked.
    func mark(_ start: UInt64, _ end: UInt64) -> Bool {
        var wasFree = true
        var unit = start >> 3
        let last = end >> 3
        while unit < last {
            let words = block(Int(unit / Self.unitsPerBlock))
            let word = Int(unit % Self.unitsPerBlock) >> 6
            let bit = unit & 63
            let count = min(64 - bit, last - unit)
            let mask = (count == 64 ? UInt64.max : (1 << count) - 1) << bit
            if words[word] & mask != 0 { wasFree = false }
            words[word] |= mask
            unit += count
        }
        return wasFree
    }

    /// Returns the 64 bits among which the bit of `unit` is; 0 if their block does not exist. A
    /// unit is the byte offset divided by 8.
    private func word(of unit: UInt64) -> UInt64 {
        guard let words = existing(Int(unit / Self.unitsPerBlock)) else { return 0 }
        return words[Int(unit % Self.unitsPerBlock) >> 6]
    }

    private func existing(_ index: Int) -> UnsafeMutablePointer<UInt64>? {
        if let pages, index < pageBlocks { return pages + index * Self.wordsPerBlock }
        return index < blocks.count ? blocks[index] : nil
    }

    func isMarked(_ position: UInt64) -> Bool {
        let unit = position >> 3
        return word(of: unit) >> (unit & 63) & 1 != 0
    }

    /// Returns the first byte offset in `start..<end` that `mark` has marked; or, if `marked` is
    /// false, the first that it has not marked. Nil if there is none.
    func first(marked: Bool, from start: UInt64, before end: UInt64) -> UInt64? {
        var unit = start >> 3
        let last = end >> 3
        while unit < last {
            let index = Int(unit / Self.unitsPerBlock)
            if existing(index) == nil {
                if !marked { return unit << 3 }
                unit = (unit / Self.unitsPerBlock + 1) * Self.unitsPerBlock
                continue
            }
            let bits = (marked ? word(of: unit) : ~word(of: unit)) >> (unit & 63)
            if bits != 0 {
                unit += UInt64(bits.trailingZeroBitCount)
                return unit < last ? unit << 3 : nil
            }
            unit = (unit | 63) + 1
        }
        return nil
    }
}
