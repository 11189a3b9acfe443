import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A set of objects contains its members, however their keys are distributed, and conditions on
/// links find them.
@Suite struct ObjectSetTests {
    /// Distributions of keys: consecutive, with a zero byte for the client in between, and wide.
    enum Spread: CaseIterable {
        case dense, squeezed, wide

        func key(_ i: Int) -> Int64 {
            switch self {
            case .dense: Int64(i)
            case .squeezed: Int64((i >> 8) << 16 | i & 0xFF)
            // Some keys are as another client would make them.
            case .wide: Int64(i) * 1_000_003 << (i % 3 == 0 ? 28 : 8)
            }
        }
    }

    @Test(arguments: Spread.allCases)
    func setsContainExactlyTheirMembers(_ spread: Spread) {
        let sets = [
            ObjectSet(limit: 6000), ObjectSet(limit: 6000, hasGap: true), ObjectSet(limit: 0),
        ]
        let members = (0..<5000).filter { $0 % 7 == 0 || $0 < 600 }.map(spread.key)
        for set in sets {
            for key in members { set.insert(key) }
            set.insert(-2)
            let known = Set(members)
            for i in 0..<5200 {
                let key = spread.key(i)
                #expect(set.contains(key) == known.contains(key))
                #expect(set.contains(key + 256) == known.contains(key + 256))
            }
            for key in [-1, -2, .min, .max] as [Int64] { #expect(!set.contains(key)) }
        }
    }

    private func file(_ spread: Spread, rows: Int) throws -> (ScratchDatabase, Database) {
        let file = ScratchDatabase()
        let session = try WriteSession(path: file.path, options: .scratch())
        let transaction = try session.begin()
        let node = try transaction.createClass("Node")
        try transaction.addProperty(node, PropertySpec("i", .int))
        var up = PropertySpec("up", .link)
        up.target = node
        try transaction.addProperty(node, up)
        (up.name, up.collection) = ("kids", .list)
        try transaction.addProperty(node, up)
        func link(_ i: Int) -> Value {
            .link(ObjectLink(table: node, key: ObjectKey(spread.key(i))))
        }
        for i in 0..<rows {
            let values: [Value] = [.int(Int64(i % 50)), i > 9 ? link(i - 10) : .null, .null]
            let key = try values.withUnsafeBufferPointer { (row) throws(RealmError) in
                try transaction.create(in: node, values: row, key: ObjectKey(spread.key(i)))
            }
            if i % 5 == 4 {
                try transaction.setElements(node, key, 2, (1..<4).map { link(i - $0) })
            }
        }
        try transaction.commit()
        return (file, try Database(immutable: file.path))
    }

    @Test(arguments: Spread.allCases)
    func linksToMembersAreFound(_ spread: Spread) throws {
        // Enough rows for keys with a gap to make one bit per key too expensive.
        let (file, database) = try file(spread, rows: 4700)
        defer { withExtendedLifetime(file) {} }
        let snapshot = database.snapshot()
        let table = snapshot.table(snapshot.schema.table(named: "Node")!)
        let form = try ObjectSet.form(for: TableContext(table.info), snapshot.lookup)
        #expect(form?.hasGap == (spread == .squeezed))
        #expect((form?.limit == 0) == (spread == .wide))
        for text in [
            "up.i > 30", "up.up.i == 7", "ANY kids.i > 40", "NONE kids.i == 3",
            "SUBQUERY(kids, $x, $x.i > 3).@count > 1", "ANY @links.Node.up.i < 12",
            "ANY kids.up.i == 11", "ANY kids == O\(spread.key(33))",
            "up.i > 45 OR up.i == 3 OR i == 7 OR up.up.i < 2 OR up.up.i == 40",
            "up.i != 3 OR up.i < 4 OR up.up == null",
            "ANY kids.i > 47 OR NONE kids.i < 30 OR ANY kids.i == 1 OR ALL kids.i > 20",
        ] {
            let bound = try Query(text).bound(to: table)
            let counts = try QueryOptions.ways.map { options in
                try QueryPlan(bound, in: snapshot, options: options).rows(in: snapshot).keys
                    .map(\.raw)
            }
            #expect(!counts[0].isEmpty, "\(text)")
            for other in counts { #expect(other == counts[0], "\(text)") }
        }
    }
}
