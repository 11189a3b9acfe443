@_spi(_Unicode) import Swift

/// Differences between texts that a comparison passes over: `[c]` and `[d]` (query language 14).
struct TextFolding: Equatable, Sendable {
    /// Whether a letter and its other case are the same.
    enum Case: UInt8, Sendable {
        case distinct
        /// ASCII and the Latin-1 letters U+00C0 to U+00FE, as the SDKs have it.
        case latin
        /// Every letter, by Unicode's simple case folding.
        case unicode
    }

    var letterCase = Case.distinct
    /// Letters are the same with and without accents and other marks.
    var dropsMarks = false

    static let none = TextFolding()

    var isNone: Bool { self == .none }

    /// Texts are compared byte by byte: no fold changes a length.
    var isBytewise: Bool { letterCase != .unicode && !dropsMarks }

    /// Whether letters of ASCII fold.
    var foldsCase: Bool { letterCase != .distinct }

    /// The same differences as cheaply as they can be found beside one constant text: most letters of ASCII
    /// have no other forms but those of ASCII. (K and S have.)
    func simplified(for constant: ByteView) -> TextFolding {
        guard letterCase == .unicode, !dropsMarks, constant.isASCII else { return self }
        let hasMoreForms = constant.buffer.contains { $0 | 0x20 == 0x6B || $0 | 0x20 == 0x73 }
        return hasMoreForms ? self : TextFolding(letterCase: .latin)
    }

    /// Calls `body` with the text without the differences; lent to it. ASCII comes as it is: its letters
    /// still need `foldsCase`.
    func withFolded<R>(_ text: ByteView, _ body: (ByteView) -> R) -> R {
        if isBytewise || text.isASCII { return body(text) }
        return folded(text).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return body(.empty) }
            return body(ByteView(base, count: bytes.count))
        }
    }

    /// The bytes of the text without the differences. Ill-formed UTF-8 is left as it is, or replaced with
    /// U+FFFD where marks are dropped.
    func folded(_ text: ByteView) -> [UInt8] {
        guard dropsMarks else { return caseFolded(text) }
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        for scalar in text.string._nfd
        where scalar.properties.canonicalCombiningClass == .notReordered {
            Self.append(
                letterCase == .unicode ? CaseFolding.folded(scalar.value) : scalar.value, &plain)
        }
        return plain
    }

    private func caseFolded(_ text: ByteView) -> [UInt8] {
        guard letterCase == .unicode else { return text.bytes }
        let bytes = text.buffer
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count + text.count / 2)
        var at = 0
        while at < bytes.count {
            let (scalar, length) = UTF8Sequence.scalar(bytes, at)
            let other = CaseFolding.folded(scalar)
            if other == scalar || scalar == 0xFFFD {
                folded.append(contentsOf: bytes[at..<(at + length)])
            } else {
                Self.append(other, &folded)
            }
            at += length
        }
        return folded
    }

    private static func append(_ scalar: UInt32, _ bytes: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) else { return }
        bytes.append(contentsOf: encoded)
    }
}
