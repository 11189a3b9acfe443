import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// Creates objects with random numbers from 0 to `bound`, which are stored as texts. With a
    /// small bound, many texts are equal.
    private static func duplicates(
        upTo bound: @escaping @Sendable (CoreDatabase) -> Int, isIndexed: Bool = true
    ) -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([PropertySpec("chars", .string)])
            let count = bound(database) + 1
            for _ in 0..<database.baseSize {
                try database.add(database.string(String(database.random.below(count))))
            }
            if isIndexed { try database.index() }
        }
    }

    static let fewDuplicates = duplicates { $0.baseSize / 2 }
    private static let manyDuplicates = duplicates { _ in 100 }
    private static let manyUnindexed = duplicates(upTo: { _ in 100 }, isIndexed: false)

    /// The texts "10", "20" to "100", for which the measured repetitions search.
    static let tens = (1...10).map { QueryArgument.string(String($0 * 10)) }

    /// Creates objects with the texts `0`, `1`, `2` and so on. The measured repetitions search for
    /// some of these texts at even distances.
    private static func positions(isIndexed: Bool = false) -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([PropertySpec("chars", .string)])
            let rows = database.baseSize
            for i in 0..<rows { try database.add(database.string(String(i))) }
            if isIndexed { try database.index() }
            let count = database.scaled(200)
            database.needles = (0..<count).map { .string(String(rows / count * $0)) }
        }
    }

    static func anyOf(_ needles: [QueryArgument], _ property: String) -> QueryCondition {
        .or(needles.map { .comparing(property, to: $0) })
    }

    // MARK: Words

    /// Sizes in bytes of seven texts, which the objects have in turn. Two of the texts contain both
    /// words of the query.
    private static let lengths = [343, 680, 924, 395, 421, 276, 45]
    private static let vocabulary = [
        "database", "management", "system", "model", "during", "which", "language", "early",
        "commercial", "research", "product", "store", "program", "relational", "other", "market",
        "company", "support", "design", "term", "more", "recent", "complex", "view", "between",
    ]

    private static let sevenTexts: [String] = {
        var random = SplitMix64(seed: 7)
        return lengths.enumerated().map { i, length in
            var text =
                [2, 4].contains(i) ? "object gemstone" : [3, 5].contains(i) ? "cloud" : "object"
            while text.utf8.count < length {
                text += " " + vocabulary[random.below(vocabulary.count)]
            }
            return text
        }
    }()

    private static let longDuplicates: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("chars", .string)])
        for i in 0..<database.baseSize { try database.add(database.string(sevenTexts[i % 7])) }
        try database.index(0, .fullText)
        database.expected = (0..<database.baseSize).count { [2, 4].contains($0 % 7) }
    }

    // MARK: Upper and lower case

    /// Creates objects with texts of up to 99 random letters, in upper and lower case. The measured
    /// repetitions search for one of the texts with a different case.
    private static func letters(isIndexed: Bool) -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([PropertySpec("chars", .string)])
            var counts: [String: Int] = [:]
            var needle = ""
            for _ in 0..<database.baseSize {
                let text = randomLetters(&database.random)
                if needle.isEmpty, text.utf8.count > 20 { needle = text }
                counts[text.lowercased(), default: 0] += 1
                try database.add(database.string(text))
            }
            let changed = needle.map { database.random.below(2) == 0 ? $0 : Self.otherCase($0) }
            database.needles = [.string(String(changed))]
            database.expected = (counts[needle.lowercased()] ?? 0) * database.scaled(1000)
            if isIndexed { try database.index() }
        }
    }

    private static func randomLetters(_ random: inout SplitMix64) -> String {
        let bytes = (0..<random.below(100)).map { _ in
            UInt8(truncatingIfNeeded: random.below(26) + (random.below(2) == 0 ? 97 : 65))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func otherCase(_ letter: Character) -> Character {
        Character(UnicodeScalar(letter.asciiValue.map { $0 ^ 0x20 } ?? 0x20))
    }

    private static let findLetters: Reading = { (reader) throws(RealmError) in
        var found = 0
        for _ in 0..<reader.database.scaled(1000) {
            found += try reader.find(
                .comparing("chars", to: reader.database.needles[0], foldsCase: true))
        }
        return found
    }

    // MARK: Operations

    /// A text so long that it is stored in a blob of its own, as in realm-core's benchmark.
    private static let longNeedle =
        "a text that is so long that it has a place to itself, and found late"

    /// Creates objects with short texts. The second object has a long text instead, for which the
    /// measured repetitions search.
    private static let oneLongText: Build = { (database) throws(RealmError) in
        try texts()(database)
        guard database.keys.count > 1 else { return }
        try database.writing().set(database.table, database.keys[0], 0, database.string("a text"))
        let text = database.string(longNeedle)
        try database.writing().set(database.table, database.keys[1], 0, text)
    }

    private static let findTen: Reading = { (reader) throws(RealmError) in
        try reader.find(.comparing("chars", to: .string("10")))
    }

    private static let firstOfTens: Reading = { (reader) throws(RealmError) in
        var keys = 0
        for text in tens { keys = keys &* 31 &+ (try reader.first(.comparing("chars", to: text))) }
        return keys
    }

    private static let countTens: Reading = { (reader) throws(RealmError) in
        var count = 0
        for text in tens { count += try reader.count(.comparing("chars", to: text)) }
        return count
    }

    private static let findAny: Reading = { (reader) throws(RealmError) in
        try reader.find(anyOf(reader.database.needles, "chars"))
    }

    private static let findNone: Reading = { (reader) throws(RealmError) in
        try reader.find(.not(anyOf(reader.database.needles, "chars")))
    }

    /// Evaluates a condition in the program, so the engine must pass every text to the program.
    private static let filter: Reading = { (reader) throws(RealmError) in
        var wanted: Set<[UInt8]> = []
        for case .string(let text) in reader.database.needles { wanted.insert(Array(text.utf8)) }
        let rows = try reader.plan(.always(true)).rows(in: reader.snapshot)
        let scan = reader.table.scan(columns: [0])
        var found = 0
        for key in rows.keys {
            guard let row = try scan.seek(key) else { continue }
            if case .string(let text) = try scan.value(row: row, column: 0),
                wanted.contains(text.bytes)
            {
                found += 1
            }
        }
        return found
    }

    private static let countNeedles: Reading = { (reader) throws(RealmError) in
        reader.database.needles.count
    }

    private static let countOthers: Reading = { (reader) throws(RealmError) in
        reader.database.baseSize - reader.database.needles.count
    }

    static let strings: [CoreTask] = [
        .read(
            "find-all-string-few-dupes", "find a text with an index, few alike", times: 1000,
            fewDuplicates, findTen),
        .read(
            "find-all-string-many-dupes", "find a text with an index, many alike", times: 1000,
            manyDuplicates, findTen),
        .read(
            "find-all-fulltext-string-many-dupes", "find long texts by two words", longDuplicates
        ) { (reader) throws(RealmError) in
            try reader.find(
                .comparing("chars", relation: .text, to: .string("object gemstone")))
        },
        .read(
            "find-first-string-few-dupes", "find the first of ten texts each, few alike",
            times: 1000, fewDuplicates, firstOfTens),
        .read(
            "find-first-string-many-dupes", "find the first of ten texts each, many alike",
            times: 1000, manyDuplicates, firstOfTens),
        .read(
            "count-string-many-dupes-non-indexed", "count ten texts", manyUnindexed, countTens),
        .read(
            "count-string-many-dupes-indexed", "count ten texts with an index", times: 1000,
            manyDuplicates, countTens),
        .read("query", "find a text", times: 100, texts()) { (reader) throws(RealmError) in
            try reader.find(.comparing("chars", to: .string("200")))
        },
        .read("query-long-string", "find the second text, 1000 times", oneLongText) {
            (reader) throws(RealmError) in
            let plan = try reader.plan(.comparing("chars", to: .string(longNeedle)))
            let run = QueryRun(plan, in: reader.snapshot)
            var keys = 0
            for _ in 0..<reader.database.scaled(1000) { keys &+= Int(try run.first()?.raw ?? -1) }
            return keys
        },
        .read(
            "query-insensitive-string", "find a text in any case, 1000 times", times: 2,
            letters(isIndexed: false), findLetters),
        .read(
            "query-insensitive-string-indexed", "the same with an index",
            letters(isIndexed: true), findLetters),
        .read(
            "query-chained-or-strings", "find 200 texts, chained with OR", positions(),
            verification: countNeedles, findAny),
        .read(
            "query-chained-or-strings-indexed", "the same with an index", times: 100,
            positions(isIndexed: true), verification: countNeedles, findAny),
        .read(
            "query-chained-or-strings-view-filter-predicate",
            "show all objects to a program that looks for 200 texts", times: 5, positions(),
            verification: countNeedles, filter),
        .read(
            "query-not-chained-or-strings", "find all texts but 200", positions(),
            verification: countOthers, findNone),
        .read(
            "query-not-chained-or-strings-indexed", "the same with an index",
            positions(isIndexed: true), verification: countOthers, findNone),
    ]
}
