import RealmEngine
import ToolBench
import ToolKit

/// Tasks with object keys that the program chooses.
extension CoreTask {
    /// Creates objects with random keys. A property of each object has the same number as its key.
    private static func keyed(isShuffled: Bool, more: Int = 0) -> Build {
        { (database) throws(RealmError) in
            try database.makeTable([PropertySpec("ints", .int)])
            var known: Set<Int64> = []
            let more = more == 0 ? 0 : database.scaled(more)
            while known.count < database.baseSize + more {
                let number = Int64(database.random.next() >> 2)
                guard known.insert(number).inserted else { continue }
                if known.count <= database.baseSize {
                    try database.add(.int(number), key: ObjectKey(number))
                } else {
                    database.prepare(.int(number))
                }
            }
            if isShuffled { database.shuffleKeys() }
            let read = database.keys.prefix(database.scaled(100_000))
            if more == 0 { database.expected = read.reduce(0) { $0 &+ Int($1.raw) } }
        }
    }

    private static let access: Reading = { (reader) throws(RealmError) in
        var sum = 0
        for key in reader.database.keys.prefix(reader.database.scaled(100_000)) {
            if case .int(let number) = try reader.value(key, 0) { sum &+= Int(number) }
        }
        return sum
    }

    static let identifiers: [CoreTask] = [
        .read(
            "int-uids-random-order-seq-access", "find 100000 objects by key, in the order made",
            keyed(isShuffled: false), access),
        .read(
            "int-uids-random-order-random-access", "find 100000 objects by key, in random order",
            keyed(isShuffled: true), access),
        .change(
            "int-uids-random-order-random-delete", "remove 10000 objects by key, in random order",
            keyed(isShuffled: true, more: 1)
        ) { (reader, transaction) throws(RealmError) in
            let count = reader.database.scaled(10_000)
            for key in reader.database.keys.prefix(count) {
                try transaction.remove(reader.database.table, key)
            }
            return count
        },
        .change(
            "int-uids-random-order-random-create", "create 10000 objects with random keys",
            keyed(isShuffled: true, more: 10_000)
        ) { (reader, transaction) throws(RealmError) in
            let (table, numbers) = (reader.database.table, reader.database.prepared)
            for value in numbers {
                guard case .int(let number) = value else { continue }
                _ = try withUnsafePointer(to: value) { (row) throws(RealmError) in
                    try transaction.create(
                        in: table, values: UnsafeBufferPointer(start: row, count: 1),
                        key: ObjectKey(number))
                }
            }
            return numbers.count
        },
    ]
}
