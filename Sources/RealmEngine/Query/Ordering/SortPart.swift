/// The part of a sort key that one eight-byte word encodes.
enum SortPart: Equatable {
    /// The rank of the key: 0 for null, 255 after a null link in the path, otherwise the rank of
    /// the value's type.
    case rank
    /// The position of the key among the sorted distinct keys; see `codes()`.
    case code
    /// The first eight bytes of a text or binary. For other types, the word in `bits`, which
    /// represents the whole key or its first eight bytes.
    case head
    /// Bytes `8 * n` to `8 * n + 7` of a text; `head` encodes the first eight bytes.
    case text(Int)
    /// Length of the text in bytes. Words are padded with zeros, so texts of different length may
    /// have equal words; the length then decides.
    case length
    /// Word for the end of a key that is longer than eight bytes: the nanoseconds of a timestamp,
    /// or the last bytes of an object id or UUID.
    case tail
}

/// The eight-byte words that `RowSorter` compares in place of the sort keys of a column.
extension SortColumn {
    /// Prepares the column for sorting. For the form `.codes`, computes the position of each key
    /// among the sorted distinct keys. Called once, after the key of the last row was added.
    func finish() {
        switch form {
        case .codes:
            if codeWords.isEmpty { codeWords = codes() }
        default: break
        }
    }

    /// Kind of eight-byte words that the sort compares in place of the column's keys.
    enum Form {
        /// The position of each key among the sorted distinct keys: 0 for the smallest key, then 1,
        /// 2 and so on. The keys of mixed values and decimals are compared with each other before
        /// the sort to find these positions.
        case codes
        case exact, text, twoWords
    }

    var form: Form {
        if isMixed || places.count == ranks.count && distinct != nil { return .codes }
        if isExact { return .exact }
        return switch key.column.layout.type {
        case .string, .binary: .text
        case .timestamp, .objectID, .uuid: .twoWords
        default: .codes
        }
    }

    var firstPart: SortPart {
        if form == .codes { return .code }
        return hasOneRank ? .head : .rank
    }

    /// Returns the part of the sort keys by which to sort `items` next, if the keys are equal in
    /// all parts up to and including `part`. Nil if the keys are equal completely.
    func part(
        after part: SortPart, _ items: UnsafeMutableBufferPointer<SortItem>
    ) -> SortPart? {
        switch (form, part) {
        case (.codes, _): return nil
        case (_, .rank):
            let rank = ranks[Int(items[0].row)]
            return rank == 0 || rank == Self.missing ? nil : .head
        case (.exact, _): return nil
        case (.twoWords, .head): return .tail
        case (.text, .head): return textPart(after: 0, items)
        case (.text, .text(let word)): return textPart(after: word, items)
        default: return nil
        }
    }

    /// Returns the part of the texts to sort by next, after their eight-byte word number `word`.
    /// This is the next eight bytes if a text is that long, otherwise `.length`. Nil if all texts
    /// have the same length and are therefore equal.
    private func textPart(
        after word: Int, _ items: UnsafeMutableBufferPointer<SortItem>
    ) -> SortPart? {
        let texts = texts.all
        let length = texts[Int(items[0].row)].count
        var maximumLength = length
        var isEqual = true
        for item in items {
            let count = texts[Int(item.row)].count
            maximumLength = max(maximumLength, count)
            isEqual = isEqual && count == length
        }
        if maximumLength > 8 * (word + 1) { return .text(word + 1) }
        return isEqual ? nil : .length
    }

    /// Bits to invert in each eight-byte word of the sort keys. All bits for a descending key, to
    /// reverse the order of the words; none for an ascending key.
    var flip: UInt64 { key.isAscending ? 0 : .max }

    /// Returns the eight-byte words of all rows that represent the part `part` of the sort keys.
    /// Nil if the words are computed row by row and not stored in an array. For a descending key,
    /// the caller still has to invert the bits of the words with `flip`.
    func words(of part: SortPart) -> UnsafeBufferPointer<UInt64>? {
        part == .head && form != .text ? bits.all : nil
    }

    /// Stores the eight-byte word `part` of each item's sort key in the item, with all bits
    /// inverted for a descending key.
    func load(_ part: SortPart, _ items: UnsafeMutableBufferPointer<SortItem>) {
        switch part {
        case .rank:
            let ranks = ranks.all
            load(items, flip) { UInt64(ranks[$0]) }
        case .code:
            codeWords.withUnsafeBufferPointer { codes in load(items, flip) { codes[$0] } }
        case .head where form == .text: loadText(0, items, flip)
        case .head:
            let bits = bits.all
            load(items, flip) { bits[$0] }
        case .text(let word): loadText(word, items, flip)
        case .length:
            let texts = texts.all
            load(items, flip) { UInt64(texts[$0].count) }
        case .tail: load(items, flip) { Self.tail(of: value($0)) }
        }
    }

    private func loadText(
        _ word: Int, _ items: UnsafeMutableBufferPointer<SortItem>, _ flip: UInt64
    ) {
        let offset = 8 * word
        // Copies contain only the first bytes of a text. Read later bytes in the file's pages.
        if let heads, offset + 8 <= TextHeads.maximumLength {
            load(items, flip) { heads[$0].orderedWord(at: offset) }
        } else {
            let texts = texts.all
            load(items, flip) { texts[$0].orderedWord(at: offset) }
        }
    }

    @inline(__always)
    private func load(
        _ items: UnsafeMutableBufferPointer<SortItem>, _ flip: UInt64, _ word: (Int) -> UInt64
    ) {
        for i in items.indices { items[i].word = word(Int(items[i].row)) ^ flip }
    }

    @inline(__always)
    private static func tail(of value: Value) -> UInt64 {
        switch value {
        case .timestamp(let time): UInt64(bitPattern: Int64(time.nanoseconds)) ^ 1 << 63
        case .objectID(let id): UInt64(id.low)
        case .uuid(let id): id.low
        default: 0
        }
    }
}

extension ByteView {
    /// Returns the eight bytes from `offset` on as a big-endian integer, so that integers are
    /// ordered like the texts. Bytes after the end are 0.
    @inline(__always)
    func orderedWord(at offset: Int) -> UInt64 {
        if offset &+ 8 <= count {
            return base.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
        }
        if offset >= count { return 0 }
        return ByteView(base + offset, count: count &- offset).orderedHead
    }
}
