/// Numbers of texts of a leaf's byte area that were met lately, by their first bytes: a text is not hashed
/// again as long as its bytes are cached. Used by one thread.
final class AreaNumbers {
    /// Maximum size of a cached text, in bytes.
    static let longest = 24
    static let unknown = CellNumbers.unknown

    private struct Entry {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var count: Int32 = -1
        var number: UInt32 = 0
    }

    private static let capacity = 512
    private static let shift: UInt64 = 55
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: AreaNumbers.capacity)
    private let scratch = LeafScratch()

    init() { entries.initialize(repeating: Entry(), count: Self.capacity) }

    deinit { entries.deallocate() }

    /// Stores the numbers of cached texts in `numbers`, and `unknown` for others and for nulls. Returns
    /// whether there were any; nil on damage.
    func find(
        _ texts: BytesLeaf, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Bool? {
        let area = TextArea(texts.area, texts.node, terminator: texts.terminator, scratch)
        guard let ends = area.ends() else { return nil }
        let nulls = texts.nullRows
        let entries = entries
        var highest: UInt32 = 0
        rows.each { row in
            let start = Int(ends[row &- 1])
            let count = Int(ends[row]) &- start &- texts.terminator
            var number = Self.unknown
            if count <= Self.longest, start &+ Self.longest <= area.size {
                let words = Self.words(area.base + start, count)
                let entry = entries + Self.place(words, count)
                let difference =
                    entry.pointee.words.0 ^ words.0 | entry.pointee.words.1 ^ words.1
                    | entry.pointee.words.2 ^ words.2
                if difference == 0, entry.pointee.count == Int32(truncatingIfNeeded: count) {
                    number = entry.pointee.number
                }
            }
            numbers[row] = number
            highest = max(highest, number)
        }
        let hidden = rows & nulls
        hidden.each { numbers[$0] = Self.unknown }
        return highest == Self.unknown || !hidden.isEmpty
    }

    /// Caches the number of a text.
    func insert(_ text: ByteView, _ number: UInt32) {
        guard text.count <= Self.longest else { return }
        var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { room in
            room.copyMemory(from: UnsafeRawBufferPointer(start: text.base, count: text.count))
        }
        entries[Self.place(bytes, text.count)] = Entry(
            words: bytes, count: Int32(text.count), number: number)
    }

    /// The first `count` bytes at `p`, where `longest` can be read; zeros after them.
    @inline(__always)
    private static func words(_ p: UnsafeRawPointer, _ count: Int) -> (UInt64, UInt64, UInt64) {
        (word(p, count), word(p + 8, count &- 8), word(p + 16, count &- 16))
    }

    @inline(__always)
    private static func word(_ p: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let word = p.loadUnaligned(as: UInt64.self)
        if count >= 8 { return word }
        return count <= 0 ? 0 : word & ~(UInt64.max &<< UInt64(8 &* count))
    }

    @inline(__always)
    private static func place(_ words: (UInt64, UInt64, UInt64), _ count: Int) -> Int {
        let mixed =
            (words.0 ^ (words.1 &<< 29 | words.1 &>> 35) ^ (words.2 &<< 17 | words.2 &>> 47)
                ^ UInt64(truncatingIfNeeded: count)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> shift)
    }
}
