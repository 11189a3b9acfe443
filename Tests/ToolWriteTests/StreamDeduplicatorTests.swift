import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolWrite

/// Decisions about the records of a stream, without a database.
@Suite struct StreamDeduplicatorTests {
    /// Runs `i V`, `c V FROM COUNT`, `r V FROM` and `ready V`. Returns a letter for each: `h` held,
    /// `o` applied, `-` skipped, `R` released, `x` rejected; `!` before it if held records are
    /// discarded.
    private func run(_ gate: inout StreamDeduplicator, _ words: String) -> String {
        var answer = ""
        for line in words.split(separator: ",") {
            let parts = line.split(separator: " ").map(String.init)
            let source =
                parts.last!.hasPrefix("@") ? ",\"source\":\"\(mark(parts.last!.last!))\"" : ""
            let text =
                switch parts[0] {
                case "i": "{\"op\":\"insert\",\"version\":\(parts[1]),\"class\":\"A\"}"
                case "c":
                    "{\"op\":\"commit\",\"version\":\(parts[1]),\"from\":\(parts[2]),"
                        + "\"records\":\(parts[3])\(source)}"
                case "r":
                    "{\"op\":\"resync\",\"version\":\(parts[1]),\"from\":\(parts[2])\(source)}"
                default: "{\"op\":\"\(parts[0])\",\"version\":\(parts[1])}"
                }
            answer += step(&gate, text)
        }
        return answer
    }

    private func mark(_ letter: Character) -> String { String(repeating: letter, count: 16) }

    private func step(_ gate: inout StreamDeduplicator, _ text: String) -> String {
        let reader = JSONReader(ByteSource(bytes: Array(text.utf8)), layout: .lines)
        guard case .record(let record) = try! reader.next() else { return "?" }
        guard let (verdict, forgets) = try? gate.take(record) else { return "x" }
        let letter =
            switch verdict {
            case .apply: "o"
            case .hold: "h"
            case .release: "R"
            case .skip: "-"
            }
        return (forgets ? "!" : "") + letter
    }

    private func strict(_ version: UInt64?, _ source: String? = nil) -> StreamDeduplicator {
        StreamDeduplicator(
            resuming: version.map { StreamPosition($0, source.map { mark($0.first!) }) })
    }

    @Test(arguments: [
        ("i 6,i 6,c 6 5 2,i 7,c 7 6 1", "hhRhR"),
        // Versions that were already applied are delivered again.
        ("i 4,c 4 3 1,i 5,i 5,c 5 4 2,i 6,c 6 5 1", "-----hR"),
        // A version is interrupted and delivered again, alone or with the next one.
        ("i 6,i 6,ready 5,i 6,i 6,c 6 5 2", "hh!-hhR"),
        ("i 6,i 6,i 7,c 7 5 1", "hh!hR"),
        ("i 6,c 7 5 0", "h!R"),
        // A gap, an overlap, and missing or surplus records.
        ("i 7,c 7 6 1", "hx"), ("i 7,c 7 4 1", "hx"), ("i 6,c 6 5 2", "hx"),
        ("i 6,i 6,c 6 5 1", "hhx"),
        ("c 6 5 0,c 7 6 0", "RR"),
        ("r 9 2,i 9,c 9 2 1,i 10,c 10 9 1", "hhRhR"),
        ("r 9 2,i 9,r 11 2,c 11 2 0", "hh!hR"),
        ("r 9 2,i 9,c 9 2 2", "hhx"),
        ("heartbeat 5,i 6,c 6 5 1", "-hR"),
    ])
    func appliedVersionsAreSkipped(_ words: String, _ expected: String) {
        var gate = strict(5)
        #expect(run(&gate, words) == expected, "\(words)")
    }

    @Test func streamsWithoutAPositionNeedAResync() {
        var gate = strict(nil)
        #expect(run(&gate, "ready 5,i 6,c 6 5 1") == "-hx")
        gate = strict(nil)
        #expect(run(&gate, "ready 0,r 6 0,i 6,c 6 0 1,i 7,c 7 6 1") == "-hhRhR")
    }

    @Test func versionsOfAnotherSourceAreRefused() {
        var gate = strict(5, "a")
        #expect(run(&gate, "i 6,c 6 5 1 @b") == "hx")
        // A resync that was applied is skipped. A resync from another database or to an older
        // version is not.
        gate = strict(5, "a")
        #expect(run(&gate, "r 5 2 @a,i 5,c 5 2 1 @a,i 6,c 6 5 1 @a") == "---hR")
        gate = strict(5, "a")
        #expect(run(&gate, "r 3 2 @b,i 3,c 3 2 1 @b,i 4,c 4 3 1 @b") == "hhRhR")
        gate = strict(5, "a")
        #expect(run(&gate, "r 3 5 @a,i 3,c 3 5 1 @a") == "hhR")
    }

    /// Records without marks, as in a diff, are applied immediately.
    @Test func recordsWithoutMarksAreAppliedImmediately() {
        var gate = StreamDeduplicator()
        #expect(run(&gate, "i 6,i 7,ready 5,i 6") == "oo-o")
        #expect(run(&gate, "c 7 6 9,i 8,c 8 7 1,i 9,c 9 7 1") == "RhRhx")
    }
}
