import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Objects created in batches equal objects created one by one.
@Suite struct RowBatchTests {
    struct Form: Sendable, CustomTestStringConvertible {
        let key: ColumnType?
        let small: Bool
        /// Whether most keys are greater than all earlier ones.
        let ascends: Bool

        var testDescription: String { "\(key?.name ?? "no key"), \(small), \(ascends)" }
    }

    static let forms = [
        Form(key: .int, small: true, ascends: true), Form(key: .int, small: false, ascends: true),
        Form(key: .int, small: true, ascends: false),
        Form(key: .string, small: true, ascends: true),
        Form(key: .objectID, small: false, ascends: false),
        Form(key: nil, small: true, ascends: true), Form(key: nil, small: false, ascends: true),
    ]

    @Test(arguments: forms) func batchesEqualInsertingRowByRow(_ form: Form) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0...UInt64.max)
        print("row batches: \(form.testDescription), REALM_TEST_SEED=\(seed)")
        let folder = try ScratchFolder()
        let values = RandomValues(seed: seed)
        let together = try RowBatchSide(folder.file("together.realm"), form)
        let single = try RowBatchSide(folder.file("single.realm"), form)
        for round in 0..<40 {
            let rows = try together.makeRows(values, round)
            let fits = try together.create(rows)
            #expect(try single.create(rows, together: false) == fits)
            try together.disturb(values, like: single)
        }
        try together.end()
        try single.end()
        let (a, b) = (together.session.database.snapshot(), single.session.database.snapshot())
        for (one, other) in zip(a.schema.tables, b.schema.tables) {
            #expect(one.nextSequenceNumber == other.nextSequenceNumber)
            #expect(try ContentDigest(a).digest(one) == ContentDigest(b).digest(other))
        }
    }

    /// Consecutive integers stay pending until the commit, whatever their index strings are.
    @Test(arguments: [-3, (1 << 32) - 300, .max - 70_000] as [Int64])
    func consecutiveKeysStayPendingUntilTheCommit(first: Int64) throws {
        let folder = try ScratchFolder()
        let side = try RowBatchSide(
            folder.file("a.realm"), Form(key: .int, small: false, ascends: true))
        let count = 600
        for part in 0..<100 {
            let batch = RowBatch(side.info, capacity: count)
            for i in 0..<count {
                var row = side.info.columns.map(\.defaultValue)
                row[0] = .int(first + Int64(part * count + i))
                row.withUnsafeBufferPointer { batch.append($0) }
            }
            #expect(try side.transaction.create(batch))
            if part % 40 == 39 {
                try side.transaction.spill()
                #expect(side.transaction.size < 100_000)
            }
            for i in [0, count - 1] {
                let key = Value.int(first + Int64(part * count + i))
                #expect(
                    try side.transaction.find(in: side.info.key, primaryKey: key) == batch.key(i))
            }
        }
        side.transaction.memoryLimit = 1 << 20
        try side.end()
    }

    /// A leaf of a class with thousands of properties is written before it takes much memory.
    @Test func leavesOfWideClassesHoldFewerObjects() throws {
        let folder = try ScratchFolder()
        let session = try WriteSession(path: folder.file("wide.realm"), options: .scratch())
        let transaction = try session.begin()
        let table = try transaction.createClass("Wide")
        let columns = 5_000
        for i in 0..<columns {
            try transaction.addProperty(table, PropertySpec("p\(i)", .int))
        }
        let info = try #require(transaction.snapshot().schema.table(table))
        var expected = 0
        for count in [30, 100, 50] {
            let batch = RowBatch(info, capacity: count)
            for i in 0..<count {
                let row = (0..<columns).map { Value.int(Int64($0 * (expected + i))) }
                row.withUnsafeBufferPointer { batch.append($0) }
            }
            #expect(try transaction.create(batch))
            expected += count
        }
        try transaction.commit()
        try ModelRun.audit(IntegrityCheck.run(path: folder.file("wide.realm")), "at the end")
        let snapshot = session.database.snapshot()
        let rows = snapshot.table(try #require(snapshot.schema.table(table)))
        #expect(try rows.count() == expected)
        var row = 0
        let scan = rows.scan(columns: [columns - 1])
        while try scan.next() {
            #expect(scan.count <= 110)
            for i in 0..<scan.count {
                guard case .int(let number) = try scan.value(row: i, column: 0) else {
                    Issue.record("no number")
                    return
                }
                #expect(number == Int64((columns - 1) * row))
                row += 1
            }
        }
        #expect(row == expected)
    }

    /// A cached largest integer is not used after another transaction has added keys.
    @Test func keysOfOtherTransactionsAreDetected() throws {
        let folder = try ScratchFolder()
        let side = try RowBatchSide(
            folder.file("a.realm"), Form(key: .int, small: true, ascends: true))
        func commit() throws {
            try side.transaction.commit()
            side.transaction = try side.session.begin()
        }
        func add(_ keys: Int64...) throws -> Bool {
            let batch = RowBatch(side.info, capacity: keys.count)
            for key in keys {
                var row = side.info.columns.map(\.defaultValue)
                row[0] = .int(key)
                row.withUnsafeBufferPointer { batch.append($0) }
            }
            return try side.transaction.create(batch)
        }
        #expect(try add(1, 2, 3))
        try commit()
        #expect(try add(4, 5))
        try commit()
        #expect(try !add(5, 6))
        _ = try side.transaction.create(in: side.info.key, primaryKey: .int(100))
        try commit()
        #expect(try !add(99, 100))
        #expect(try add(99, 101))
        try commit()
        side.transaction.rollback()
        side.transaction = try side.session.begin()
        #expect(try !add(101))
        #expect(try add(102, 103))
        try side.end()
    }

    /// The log of a transaction is complete after spills.
    @Test func theLogIsCompleteAfterSpills() throws {
        let folder = try ScratchFolder()
        let side = try RowBatchSide(
            folder.file("a.realm"), Form(key: nil, small: false, ascends: true))
        let pinned = side.session.database.snapshot()
        for round in 0..<3 {
            for i in 0..<200_000 {
                side.transaction.log.pointee.createObject(
                    side.info.key, ObjectKey(Int64(i + round << 20)))
            }
            try side.transaction.spill()
            #expect(side.transaction.log.pointee.bytes.count < 1 << 20)
        }
        let object = try side.transaction.create(in: side.info.key)
        let size = side.transaction.writtenLog.count + side.transaction.log.pointee.bytes.count
        #expect(size > 2 << 20)
        try side.end()
        let state = side.session.database.newest
        let memory = ReadContext(
            base: side.session.database.file.mapping.base, limit: state.limit)
        var cursor = ElementCursor(
            memory.lookup,
            CollectionView(
                root: state.top!.history, element: ElementType(type: .binary, isNullable: false)))
        var last: Value?
        while let element = try cursor.nextStored() { last = element }
        guard case .binary(let bytes) = last else { throw RealmError.misuse("no log") }
        #expect(bytes.count == size)
        var parser = ChangeLogParser(bytes)
        var created = 0
        var newest: ObjectKey?
        while let instruction = try parser.next() {
            guard case .createObject(let key) = instruction else { continue }
            created += 1
            newest = key
        }
        #expect(created == 600_001 && newest == object)
        withExtendedLifetime(pinned) {}
    }
}
