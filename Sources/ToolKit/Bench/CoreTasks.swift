import RealmEngine

extension WorkloadCatalogue {
    /// The common tasks of the reference engine's benchmark, with the same shapes.
    static let core: [WorkloadPlan] =
        (CoreTask.transactions + CoreTask.strings + CoreTask.integers + CoreTask.timestamps
        + CoreTask.links).map(\.plan)
}

extension CoreTask {
    fileprivate typealias Build = @Sendable (CoreDatabase) throws(RealmError) -> Void

    // MARK: What there is

    private static let nothing: Build = { database throws(RealmError) in
        try database.makeClass(PropertySpec("chars", .string))
    }

    /// Texts of random numbers below `bound`.
    private static func texts(below bound: Int, isIndexed: Bool = false) -> Build {
        { database throws(RealmError) in
            var chars = PropertySpec("chars", .string)
            chars.isIndexed = isIndexed
            try database.makeClass(chars)
            try database.makeObjects { (_, key) throws(RealmError) in
                let number = database.random.below(bound)
                try database.set(key, 0, database.string(String(number)))
            }
        }
    }

    private static let differentTexts = texts(below: 1 << 31)
    private static let fewDuplicates = texts(below: 2 * usualRows)
    private static let manyDuplicates = texts(below: 100)

    /// A text of 2000 bytes first, short ones after it.
    private static let longTexts: Build = { database throws(RealmError) in
        try database.makeClass(PropertySpec("chars", .string))
        try database.makeObjects { (i, key) throws(RealmError) in
            let text = i == 0 ? longText : String(database.random.below(1 << 31))
            try database.set(key, 0, database.string(text))
        }
    }

    private static let longText = String(repeating: "A", count: 2000)

    private static func numbers(below bound: Int, isIndexed: Bool = false) -> Build {
        { database throws(RealmError) in
            var ints = PropertySpec("ints", .int)
            ints.isIndexed = isIndexed
            try database.makeClass(ints, PropertySpec("doubles", .double))
            try database.makeObjects { (_, key) throws(RealmError) in
                try database.set(key, 0, .int(Int64(database.random.below(bound))))
                try database.set(key, 1, .double(Double(database.random.below(bound))))
            }
        }
    }

    private static let identifiers: Build = { database throws(RealmError) in
        try database.makeClass(key: PropertySpec("_id", .int))
        // Numbers far apart, each once.
        try database.makeKeyedObjects { Int64($0) &* 1_000_003 }
    }

    /// Seconds from 0 on, one of ten null.
    private static let times: Build = { database throws(RealmError) in
        var time = PropertySpec("time", .timestamp)
        time.isOptional = true
        try database.makeClass(time)
        try database.makeObjects { (_, key) throws(RealmError) in
            let seconds = database.random.below(1000)
            if database.random.below(10) == 0 { return }
            try database.set(
                key, 0, .timestamp(Timestamp(seconds: Int64(seconds), nanoseconds: 0)))
        }
    }

    /// Objects that link to one object of the same class and hold lists of ten.
    private static let linked: Build = { database throws(RealmError) in
        try database.makeClass(
            PropertySpec("number", .int), PropertySpec("chars", .string),
            PropertySpec("time", .timestamp))
        var next = PropertySpec("next", .link)
        next.target = database.table
        var items = next
        items.name = "items"
        items.collection = .list
        var ints = PropertySpec("ints", .int)
        ints.collection = .list
        for property in [next, items, ints] {
            try database.writing().addProperty(database.table, property)
        }
        try database.makeObjects { (i, key) throws(RealmError) in
            try database.set(key, 0, .int(Int64(i % 1000)))
            try database.set(key, 1, database.string(String(database.random.below(100))))
            let time = Timestamp(seconds: Int64(database.random.below(1000)), nanoseconds: 0)
            try database.set(key, 2, .timestamp(time))
        }
        for key in database.keys { try link(key, database) }
    }

    private static func link(
        _ key: ObjectKey, _ database: CoreDatabase
    ) throws(RealmError) {
        func other() -> Value {
            let target = database.keys[database.random.below(database.keys.count)]
            return .link(ObjectLink(table: database.table, key: target))
        }
        let t = try database.writing()
        try database.set(key, 3, other())
        try t.setElements(database.table, key, 4, (0..<10).map { _ in other() })
        let count = database.random.below(20)
        try t.setElements(database.table, key, 5, (0..<count).map { .int(Int64($0)) })
    }

