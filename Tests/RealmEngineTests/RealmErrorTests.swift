import Testing

@testable import RealmEngine

/// The description of errors.
@Suite struct RealmErrorTests {
    @Test func descriptionsContainPathMessageAndHint() throws {
        let missing = try #require(throws: RealmError.self) {
            try Database(immutable: "/nowhere/x.realm")
        }
        #expect("\(missing)".hasPrefix("/nowhere/x.realm: \(missing.message)"))
        let plain = RealmError(.busy, code: "a", reason: "b", "it is busy")
        #expect("\(plain)" == "it is busy")
        let advised = RealmError(.busy, code: "a", reason: "b", "it is busy", hint: "wait")
        #expect("\(advised.inFile("x"))" == "x: it is busy\nhint: wait")
    }

    /// The mark below a query is aligned with the query.
    @Test func theMarkBelowAQueryIsAligned() throws {
        let error = try #require(throws: RealmError.self) { try Query("age ==") }
        let lines = "\(error)".split(separator: "\n")
        let hint = try #require(error.hint).split(separator: "\n")
        try #require(hint.count > 1 && lines.count == hint.count + 1, "\(error)")
        #expect(lines[1] == "hint: " + hint[0] && lines[2] == "      " + hint[1])
    }
}
