@_spi(_Unicode) import Swift

/// Differences that text comparisons ignore: `[c]` and `[d]` (query language 14).
struct TextFolding: Hashable, Sendable {
    /// Handling of letter case in comparisons.
    enum Case: UInt8, Sendable {
        case distinct
        /// Ignores the case of ASCII letters and of the Latin-1 letters U+00C0 to U+00FE, as the
        /// SDKs do.
        case latin
        /// Ignores the case of all letters, with Unicode's simple case folding.
        case unicode
    }

    var letterCase = Case.distinct
    /// Whether accents and other marks are ignored.
    var dropsMarks = false

    static let none = TextFolding()

    var isNone: Bool { self == .none }

    /// Whether texts are compared byte by byte, because folding never changes a length.
    var isBytewise: Bool { letterCase != .unicode && !dropsMarks }

    /// Whether ASCII letters fold.
    var foldsCase: Bool { letterCase != .distinct }

    /// Returns the cheapest folding that is equivalent in comparisons with `constant`: most ASCII
    /// letters have no other forms than ASCII ones. (K and S have.)
    func simplified(for constant: ByteView) -> TextFolding {
        guard letterCase == .unicode, !dropsMarks, constant.isASCII else { return self }
        let hasMoreForms = constant.buffer.contains { $0 | 0x20 == 0x6B || $0 | 0x20 == 0x73 }
        return hasMoreForms ? self : TextFolding(letterCase: .latin)
    }

    /// Calls `body` with the folded text, which is valid inside it. ASCII text is passed unchanged:
    /// its letters still need `foldsCase`.
    func withFolded<R>(_ text: ByteView, _ body: (ByteView) -> R) -> R {
        if isBytewise || text.isASCII { return body(text) }
        return folded(text).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return body(.empty) }
            return body(ByteView(base, count: bytes.count))
        }
    }

    /// Returns the folded text. Ill-formed UTF-8 is unchanged, or replaced with U+FFFD if marks are
    /// ignored.
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
