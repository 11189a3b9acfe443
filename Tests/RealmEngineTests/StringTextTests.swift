import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct StringTextTests {
    /// Returns the expected result of `append(json:)`, computed scalar by scalar.
    private func plainJSON(_ bytes: [UInt8]) -> String {
        var result = "\""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{8}": result += "\\b"
            case "\u{C}": result += "\\f"
            case "\0"..<" ":
                let hex = String(scalar.value, radix: 16)
                result += "\\u00" + (hex.count == 1 ? "0" : "") + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private func json(_ bytes: [UInt8]) -> String {
        withView(bytes) { view in written { $0.append(json: view) } }
    }

    private func csv(_ text: String) -> String {
        withView(text) { view in written { $0.append(csv: view) } }
    }

    private func tsv(_ text: String) -> String {
        withView(text) { view in written { $0.append(tsv: view) } }
    }

    @Test func jsonStringsAreEscaped() {
        #expect(json([]) == "\"\"")
        #expect(
            json(Array("a\"b\\c/\u{7F}\u{0}\u{1F}é漢😀".utf8))
                == "\"a\\\"b\\\\c/\u{7F}\\u0000\\u001fé漢😀\"")
        for byte in UInt8.min ... .max { #expect(json([byte]) == plainJSON([byte])) }
    }

    /// Every length around the chunk size, with a special byte at every position.
    @Test func jsonEscapesCharactersAtEveryPosition() {
        for length in 0...35 {
            let plain = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            #expect(json(plain) == plainJSON(plain))
            for place in 0..<length {
                for special in [0x00, 0x1F, 0x20, 0x22, 0x5C, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8] {
                    var bytes = plain
                    bytes[place] = special
                    #expect(json(bytes) == plainJSON(bytes))
                }
            }
        }
    }

    @Test func jsonOfRandomBytesEqualsTheSimpleEncoder() {
        var random = SeededRandom.fresh("JSON strings")
        let pieces: [[UInt8]] = [
            [0xC3, 0xA9], [0xE6, 0xBC, 0xA2], [0xF0, 0x9F, 0x98, 0x80], [0xED, 0xA0, 0x80],
            [0xE0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF], [0xF0, 0x9F], Array("plain".utf8),
            [0x22], [0x0A], [0xEF, 0xBF, 0xBD], [0xF8], [0xE2, 0x80, 0xA8],
        ]
        for round in 0..<6000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                if round % 2 == 0 {
                    bytes.append(UInt8.random(in: 0 ... .max, using: &random))
                } else {
                    bytes += pieces.randomElement(using: &random)!
                }
            }
            #expect(json(bytes) == plainJSON(bytes), "\(bytes)")
        }
    }

    /// Every lead byte with every second byte, alone and continued.
    @Test func illFormedSequencesAreReplaced() {
        for lead in UInt8(0x80) ... .max {
            for second in stride(from: 0x70, through: 0xFF, by: 1).map({ UInt8($0) }) {
                for tail in [[], [0x80], [0x80, 0x80], [0x41]] as [[UInt8]] {
                    let bytes = [lead, second] + tail
                    if json(bytes) != plainJSON(bytes) { Issue.record("\(bytes)") }
                }
            }
        }
    }

    @Test func csvFieldsAreQuoted() {
        #expect(csv("") == "\"\"" && csv("plain text, no") == "\"plain text, no\"")
        #expect(csv("a b;c\t") == "a b;c\t" && csv("say \"hi\"") == "\"say \"\"hi\"\"\"")
        #expect(csv("\"") == "\"\"\"\"" && csv("\n") == "\"\n\"" && csv("x\r") == "\"x\r\"")
        for length in 1...35 {
            for place in 0..<length {
                for special in [",", "\"", "\n", "\r", "é"] {
                    var parts = [String](repeating: "x", count: length)
                    parts[place] = special
                    let text = parts.joined()
                    let quoted = special != "é"
                    let doubled = parts.map { $0 == "\"" ? "\"\"" : $0 }.joined()
                    #expect(csv(text) == (quoted ? "\"\(doubled)\"" : text))
                }
            }
        }
    }

    @Test func tsvFieldsAreEscaped() {
        #expect(
            tsv("") == "" && tsv("\\N") == "\\\\N" && tsv("a\tb\nc\rd\\e") == "a\\tb\\nc\\rd\\\\e")
        for length in 1...35 {
            for place in 0..<length {
                var parts = [String](repeating: "x", count: length)
                parts[place] = "\t"
                let text = parts.joined()
                parts[place] = "\\t"
                #expect(tsv(text) == parts.joined())
            }
        }
    }

    /// A small buffer grows at any point of a long text.
    @Test func longStringsAreWrittenCompletely() {
        let text = String(repeating: "line one\t\"quoted\", é漢😀\\\n", count: 5000)
        #expect(json(Array(text.utf8)) == plainJSON(Array(text.utf8)))
        #expect(csv(text).utf8.count == text.utf8.count + 2 + 2 * 5000)
        #expect(tsv(text).utf8.count == text.utf8.count + 3 * 5000)
    }
}
