import Testing

@testable import EngineSupport
@testable import RealmEngine

/// MATCHES has the semantics of an ICU expression that matches the whole value.
@Suite struct RegularExpressionTests {
    private func matches(_ pattern: String, _ text: String, foldsCase: Bool = false) throws -> Bool
    {
        let expression = try RegularExpression(pattern, foldsCase: foldsCase)
        return Array(text.utf8).withUnsafeBytes { expression.matches($0) }
    }

    @Test(arguments: [
        ("", ""), ("A.*n", "Alan"), ("a|bc", "bc"), ("(a*)*b", "aaab"), ("[^a-c]+", "xyz"),
        ("\\d{2,3}", "12"), ("\\bfoo\\b.*", "foo bar"), ("(?i)abc(?-i)D", "aBCD"), ("^$", ""),
        ("(?m)^a$\\n^b$", "a\nb"), ("(?s).", "\n"), ("\\p{Lu}\\p{Ll}+", "Ärger"),
        ("[[a-z]&&[^aeiou]]+", "xyz"), ("\\Q.*\\E", ".*"), ("\\x{1F600}", "😀"),
        ("(?x) a b # c\n c", "abc"), ("[\\]\\-a]", "]"), ("(?<name>a)b", "ab"), ("a+?", "aaa"),
        ("\\R", "\r\n"), ("[[:alpha:]]+", "Жx"), ("\\u00e9", "é"), ("(?#no)a", "a"),
        ("[^\\w]", "-"),
    ])
    func expressionsMatch(_ pattern: String, _ text: String) throws {
        #expect(try matches(pattern, text))
    }

    @Test(arguments: [
        ("A.*n", "Alana"), ("[^a-c]+", "xaz"), ("\\d{2,3}", "1234"), ("\\bfoo\\b.*", "foobar"),
        ("(?i)abc(?-i)D", "aBCd"), (".", "\n"), ("a$\\nb", "a\nb"), ("[[a-z]&&[^aeiou]]+", "xaz"),
        ("[a-z--[b]]", "b"), ("a", "A"), ("", "a"),
    ])
    func expressionsDoNotMatch(_ pattern: String, _ text: String) throws {
        #expect(try !matches(pattern, text))
    }

    @Test(arguments: [
        ("straße", "STRAẞE"), ("[а-я]+", "ПРИВЕТ"), ("σας", "ΣΑΣ"), ("k", "\u{212A}"),
        ("[^a]", "B"),
    ])
    func caseFoldsByUnicodeRules(_ pattern: String, _ text: String) throws {
        #expect(try matches(pattern, text, foldsCase: true))
        #expect(try !matches("[^a]", "A", foldsCase: true))
    }

