/// Sorted prefixes or suffixes from a long list of constants, searched by bisection.
struct SortedAffixes: Sendable {
    private let texts: Affixes
    private let binaries: Affixes

    /// Minimum number of prefixes or suffixes for which sorting them saves time.
    private static let minimumSortedCount = 8

    /// Nil for relations other than BEGINSWITH and ENDSWITH, and for too few constants.
    init?(_ relation: QueryRelation, _ constants: [Value]) {
        guard relation == .beginsWith || relation == .endsWith,
            constants.count >= Self.minimumSortedCount
        else { return nil }
        var texts: [ByteView] = []
        var binaries: [ByteView] = []
        for constant in constants {
            switch constant {
            case .string(let view): texts.append(view)
            case .binary(let view): binaries.append(view)
            default: continue
            }
        }
        let fromEnd = relation == .endsWith
        self.texts = Affixes(texts, fromEnd: fromEnd)
        self.binaries = Affixes(binaries, fromEnd: fromEnd)
    }

    /// Whether `value` begins, or ends, with one of the constants of the same type.
    func match(_ value: Value) -> Bool {
        switch value {
        case .string(let view): texts.match(view)
        case .binary(let view): binaries.match(view)
        default: false
        }
    }
}

/// Sorted prefixes or suffixes of one type. Constants that begin with another constant are removed,
/// so only one constant can be a prefix of a given text: the last that does not sort after the
/// text.
private struct Affixes: Sendable {
    private let sorted: [ByteView]
    private let fromEnd: Bool

    /// Sorts the constants in `all`. Their bytes must be valid as long as the query.
    init(_ all: [ByteView], fromEnd: Bool) {
        self.fromEnd = fromEnd
        let ordered = all.ordered { Self.compare($0, $1, fromEnd) < 0 }
        var sorted: [ByteView] = []
        for view in ordered where !(sorted.last.map { Self.has(view, $0, fromEnd) } ?? false) {
            sorted.append(view)
        }
        self.sorted = sorted
    }

    func match(_ text: ByteView) -> Bool {
        sorted.withUnsafeBufferPointer { sorted in
            let place = sorted.partitionPoint { Self.compare($0, text, fromEnd) > 0 }
            return place > 0 && Self.has(text, sorted[place - 1], fromEnd)
        }
    }

    private static func has(_ text: ByteView, _ affix: ByteView, _ fromEnd: Bool) -> Bool {
        fromEnd
            ? TextMatch.ends(text, affix, folds: false)
            : TextMatch.begins(text, affix, folds: false)
    }

    private static func compare(_ a: ByteView, _ b: ByteView, _ fromEnd: Bool) -> Int {
        if !fromEnd { return ByteView.compare(a, b) }
        var i = 1
        while i <= a.count, i <= b.count {
            let (x, y) = (a[a.count - i], b[b.count - i])
            if x != y { return Int(x) - Int(y) }
            i += 1
        }
        return a.count - b.count
    }
}
