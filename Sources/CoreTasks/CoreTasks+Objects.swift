import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// Creates objects with random numbers below 2^31, which are stored as texts.
    static func texts() -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([PropertySpec("chars", .string)])
            for _ in 0..<database.baseSize {
                try database.add(database.string(String(database.random.below(1 << 31))))
            }
        }
    }

    /// Creates random texts. Four of them are too long for a leaf of short texts.
    private static let longTexts: Build = { (database) throws(RealmError) in
        try texts()(database)
        let long = String(repeating: "long text ", count: 7)
        for quarter in 0..<4 {
            let key = database.keys[database.keys.count * quarter / 4]
            try database.writing().set(database.table, key, 0, database.string(long))
        }
    }

    private static let empty: Build = { (database) throws(RealmError) in
        try database.makeTable([PropertySpec("chars", .string)])
    }

    /// Creates objects with a text or null. In the first third of the objects, the text is one of
    /// three. All other objects have null.
    private static func sparse(isIndexed: Bool) -> Build {
        { (database) throws(RealmError) in
            var text = PropertySpec("s", .string)
            text.isOptional = true
            try database.makeTable([text])
            let rows = database.baseSize
            // A third of the objects, rounded to a multiple of three as in realm-core's benchmark.
            let filled = (rows / 3 + 2) / 3 * 3
            for i in 0..<rows {
                let word = ["foo", "bar", "hello"][i % 3]
                try database.add(i < filled ? database.string(word) : .null)
            }
            database.expected = filled / 3
            if isIndexed { try database.index() }
        }
    }

    /// Removes the objects that a query finds.
    private static let clear: Changing = { (reader, transaction) throws(RealmError) in
        let found = try reader.plan(.comparing("s", to: .string("foo"))).rows(in: reader.snapshot)
        for key in found.keys { try transaction.remove(found.table.key, key) }
        return found.count
    }

    private static let linkLists: Build = { (database) throws(RealmError) in
        let destination = try database.writing().createClass("destination")
        var list = PropertySpec("linklist", .link)
        list.target = destination
        list.collection = .list
        try database.makeTable([list])
        for _ in 0..<database.baseSize { try database.add(.null) }
        // Each list is read twice, and all lists are empty.
        database.expected = 2 * database.baseSize
    }

    // MARK: Operations

    private static let firstBytes: Reading = { (reader) throws(RealmError) in
        reader.snapshot.beginWalk()
        var sum = 0
        let scan = reader.table.scan(columns: [0])
        while try scan.next() {
            for row in 0..<scan.count {
                if case .string(let text) = try scan.value(row: row, column: 0) {
                    sum &+= Int(text[0])
                }
            }
        }
        return sum
    }

    private static let firstBytesByKey: Reading = { (reader) throws(RealmError) in
        var sum = 0
        for key in reader.database.keys {
            if case .string(let text) = try reader.value(key, 0) { sum &+= Int(text[0]) }
        }
        return sum
    }

    private static let setTexts: Changing = { (reader, transaction) throws(RealmError) in
        let text = reader.database.string("c")
        for key in reader.database.keys {
            try transaction.set(reader.database.table, key, 0, text)
        }
        return reader.database.keys.count
    }

    static let objects: [CoreTask] = [
        .change(
            "unordered-table-view-clear", "find a text and remove the objects",
            sparse(isIndexed: false), clear),
        .change(
            "unordered-table-view-clear-indexed", "the same with an index", sparse(isIndexed: true),
            clear),
        .read(
            "get-string", "read the texts of all objects", texts(), verification: firstBytesByKey,
            firstBytes),
        .change("set-string", "set the texts of all objects", texts(), setTexts),
        .read("get-link-list", "take the lists of all objects, twice", times: 5, linkLists) {
            (reader) throws(RealmError) in
            var lists: [Value] = []
            lists.reserveCapacity(reader.database.keys.count)
            for key in reader.database.keys { lists.append(try reader.value(key, 0)) }
            var empty = 0
            for (i, key) in reader.database.keys.enumerated() {
                if case .list(let a) = lists[i], a.root.isNone { empty += 1 }
                if case .list(let b) = try reader.value(key, 0), b.root.isNone { empty += 1 }
            }
            return empty
        },
        .change("insert", "create 10000 objects with a text", times: 20, empty) {
            (reader, transaction) throws(RealmError) in
            let (table, text) = (reader.database.table, reader.database.string("a"))
            var last = ObjectKey(0)
            for _ in 0..<reader.database.scaled(10_000) {
                last = try transaction.create(in: table)
                try transaction.set(table, last, 0, text)
            }
            return Int(last.raw)
        },
        .change("create-index", "index the texts", texts()) {
            (reader, transaction) throws(RealmError) in
            try transaction.setIndex(reader.database.table, 0, .general)
            return 0
        },
        .read(
            "get-long-string", "read the texts, some of them long", longTexts,
            verification: firstBytesByKey, firstBytes),
        .change("set-long-string", "set the texts, some of them long", longTexts, setTexts),
    ]
}
