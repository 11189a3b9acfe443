import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares results with and without indexes, for all uses of an index: whole lists, single
/// objects, intersected terms, and backlinks.
@Suite struct IndexedQueryTests {
    /// Random conditions that indexes can evaluate, with their arguments.
    private struct Generator {
        var random: SeededRandom
        var arguments: [QueryArgument] = []

        mutating func below(_ bound: Int) -> Int { random.below(bound) }
        mutating func pick<T>(_ all: [T]) -> T { all[below(all.count)] }

        private mutating func argument(_ value: QueryArgument) -> String {
            arguments.append(value)
            return "$\(arguments.count - 1)"
        }

        mutating func condition(_ depth: Int) -> String {
            if depth > 0 {
                switch below(5) {
                case 0, 1: return "(\(condition(depth - 1)) AND \(condition(depth - 1)))"
                case 2: return "(\(condition(depth - 1)) OR \(condition(depth - 1)))"
                case 3: return below(3) == 0 ? "NOT \(condition(depth - 1))" : condition(0)
                default: break
                }
            }
            return below(6) == 0 ? "plain \(pick(["==", "<", "!="])) \(below(10))" : term()
        }

        private mutating func text() -> String {
            let text = pick(IndexedTestFile.texts)
            return argument(.string(below(3) == 0 ? text.uppercased() : text))
        }

        private mutating func term() -> String {
            if below(12) == 0 { return "\(pick(["i", "b", "s", "t", "o", "u", "m"])) == null" }
            switch below(12) {
            case 0: return "i == \(below(7))"
            case 1:
                return "i IN {\((0..<below(5)).map { _ in "\(below(7))" }.joined(separator: ", "))}"
            case 2: return "b == \(pick(["true", "false"]))"
            case 3: return "s ==\(pick(["", "[c]"])) \(text())"
            case 4:
                let time = Timestamp(seconds: Int64(below(6)) << 31, nanoseconds: Int32(below(2)))
                return "t == \(argument(.timestamp(time)))"
            case 5:
                let id = ObjectID(high: UInt64(below(2)), low: UInt32(below(3)))
                return "o == \(argument(.objectID(id)))"
            case 6 where below(2) == 0:
                let many = (0..<7).map { _ in
                    "u == " + argument(.uuid(UUIDValue(high: 7, low: UInt64(below(9)))))
                }
                return "(\(many.joined(separator: " OR ")))"
            case 6:
                return "u == \(argument(.uuid(UUIDValue(high: 7, low: UInt64(below(5))))))"
            case 7 where below(3) == 0:
                return "s IN {\((0..<12).map { _ in text() }.joined(separator: ", ")), null}"
            case 7: return "m == \(argument(pick(IndexedTestFile.mixed)))"
            case 8: return "m ==\(pick(["", "[c]"])) \(text())"
            case 9: return "body TEXT '\(words())'"
            case 10:
                return
                    "\(pick(["part", "ANY parts", "parts"])).name ==\(pick(["", "[c]"])) \(text())"
            default: return "\(pick(["part", "ALL parts", "NONE parts"])).name == \(text())"
            }
        }

        private mutating func words() -> String {
            (0...below(3)).map { i in
                let word = pick(IndexedTestFile.words)
                switch below(4) {
                case 0: return "-\(word)x"
                case 1 where below(2) == 0:
                    let many = (0..<12).map { _ in "\(Int64(below(1000)) << 30)" }
                    return "(i == 2 OR i IN {\(many.joined(separator: ", ")), null} OR i == 4)"
                case 1: return "\(word.prefix(1 + below(5)))*"
                case 2 where i > 0: return "-\(pick(["plum", "pear", "unknown"]))"
                default: return word
                }
            }.joined(separator: " ")
        }
    }

    /// Returns nil for a word that is both required and excluded.
    private func bound(
        _ text: String, _ arguments: [QueryArgument], _ table: Table
    ) throws -> BoundQuery? {
        do {
            return try Query(text, arguments: arguments).bound(to: table)
        } catch {
            if error.reason == "fulltextTokens" { return nil }
            throw error
        }
    }

