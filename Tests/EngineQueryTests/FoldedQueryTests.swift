@_spi(_Unicode) import Swift
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares `[c]`, `[d]` and MATCHES in the dialect with Unicode folding with a plain model, for
/// all evaluation strategies.
@Suite struct FoldedQueryTests {
    private static let words = [
        "", "a", "Smith", "SMITH", "ſmith", "kelvin", "\u{212A}elvin", "Straße", "STRAẞE",
        "STRASSE",
        "Привет", "ПРИВЕТ", "Σίσυφος", "ΣΊΣΥΦΟΣ", "café", "CAFE\u{301}", "Cafe", "İ", "ı", "i", "I",
        "𐐀x",
        "𐐨X", "한국", "\u{1112}\u{1161}\u{11AB}국", "Ø", "ø", "naïve", "x\u{301}y", "12", "é", "µ",
        "μ",
    ]

    /// Returns concatenated words of up to about `longest` bytes, in rows that produce every form
    /// of leaf.
    private static func texts(_ longest: Int, _ seed: UInt64) -> [String?] {
        var random = SeededRandom(seed: seed)
        return (0..<700).map { row in
            if random.below(12) == 0 { return nil }
            // Some leaves contain only ASCII.
            let isPlain = row / 256 == 1
            var text = ""
            repeat {
                let word = words[random.below(words.count)]
                if isPlain, word.utf8.contains(where: { $0 >= 0x80 }) { continue }
                text += word
            } while random.below(4) != 0 && text.utf8.count < longest
            return text
        }
    }

    @Test(arguments: [8, 40, 200], [false, true])
    func foldedConditionsEqualTheModel(_ longest: Int, _ isIndexed: Bool) throws {
        let texts = Self.texts(longest, UInt64(longest))
        let scratch = ScratchDatabase()
        let keys = try Self.write(texts, isIndexed, to: scratch.path)
        let plain = try Database(immutable: scratch.path)
        let enumerated = isIndexed ? nil : try ScratchDatabase.enumerated(plain)
        var random = SeededRandom(seed: 7)
        var found = 0
        for _ in 0..<120 {
            let condition = Condition(&random, Self.words)
            let expected = texts.indices.filter { condition.matches(texts[$0]) }.map {
                keys[$0].raw
            }
            found += expected.count
            for database in [plain, try enumerated.map { try Database(immutable: $0.path) }] {
                guard let database else { continue }
                for way in QueryOptions.ways {
                    let found = try Self.rows(condition.text, database, way)
                    #expect(found == expected, "\(condition.text)")
                }
            }
        }
        #expect(found > 1000)
        try expectSound(scratch.path)
    }

    /// The dialect of the SDKs folds only ASCII and Latin-1.
    @Test func theDialectOfTheSDKsFoldsLatinOnly() throws {
        let scratch = ScratchDatabase()
        try Self.write(["ПРИВЕТ", "CAFÉ", "SMITH", "ſmith"], false, to: scratch.path)
        let database = try Database(immutable: scratch.path)
        func rows(_ text: String) throws -> [Int64] {
            try Self.rows(text, database, QueryOptions(), .language)
        }
        #expect(try rows("text ==[c] 'привет'") == [])
        #expect(try rows("text ==[c] 'café'") == [1])
        #expect(try rows("text ==[c] 'smith'") == [2])
        #expect(throws: RealmError.self) { try rows("text ==[d] 'Cafe'") }
    }

    @Test func regularExpressionsFindTheirTexts() throws {
        let scratch = ScratchDatabase()
        try Self.write(["Alan", "Ada", nil, "Алан", "ada lovelace"], false, to: scratch.path)
        let database = try Database(immutable: scratch.path)
        for way in QueryOptions.ways {
            func rows(_ text: String) throws -> [Int64] { try Self.rows(text, database, way) }
            #expect(try rows("text MATCHES 'A.*n'") == [0])
            #expect(try rows("text matches[c] 'а.*Н'") == [3])
            #expect(try rows("NOT text MATCHES '[Aa]da.*'") == [0, 2, 3])
            #expect(try rows("word.text MATCHES 'A.*n'") == [1])
            #expect(try rows("ANY words.text MATCHES '.*a'") == [2, 3])
            #expect(try rows("ANY texts MATCHES 'x1|y'") == [1])
            #expect(try rows("SUBQUERY(words, $w, $w.text MATCHES 'A.*').@count > 0") == [1, 2, 3])
        }
    }

