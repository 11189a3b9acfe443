import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// Creates pairs of objects. Both objects of a pair contain the same value of `type`, which is
    /// made from a random number up to a million. The measured repetitions search for at least 50
    /// of these values.
    ///
    /// - Parameter prepare: called with the numbers of all pairs, and with the numbers from which
    ///   the searched values are made.
    private static func typed(
        _ type: CoreType, isOptional: Bool = false, isIndexed: Bool = false, needles: Int = 50,
        prepare: (@Sendable (CoreDatabase, [Int64], [Int64]) -> Void)? = nil
    ) -> Build {
        { (database) throws(RealmError) in
            var property = PropertySpec("v", type.column)
            property.isOptional = isOptional
            try database.makeTable([property])
            let pairs = max(1, database.baseSize / 2)
            var numbers: [Int64] = []
            for _ in 0..<pairs {
                let number = Int64(database.random.below(1_000_001))
                numbers.append(number)
                let value = database.value(type.argument(number))
                for _ in 0..<2 { try database.add(value) }
            }
            let wanted = max(50, needles > 50 ? database.scaled(needles) : 0)
            let chosen = (0..<wanted).map { _ in numbers[database.random.below(pairs)] }
            database.needles = chosen.map(type.argument)
            if isIndexed { try database.index() }
            prepare?(database, numbers, chosen)
        }
    }

    /// Returns the number of objects that a search for the numbers in `chosen` must find: the sum
    /// over these numbers. Each element of `numbers` is stored in two objects.
    private static func matches(
        _ type: CoreType, _ numbers: [Int64], _ chosen: some Sequence<Int64>
    ) -> Int {
        var counts: [Int64: Int] = [:]
        for number in numbers { counts[type.representative(number), default: 0] += 2 }
        return chosen.reduce(0) { $0 + (counts[type.representative($1)] ?? 0) }
    }

    // MARK: Queries

    private static func equal(
        _ type: CoreType, isIndexed: Bool, foldsCase: Bool = false, times: Int? = nil
    ) -> CoreTask {
        let build = typed(type, isIndexed: isIndexed) { database, numbers, chosen in
            database.expected = matches(type, numbers, chosen)
        }
        let title = foldsCase ? "query-insensitive-equal-" : "query-equal-"
        return .read(
            title + type.rawValue + (isIndexed ? "-indexed" : ""),
            "find 50 values\(foldsCase ? " in any case" : "")\(isIndexed ? " with an index" : "")",
            times: times ?? (isIndexed ? 100 : 10), build
        ) { (reader) throws(RealmError) in
            var found = 0
            for needle in reader.database.needles {
                found += try reader.find(.comparing("v", to: needle, foldsCase: foldsCase))
            }
            return found
        }
    }

    private static func range(_ type: CoreType) -> CoreTask {
        let build = typed(type) { database, numbers, chosen in
            let bounds = chosen.sorted()
            database.needles = bounds.map(type.argument)
            database.expected = (1..<bounds.count).reduce(0) { sum, i in
                sum + 2 * numbers.count { bounds[i - 1] <= $0 && $0 <= bounds[i] }
            }
        }
        return .read("query-range-" + type.rawValue, "find 49 ranges of values", times: 10, build) {
            (reader) throws(RealmError) in
            var found = 0
            let bounds = reader.database.needles
            for i in 1..<bounds.count {
                found += try reader.find(.between(.path(["v"]), bounds[i - 1], bounds[i]))
            }
            return found
        }
    }

    static let equalities: [CoreTask] = [
        equal(.mixed, isIndexed: true, times: 20), equal(.mixed, isIndexed: false),
        equal(.uuid, isIndexed: true), equal(.uuid, isIndexed: false),
        equal(.objectID, isIndexed: true), equal(.objectID, isIndexed: false),
        equal(.timestamp, isIndexed: true), equal(.timestamp, isIndexed: false),
        equal(.int, isIndexed: true), equal(.string, isIndexed: true),
        equal(.bool, isIndexed: true, times: 10), equal(.bool, isIndexed: false),
        equal(.mixed, isIndexed: false, foldsCase: true, times: 5),
        equal(.mixed, isIndexed: true, foldsCase: true, times: 5),
        equal(.string, isIndexed: false, foldsCase: true, times: 5),
        equal(.string, isIndexed: true, foldsCase: true, times: 20),
    ]

    // MARK: Bulk changes

    /// Parses the text of a query and removes the objects that it finds.
    private static let clear: Changing = { (reader, transaction) throws(RealmError) in
        let plan = try reader.plan(try Query(reader.database.query))
        let found = try plan.rows(in: reader.snapshot)
        for key in found.keys { try transaction.remove(found.table.key, key) }
        return found.count
    }

    private static func parsed(
        _ type: CoreType, isIndexed: Bool, _ count: Int, isList: Bool
    ) -> CoreTask {
        let build = typed(type, isIndexed: isIndexed, needles: count) {
            database, numbers, chosen in
            database.expected = matches(type, numbers, Set(chosen))
            let literals = chosen.map(type.literal)
            database.query =
                isList
                ? "v IN {" + literals.joined(separator: ", ") + "}"
                : literals.map { "v == " + $0 }.joined(separator: " or ")
        }
        let title = isList ? "query-parsed-in" : "query-chained-or-equality"
        return .change(
            "\(title)-\(count)-\(type.rawValue)\(isIndexed ? "-indexed" : "")",
            "parse a condition with \(max(50, count)) values"
                + "\(isList ? ", with IN" : ", chained with OR"), and remove what is found",
            times: 5, build, clear)
    }

    /// Tasks that parse and execute a long condition. The tasks with `-5-` in their names use 50
    /// values, not 5, because realm-core's tasks of the same names do.
    static let parsed: [CoreTask] = [
        parsed(.uuid, isIndexed: true, 5000, isList: false),
        parsed(.objectID, isIndexed: true, 5000, isList: false),
        parsed(.uuid, isIndexed: false, 5000, isList: false),
        parsed(.objectID, isIndexed: false, 5000, isList: false),
        parsed(.uuid, isIndexed: true, 5000, isList: true),
        parsed(.objectID, isIndexed: true, 5000, isList: true),
        parsed(.uuid, isIndexed: false, 5000, isList: true),
        parsed(.objectID, isIndexed: false, 5000, isList: true),
        parsed(.uuid, isIndexed: true, 5, isList: true),
        parsed(.objectID, isIndexed: true, 5, isList: true),
        parsed(.uuid, isIndexed: false, 5, isList: true),
        parsed(.objectID, isIndexed: false, 5, isList: true),
    ]

    // MARK: Indexes

    private static func createIndex(_ type: CoreType) -> CoreTask {
        .change(
            "create-index-for-" + type.rawValue, "index a property that may be null",
            typed(type, isOptional: true)
        ) { (reader, transaction) throws(RealmError) in
            try transaction.setIndex(reader.database.table, 0, .general)
            return 0
        }
    }

    /// Creates a class with an index, and prepares random values, half as many as the base size.
    /// Each repetition creates two objects with each of these values.
    private static func insertWithIndex(_ type: CoreType) -> CoreTask {
        let build: Build = { (database) throws(RealmError) in
            var property = PropertySpec("v", type.column)
            property.isOptional = true
            try database.makeTable([property])
            try database.index()
            for _ in 0..<max(1, database.baseSize / 2) {
                database.prepare(type.argument(Int64(bitPattern: database.random.next())))
            }
        }
        return .change(
            "insert-with-index-" + type.rawValue,
            "create two objects for each value of a property with an index", build
        ) { (reader, transaction) throws(RealmError) in
            let table = reader.database.table
            var last = ObjectKey(0)
            for value in reader.database.prepared {
                for _ in 0..<2 {
                    last = try transaction.create(in: table)
                    try transaction.set(table, last, 0, value)
                }
            }
            return Int(last.raw)
        }
    }

    /// Creates a class with a primary key of the type. The measured repetitions insert objects in
    /// ascending order of the key.
    private static func insertKeys(_ type: CoreType) -> CoreTask {
        let build: Build = { (database) throws(RealmError) in
            var key = PropertySpec("v", type.column)
            key.isOptional = true
            try database.makeTable([], key: key)
            var numbers: Set<Int64> = []
            while numbers.count < database.baseSize {
                numbers.insert(Int64(bitPattern: database.random.next()))
            }
            if type == .string {
                let texts = numbers.map { "string \($0)" }
                for text in texts.sorted() { database.prepare(.string(text)) }
            } else {
                for number in numbers.sorted() { database.prepare(.int(number)) }
            }
        }
        return .change("insert-pk-" + type.rawValue, "create objects with primary keys", build) {
            (reader, transaction) throws(RealmError) in
            var last = ObjectKey(0)
            for value in reader.database.prepared {
                last = try transaction.create(in: reader.database.table, primaryKey: value)
            }
            return Int(last.raw)
        }
    }

    private static func erase(_ type: CoreType, isIndexed: Bool) -> CoreTask {
        .change(
            "erase-object-" + type.rawValue + (isIndexed ? "-nullable-indexed" : ""),
            "remove all objects\(isIndexed ? " of a class with an index" : "")",
            typed(type, isOptional: isIndexed, isIndexed: isIndexed)
        ) { (reader, transaction) throws(RealmError) in
            for key in reader.database.keys {
                try transaction.remove(reader.database.table, key)
            }
            return reader.database.keys.count
        }
    }

    static let indexes: [CoreTask] = [
        range(.int), range(.timestamp),
        createIndex(.string), createIndex(.int), createIndex(.timestamp),
        insertWithIndex(.string), insertWithIndex(.int), insertWithIndex(.timestamp),
        insertKeys(.string), insertKeys(.int),
        erase(.string, isIndexed: false), erase(.int, isIndexed: false),
        erase(.timestamp, isIndexed: false), erase(.string, isIndexed: true),
        erase(.int, isIndexed: true), erase(.timestamp, isIndexed: true),
    ]
}
