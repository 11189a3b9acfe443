/// A word of a sort key.
enum SortPart: Equatable {
    /// Null, the type, or a null link in the path.
    case rank
    /// A number that orders the whole key.
    case code
    /// The first eight bytes, or the exact number.
    case head
    /// Word `n` of a text; the first word is `head`.
    case text(Int)
    /// Length of a text in bytes.
    case length
    /// Nanoseconds, or the last bytes of an id.
    case tail
}

/// The words of a column's keys, for `RowSorter`.
extension SortColumn {
    /// Prepares the words. Call it once, after the last key was added.
    func finish() {
        switch form {
        case .codes:
            if codeWords.isEmpty { codeWords = codes() }
        default: break
        }
    }

    /// Form of the keys' words.
    enum Form {
        /// One number per key. Mixed values and decimals are compared in advance to compute it.
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

    /// Returns the word after one in which the keys of `items` are equal; nil if the whole keys are
    /// equal.
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

    /// Returns the next word if some text has one; otherwise the length, or nil if the lengths are
    /// equal.
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

    /// Bits to invert in each word: all bits for a descending key.
    var flip: UInt64 { key.isAscending ? 0 : .max }

    /// Returns the words of all rows before they are combined with `flip`; nil if words are
    /// computed one by one.
    func words(of part: SortPart) -> UnsafeBufferPointer<UInt64>? {
        part == .head && form != .text ? bits.all : nil
    }

    /// Stores a word of each key in `items`, inverted for a descending key.
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
        // Only the first bytes of texts are copied.
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
    /// Returns the eight bytes from `offset` on, in the form of `orderedHead`, with zeros after the
    /// end.
    @inline(__always)
    func orderedWord(at offset: Int) -> UInt64 {
        if offset &+ 8 <= count {
            return base.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
        }
        if offset >= count { return 0 }
        return ByteView(base + offset, count: count &- offset).orderedHead
    }
}
