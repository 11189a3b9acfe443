@_spi(_Unicode) import Swift
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Sort keys of SORT and DISTINCT with `[c]`, `[cd]` and `[n]` have the order of a simple model, in
/// memory and in temporary files.
@Suite struct CollationTests {
    @Test(arguments: [
        (["File10", "file2", "File1", "file02"], "[cn]", ["File1", "file2", "file02", "File10"]),
        (["b", "A", "a", "B"], "[c]", ["A", "a", "b", "B"]),
        (["zebra", "Émile", "eric", "Eva"], "[cd]", ["Émile", "eric", "Eva", "zebra"]),
        (["x9", "x", "x10y", "x1", "x10"], "[n]", ["x", "x1", "x9", "x10", "x10y"]),
        (["ж", "Ё", "е", "Ж"], "[cd]", ["Ё", "е", "ж", "Ж"]),
    ])
    func ordersTextAsPeopleReadIt(_ texts: [String], _ rule: String, _ expected: [String]) throws {
        let scratch = ScratchDatabase()
        try Self.write(texts, to: scratch.path)
        let database = try Database(immutable: scratch.path)
        let rows = try Self.rows("TRUEPREDICATE SORT(text\(rule) ASC)", database)
        #expect(rows.map { texts[Int($0)] } == expected)
    }

