@_spi(_Unicode) import Swift

/// The differences that a text comparison ignores: `[c]` and `[d]` (query language 14).
struct TextFolding: Hashable, Sendable {
    /// Whether and how a comparison ignores case.
    enum Case: UInt8, Sendable {
        case distinct
        /// Ignores the case of ASCII letters and of the Latin-1 letters U+00C0 to U+00FE, like the
        /// SDKs.
        case latin
        /// Ignores the case of all letters, using Unicode's simple case folding.
        case unicode
    }

    var letterCase = Case.distinct
    /// Whether a comparison ignores accents and other marks.
    var dropsMarks = false

    static let none = TextFolding()

    var isNone: Bool { self == .none }

    /// Whether the ignored differences never change the length of a text in bytes. This is true if
    /// only the case of ASCII and Latin-1 letters is ignored, or nothing. Two texts can then be
    /// compared byte by byte.
    var isBytewise: Bool { letterCase != .unicode && !dropsMarks }

    /// Whether a comparison ignores the case of ASCII letters.
    var foldsCase: Bool { letterCase != .distinct }

    /// Returns a cheaper folding that gives the same results in comparisons with `constant`, if
    /// there is one. Most ASCII letters equal only ASCII letters when case is ignored; K and S also
    /// equal other characters.
    func simplified(for constant: ByteView) -> TextFolding {
        guard letterCase == .unicode, !dropsMarks, constant.isASCII else { return self }
        let hasMoreForms = constant.buffer.contains { $0 | 0x20 == 0x6B || $0 | 0x20 == 0x73 }
        return hasMoreForms ? self : TextFolding(letterCase: .latin)
    }

    /// Calls `body` with the folded text, which is valid only during the call. ASCII text is passed
    /// unchanged, so the caller must still ignore case if `foldsCase`.
    func withFolded<R>(_ text: ByteView, _ body: (ByteView) -> R) -> R {
        if isBytewise || text.isASCII { return body(text) }
        return folded(text).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return body(.empty) }
            return body(ByteView(base, count: bytes.count))
        }
    }

    /// Returns the folded text. Ill-formed UTF-8 stays unchanged; if marks are ignored, it is
    /// replaced by U+FFFD.
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
