import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Leaves become smaller where commits change few objects of each.
@Suite struct ScatteredEditTests {
    private let folder: ScratchFolder
    private let path: String
    private let session: WriteSession
    private let table: TableKey
    private static let count = 4000

    /// Makes objects whose properties are one, two and three times a number, which is initially
    /// their key.
    init() throws {
        folder = try ScratchFolder()
        path = folder.file("scattered.realm")
        session = try WriteSession(path: path, options: .scratch())
        let transaction = try session.begin()
        table = try transaction.createClass("C", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("double", .int))
        try transaction.addProperty(table, PropertySpec("text", .string))
        for id in 0..<Self.count {
            let key = try transaction.create(in: table, primaryKey: .int(Int64(id)))
            try Self.set(transaction, table, key, id)
        }
        try transaction.commit()
    }

    private static func set(
        _ transaction: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ number: Int
    ) throws {
        try transaction.set(table, key, 1, .int(Int64(2 * number)))
        try withText("number \(number)") { try transaction.set(table, key, 2, $0) }
    }

    private static func withText(_ text: String, _ body: (Value) throws -> Void) throws {
        var text = text
        try text.withUTF8 {
            try body(.string(ByteView(UnsafeRawPointer($0.baseAddress!), count: $0.count)))
        }
    }

    private func leaves() throws -> [Int] {
        let state = session.database.newest
        let memory = ReadContext(base: session.database.file.mapping.base, limit: state.limit)
        return try withExtendedLifetime(memory) {
            let root = try #require(session.database.schema.table(table)).root
            var leaves = ClusterTree(space: memory.lookup, root: root).leaves()
            var counts: [Int] = []
            while let leaf = try leaves.next() { counts.append(leaf.count) }
            return counts
        }
    }

    /// Runs `body` in a transaction and commits it.
    private func commit(_ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try session.begin()
        try body(transaction)
        try transaction.commit()
    }

    private func find(_ transaction: WriteTransaction, _ id: Int) throws -> ObjectKey? {
        try transaction.find(in: table, primaryKey: .int(Int64(id)))
    }

    private func check(_ numbers: [Int: Int]) throws {
        try commit { transaction in
            for id in 0..<Self.count {
                guard let number = numbers[id] else {
                    #expect(try find(transaction, id) == nil)
                    continue
                }
                let key = try #require(try find(transaction, id))
                guard case .int(let double) = try transaction.value(table, key, 1),
                    case .string(let text) = try transaction.value(table, key, 2)
                else { throw RealmError.corrupt("object \(id) has other values", in: "C") }
                #expect(double == 2 * number)
                #expect(text.bytes.elementsEqual("number \(number)".utf8))
            }
        }
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    private var all: [Int: Int] {
        Dictionary(uniqueKeysWithValues: (0..<Self.count).map { ($0, $0) })
    }

    @Test func randomChangesSplitFullLeaves() throws {
        var random = SeededRandom(seed: 31)
        var numbers = all
        let before = try leaves()
        #expect(before.dropLast().allSatisfy { $0 == 256 })
        for _ in 0..<60 {
            try commit { transaction in
                for _ in 0..<10 {
                    let id = Int(random.next() % UInt64(Self.count))
                    numbers[id] = Int(random.next() % 100_000)
                    let key = try #require(try find(transaction, id))
                    try Self.set(transaction, table, key, numbers[id]!)
                }
            }
        }
        let after = try leaves()
        #expect(after.reduce(0, +) == Self.count)
        #expect(after.dropLast().allSatisfy { $0 == 64 || $0 == 128 })
        // The last leaf is not split, because later objects are added to it.
        #expect(after.last == before.last)
        try check(numbers)
    }

    @Test func changingOnePropertyOfManySplitsNoLeaf() throws {
        let before = try leaves()
        for id in stride(from: 0, to: Self.count, by: 100) {
            try commit { transaction in
                let key = try #require(try find(transaction, id))
                try transaction.set(table, key, 1, .int(Int64(2 * id)))
            }
        }
        #expect(try leaves() == before)
        try check(all)
    }

    /// The reference engine's merging of small leaves would lose collections in mixed properties.
    @Test func mixedValuesKeepFullLeaves() throws {
        let before = try leaves()
        try commit { try $0.addProperty(table, PropertySpec("any", .mixed)) }
        var numbers = all
        for id in stride(from: 0, to: Self.count, by: 100) {
            try commit { transaction in
                numbers[id] = -id
                let key = try #require(try find(transaction, id))
                try Self.set(transaction, table, key, -id)
                try transaction.set(table, key, 3, .int(1))
            }
        }
        #expect(try leaves() == before)
        try check(numbers)
    }

    @Test func changingAllObjectsSplitsNoLeaf() throws {
        let before = try leaves()
        var numbers = all
        var random = SeededRandom(seed: 32)
        try commit { transaction in
            for id in (0..<Self.count).shuffled(using: &random) {
                numbers[id] = 7 * id
                let key = try #require(try find(transaction, id))
                try Self.set(transaction, table, key, 7 * id)
            }
        }
        #expect(try leaves() == before)
        try check(numbers)
    }

    /// Removing few objects at a time leaves small leaves; removing many merges leaves.
    @Test func removingManyObjectsMergesLeaves() throws {
        var random = SeededRandom(seed: 33)
        var order = (0..<Self.count).shuffled(using: &random)
        var numbers = all
        func remove(_ count: Int) throws {
            try commit { transaction in
                for id in order.suffix(count) {
                    try transaction.remove(table, try #require(try find(transaction, id)))
                    numbers[id] = nil
                }
            }
            order.removeLast(count)
        }
        for _ in 0..<100 { try remove(10) }
        let small = try leaves()
        #expect(small.reduce(0, +) == 3000)
        #expect(small.dropLast().allSatisfy { $0 < 128 })
        #expect(small.filter { $0 < 96 }.count > small.count / 2, "\(small)")
        try remove(2000)
        let joined = try leaves()
        #expect(joined.reduce(0, +) == 1000)
        #expect(joined.count < 20, "\(joined)")
        try check(numbers)
        try remove(1000)
        #expect(try leaves().isEmpty)
        try check([:])
    }
}
