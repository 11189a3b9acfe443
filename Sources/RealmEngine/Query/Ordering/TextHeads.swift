/// Copies of the first bytes of texts, for sorting. Used if decrypted pages do not all stay in
/// memory, or if a collation compares collation keys in place of the texts.
///
/// Confined to one thread.
final class TextHeads {
    /// Maximum number of bytes that are copied of each text.
    static let maximumLength = 1024
    private static let chunkSize = 1 << 16
    /// Number of bytes after each copy that are safe to read, so that the last bytes of the text
    /// can be read as a whole word.
    private static let padding = 8

    private var chunks: [UnsafeMutableRawPointer] = []
    private var used = 0
    /// Copy of each row's text; empty for values other than texts.
    private let heads: ReusedBuffer<ByteView>
    private let collation: TextCollation

    init(capacity: Int, _ collation: TextCollation = .binary) {
        heads = ReusedBuffer(capacity: capacity)
        self.collation = collation
    }

    deinit { for chunk in chunks { ConfidentialMemory.free(chunk, Self.chunkSize) } }

    /// Memory in bytes of the copied texts and of the array that references them.
    var size: Int {
        chunks.count * Self.chunkSize + heads.count * MemoryLayout<ByteView>.stride
    }

    subscript(row: Int) -> ByteView { heads[row] }

    /// Appends a copy of the first bytes of the text for the next row, or an empty text if `value`
    /// is not a string or binary.
    func append(_ value: Value) {
        switch value {
        case .string(let text): heads.append(collation.withKey(of: text, copy))
        case .binary(let text): heads.append(copy(text))
        default: heads.append(.empty)
        }
    }

    /// Returns the value with its text copied, unless the text is longer than `maximumLength`.
    func copy(of value: Value) -> Value {
        switch value {
        case .string(let text) where text.count <= Self.maximumLength: .string(copy(text))
        case .binary(let text) where text.count <= Self.maximumLength: .binary(copy(text))
        default: value
        }
    }

    /// Copies the first bytes of a text. If memory cannot be allocated, returns the same bytes in
    /// the file's pages.
    private func copy(_ text: ByteView) -> ByteView {
        let count = min(text.count, Self.maximumLength)
        if count == 0 { return .empty }
        let size = (count + Self.padding + 7) & ~7
        if chunks.isEmpty || used + size > Self.chunkSize {
            guard let chunk = try? ConfidentialMemory.make(Self.chunkSize) else {
                return ByteView(text.base, count: count)
            }
            chunks.append(chunk)
            used = 0
        }
        let place = chunks[chunks.count - 1] + used
        place.copyMemory(from: text.base, byteCount: count)
        used += size
        return ByteView(place, count: count)
    }

    /// Compares two texts by their copied first bytes, `a` and `b`. If these are equal, and the
    /// copies are not the complete texts, compares the complete texts `whole`. The result is
    /// negative, zero or positive.
    static func compare(
        _ a: ByteView, _ b: ByteView, _ whole: (Value, Value), _ collation: TextCollation
    ) -> Int {
        let order = ByteView.compare(a, b)
        return order != 0 || a.count < maximumLength ? order : collation.compare(whole.0, whole.1)
    }
}

extension TextCollation {
    /// Compares two values of equal rank: negative, zero or positive.
    func compare(_ a: Value, _ b: Value) -> Int {
        if !isBinary, case .string(let a) = a, case .string(let b) = b { return compare(a, b) }
        return ValueRules.compare(a, b)
    }

    /// Compares two values of any ranks: first by rank, with null first, then by value. Negative,
    /// zero or positive.
    func order(_ a: Value, _ b: Value) -> Int {
        let (rankA, rankB) = (ValueOrder.rank(a), ValueOrder.rank(b))
        return rankA != rankB ? (rankA < rankB ? -1 : 1) : compare(a, b)
    }
}
