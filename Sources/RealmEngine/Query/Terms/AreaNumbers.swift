/// Cache of the ordinals that `ValueNumbers` assigned to texts, by the bytes of the texts. For
/// leaves whose texts share one byte area; a cached text need not be hashed again. Used by one
/// thread.
final class AreaNumbers {
    /// Maximum size in bytes of a cached text. A text is cached as three words of eight bytes, and
    /// the last byte stores its size.
    private static let maximumSize = 23
    /// Bytes read for each text: three words of eight bytes.
    private static let wordSize = 24
    /// Lengths in bytes of the texts that are identified by their length, their first eight bytes
    /// and their last eight bytes. These bytes overlap unless the length is 16.
    private static let inTwoWords = 8...16
    static let unknown = WordNumbers.unknown

    private let cached = WordNumbers()
    private let scratch = LeafScratch()
    /// Masks that keep the bytes of a text in an eight-byte word and clear the bytes after its end.
    /// The index, -16 to 23, is the offset of the text's end from the start of the word. It is 0 or
    /// less if the word begins after the text, and 8 or more if the whole word belongs to the text.
    private let masks: UnsafeMutablePointer<UInt64>

    init() {
        masks = .allocate(capacity: 40) + 16
        for count in -16...23 {
            (masks + count).initialize(to: Selection.mask(8 * min(count, 8)))
        }
    }

    deinit { (masks - 16).deallocate() }

    /// Stores in `numbers`, for each selected row, the ordinal of the row's text; `unknown` for
    /// null and for texts that are not cached. Returns a set of rows that includes every row with
    /// null or with a text that is not cached; nil if the leaf is damaged.
    func find(
        _ texts: BytesLeaf, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Selection? {
        let area = TextArea(texts.area, texts.node, terminator: texts.terminator, scratch)
        if area.offsets.widthCode == 5 {
            guard let ends = area.shortEnds() else { return nil }
            return find(texts, area, ends, rows, numbers)
        }
        guard let ends = area.ends() else { return nil }
        return find(texts, area, ends, rows, numbers)
    }

    @inline(__always)
    private func find<Offset: FixedWidthInteger & SignedInteger>(
        _ texts: BytesLeaf, _ area: TextArea, _ ends: UnsafePointer<Offset>, _ rows: Selection,
        _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Selection {
        let (table, base) = (cached.table, area.base)
        let terminator = area.terminator
        let readable = rows & Selection(first: area.count)
        var highest: UInt32 = 0
        readable.each { row in
            let start = Int(truncatingIfNeeded: ends[row &- 1])
            let count = Int(truncatingIfNeeded: ends[row]) &- start &- terminator
            let text = base + start
            var number = Self.unknown
            if UInt(bitPattern: count &- 8) <= 8 {
                number = table.number(
                    text.loadUnaligned(as: UInt64.self),
                    (text + count).loadUnaligned(fromByteOffset: -8, as: UInt64.self),
                    UInt64(count))
            } else if start &+ Self.wordSize <= area.size {
                number = self.number(table, text, count)
            }
            numbers[row] = number
            highest = max(highest, number)
        }
        let hidden = rows & (texts.nullRows | rows.subtracting(readable))
        hidden.each { numbers[$0] = Self.unknown }
        return highest == Self.unknown ? rows : hidden
    }

    /// Returns the ordinal of a text that is shorter than 8 or longer than 16 bytes; `unknown` if
    /// the text is not cached.
    @inline(never)
    private func number(
        _ table: WordNumbers.Table, _ text: UnsafeRawPointer, _ count: Int
    ) -> UInt32 {
        guard count <= Self.maximumSize else { return Self.unknown }
        let masks = UnsafePointer(masks)
        return table.number(
            text.loadUnaligned(as: UInt64.self) & masks[count],
            text.loadUnaligned(fromByteOffset: 8, as: UInt64.self) & masks[count &- 8],
            text.loadUnaligned(fromByteOffset: 16, as: UInt64.self) & masks[count &- 16]
                | UInt64(count) &<< 56)
    }

    /// Caches the ordinal that `ValueNumbers` assigned to a text. Does nothing for a long text.
    func insert(_ text: ByteView, _ number: UInt32) {
        guard text.count <= Self.maximumSize else { return }
        if Self.inTwoWords.contains(text.count) {
            let last = text.base + (text.count - 8)
            return cached.insert(
                text.base.loadUnaligned(as: UInt64.self), last.loadUnaligned(as: UInt64.self),
                UInt64(text.count), number)
        }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { room in
            room.copyMemory(from: UnsafeRawBufferPointer(start: text.base, count: text.count))
        }
        cached.insert(words.0, words.1, words.2 | UInt64(text.count) &<< 56, number)
    }
}