    // MARK: What is done

    static let transactions: [CoreTask] = [
        CoreTask(
            name: "open-first", summary: "open a file nobody has open", build: differentTexts,
            work: .open(isFirst: true)),
        CoreTask(
            name: "open-later", summary: "open a file somebody has open", build: differentTexts,
            work: .open(isFirst: false)),
        CoreTask(
            name: "empty-commit", summary: "commit a transaction without changes", build: nothing,
            work: .write(commits: true) { _ throws(RealmError) in }),
        CoreTask(
            name: "add-table", summary: "add a class and forget the transaction", build: nothing,
            work: .write(commits: false) { database throws(RealmError) in
                _ = try database.writing().createClass("foo")
            }),
        CoreTask(
            name: "insert", summary: "insert 10000 objects with a text and commit", rows: 10_000,
            build: nothing,
            work: .write(commits: true) { database throws(RealmError) in
                for _ in 0..<database.rows {
                    let key = try database.writing().create(in: database.table)
                    try database.set(key, 0, database.string("a"))
                }
            }),
        CoreTask(
            name: "set-string", summary: "set the text of all objects and commit",
            build: differentTexts,
            work: .write(commits: true) { database throws(RealmError) in
                for key in database.keys { try database.set(key, 0, database.string("c")) }
            }),
        CoreTask(
            name: "set-long-string", summary: "set a text of 2000 bytes and commit",
            build: longTexts,
            work: .write(commits: true) { database throws(RealmError) in
                try database.set(database.keys[0], 0, database.string(longText + "B"))
            }),
        CoreTask(
            name: "create-index", summary: "index the texts and forget the transaction",
            build: differentTexts,
            work: .write(commits: false) { database throws(RealmError) in
                try database.writing().setIndex(database.table, 0, .general)
            }),
        CoreTask(
            name: "clear", summary: "remove every second object and forget the transaction",
            build: differentTexts,
            work: .write(commits: false) { database throws(RealmError) in
                for i in stride(from: 0, to: database.keys.count, by: 2) {
                    try database.writing().remove(database.table, database.keys[i])
                }
            }),
        CoreTask(
            name: "uid-random-access", summary: "find 1000 objects by primary key in random order",
            rows: 100_000, build: identifiers,
            work: .read { (table, fold) throws(RealmError) in
                var random = SplitMix64(seed: 5)
                let count = try table.count()
                for _ in 0..<1000 {
                    let id = Int64(random.below(count)) &* 1_000_003
                    guard let key = try table.find(primaryKey: .int(id)) else { return -1 }
                    fold.mix(UInt64(bitPattern: key.raw))
                }
                return count
            }),
        CoreTask(
            name: "uid-random-delete",
            summary: "find and remove 1000 objects by primary key, forget the transaction",
            rows: 100_000, build: identifiers,
            work: .write(commits: false) { database throws(RealmError) in
                var random = SplitMix64(seed: 6)
                let t = try database.writing()
                for _ in 0..<1000 {
                    let id = Int64(random.below(database.rows)) &* 1_000_003
                    guard let key = try t.find(in: database.table, primaryKey: .int(id)) else {
                        continue
                    }
                    try t.remove(database.table, key)
                }
            }),
    ]

    private static func find(
        _ name: String, _ summary: String, _ build: @escaping Build, rows: Int = usualRows,
        _ query: String
    ) -> CoreTask {
        CoreTask(name: name, summary: summary, rows: rows, build: build, work: .find(query))
    }

    /// As many conditions as there are numbers, of which most match nothing.
    private static func chain(_ property: String, _ count: Int, quoted: Bool = false) -> String {
        (0..<count).map { i in
            let number = String(i * 7)
            return property + " == " + (quoted ? "\"" + number + "\"" : number)
        }.joined(separator: " OR ")
    }

    private static let tens = (1...10).map { "chars == \"\($0 * 10)\"" }

