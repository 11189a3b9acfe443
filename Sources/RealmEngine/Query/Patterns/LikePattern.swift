/// A LIKE pattern without `?`. Each `*` splits the pattern: into a prefix, the parts that must
/// follow in this order, and a suffix.
struct LikePattern: Sendable {
    let start: Needle
    let middles: [Needle]
    let end: Needle
    private let minimum: Int

    /// Nil if the LIKE pattern contains a `?` or has no star.
    init?(_ pattern: ByteView, folds: Bool) {
        let parts = pattern.bytes.split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard parts.count > 1, !pattern.buffer.contains(UInt8(ascii: "?")) else { return nil }
        let needles = parts.map { part in
            Array(part).withUnsafeBytes { bytes in
                // Copy each part between two stars, so that its case is folded as if the part were
                // the whole pattern.
                Needle(
                    ByteView(bytes.baseAddress ?? pattern.base, count: bytes.count), folds: folds)
            }
        }
        start = needles[0]
        end = needles[needles.count - 1]
        middles = needles.dropFirst().dropLast().filter { $0.count > 0 }
        minimum = needles.reduce(0) { $0 + $1.count }
    }

    /// The longest part between two stars of the pattern, which every matching text contains; nil
    /// if all parts have at most one byte.
    var part: Needle? {
        middles.max { $0.count < $1.count }.flatMap { $0.count > 1 ? $0 : nil }
    }

    func matches(_ text: ByteView) -> Bool {
        guard text.count >= minimum,
            start.withSearch({ $0.matches(text.base) }),
            end.withSearch({ $0.matches(text.base + (text.count - $0.count)) })
        else { return false }
        var at = start.count
        let limit = text.count - end.count
        for middle in middles {
            let found = middle.withSearch { $0.first(text.base, from: at, to: limit) }
            guard let found else { return false }
            at = found + middle.count
        }
        return true
    }
}
