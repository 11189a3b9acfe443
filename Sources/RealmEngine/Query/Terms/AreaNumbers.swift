/// Cache of the numbers of texts in a leaf's byte area, by their bytes, so that cached texts are
/// not hashed again. Used by one thread.
final class AreaNumbers {
    /// Maximum size of a cached text in bytes. The last byte of its words is its size.
    private static let maximumSize = 23
    /// Number of bytes read per text.
    private static let wordSize = 24
    /// Maximum size in bytes of texts compared by two words.
    private static let inTwoWords = 16
    static let unknown = WordNumbers.unknown

    private let cached = WordNumbers()
    private let scratch = LeafScratch()
    /// Masks for the bytes of a word that belong to a text. The index is the number of bytes from
    /// the start of the word to the end of the text, from -16 (none) to 23.
    private let masks: UnsafeMutablePointer<UInt64>

    init() {
        masks = .allocate(capacity: 40) + 16
        for count in -16...23 {
            (masks + count).initialize(to: Selection.mask(8 * min(count, 8)))
        }
    }

    deinit { (masks - 16).deallocate() }

    /// Stores the numbers of cached texts in `numbers`, and `unknown` for other texts and for null.
    /// Returns whether some are unknown; nil if the leaf is damaged.
    func find(
        _ texts: BytesLeaf, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Bool? {
        let area = TextArea(texts.area, texts.node, terminator: texts.terminator, scratch)
        guard let ends = area.ends() else { return nil }
        // Texts too close to the end of the area to be read in words are treated as unknown.
        var near = area.count
        while near > 0, Int(ends[near &- 2]) &+ Self.wordSize > area.size { near &-= 1 }
        let readable = rows & Selection(first: near)
        let (table, masks, base) = (cached.table, UnsafePointer(masks), area.base)
        let terminator = texts.terminator
        var highest: UInt32 = 0
        readable.each { row in
            let start = Int(ends[row &- 1])
            let count = Int(ends[row]) &- start &- terminator
            var number = Self.unknown
            if count <= Self.inTwoWords {
                let text = base + start
                number = table.number(
                    text.loadUnaligned(as: UInt64.self) & masks[count],
                    text.loadUnaligned(fromByteOffset: 8, as: UInt64.self) & masks[count &- 8],
                    UInt64(count) &<< 56)
            } else if count <= Self.maximumSize {
                let text = base + start
                let third =
                    text.loadUnaligned(fromByteOffset: 16, as: UInt64.self) & masks[count &- 16]
                number = table.number(
                    text.loadUnaligned(as: UInt64.self),
                    text.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                    third | UInt64(count) &<< 56)
            }
            numbers[row] = number
            highest = max(highest, number)
        }
        let hidden =
            rows
            & (texts.nullRows
                | Selection(first: area.count).subtracting(
                    Selection(first: near)))
        hidden.each { numbers[$0] = Self.unknown }
        return highest == Self.unknown || !hidden.isEmpty
    }

    /// Caches the number of a text.
    func insert(_ text: ByteView, _ number: UInt32) {
        guard text.count <= Self.maximumSize else { return }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { room in
            room.copyMemory(from: UnsafeRawBufferPointer(start: text.base, count: text.count))
        }
        cached.insert(words.0, words.1, words.2 | UInt64(text.count) &<< 56, number)
    }
}