    static let strings: [CoreTask] = [
        CoreTask(
            name: "get-string", summary: "read the texts of all objects", build: differentTexts,
            work: .read { (table, fold) throws(RealmError) in
                let scan = table.scan(columns: [0])
                while try scan.next() {
                    for row in 0..<scan.count { try fold.add(try scan.value(row: row, column: 0)) }
                }
                return try table.count()
            }),
        CoreTask(
            name: "get-long-string", summary: "read the texts, one of them long", build: longTexts,
            work: .read { (table, fold) throws(RealmError) in
                let scan = table.scan(columns: [0])
                while try scan.next() {
                    for row in 0..<scan.count { try fold.add(try scan.value(row: row, column: 0)) }
                }
                return try table.count()
            }),
        find("find-string-few", "find a text, few alike", fewDuplicates, "chars == \"10\""),
        find("find-string-many", "find a text, many alike", manyDuplicates, "chars == \"10\""),
        CoreTask(
            name: "find-first-few", summary: "find the first of ten texts each, few alike",
            build: fewDuplicates, work: .findFirst(tens)),
        CoreTask(
            name: "find-first-many", summary: "find the first of ten texts each, many alike",
            build: manyDuplicates, work: .findFirst(tens)),
        find(
            "long-string", "find a text of 2000 bytes", longTexts, "chars == \"" + longText + "\""),
        find("string-case", "find a text in any case", manyDuplicates, "chars ==[c] \"10\""),
        find(
            "string-case-index", "the same with an index", texts(below: 100, isIndexed: true),
            "chars ==[c] \"10\""),
        find(
            "string-index", "find a text with an index", texts(below: 100, isIndexed: true),
            "chars == \"10\""),
        find("not", "find all texts but one", manyDuplicates, "NOT chars == \"10\""),
        find(
            "or-strings", "find one of 1000 texts, chained with OR", fewDuplicates,
            chain("chars", 1000, quoted: true)),
        find("sort-string", "sort by text", differentTexts, "TRUEPREDICATE SORT(chars ASC)"),
        find(
            "distinct-few", "distinct texts, few alike", fewDuplicates,
            "TRUEPREDICATE DISTINCT(chars)"),
        find(
            "distinct-many", "distinct texts, many alike", manyDuplicates,
            "TRUEPREDICATE DISTINCT(chars)"),
    ]

    private static let spread = numbers(below: 2 * usualRows)
    private static let close = numbers(below: 100)

    static let integers: [CoreTask] = [
        find("int", "find a number", close, "ints == 10"),
        find(
            "int-index", "find a number with an index", numbers(below: 100, isIndexed: true),
            "ints == 10"),
        find("or-ints", "find one of 1000 numbers, chained with OR", spread, chain("ints", 1000)),
        find(
            "or-ints-index", "the same with an index",
            numbers(below: 2 * usualRows, isIndexed: true), chain("ints", 1000)),
        find(
            "in-ints", "find one of 1000 numbers, with IN", spread,
            "ints IN {" + (0..<1000).map { String($0 * 7) }.joined(separator: ", ") + "}"),
        find("int-double", "compare whole with floating numbers", close, "ints > doubles"),
        find("sort-int", "sort by number", spread, "TRUEPREDICATE SORT(ints ASC)"),
        find(
            "distinct-int-few", "distinct numbers, few alike", spread,
            "TRUEPREDICATE DISTINCT(ints)"),
        find(
            "distinct-int-many", "distinct numbers, many alike", close,
            "TRUEPREDICATE DISTINCT(ints)"),
    ]

    private static let middle = "T500:0"

    static let timestamps: [CoreTask] = [
        find("time-greater", "find later times", times, "time > \(middle)"),
        find("time-at-least", "find times not earlier", times, "time >= \(middle)"),
        find("time-less", "find earlier times", times, "time < \(middle)"),
        find("time-at-most", "find times not later", times, "time <= \(middle)"),
        find("time-equal", "find a time", times, "time == \(middle)"),
        find("time-not-equal", "find other times", times, "time != \(middle)"),
        find("time-null", "find missing times", times, "time == NULL"),
        find("time-not-null", "find known times", times, "time != NULL"),
    ]

    static let links: [CoreTask] = [
        find("string-over-link", "find a text over a link", linked, "next.chars == \"10\""),
        find("time-over-link", "find later times over a link", linked, "next.time > \(middle)"),
        find("list-size", "find lists by their length", linked, "ints.@size > 10"),
        find(
            "subquery", "find lists by how many of their objects match", linked,
            "SUBQUERY(items, $i, $i.number > 500).@count > 5"),
        CoreTask(
            name: "get-link-list", summary: "read the lists of links of all objects",
            build: linked,
            work: .read { (table, fold) throws(RealmError) in
                let scan = table.scan(columns: [4])
                while try scan.next() {
                    for row in 0..<scan.count { try fold.add(try scan.value(row: row, column: 0)) }
                }
                return try table.count()
            }),
    ]
}
