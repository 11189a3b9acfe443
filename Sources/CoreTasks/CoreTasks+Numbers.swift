import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// Creates objects with the numbers 0, 1, 2 and so on. The measured repetitions search for some
    /// of these numbers at even distances.
    private static func positions(isIndexed: Bool = false, hasDoubles: Bool = false) -> Build {
        { (database) throws(RealmError) in
            let ints = PropertySpec("ints", .int)
            try database.makeTable(hasDoubles ? [ints, PropertySpec("doubles", .double)] : [ints])
            let rows = database.baseSize
            for i in 0..<rows {
                if hasDoubles {
                    try database.add(.int(Int64(i)), .double(Double(i)))
                } else {
                    try database.add(.int(Int64(i)))
                }
            }
            if isIndexed { try database.index() }
            let count = database.scaled(1000)
            database.needles = (0..<count).map { .int(Int64(rows / count * $0)) }
        }
    }

    private static let ones: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("first", .int)])
        for _ in 0..<database.baseSize { try database.add(.int(1)) }
        database.expected = database.baseSize
    }

    /// Creates objects with two numbers, four times as many objects as other tasks. The first
    /// number ascends from object to object, the second one descends.
    private static let opposed: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("ints", .int), PropertySpec("doubles", .double)])
        let rows = 4 * database.baseSize
        for i in 0..<rows { try database.add(.int(Int64(i)), .double(Double(rows - i))) }
        database.expected = rows / 2 - 1
    }

    /// Creates objects with a list of three numbers each; four times as many objects as in other
    /// tasks.
    private static let triples: Build = { (database) throws(RealmError) in
        var ints = PropertySpec("ints", .int)
        ints.collection = .list
        try database.makeTable([ints])
        let rows = 4 * database.baseSize
        for i in 0..<rows {
            try database.add(.null)
            try database.writing().setElements(
                database.table, database.keys[i], 0, [.int(0), .int(1), .int(2)])
        }
        database.expected = rows
    }

    // MARK: Operations

    private static let findAny: Reading = { (reader) throws(RealmError) in
        try reader.find(anyOf(reader.database.needles, "ints"))
    }

    private static let countNeedles: Reading = { (reader) throws(RealmError) in
        reader.database.needles.count
    }

    private static let findEach: Reading = { (reader) throws(RealmError) in
        var found = 0
        for i in 0..<reader.database.scaled(1000) {
            found += try reader.find(.comparing("ints", to: .int(Int64(i))))
        }
        return found
    }

    static let numbers: [CoreTask] = [
        .read("query-not", "find all numbers but one that is not there", times: 100, ones) {
            (reader) throws(RealmError) in
            try reader.find(.comparing("first", relation: .notEqual, to: .int(2)))
        },
        .read(
            "query-chained-or-ints", "find 1000 numbers, chained with OR", times: 100, positions(),
            verification: countNeedles, findAny),
        .read(
            "query-chained-or-ints-indexed", "the same with an index", times: 100,
            positions(isIndexed: true), verification: countNeedles, findAny),
        .read(
            "query-chained-or-ints-count", "count 1000 numbers, chained with OR", times: 100,
            positions(), verification: countNeedles
        ) { (reader) throws(RealmError) in
            try reader.count(anyOf(reader.database.needles, "ints"))
        },
        .read(
            "query-int-equality", "find 1000 numbers, one after the other", times: 10, positions(),
            verification: countNeedles, findEach),
        .read(
            "query-int-equality-indexed", "the same with an index", times: 100,
            positions(isIndexed: true), verification: countNeedles, findEach),
        .read(
            "query-with-foreign-agg-avg", "the average of all objects but one, 50 times", times: 5,
            positions(hasDoubles: true)
        ) { (reader) throws(RealmError) in
            var total = 0
            for i in 0..<50 {
                let needle = reader.database.needles[i * 7 % reader.database.needles.count]
                let plan = try reader.plan(.comparing("ints", relation: .notEqual, to: needle))
                let average = try Aggregation("avg(doubles)", reader.table.info)
                total += try average.run(plan, reader.snapshot)
                if case .double(let mean)? = average.results.first { total += Int(mean) }
            }
            return total
        },
        .read("query-ints-vs-double-columns", "compare whole with floating numbers", opposed) {
            (reader) throws(RealmError) in
            try reader.count(.comparison(.path(["ints"]), .greater, .path(["doubles"])))
        },
    ]

    /// Tasks with links and lists, in the order of realm-core's benchmark.
    static let links: [CoreTask] = [
        .read("query-string-over-links", "find ten texts over a link, one after the other", linked)
        { (reader) throws(RealmError) in
            var found = 0
            for text in tens {
                found += try reader.find(
                    .comparing("myLink", "chars", to: text), of: reader.links())
            }
            return found
        },
        .read("subquery-strings", "find the objects whose link leads to a text", linked) {
            (reader) throws(RealmError) in
            try reader.find(
                .comparing("myLink", "chars", to: .string("20")), of: reader.links())
        },
        .read(
            "query-list-of-primitive-ints-size", "count lists by their length", triples
        ) { (reader) throws(RealmError) in
            try reader.count(
                .comparison(.count(["ints"]), .equal, .constant(.int(3))))
        },
    ]

    private static let linked: Build = { (database) throws(RealmError) in
        try fewDuplicates(database)
        try database.makeLinks()
    }
}
