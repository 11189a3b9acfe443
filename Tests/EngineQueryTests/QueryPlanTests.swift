import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct QueryPlanTests {
    private func snapshot(_ name: String) throws -> Snapshot {
        try Database(immutable: QueryCases.folder.appending(path: name + ".realm").path).snapshot()
    }

    private func plan(
        _ text: String, _ className: String, _ snapshot: Snapshot
    ) throws -> QueryPlan {
        let table = snapshot.table(snapshot.schema.table(named: className)!)
        return try QueryPlan(Query(text).bound(to: table), in: snapshot)
    }

    @Test func explanationsDescribeThePlan() throws {
        let bulk = try snapshot("bulk")
        let indexed = try plan("s != null AND id == 300 LIMIT(3)", "Node", bulk)
        let text = try indexed.explanation(in: bulk)
        #expect(text.hasPrefix("index Node.id: 1 of 1100 objects\n"), "\(text)")
        // The condition on the primary key comes first, whatever the order in the text.
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.contains("id == 300: by index") }, "\(text)")
        #expect(lines.last == "limit 3")
        let scan = try plan("NOT (k > 5 OR up.id == 3) SORT(d ASC)", "Node", bulk)
        let other = try scan.explanation(in: bulk)
        #expect(other.hasPrefix("scan Node: 1100 objects"), "\(other)")
        #expect(other.contains("up.id == 3: links into a set"), "\(other)")
        #expect(other.hasSuffix("sort d ascending"), "\(other)")
    }

    @Test func fullTextConditionsUseTheirIndex() throws {
        let notes = try snapshot("text")
        #expect(try plan("body TEXT 'apple'", "Note", notes).candidates != nil)
        #expect(try plan("body TEXT '-apple'", "Note", notes).candidates == nil)
    }

    @Test func ignoringCaseOfMalformedTextIsRefused() throws {
        let notes = try snapshot("text")
        do {
            _ = try plan("tag CONTAINS[c] B64\"vA==\"", "Note", notes)
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.code == "InvalidQuery" && error.reason == "malformedText")
        }
        #expect(try plan("tag CONTAINS B64\"vA==\"", "Note", notes).count(in: notes) > 0)
    }

    @Test func errorsSuggestSimilarNames() throws {
        let bulk = try snapshot("bulk")
        do {
            _ = try plan("kidz == null", "Node", bulk)
            Issue.record("accepted")
        } catch let error as RealmError {
            #expect(error.message.contains("near: kids"), "\(error.message)")
            #expect(error.hint == "kidz == null\n^^^^")
        }
        #expect(NearestNames.to("nmae", among: ["name", "age", "email"]) == ["name"])
        #expect(NearestNames.to("x", among: ["abcdef"]).isEmpty)
    }

    /// Queries on the large file, if it is available.
    @Test func countsOfTheLargeFileAreAsRecorded() throws {
        guard let shared = Fixtures.shared?.appending(path: "objects/people.realm"),
            FileManager.default.fileExists(atPath: shared.path)
        else { return }
        let people = try Database(immutable: shared.path).snapshot()
        let expected: [(String, Int)] = [
            ("age > 50", 49396), ("visits == null", 24952), ("name == \"Ada Turing\"", 402),
            ("city == \"Berlin\" AND age < 30", 2943), ("name CONTAINS[c] \"hop\"", 6237),
            ("best.age > 10", 23807), ("email BEGINSWITH \"Grace\"", 6216),
            ("ANY dogs.age > 10", 3374), ("score BETWEEN {100, 200}", 10059),
            ("created > 2021-01-01@00:00:00", 90357),
            ("NOT (active == true OR city IN {\"Berlin\", \"Dublin\"})", 40042),
            ("dogs.@count > 0", 12709), ("best == null", 10002), ("name LIKE \"A*n*g\"", 809),
        ]
        for (text, count) in expected {
            #expect(try plan(text, "Person", people).count(in: people) == count, "\(text)")
        }
        let top = try plan("age > 10 SORT(score DESC, _id ASC) LIMIT(30)", "Person", people)
        let all = try plan("age > 10 SORT(score DESC, _id ASC)", "Person", people)
        #expect(try top.rows(in: people).keys.elementsEqual(all.rows(in: people).keys.prefix(30)))
    }
}