    private func check(
        _ text: String, _ arguments: [QueryArgument], _ database: Database
    ) throws {
        let snapshot = database.snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Item")))
        guard let bound = try bound(text, arguments, table) else { return }
        var options = QueryOptions()
        options.usesIndexes = false
        let kernels = try QueryPlan(bound, in: snapshot, options: options)
        options.usesKernels = false
        let slow = try QueryPlan(bound, in: snapshot, options: options)
        let plan = try QueryPlan(bound, in: snapshot)
        let expected = try slow.rows(in: snapshot).keys.map(\.raw)
        let place = "\(text) \(arguments)"
        #expect(try plan.rows(in: snapshot).keys.map(\.raw) == expected, "\(place)")
        #expect(try kernels.rows(in: snapshot).keys.map(\.raw) == expected, "kernels: \(place)")
        for _ in 0..<2 { #expect(try plan.count(in: snapshot) == expected.count, "\(place)") }
        var parts: [ObjectKey] = []
        let run = QueryRun(plan, in: snapshot)
        for part in try plan.parts(in: snapshot) { try run.appendKeys(of: part, to: &parts) }
        let arranged = try plan.arranged(parts, in: snapshot)
        #expect(arranged.keys.map(\.raw) == expected, "units of \(place)")
    }

    @Test(arguments: [(4, 4, 150), (16, 5, 700), (256, 1000, 700)])
    func indexesDoNotChangeResults(_ leaf: Int, _ index: Int, _ rows: Int) throws {
        let seed = UInt64.random(in: 1 ... .max)
        print("indexed queries seed \(seed) for \(leaf) \(index)")
        let fanout = Fanout(clusterLeaf: leaf, clusterInner: leaf, tree: index, index: index)
        let file = try IndexedTestFile(rows: rows, fanout: fanout, random: SeededRandom(seed: seed))
        let database = try Database(immutable: file.path)
        var generator = Generator(random: SeededRandom(seed: seed &+ 1))
        for _ in 0..<150 * QueryCases.scale {
            generator.arguments = []
            var text = generator.condition(2)
            switch generator.below(5) {
            case 0: text += " LIMIT(\(generator.below(20)))"
            case 1: text += " SORT(plain ASC)"
            case 2: text += " SORT(plain DESC, i ASC) LIMIT(\(generator.below(9)))"
            default: break
            }
            try check(text, generator.arguments, database)
        }
    }

    // MARK: Plans

    private func plan(
        _ text: String, _ database: Database, _ arguments: [QueryArgument] = []
    ) throws -> (plan: QueryPlan, snapshot: Snapshot) {
        let snapshot = database.snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Item")))
        let bound = try Query(text, arguments: arguments).bound(to: table)
        return (try QueryPlan(bound, in: snapshot), snapshot)
    }

    private func sample(_ seed: UInt64 = 7) throws -> IndexedTestFile {
        try IndexedTestFile(rows: 600, fanout: Fanout(), random: SeededRandom(seed: seed))
    }

    @Test func indexListsAreUsedWithoutCheckingObjects() throws {
        let file = try sample()
        let database = try Database(immutable: file.path)
        let texts = [
            "i == 3", "b == false", "s ==[c] 'abC'", "body TEXT 'apple'", "i == null", "m == true",
        ]
        for text in texts {
            let (plan, _) = try plan(text, database)
            let candidates = try #require(plan.candidates, "\(text)")
            #expect(candidates.isFinal, "\(text)")
            if text.contains("[c]") { continue }
            guard case .list = candidates.objects else {
                Issue.record("\(text) looked at objects")
                continue
            }
        }
    }

    @Test func indexListsOfSeveralTermsAreIntersected() throws {
        let file = try sample()
        let database = try Database(immutable: file.path)
        let (plan, snapshot) = try plan("i == 3 AND b == false AND plain > 2", database)
        let candidates = try #require(plan.candidates)
        #expect(candidates.trueTerms(of: plan.filter).count == 2)
        guard case .test(let rest) = candidates.rest else {
            Issue.record("another rest")
            return
        }
        #expect(rest.relation == .greater)
        let lines = try plan.explanation(in: snapshot).split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasSuffix("i == 3: by index") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  plain > 2: ") }, "\(lines)")
    }

    @Test func indexedTargetsAreFollowedThroughBacklinks() throws {
        let file = try sample()
        let database = try Database(immutable: file.path)
        let (plan, snapshot) = try plan(
            "part.name == $0", database, [.string(IndexedTestFile.texts[3])])
        #expect(try plan.explanation(in: snapshot).hasPrefix("index Part.name: "))
    }

    // MARK: Damage

    /// Objects in lists with repeated, unordered or invalid keys are checked one by one.
    @Test func objectsOfInvalidListsAreChecked() throws {
        let file = try sample(9)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        let (keys, leaf) = try Self.list("i == 3", of: file)
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Item")))
        let gone = try (0..<keys[2]).filter { try table.row(ObjectKey($0)) == nil }
        let edits: [[Int64]] = [
            // A repeated key, unordered keys, a key without an object.
            [keys[1], keys[1]] + keys[2...], [keys[1], keys[0]] + keys[2...],
            [keys[0], try #require(gone.first { keys[0] < $0 && $0 < keys[2] })] + keys[2...],
        ]
        for edit in edits {
            var damaged = bytes
            for (i, key) in edit.enumerated() {
                for b in 0..<leaf.size {
                    damaged[leaf.start + i * leaf.size + b] = UInt8(
                        truncatingIfNeeded: key >> Int64(8 * b))
                }
            }
            let database = try Database(try QueryHostileTests.mapped(damaged))
            let (plan, snapshot) = try plan("i == 3", database)
            if case .list? = plan.candidates?.objects { Issue.record("trusted \(edit)") }
            let found = try plan.rows(in: snapshot).keys.map(\.raw)
            #expect(found == Array(Set(found)).sorted())
            #expect(Set(found).isSubset(of: Set(keys)))
            #expect(try plan.count(in: snapshot) == found.count)
        }
    }

    /// The keys that an index lists for a condition, and the location of the list's elements in the
    /// file.
    private static func list(
        _ text: String, of file: IndexedTestFile
    ) throws -> (keys: [Int64], leaf: (start: Int, size: Int)) {
        let snapshot = try Database(immutable: file.path).snapshot()
        let table = snapshot.table(try #require(snapshot.schema.table(named: "Item")))
        let plan = try QueryPlan(try Query(text).bound(to: table), in: snapshot)
        guard case .list(let ref, let part)? = plan.candidates?.objects else {
            throw RealmError.corrupt("no list", at: .none)
        }
        let node = try snapshot.lookup.integers(ref, "index list")
        let count = part.count
        let size = node.byteSize / count
        try #require(node.count == count && [1, 2, 4].contains(size))
        let keys = (0..<count).map { node.integer($0) }
        return (keys, (Int(ref.raw) + 8, size))
    }
}
