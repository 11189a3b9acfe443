import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// All tasks, in the order of realm-core's benchmark.
    static let all =
        transactions + iterations + sorting + objects + strings + numbers + links + equalities
        + parsed + indexes + timestamps + identifiers + places
}

extension CoreTask {
    /// Creates the task's class `t` without properties and objects.
    static let nothing: Build = { (database) throws(RealmError) in try database.makeTable([]) }

    private static let newClass: Build = { (database) throws(RealmError) in
        let transaction = try database.writing()
        let table = try transaction.createClass("foo")
        try transaction.addProperty(table, PropertySpec("first", .string))
        try transaction.addProperty(table, PropertySpec("second", .int))
        try transaction.addProperty(table, PropertySpec("third", .float))
        try database.commit()
    }

    private static let noClass: Build = { (database) throws(RealmError) in
        let transaction = try database.writing()
        if let table = transaction.table(named: "foo") { try transaction.removeClass(table) }
        try database.commit()
    }

    static let transactions: [CoreTask] = [
        CoreTask(
            name: "empty-commit", summary: "commit a transaction without changes", times: 100,
            build: nothing,
            work: .commit(
                { (database) throws(RealmError) in
                    _ = try database.writing()
                    try database.commit()
                }, undo: nil)),
        CoreTask(
            name: "non-initiator-open", summary: "open a file somebody has open, ten times",
            times: 20, build: nothing, work: .open(isFirst: false)),
        CoreTask(
            name: "initiator-open", summary: "open a file nobody has open, ten times", times: 20,
            build: nothing, work: .open(isFirst: true)),
        CoreTask(
            name: "add-table", summary: "commit a new class of three properties", times: 50,
            build: nothing, work: .commit(newClass, undo: noClass)),
        .read(
            "transaction-duplicate", "take 10000 more views of a version", nothing
        ) { (reader) throws(RealmError) in
            var sum = 0
            for _ in 0..<reader.database.scaled(10_000) {
                sum += Int(reader.snapshot.database.snapshot().version)
            }
            return sum
        },
    ]

    // MARK: Iterating

    private static let bare: Build = { (database) throws(RealmError) in
        try database.makeTable([])
        for _ in 0..<database.scaled(100_000) { try database.add() }
    }

    private static func keyed(_ type: ColumnType) -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([], key: PropertySpec("pk", type))
            for i in 0..<database.scaled(100_000) {
                try database.add(type == .int ? .int(Int64(i)) : database.string(String(i)))
            }
        }
    }

    /// Reads every object by its position.
    private static let byPosition: Reading = { (reader) throws(RealmError) in
        var keys = 0
        for i in 0..<(try reader.table.count()) {
            guard let row = try reader.table.row(at: i) else {
                throw .failedCheck("no object is at position \(i)")
            }
            keys = keys &* 31 &+ Int(row.key.raw)
        }
        return keys
    }

    private static let allKeys: Reading = { (reader) throws(RealmError) in
        reader.snapshot.beginWalk()
        return CoreReader.fold(try reader.table.keys())
    }

    static let iterations: [CoreTask] = [
        .read(
            "iterate-table-by-index-no-primary-key", "find 100000 objects by position", bare,
            verification: allKeys, byPosition),
        .read(
            "iterate-table-by-index-int-primary-key", "the same with numbers as primary keys",
            keyed(.int), verification: allKeys, byPosition),
        .read(
            "iterate-table-by-index-string-primary-key", "the same with texts as primary keys",
            keyed(.string), verification: allKeys, byPosition),
        .read(
            "iterate-table-by-iterator", "visit 100000 objects", times: 100, bare,
            verification: allKeys
        ) { (reader) throws(RealmError) in
            reader.snapshot.beginWalk()
            var keys = 0
            let scan = reader.table.scan(columns: [])
            while try scan.next() {
                for row in 0..<scan.count { keys = keys &* 31 &+ Int(scan.key(row).raw) }
            }
            return keys
        },
        .read(
            "iterate-table-by-iterator-index",
            "find 100000 objects by position, each from the last",
            times: 100, bare, verification: allKeys
        ) { (reader) throws(RealmError) in
            reader.snapshot.beginWalk()
            var keys = 0
            var scan = reader.table.scan(columns: [])
            for i in 0..<(try reader.table.count()) {
                if i < scan.position || i >= scan.position + scan.count {
                    scan = reader.table.scan(columns: [], skipping: i)
                    guard try scan.next() else {
                        throw .failedCheck("no object is at position \(i)")
                    }
                }
                keys = keys &* 31 &+ Int(scan.key(i - scan.position).raw)
            }
            return keys
        },
    ]
}
