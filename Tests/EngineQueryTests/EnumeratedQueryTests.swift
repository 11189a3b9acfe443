import Glibc
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Queries on enumerated columns have the same results as on ordinary string columns.
@Suite struct EnumeratedQueryTests {
    @Test(arguments: QueryCases.datasets.indices, QueryConformanceTests.ways.indices)
    func enumeratedDatasetsHaveTheRecordedResults(_ i: Int, _ way: Int) throws {
        let dataset = QueryCases.datasets[i]
        let source = try Database(immutable: QueryCaseRunner.path(dataset))
        let copy = try ScratchDatabase.enumerated(source)
        QueryConformanceTests.check(
            dataset,
            QueryCaseRunner(
                try Database(immutable: copy.path), options: QueryConformanceTests.ways[way]))
    }

    /// Different numbers of distinct values, in short, medium and big lists, with and without
    /// nulls.
    @Test(arguments: [1, 3, 15, 40, 300], [8, 40, 90])
    func resultsEqualThoseOfStringColumns(_ distinct: Int, _ longest: Int) throws {
        let words = Words(distinct, longest, nulls: distinct > 3)
        let plain = ScratchDatabase()
        try words.write(to: plain.path)
        let source = try Database(immutable: plain.path)
        let copy = try ScratchDatabase.enumerated(source)
        let enumerated = try Database(immutable: copy.path)
        for predicate in words.predicates {
            for order in ["", " SORT(text ASC)", " SORT(text DESC, n DESC)", " DISTINCT(text)"] {
                let query = try Query(predicate + order)
                #expect(
                    try keys(query, enumerated) == keys(query, source), "\(predicate)\(order)")
            }
        }
        try expectSound(copy.path)
    }

    private func keys(_ query: Query, _ database: Database) throws -> [Int64] {
        let snapshot = database.snapshot()
        let info = try #require(database.schema.table(named: "Word"))
        let plan = try QueryPlan(query.bound(to: snapshot.table(info)), in: snapshot)
        return try plan.rows(in: snapshot).keys.map(\.raw)
    }

    /// A number without a value is reported as damage, however the condition is evaluated.
    @Test func numbersWithoutAValueAreDamage() throws {
        let words = Words(3, 8, nulls: false)
        let plain = ScratchDatabase()
        try words.write(to: plain.path)
        let copy = try ScratchDatabase.enumerated(Database(immutable: plain.path))
        let offset = try Self.firstLeaf(copy.path)
        let file = open(copy.path, O_RDWR)
        var byte: UInt8 = 0xFF
        #expect(pwrite(file, &byte, 1, off_t(offset)) == 1)
        close(file)
        let damaged = try Database(immutable: copy.path)
        for text in [
            "text == 'w0'", "text != 'w0'", "text BEGINSWITH 'w'", "TRUEPREDICATE SORT(text ASC)",
            "TRUEPREDICATE DISTINCT(text)",
        ] {
            let error = #expect(throws: RealmError.self, "\(text)") {
                try keys(Query(text), damaged)
            }
            #expect(error?.kind == .corrupt)
        }
    }

    /// Offset of the numbers in the first leaf.
    private static func firstLeaf(_ path: String) throws -> Int {
        let snapshot = try Database(immutable: path).snapshot()
        let info = try #require(snapshot.schema.table(named: "Word"))
        var leaves = ClusterTree(space: snapshot.lookup, root: info.root).leaves()
        let leaf = try #require(try leaves.next())
        let column = try #require(info.columns.first { $0.name == "text" })
        return Int(try leaf.columnRef(column.leafIndex).raw) + NodeView.headerSize
    }
}

/// Objects with few distinct texts.
private struct Words {
    let texts: [String?]

    init(_ distinct: Int, _ longest: Int, nulls: Bool) {
        let filler = String(repeating: "-", count: longest - 4)
        texts =
            (0..<distinct).map { "w\($0)" + ($0 % 3 == 2 ? filler : "") } + (nulls ? [nil] : [])
    }

    var predicates: [String] {
        [
            "TRUEPREDICATE", "text == 'w0'", "text != 'w1'", "text == null", "text != null",
            "text == 'nothing'", "text ==[c] 'W0'", "text IN {'w0', 'w3', 'w7', null}",
            "text BEGINSWITH 'w1'", "NOT text BEGINSWITH 'w1'", "text CONTAINS '1'",
            "text ENDSWITH '4'", "text LIKE 'w*3'", "text LIKE[c] 'W?'", "text > 'w2'",
            "text <= 'w2'", "text CONTAINS '1' AND n < 500", "text ENDSWITH '0' OR n < 40",
        ]
    }

    func write(to path: String) throws {
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: path, options: options)
        let change = try session.begin()
        let table = try change.createClass("Word")
        var text = PropertySpec("text", .string)
        text.isOptional = true
        try change.addProperty(table, text)
        try change.addProperty(table, PropertySpec("n", .int))
        let arena = ByteArena()
        for n in 0..<900 {
            let key = try change.create(in: table)
            if let text = texts[(n * n + n / 7) % texts.count] {
                let bytes = Array(text.utf8)
                let view = bytes.withUnsafeBytes { ByteView($0.baseAddress!, count: $0.count) }
                try change.set(table, key, 0, .string(arena.copy(view)))
            }
            try change.set(table, key, 1, .int(Int64(n)))
        }
        try change.commit()
    }
}
