import Foundation
import Testing

@testable import ToolSupport

/// Comments and pages avoid turns of phrase that readers stumble over. The page Words says what to
/// write instead.
@Suite struct WordingTests {
    /// Permitted numbers of hits by folder. They may only be reduced.
    private static let limits = ["Sources/RealmEngine": 4, "Tests/Ledger": 1]

    private static let phrases = [
        // A comment begins with a noun or a verb.
        #"^(- (Parameter|Returns|Throws)[^:]*: )?[Ww]hat\b(?!\.md)"#,
        #"^(- (Parameter|Returns|Throws)[^:]*: )?(Where|How|Who|Whom|Whose)\b"#, #"^Of \w"#,
        #"^(As above|As below|The same( as above)?[.,:]|Likewise)"#,
        // The agent has a name.
        #"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]hom)\b"#,
        // The noun is repeated.
        #"\b(that|those) of\b"#, #"^(Those|That|These|Others|Both|All|None) (of|that|which|who)\b"#,
        // Data has no will.
        #"\b(is|are|was|were|be|been) (told|asked|heard|said)\b|\b(tells|knows|wants|hears|forgets)\b"#,
        // Plain words.
        #"\b(let|lets|letting) go\b|\bg(ive|ives|iven|ave) (back|up|away)\b"#,
        #"\bso (many|much|long) (bytes|objects|elements|entries|nodes|of)\b"#,
        #"\b(therein|thereof|whereupon|thereby|wherein|hither|beside that|of its own accord)\b"#,
        #"\bstand(s)? for\b"#,
        #"\b(stands|lies|stand|lie) (in|behind|beside|before|at|on|there|where)\b"#,
    ].map { try! NSRegularExpression(pattern: $0) }

    private struct Block {
        let line: Int
        let text: String
    }

    @Test func commentsUsePlainWords() throws {
        var hits: [String: [String]] = [:]
        var count = 0
        for root in ["Sources", "Tests"] {
            for path in Self.files(in: root) {
                let blocks = path.hasSuffix(".md") ? Self.paragraphs(path) : Self.comments(path)
                count += blocks.count
                let folder = path.split(separator: "/").prefix(2).joined(separator: "/")
                for block in blocks where Self.isOdd(block.text) {
                    hits[folder, default: []].append("\(path):\(block.line): \(block.text)")
                }
            }
        }
        #expect(count > 10_000)
        for (folder, found) in hits {
            let limit = Self.limits[folder] ?? 0
            #expect(found.count <= limit, "\(folder): \(found.joined(separator: "\n"))")
        }
    }

    private static func isOdd(_ text: String) -> Bool {
        let range = NSRange(text.startIndex..., in: text)
        return phrases.contains { $0.firstMatch(in: text, range: range) != nil }
    }

    private static func files(in folder: String) -> [String] {
        let kinds = [".swift", ".c", ".h", ".md"]
        let enumerator = FileManager.default.enumerator(atPath: packageRoot + "/" + folder)
        return (enumerator?.compactMap { $0 as? String } ?? []).filter { name in
            kinds.contains { name.hasSuffix($0) } && !name.contains(".build/")
                && !name.hasPrefix("Fixtures/")
        }.map { folder + "/" + $0 }.sorted()
    }

    private static func lines(_ path: String) -> [Substring] {
        String(decoding: contents(of: packageRoot + "/" + path) ?? [], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Blocks of comment lines, joined. An item of a list begins a block.
    private static func comments(_ path: String) -> [Block] {
        var blocks: [Block] = []
        var (start, parts) = (0, [Substring]())
        for (number, line) in (lines(path) + [""]).enumerated() {
            let content = comment(line)
            if content == nil || content!.hasPrefix("- ") {
                add(parts, start, leastWords: 3, to: &blocks)
                parts = []
            }
            guard let content else { continue }
            if parts.isEmpty { start = number + 1 }
            parts.append(content)
        }
        return blocks
    }

    /// The text of a line that is a comment.
    private static func comment(_ line: Substring) -> Substring? {
        let text = line.drop { $0 == " " }
        for mark in ["///", "//", "*"] where text.hasPrefix(mark) {
            if text.hasPrefix("//===") || text.contains("swift-tools-version") { return nil }
            return text.dropFirst(mark.count).drop { $0 == " " }
        }
        return nil
    }

    /// Paragraphs of a page without headings, tables and code.
    private static func paragraphs(_ path: String) -> [Block] {
        var blocks: [Block] = []
        var (start, parts, isCode) = (0, [Substring](), false)
        for (number, line) in (lines(path) + [""]).enumerated() {
            if line.hasPrefix("```") { isCode.toggle() }
            let isText = !isCode && !line.isEmpty && !"#|.`<!".contains(line.first!)
            if !isText {
                add(parts, start, leastWords: 4, to: &blocks)
                parts = []
                continue
            }
            if parts.isEmpty { start = number + 1 }
            parts.append(line.drop { $0 == " " })
        }
        return blocks
    }

    private static func add(
        _ parts: [Substring], _ start: Int, leastWords: Int, to blocks: inout [Block]
    ) {
        let text = parts.joined(separator: " ")
        guard text.split(separator: " ").count >= leastWords else { return }
        blocks.append(Block(line: start, text: text))
    }
}