    @Test(arguments: [
        ("(", 0), ("a)", 1), ("[a", 0), ("a{2", 1), ("*a", 0), ("a**", 2), ("(?=a)", 0),
        ("(?<!a)b", 0),
        ("\\1", 0), ("a++", 1), ("\\p{Foo}", 0), ("(a{1000}){1000}", 0), ("\\q", 0), ("a{3,2}", 1),
        ("[b-a]", 1), ("\\uD800", 0), ("a{2000}", 1), ("\\", 0), ("(?z)", 2), ("[[:foo:]]", 1),
    ])
    func unsupportedSyntaxIsRefused(_ pattern: String, _ offset: Int) throws {
        let error = #expect(throws: ExpressionParser.Failure.self) {
            try RegularExpression(pattern, foldsCase: false)
        }
        #expect(error?.offset == offset)
    }

    @Test func nestedGroupsHaveAMaximumDepth() throws {
        let deep = String(repeating: "(", count: 99) + String(repeating: ")", count: 99)
        _ = try RegularExpression(deep, foldsCase: false)
        for open in ["(", "[", "(?:", "[a&&"] {
            #expect(throws: ExpressionParser.Failure.self) {
                try RegularExpression(String(repeating: open, count: 100_000), foldsCase: false)
            }
        }
    }

    /// The number of steps per byte is bounded for every expression.
    @Test(arguments: [
        "(a*)*b", "(a|aa)*b", "(a?){300}a{300}", ".*a.{12}", "(a+a+)+y", "[ab]*a[ab]{12}b",
    ])
    func expressionsTakeLinearTime(_ pattern: String) throws {
        let expression = try RegularExpression(pattern, foldsCase: false)
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        #expect(text.withUnsafeBytes { expression.matches($0) } == (pattern == ".*a.{12}"))
    }

    /// In ill-formed UTF-8, each invalid part counts as one U+FFFD.
    @Test func illFormedTextMatchesAsReplacementCharacters() throws {
        let expression = try RegularExpression("a\\x{FFFD}.b", foldsCase: false)
        let text: [UInt8] = [0x61, 0xFF, 0xC3, 0x62]
        #expect(text.withUnsafeBytes { expression.matches($0) })
    }

    /// Compares random expressions with a matcher that interprets the tree.
    @Test(arguments: 0..<8)
    func expressionsAgreeWithTheSimpleMatcher(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var matched = 0
        for _ in 0..<2500 {
            let pattern = Self.pattern(&random, 0)
            let foldsCase = random.below(3) == 0
            let tree = try ExpressionParser.tree(pattern, foldsCase: foldsCase)
            let expression = try RegularExpression(pattern, foldsCase: foldsCase)
            for _ in 0..<6 {
                let text = Self.text(&random)
                let plain = PlainMatcher(text).matches(tree)
                let found = Array(text.utf8).withUnsafeBytes { expression.matches($0) }
                #expect(found == plain, "seed \(seed): \(pattern) with \(text.debugDescription)")
                if plain { matched += 1 }
            }
        }
        #expect(matched > 300)
    }

    private static func pattern(_ random: inout SeededRandom, _ depth: Int) -> String {
        let sets = [
            "[ab]", "[^a]", ".", "\\w", "é", "[a-cé]", "\\b", "\\B", "[^\\w]", "\\s", "^", "$",
            "(?m)^",
            "(?m)$", "\\p{L}", "[^[a-b]&&[b-z]]",
        ]
        let counts = ["?", "+", "{2}", "{1,3}", "{0,2}", "{2,}", "*", "*?"]
        switch random.below(depth > 3 ? 4 : 11) {
        case 0: return "a"
        case 1: return "b"
        case 2: return sets[random.below(sets.count)]
        case 3: return "c"
        case 4, 5: return pattern(&random, depth + 1) + pattern(&random, depth + 1)
        case 6: return "(" + pattern(&random, depth + 1) + "|" + pattern(&random, depth + 1) + ")"
        case 7, 8:
            return "(" + pattern(&random, depth + 1) + ")" + counts[random.below(counts.count)]
        case 9: return "(?:" + pattern(&random, depth + 1) + ")"
        default:
            return pattern(&random, depth + 1) + pattern(&random, depth + 1)
                + pattern(&random, depth + 1)
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let letters = ["a", "b", "c", "é", " ", "\n", "É", "A"]
        return (0..<random.below(9)).map { _ in letters[random.below(8)] }.joined()
    }
}

/// Interprets an expression tree, with a set of positions.
private struct PlainMatcher {
    private let scalars: [UInt32]

    init(_ text: String) { scalars = text.unicodeScalars.map(\.value) }

    func matches(_ tree: ExpressionTree) -> Bool { ends(tree, [0]).contains(scalars.count) }

    /// The positions at which a match of `tree` that begins at one of `starts` may end.
    private func ends(_ tree: ExpressionTree, _ starts: Set<Int>) -> Set<Int> {
        switch tree {
        case .empty: return starts
        case .scalars(let set):
            return Set(
                starts.filter { $0 < scalars.count && set.contains(scalars[$0]) }.map { $0 + 1 })
        case .assertion(let assertion): return starts.filter { holds(assertion, $0) }
        case .sequence(let parts): return parts.reduce(starts) { ends($1, $0) }
        case .choice(let branches):
            return branches.reduce(into: []) { $0.formUnion(ends($1, starts)) }
        case .repeated(let part, let minimum, let maximum):
            var all: Set<Int> = []
            var now = starts
            var count = 0
            while count <= maximum ?? (minimum + scalars.count + 1), !now.isEmpty {
                if count >= minimum { all.formUnion(now) }
                now = ends(part, now)
                count += 1
            }
            return all
        }
    }

    private func holds(_ assertion: ExpressionTree.Assertion, _ place: Int) -> Bool {
        let before = place > 0 ? scalars[place - 1] : nil
        let after = place < scalars.count ? scalars[place] : nil
        func isWord(_ scalar: UInt32?) -> Bool {
            scalar.map { ScalarSet.words.contains($0) } ?? false
        }
        func isLineEnd(_ scalar: UInt32?) -> Bool {
            scalar.map { ScalarSet.lineEnds.contains($0) } ?? true
        }
        return switch assertion {
        case .start: before == nil
        case .end: after == nil
        case .lineStart: isLineEnd(before)
        case .lineEnd: isLineEnd(after)
        case .wordBoundary: isWord(before) != isWord(after)
        case .noWordBoundary: isWord(before) == isWord(after)
        }
    }
}
