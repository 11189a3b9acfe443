import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct QueryFuzzTests {
    private static let words: [String] = [
        "a", "list", "$0", "$x", "$K0", "1", "-1", "1.5", "1e9f", "'s'", "\"q\"", "B64\"AA==\"",
        "T1:1", "2020-02-02@1:2:3", "oid(000000000000000000000001)", "uuid(", "(", ")", "{", "}",
        "[", "]", "[c]", ",", ".", ".@count", ".@max", ".@type", "@links", "==", "!=", "<", ">=",
        "+", "-", "*", "/", "IN", "ANY", "ALL", "NONE", "NOT", "!", "AND", "OR", "&&", "||",
        "BETWEEN", "CONTAINS", "LIKE", "TEXT", "BEGINSWITH", "GEOWITHIN", "geoBox(",
        "geoCircle([0.0,0.0],1)", "SUBQUERY(", "SORT(", "ASC", "DISTINCT(", "LIMIT(",
        "TRUEPREDICATE",
        "null", "nan", "inf", "O1", "L1:2", "obj('C',1)", "binary('x')", "[0]", "['k']", "[SIZE]",
        "\u{E9}", "\u{1F600}", "\\ ", "\n", "@", "&", "\u{0}",
    ]

    private func check(_ text: [UInt8]) {
        do throws(RealmError) {
            _ = try QueryParser.parse(QuerySource(text: text))
        } catch {
            #expect(error.kind == .misuse && error.code != "" && error.hint != nil)
        }
    }

    /// A case with bytes changed, removed or inserted, or combined with another case.
    private func mutate(_ cases: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        var text = cases[random.below(cases.count)]
        for _ in 0...random.below(4) {
            let at = random.below(text.count + 1)
            switch random.below(6) {
            case 0: if at < text.count { text[at] = UInt8(truncatingIfNeeded: random.next()) }
            case 1: if at < text.count { text.remove(at: at) }
            case 2: text.insert(contentsOf: Self.words[random.below(Self.words.count)].utf8, at: at)
            case 3: text.removeSubrange(at..<min(text.count, at + random.below(8)))
            case 4:
                let other = cases[random.below(cases.count)]
                text = Array(text[..<at]) + other[random.below(other.count + 1)...]
            default:
                let part = text[at..<min(text.count, at + random.below(12))]
                text.insert(contentsOf: part, at: at)
            }
        }
        return text
    }

    private func generate(_ random: inout SeededRandom) -> [UInt8] {
        var text: [UInt8] = []
        for _ in 0...random.below(24) {
            text += Self.words[random.below(Self.words.count)].utf8
            if random.below(3) > 0 { text.append(0x20) }
        }
        return text
    }

    @Test func mutatedQueriesNeverCrash() {
        let seed = UInt64.random(in: 1 ... .max)
        print("query fuzz seed \(seed)")
        var random = SeededRandom(seed: seed)
        let cases = QueryCases.all.map { [UInt8]($0["query"]!.string!.utf8) }
        for _ in 0..<50_000 * QueryCases.scale {
            check(mutate(cases, &random))
            check(generate(&random))
        }
    }
}
