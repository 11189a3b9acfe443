import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    private static func sort(_ name: String, _ summary: String, _ build: @escaping Build)
        -> CoreTask
    {
        .read(name, summary, times: 5, build, verification: sortedSlowly) {
            (reader) throws(RealmError) in
            let plan = try reader.plan(.always(true), [byFirstProperty(reader)])
            return CoreReader.fold(try plan.rows(in: reader.snapshot).keys)
        }
    }

    private static let sortedSlowly: Reading = { (reader) throws(RealmError) in
        CoreReader.fold(try reader.sortedKeys(0))
    }

    private static let firstSlowly: Reading = { (reader) throws(RealmError) in
        CoreReader.fold(try reader.sortedKeys(0).prefix(reader.database.scaled(100)))
    }

    private static func byFirstProperty(_ reader: CoreReader) -> QueryClause {
        .sort([QuerySortKey(QueryPath(reader.table.info.columns[0].name))])
    }
    /// Creates objects with distinct random numbers. The number of an object is also its key.
    private static let randomNumbers: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("ints", .int)])
        var known: Set<Int64> = []
        while known.count < database.baseSize {
            let number = Int64(database.random.next() >> 2)
            guard known.insert(number).inserted else { continue }
            try database.add(.int(number), key: ObjectKey(number))
        }
    }

    private static let shuffledNumbers: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("first", .int)])
        for i in (0..<database.scaled(10_000)).shuffled(using: &database.random) {
            try database.add(.int(Int64(i)))
        }
    }

    // MARK: Collections

    /// Creates a single object, whose collection has as many random numbers as the base size.
    private static func collection(_ kind: CollectionKind) -> Build {
        { (database) throws(RealmError) in
            var ints = PropertySpec("ints", .int)
            ints.collection = kind
            try database.makeTable([ints])
            try database.add(.null)
            let numbers = (0..<database.baseSize).map { _ in
                Int64(bitPattern: database.random.next())
            }
            let sorted = numbers.sorted()
            database.expected = fold(sorted) &+ fold(sorted.reversed())
            let (table, key) = (database.table, database.keys[0])
            if kind == .list {
                try database.writing().setElements(table, key, 0, numbers.map(Value.int))
                return
            }
            for i in numbers.indices { database.prepare(.string(String(i))) }
            try database.writing().setEntries(
                table, key, 0,
                numbers.indices.map { (key: database.prepared[$0], value: .int(numbers[$0])) })
        }
    }

    private static func fold(_ numbers: some Sequence<Int64>) -> Int {
        numbers.reduce(0) { $0 &* 31 &+ Int($1) }
    }

    /// Reads the elements of a collection and sorts them in the program, because the engine sorts
    /// objects only.
    private static let sortElements: Reading = { (reader) throws(RealmError) in
        reader.snapshot.beginWalk()
        var numbers: [Int64] = []
        let key = reader.database.keys[0]
        switch try reader.value(key, 0) {
        case .list(let view):
            var cursor = reader.snapshot.elements(of: view, walking: true)
            while let element = try cursor.next() {
                if case .int(let number) = element { numbers.append(number) }
            }
        case .dictionary(let view):
            var cursor = try reader.snapshot.entries(of: view, walking: true)
            while let (_, value) = try cursor.next() {
                if case .int(let number) = value { numbers.append(number) }
            }
        default: throw .failedCheck("the object holds no collection")
        }
        let upwards = numbers.indices.sorted { numbers[$0] < numbers[$1] }
        let downwards = numbers.indices.sorted { numbers[$0] > numbers[$1] }
        return fold(upwards.lazy.map { numbers[$0] }) &+ fold(downwards.lazy.map { numbers[$0] })
    }

    static let sorting: [CoreTask] = [
        sort("sort", "sort by text", texts()),
        sort("sort-int", "sort by number", randomNumbers),
        .read(
            "sort-int-list", "sort the elements of a list up and down", times: 5,
            collection(.list), sortElements),
        .read(
            "sort-int-dictionary", "sort the values of a dictionary up and down", times: 5,
            collection(.dictionary), sortElements),
        .read(
            "sort-then-limit", "the first 100 of 10000 numbers", times: 100, shuffledNumbers,
            verification: firstSlowly
        ) { (reader) throws(RealmError) in
            let limit = QueryClause.limit(reader.database.scaled(100))
            let plan = try reader.plan(.always(true), [byFirstProperty(reader), limit])
            return CoreReader.fold(try plan.rows(in: reader.snapshot).keys)
        },
    ]
}