    @Test(arguments: [
        ("text MATCHES '('", "at character 1 of the regular expression"),
        ("text MATCHES 5", "needs a string"),
        ("text MATCHES text", "needs a text in quotes"),
        ("text MATCHES {'a'}", "needs a text in quotes"), ("text MATCHES[d] 'a'", "MATCHES"),
    ])
    func errorsNameTheMistake(_ text: String, _ words: String) throws {
        let scratch = ScratchDatabase()
        try Self.write([], false, to: scratch.path)
        let database = try Database(immutable: scratch.path)
        let error = #expect(throws: RealmError.self) {
            try Self.rows(text, database, QueryOptions())
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    /// `matches` is not reserved: properties may have this name.
    @Test func propertiesMayBeNamedMatches() throws {
        let scratch = ScratchDatabase()
        try Self.write(["a"], false, to: scratch.path)
        let database = try Database(immutable: scratch.path)
        #expect(try Self.rows("matches MATCHES 'm0'", database, QueryOptions()) == [0])
    }

    private static func rows(
        _ text: String, _ database: Database, _ options: QueryOptions,
        _ dialect: QueryDialect = .extended
    ) throws -> [Int64] {
        let snapshot = database.snapshot()
        let info = try #require(database.schema.table(named: "Word"))
        let query = try Query(text, dialect: dialect)
        let plan = try QueryPlan(
            query.bound(to: snapshot.table(info)), in: snapshot, options: options)
        return try plan.rows(in: snapshot).keys.map(\.raw).sorted()
    }

    /// Each object links to its predecessor, and lists its two predecessors.
    @discardableResult
    static func write(
        _ texts: [String?], _ isIndexed: Bool, to path: String
    ) throws -> [ObjectKey] {
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: path, options: options)
        let change = try session.begin()
        let table = try change.createClass("Word")
        var text = PropertySpec("text", .string)
        (text.isOptional, text.isIndexed) = (true, isIndexed)
        try change.addProperty(table, text)
        try change.addProperty(table, PropertySpec("n", .int))
        try change.addProperty(table, PropertySpec("matches", .string))
        var link = PropertySpec("word", .link)
        link.target = table
        try change.addProperty(table, link)
        (link, link.target, link.collection) = (PropertySpec("words", .link), table, .list)
        try change.addProperty(table, link)
        var list = PropertySpec("texts", .string)
        list.collection = .list
        try change.addProperty(table, list)
        var keys: [ObjectKey] = []
        for (row, text) in texts.enumerated() {
            let key = try change.create(in: table)
            if let text {
                try Self.set(text) { try change.set(table, key, 0, $0) }
            }
            try Self.set("m\(row)") { try change.set(table, key, 2, $0) }
            try Self.set("x\(row)") { try change.setElements(table, key, 5, [$0]) }
            let before = keys.suffix(2).reversed().map {
                Value.link(ObjectLink(table: table, key: $0))
            }
            if let last = before.first { try change.set(table, key, 3, last) }
            try change.setElements(table, key, 4, before)
            keys.append(key)
        }
        try change.commit()
        return keys
    }

    private static func set(_ text: String, _ body: (Value) throws -> Void) throws {
        try Array(text.utf8).withUnsafeBytes {
            try body(.string(ByteView($0.baseAddress ?? ByteView.empty.base, count: $0.count)))
        }
    }
}

/// A condition on a text, in the query language and as a simple function.
private struct Condition {
    let text: String
    let matches: (String?) -> Bool

    init(_ random: inout SeededRandom, _ words: [String]) {
        var needle = words[random.below(words.count)]
        if random.below(3) == 0 { needle += words[random.below(words.count)] }
        if random.below(4) == 0, needle.unicodeScalars.count > 2 {
            needle = String(String.UnicodeScalarView(needle.unicodeScalars.dropFirst()))
        }
        let (flag, drops) = [("[c]", false), ("[d]", true), ("[cd]", true)][random.below(3)]
        let folds = flag != "[d]"
        func fold(_ text: String) -> [UInt8] {
            var scalars = Array(text.unicodeScalars)
            if drops {
                scalars = scalars.flatMap { Array(String($0)._nfd) }.filter {
                    $0.properties.canonicalCombiningClass == .notReordered
                }
            }
            return Array(
                String(
                    String.UnicodeScalarView(
                        scalars.map {
                            folds ? Unicode.Scalar(CaseFolding.folded($0.value))! : $0
                        })
                ).utf8)
        }
        let wanted = fold(needle)
        let relations = ["==", "!=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "IN"]
        let relation = relations[random.below(relations.count)]
        let quoted = "'\(needle)'"
        switch relation {
        case "LIKE": text = "text LIKE\(flag) '*\(needle)*'"
        case "IN": text = "text IN\(flag) {\(quoted), '12'}"
        default: text = "text \(relation)\(flag) \(quoted)"
        }
        matches = { value in
            guard let value else { return relation == "!=" }
            let folded = fold(value)
            return switch relation {
            case "==": folded == wanted
            case "!=": folded != wanted
            case "BEGINSWITH": folded.starts(with: wanted)
            case "ENDSWITH": folded.reversed().starts(with: wanted.reversed())
            case "IN": folded == wanted || folded == fold("12")
            default: Self.contains(folded, wanted)
            }
        }
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        if part.isEmpty { return true }
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
