import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// SORT and DISTINCT that exceed the memory limit have the same results as those in memory.
@Suite struct QuerySpillTests {
    private func snapshot(_ name: String) throws -> Snapshot {
        try Database(immutable: QueryCases.folder.appending(path: name + ".realm").path).snapshot()
    }

    private func plan(
        _ text: String, _ table: TableInfo, _ snapshot: Snapshot, memory: Int,
        directory: String = "/tmp"
    ) throws -> QueryPlan {
        var options = QueryOptions()
        options.memoryLimit = memory
        options.spillDirectory = directory
        return try QueryPlan(
            Query(text).bound(to: snapshot.table(table)), in: snapshot, options: options)
    }

    @Test(arguments: [1, 6000, 60_000])
    func spilledResultsEqualResultsInMemory(memory: Int) throws {
        let bulk = try snapshot("bulk")
        let node = bulk.schema.table(named: "Node")!
        for text in [
            "TRUEPREDICATE", "k > 2 SORT(s ASC, d DESC)", "TRUEPREDICATE SORT(up.s DESC, k ASC)",
            "TRUEPREDICATE DISTINCT(k)", "TRUEPREDICATE SORT(d DESC) DISTINCT(s, k) LIMIT(40)",
            "TRUEPREDICATE DISTINCT(up.k) SORT(s DESC)", "k != 3 LIMIT(700) SORT(d ASC)",
            "TRUEPREDICATE SORT(up ASC, s ASC)", "FALSEPREDICATE SORT(s ASC)",
        ] {
            let whole = try plan(text, node, bulk, memory: .max).rows(in: bulk).keys
            let spilled = try plan(text, node, bulk, memory: memory).rows(in: bulk).keys
            #expect(spilled.elementsEqual(whole), "\(memory) bytes: \(text)")
            #expect(!whole.isSpilled)
        }
        let all = try plan("TRUEPREDICATE SORT(s ASC)", node, bulk, memory: memory)
        #expect(try all.rows(in: bulk).keys.isSpilled == (memory < 40_000))
    }

