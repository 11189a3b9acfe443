import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Caches of a version never change the results of later queries.
@Suite struct CachedReadingTests {
    private static let texts = [
        "i > 20", "i > 20 AND i < 60", "oi == null", "oi != 4000", "s == 'text 7'", "s == null",
        "s BEGINSWITH 'text 1'", "s CONTAINS[c] 'EXT 1'", "d BETWEEN {2.5, 30}", "b == true",
        "t > 2001-01-01@00:00:00", "up.i > 30", "up == null", "ANY kids.i > 40", "id == 77",
        "NOT i IN {1, 2, 3}", "i > 5 OR s == null", "SUBQUERY(kids, $x, $x.i > 3).@count > 0",
    ]

    private func count(_ text: String, _ snapshot: Snapshot) throws -> Int {
        let table = snapshot.table(snapshot.schema.table(named: "Node")!)
        return try QueryPlan(Query(text).bound(to: table), in: snapshot).count(in: snapshot)
    }

    @Test func laterEvaluationsGiveTheSameResults() throws {
        let seed = UInt64.random(in: 1 ... .max)
        print("cached reading seed \(seed)")
        let fanout = Fanout(clusterLeaf: 7, clusterInner: 5, tree: 5, index: 8)
        let files = [
            try QueryTestFile(rows: 700),
            try QueryTestFile(rows: 300, fanout: fanout, random: SeededRandom(seed: seed)),
        ]
        for file in files {
            for text in Self.texts {
                let snapshot = try Database(immutable: file.path).snapshot()
                let first = try count(text, snapshot)
                for _ in 0..<3 { #expect(try count(text, snapshot) == first, "\(text)") }
            }
        }
    }

    @Test("CD-08: keys are looked up again in each version")
    func cachedLeavesAreNotUsedForNewVersions() throws {
        let file = try QueryTestFile(rows: 600)
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: file.path, options: options)
        let database = session.database
        for round in 0..<3 {
            let node = try #require(database.schema.table(named: "Node")).key
            let old = database.snapshot()
            for _ in 0..<3 {
                #expect(try count("id > 598", old) == round + 1)
                #expect(try count("id == \(600 + round)", old) == 0)
            }
            let transaction = try session.begin()
            _ = try transaction.create(in: node, primaryKey: .int(Int64(600 + round)))
            // Reads of an open transaction include its changes and are not cached.
            for _ in 0..<3 {
                #expect(try count("id > 598", transaction.snapshot()) == round + 2)
                #expect(try count("id == \(600 + round)", transaction.snapshot()) == 1)
            }
            try transaction.commit()
            try database.refresh()
            let new = database.snapshot()
            for _ in 0..<3 {
                #expect(try count("id > 598", new) == round + 2)
                #expect(try count("id == \(600 + round)", new) == 1)
                #expect(try count("id > 598", old) == round + 1)
            }
        }
    }

    @Test func cachedLeavesStayWithinTheMemoryLimit() throws {
        let file = try QueryTestFile(rows: 600)
        let snapshot = try Database(immutable: file.path).snapshot()
        let node = try #require(snapshot.schema.table(named: "Node"))
        let leaf = MemoryLayout<ClusterLeaf>.stride
        func directory(_ bytes: Int) -> LeafDirectory? {
            let directories = LeafDirectories(maximumBytes: bytes)
            #expect(directories.forVisit(of: node.key, node.root, snapshot.lookup) == nil)
            let made = directories.forVisit(of: node.key, node.root, snapshot.lookup)
            let again = directories.forVisit(of: node.key, node.root, snapshot.lookup)
            #expect(made === again)
            return made
        }
        #expect(directory(3 * leaf - 1) == nil)
        let i = try #require(node.columns.first { $0.name == "i" })
        let tight = try #require(directory(3 * leaf))
        #expect(tight.count == 3 && tight.leaves(i.leafIndex, i.layout, NodeView.self) == nil)
        let roomy = try #require(directory(3 * leaf + 3 * MemoryLayout<NodeView>.stride))
        #expect(roomy.leaves(i.leafIndex, i.layout, NodeView.self) != nil)
        let s = try #require(node.columns.first { $0.name == "s" })
        #expect(roomy.leaves(s.leafIndex, s.layout, BytesLeaf.self) == nil)
    }

    @Test func aCachedColumnHasOneType() throws {
        let file = try QueryTestFile(rows: 300)
        let snapshot = try Database(immutable: file.path).snapshot()
        let node = try #require(snapshot.schema.table(named: "Node"))
        let i = try #require(node.columns.first { $0.name == "i" })
        let d = try #require(node.columns.first { $0.name == "d" })
        let allowance = MemoryAllowance(1 << 20)
        let leaves = try #require(LeafDirectory(root: node.root, snapshot.lookup, allowance))
        #expect(leaves.leaves(i.leafIndex, i.layout, NodeView.self) != nil)
        #expect(leaves.leaves(i.leafIndex, d.layout, NodeView.self) == nil)
        // A column that does not have the requested layout is not cached at all.
        #expect(leaves.leaves(d.leafIndex, i.layout, NodeView.self) == nil)
    }

    @Test func equalQueryTextsAreParsedOnce() throws {
        let one = try ParsedQuery.of("i == 1 OR name == 'once only'")
        #expect(try ParsedQuery.of("i == 1 OR name == 'once only'") === one)
        #expect(try ParsedQuery.of("i == 2 OR name == 'once only'") !== one)
        // Canonically equivalent strings with different bytes.
        let composed = try ParsedQuery.of("name == '\u{E9}'")
        let decomposed = try ParsedQuery.of("name == 'e\u{301}'")
        #expect(composed.source.text != decomposed.source.text)
        let long = "i == 1" + String(repeating: " ", count: 4000)
        #expect(try ParsedQuery.of(long) !== ParsedQuery.of(long))
        for _ in 0..<2 { #expect(throws: RealmError.self) { try ParsedQuery.of("i === ") } }
    }
}
