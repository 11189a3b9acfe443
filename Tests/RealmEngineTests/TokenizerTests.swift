import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Words as in the reference's indexes, also of truncated or ill-formed text.
@Suite struct TokenizerTests {
    private func words(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var words: [[UInt8]] = []
        try bytes.withUnsafeBytes { buffer in
            let text = ByteView(buffer.baseAddress!, count: buffer.count)
            try WordSet(.string(text)).visit { words.append($0.bytes) }
        }
        return words
    }

    private func words(_ parts: [UInt8]..., is expected: String...) throws {
        #expect(try words(parts.flatMap { $0 }) == expected.map { Array($0.utf8) })
    }

    @Test func lettersAreFoldedAndSplitIntoWords() throws {
        try words(
            Array("Ärger, ÇA et Łódź n°2 3×4 ÿ".utf8), is: "2", "34", "arger", "ca", "et", "n",
            "od")
    }

    /// A truncated word never ends with half of a two-byte letter; a shorter letter after it may
    /// still fit.
    @Test func longWordsAreTruncatedBetweenLetters() throws {
        let a = [UInt8](repeating: 0x61, count: 63)
        try words(a, [0xC3, 0xA5, 0x7A], is: String(repeating: "a", count: 63) + "z")
        try words(
            Array(a.dropLast()), [0xC3, 0xA5, 0x7A], is: String(repeating: "a", count: 62) + "å")
        try words(a, Array("bcd".utf8), is: String(repeating: "a", count: 63) + "b")
    }

    /// The first byte of a character includes the bytes after it, whatever they are.
    @Test func illFormedTextIsSplitLikeTheReference() throws {
        try words(Array("caf".utf8), [0xC3], Array(" abc".utf8), is: "cafaabc")
        try words(Array("x".utf8), [0xC1, 0x81], Array("y".utf8), is: "x", "y")
        try words(Array("q".utf8), [0xE0], Array("ghi".utf8), is: "i", "q")
        try words(Array("r".utf8), [0xF0], Array("stuv".utf8), is: "r", "v")
        try words(Array("tail".utf8), [0xC3], is: "taila")
        try words(Array("u".utf8), [0xC3], Array("bw".utf8), is: "uaw")
    }
}