    @Test func runsOfDigitsOfAnyLengthAreNumbers() {
        let collation = TextCollation(ordersNumbers: true)
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            let (a, b) = (Self.digits(&random), Self.digits(&random))
            let trimmed = [a, b].map { digits in
                let rest = digits.drop { $0 == "0" }
                return rest.isEmpty ? "0" : String(rest)
            }
            let (first, second) = (trimmed[0], trimmed[1])
            let expected =
                first.utf8.count != second.utf8.count
                ? first.utf8.count < second.utf8.count : first < second
            let way = Self.compare("file" + a + "x", "file" + b + "x", collation)
            #expect((way < 0) == expected, "\(a) \(b)")
            #expect((way == 0) == (first == second), "\(a) \(b)")
        }
    }

    private static func digits(_ random: inout SeededRandom) -> String {
        let count = random.below(8) == 0 ? 250 + random.below(12) : 1 + random.below(6)
        return String((0..<count).map { _ in Character("\(random.below(4) == 0 ? 9 : 0)") })
    }

    private static func compare(_ a: String, _ b: String, _ collation: TextCollation) -> Int {
        var (a, b) = (a, b)
        return a.withUTF8 { a in
            b.withUTF8 { b in
                collation.compare(
                    ByteView(a.baseAddress!, count: a.count),
                    ByteView(b.baseAddress!, count: b.count))
            }
        }
    }

    /// Returns texts in rows that produce every form of leaf. Some texts are longer than the part
    /// of a text that a sort copies.
    private static func texts(_ longest: Int, _ seed: UInt64) -> [String?] {
        let words = [
            "a", "A", "é", "E\u{301}", "e", "Ω", "ω", "ß", "ẞ", "10", "9", "009", "x", "X", " ",
            "ж",
            "Ж", String(repeating: "q", count: 700), String(repeating: "Q", count: 700),
        ]
        var random = SeededRandom(seed: seed)
        return (0..<1200).map { _ in
            if random.below(15) == 0 { return nil }
            var text = ""
            repeat {
                text += words[random.below(longest < 50 ? 17 : words.count)]
            } while random.below(3) != 0 && text.utf8.count < longest
            return text
        }
    }

    @Test(arguments: [4, 20, 3000], ["[c]", "[cd]", "[n]", "[dcn]"])
    func sortsAndDistinguishesAsAPlainModel(_ longest: Int, _ rule: String) throws {
        let texts = Self.texts(longest, UInt64(longest))
        let scratch = ScratchDatabase()
        let written = try Self.write(texts, to: scratch.path)
        let plain = try Database(immutable: scratch.path)
        let enumerated = try ScratchDatabase.enumerated(plain)
        let keys = texts.map { $0.map { Self.key($0, rule) } }
        let ascending = texts.indices.sorted { a, b in
            Self.isBefore(keys[a], keys[b]) || keys[a] == keys[b] && a < b
        }
        let descending = texts.indices.sorted { a, b in
            Self.isBefore(keys[b], keys[a]) || keys[a] == keys[b] && a < b
        }
        var seen: Set<[UInt8]?> = []
        let distinct = texts.indices.filter { seen.insert(keys[$0]).inserted }
        for database in [plain, try Database(immutable: enumerated.path)] {
            for memory in [Int.max, 200_000, 20_000] {
                for (text, expected) in [
                    ("SORT(text\(rule) ASC)", ascending), ("SORT(text\(rule) DESC)", descending),
                    ("SORT(text\(rule) ASC) LIMIT(7)", Array(ascending.prefix(7))),
                    ("DISTINCT(text\(rule))", distinct),
                ] {
                    let rows = try Self.rows("TRUEPREDICATE " + text, database, memory: memory)
                    #expect(rows == expected.map { written[$0].raw }, "\(text), \(memory) bytes")
                }
            }
        }
    }

    private static func isBefore(_ a: [UInt8]?, _ b: [UInt8]?) -> Bool {
        guard let a, let b else { return a == nil && b != nil }
        return a.lexicographicallyPrecedes(b)
    }

    /// Returns a key that is equal for all texts that the rule treats as equal.
    private static func key(_ text: String, _ rule: String) -> [UInt8] {
        var scalars = Array(text.unicodeScalars)
        if rule.contains("d") {
            scalars = String(text)._nfd.filter {
                $0.properties.canonicalCombiningClass == .notReordered
            }
        }
        if rule.contains("c") { scalars = scalars.map(folded) }
        var bytes = Array(String(String.UnicodeScalarView(scalars)).utf8)
        if rule.contains("n") {
            // Digits of the words are few: numbers are shorter than 100 digits.
            var parts: [UInt8] = []
            var number: [UInt8] = []
            for byte in bytes + [0] {
                if byte &- 0x30 < 10 {
                    number.append(byte)
                    continue
                }
                if !number.isEmpty {
                    let digits = Array(number.drop { $0 == 0x30 })
                    let kept = digits.isEmpty ? [0x30] : digits
                    parts += [0x30, UInt8(kept.count / 200), UInt8(kept.count % 200)] + kept
                    number = []
                }
                parts.append(byte)
            }
            bytes = parts.dropLast()
        }
        return bytes
    }

    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar == "ẞ" { return "ß" }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first! : scalar
    }

    @Test func comparisonsRefuseTheOrderOfNumbers() throws {
        #expect(throws: RealmError.self) { try Query("text ==[n] 'x'", dialect: .extended) }
        #expect(throws: RealmError.self) { try Query("TRUEPREDICATE SORT(text[c] ASC)") }
        #expect(throws: RealmError.self) {
            try Query("TRUEPREDICATE SORT(text[x] ASC)", dialect: .extended)
        }
    }

    @discardableResult
    private static func write(_ texts: [String?], to path: String) throws -> [ObjectKey] {
        try FoldedQueryTests.write(texts, false, to: path)
    }

    private static func rows(
        _ text: String, _ database: Database, memory: Int = .max
    ) throws -> [Int64] {
        var options = QueryOptions()
        options.memoryLimit = memory
        options.spillDirectory = "/tmp"
        let snapshot = database.snapshot()
        let info = try #require(database.schema.table(named: "Word"))
        let query = try Query(text, dialect: .extended)
        let plan = try QueryPlan(
            query.bound(to: snapshot.table(info)), in: snapshot, options: options)
        return try plan.rows(in: snapshot).keys.map(\.raw)
    }
}
