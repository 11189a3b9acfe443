import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Case folding agrees with the case mappings of the standard library.
@Suite struct TextFoldingTests {
    private static func single(_ text: String) -> UInt32? {
        let scalars = Array(text.unicodeScalars)
        return scalars.count == 1 ? scalars[0].value : nil
    }

    /// Returns the lower-case form of a letter, or of its upper-case form.
    private static func folded(_ value: UInt32) -> UInt32 {
        // Letters without such a mapping: the dotless i, which only Turkic languages fold, and
        // three letters with an equivalent form that is no case mapping.
        let special: [UInt32: UInt32] = [
            0x131: 0x131, 0x1FD3: 0x390, 0x1FE3: 0x3B0, 0xFB05: 0xFB06,
        ]
        if let other = special[value] { return other }
        guard let scalar = Unicode.Scalar(value) else { return value }
        if let lower = single(scalar.properties.lowercaseMapping), lower != value { return lower }
        guard let upper = single(scalar.properties.uppercaseMapping), upper != value,
            let other = Unicode.Scalar(upper), let lower = single(other.properties.lowercaseMapping)
        else { return value }
        return lower
    }

    @Test func theTableEqualsTheStandardLibrary() {
        var count = 0
        for value in UInt32(0)...0x10FFFF {
            let folded = CaseFolding.folded(value)
            if folded != Self.folded(value) { Issue.record("U+\(String(value, radix: 16))") }
            if folded != value { count += 1 }
        }
        #expect(count > 1400)
    }

    @Test func runsAreInAscendingOrder() {
        for (run, next) in zip(CaseFolding.runs, CaseFolding.runs.dropFirst()) {
            #expect(run.last < next.first)
        }
    }

    private static func folded(_ text: String, _ folding: TextFolding) -> String {
        String(
            decoding: Array(text.utf8).withUnsafeBytes {
                folding.folded(ByteView($0.baseAddress!, count: $0.count))
            }, as: UTF8.self)
    }

    @Test(arguments: [
        ("ПРИВЕТ", "привет"), ("ΣΑΣ", "σασ"), ("σας", "σασ"), ("ẞ", "ß"), ("İı", "İı"),
        ("𐐀", "𐐨"), ("\u{212A}\u{17F}", "ks"), ("ÅÉ", "åé"), ("한국", "한국"),
    ])
    func lettersFoldByUnicodeRules(_ text: String, _ expected: String) {
        #expect(Self.folded(text, TextFolding(letterCase: .unicode)) == expected)
    }

    @Test(arguments: [
        ("Café", "Cafe"), ("Cafe\u{301}", "Cafe"), ("ё", "е"), ("Å", "A"), ("ø", "ø"), ("ά", "α"),
        ("İ", "I"),
    ])
    func marksAreDropped(_ text: String, _ expected: String) {
        #expect(Self.folded(text, TextFolding(dropsMarks: true)) == expected)
        let both = TextFolding(letterCase: .unicode, dropsMarks: true)
        #expect(Self.folded(text.uppercased(), both) == Self.folded(expected.lowercased(), both))
    }

    /// Hangul syllables equal the letters of which they consist.
    @Test func hangulIsComparedByLetters() {
        let folding = TextFolding(dropsMarks: true)
        #expect(Self.folded("한", folding) == Self.folded("\u{1112}\u{1161}\u{11AB}", folding))
    }

    /// Folding is idempotent, and ill-formed bytes are unchanged if only case is folded.
    @Test func foldingIsIdempotent() {
        var random = SeededRandom(seed: 46)
        for _ in 0..<2000 {
            let bytes = (0..<random.below(12)).map { _ in UInt8(random.below(256)) } + [0xC3]
            let folding = TextFolding(
                letterCase: [.latin, .unicode][random.below(2)], dropsMarks: random.below(2) == 0)
            let once = bytes.withUnsafeBytes {
                folding.folded(ByteView($0.baseAddress!, count: $0.count))
            }
            let twice = once.withUnsafeBytes {
                $0.isEmpty ? [] : folding.folded(ByteView($0.baseAddress!, count: $0.count))
            }
            #expect(once == twice)
        }
    }
}