    @Test(arguments: ["types", "orders", "anyval", "social"])
    func spilledSortsOfEveryColumnAreTheSame(name: String) throws {
        let snapshot = try snapshot(name)
        for table in snapshot.schema.classes where table.kind == .topLevel {
            for column in table.columns where column.collection == nil {
                let path = column.name.replacing(" ", with: "\\ ")
                for tail in ["SORT(\(path) ASC)", "SORT(\(path) DESC)", "DISTINCT(\(path))"] {
                    let text = "TRUEPREDICATE " + tail
                    let whole = try? plan(text, table, snapshot, memory: .max).rows(in: snapshot)
                    guard let whole else { continue }
                    let spilled = try plan(text, table, snapshot, memory: 1).rows(in: snapshot)
                    #expect(
                        spilled.keys.elementsEqual(whole.keys), "\(name).\(table.className) \(tail)"
                    )
                }
            }
        }
    }

    /// In an encrypted database, copies of texts are sorted.
    @Test(arguments: ["bulk", "types", "orders", "anyval", "social"])
    func spilledSortsOfEncryptedDatabasesAreTheSame(name: String) throws {
        let file = QueryCases.folder.appending(path: name + ".realm")
        let key = try EncryptedImage.key()
        let image = EncryptedImage(of: [UInt8](try Data(contentsOf: file)), key)
        let path = try image.saved()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let plain = try snapshot(name)
        let encrypted = try Database(immutable: path, key: key).snapshot()
        for table in plain.schema.classes where table.kind == .topLevel {
            for column in table.columns where column.collection == nil {
                let path = column.name.replacing(" ", with: "\\ ")
                for tail in ["SORT(\(path) ASC)", "SORT(\(path) DESC)", "DISTINCT(\(path))"] {
                    let text = "TRUEPREDICATE " + tail
                    let whole = try? plan(text, table, plain, memory: .max).rows(in: plain)
                    guard let whole else { continue }
                    for memory in [1, 6000, 1 << 30] {
                        let rows = try plan(text, table, encrypted, memory: memory)
                            .rows(in: encrypted)
                        #expect(
                            rows.keys.elementsEqual(whole.keys),
                            "\(name).\(table.className) \(tail), \(memory) bytes")
                    }
                }
            }
        }
    }

    /// Texts with equal copied prefixes are compared as a whole.
    @Test(arguments: [1, 1 << 14, 1 << 30])
    func spilledSortsOfLongTextsAreTheSame(memory: Int) throws {
        let scratch = ScratchDatabase()
        var options = WriteSession.Options()
        options.key = try EncryptedImage.key()
        options.creates = true
        let session = try WriteSession(path: scratch.path, options: options)
        let transaction = try session.begin()
        let table = try transaction.createClass("Item")
        try transaction.addProperty(table, PropertySpec("text", .string))
        var texts: [[UInt8]] = []
        for i in 0..<600 {
            let count = [1023, 1024, 1025, 3, 2000][i % 5] - i % 3
            var text = [UInt8](repeating: 0x61, count: count)
            if i % 7 == 0 { text[count - 1] = 0x60 + UInt8(i % 4) }
            texts.append(text)
            let row = try transaction.create(in: table)
            try text.withUnsafeBufferPointer {
                try transaction.set(
                    table, row, 0, .string(ByteView($0.baseAddress!, count: $0.count)))
            }
        }
        try transaction.commit()
        let snapshot = session.database.snapshot()
        let info = snapshot.schema.table(named: "Item")!
        let keys = try plan("TRUEPREDICATE", info, snapshot, memory: .max).rows(in: snapshot).keys
        let position = Dictionary(uniqueKeysWithValues: zip(keys, texts.indices))
        let wanted = texts.indices.sorted {
            texts[$0] == texts[$1] ? $0 < $1 : texts[$0].lexicographicallyPrecedes(texts[$1])
        }
        let sorted = try plan("TRUEPREDICATE SORT(text ASC)", info, snapshot, memory: memory)
            .rows(in: snapshot).keys
        #expect(sorted.map { position[$0]! } == wanted)
        var met: Set<[UInt8]> = []
        let firsts = texts.indices.filter { met.insert(texts[$0]).inserted }
        let distinct = try plan("TRUEPREDICATE DISTINCT(text)", info, snapshot, memory: memory)
            .rows(in: snapshot).keys
        #expect(distinct.map { position[$0]! } == firsts)
        let plan = try plan("TRUEPREDICATE SORT(text ASC)", info, snapshot, memory: memory)
        var groups: [[UInt8]] = []
        try plan.forEachGroup([], in: snapshot) { keys, _ throws(RealmError) in
            if case .string(let text) = keys[0] { groups.append(text.bytes) }
            return true
        }
        #expect(groups == met.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// Each merge level writes a record once, and there are few levels for any number of runs.
    @Test func manyRunsAreMergedInFewPasses() throws {
        struct Order: RunOrder {
            let recordSize = 16
            func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
                ValueOrder.order(a.load(as: Int.self), b.load(as: Int.self))
            }
        }
        let bulk = try snapshot("bulk")
        let runs = try SortedRuns(QueryMemoryLimit(QueryOptions(), bulk))
        let count = SortedRuns.fanIn * SortedRuns.fanIn + 3
        for i in 0..<count {
            // Equal numbers keep their order.
            var record = (i * 7919 % 1000, i)
            try withUnsafeBytes(of: &record) { try runs.append($0.baseAddress!, 16) }
            try runs.endRun(Order())
        }
        let merged = try runs.merged(Order())
        var last = (-1, -1)
        var met = 0
        while let next = merged.next() {
            let record = (next.load(as: Int.self), next.load(fromByteOffset: 8, as: Int.self))
            if record <= last { Issue.record("\(record) after \(last)") }
            last = record
            met += 1
        }
        #expect(met == count)
        #expect(runs.written <= 3 * 16 * count)
    }

    @Test func aMissingSpillDirectoryIsAnError() throws {
        let bulk = try snapshot("bulk")
        let node = bulk.schema.table(named: "Node")!
        let missing = try plan(
            "TRUEPREDICATE SORT(s ASC)", node, bulk, memory: 1, directory: "/nowhere/at/all")
        do throws(RealmError) {
            _ = try missing.rows(in: bulk)
            Issue.record("there is no such directory")
        } catch {
            #expect(error.kind == .output && error.hint != nil, "\(error.message)")
        }
    }

    /// Mixed decimals and doubles, which are not hashed, because a decimal may equal several
    /// doubles.
    @Test func manyMixedNumbersSortQuickly() throws {
        var values: [Value] = []
        for i in 0..<20_000 {
            if i % 3 == 0 {
                values.append(.decimal(Decimal128(Int64(i % 500))))
            } else {
                values.append(.double(Double(i % 700)))
            }
        }
        let snapshot = try snapshot("anyval")
        let table = snapshot.schema.classes.first {
            $0.columns.contains { $0.type == .mixed && $0.collection == nil }
        }!
        let column = table.columns.first { $0.type == .mixed && $0.collection == nil }!
        let key = BoundSortKey(
            hops: [], column: BoundColumn(column), key: nil, isAscending: true, failure: nil,
            name: column.name)
        let sorted = SortColumn(
            key, QueryEvaluator(snapshot, maximumReads: 1), capacity: values.count)
        for value in values { sorted.append(value) }
        let order = RowSorter.order([sorted], count: values.count)
        for (a, b) in zip(order, order.dropFirst()) {
            let way = ValueRules.compare(values[Int(a)], values[Int(b)])
            if way > 0 || way == 0 && a > b {
                Issue.record("rows \(a) and \(b) are out of order")
                return
            }
        }
    }
}
