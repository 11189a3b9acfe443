import Testing

@testable import ToolSupport

/// `--batch`: an answer for each line of standard input.
@Suite struct QueryBatchTests {
    private static let requests = [
        "TRUEPREDICATE", "FALSEPREDICATE", "age > 3", "name BEGINSWITH 'A'",
        "age > 3 LIMIT(2)", "TRUEPREDICATE SORT(name ASC) DISTINCT(age)",
        "TRUEPREDICATE SORT(age DESC) LIMIT(3)", "TRUEPREDICATE LIMIT(0)",
        "TRUEPREDICATE DISTINCT(age) LIMIT(2)",
    ]

    private func answers(_ options: String, _ lines: [String]) -> ToolProcess {
        let input = lines.map { "printf '%s\\n' \"\($0)\"" }.joined(separator: "; ")
        return ToolProcess.shell(
            "{ \(input); } | $TOOL --batch \(options) \(QueryRun.social) Person")
    }

    private func request(_ predicate: String) -> String {
        "{\\\"id\\\":1,\\\"where\\\":\\\"\(predicate)\\\"}"
    }

    /// Objects that are only counted are as many as those that are listed.
    @Test func countsAreThoseOfTheObjects() throws {
        let lines = Self.requests.map(request)
        let listed = answers("--fields name", lines)
        let counted = answers("--count", lines)
        #expect(listed.status == 0 && counted.status == 0, "\(counted.errorText)")
        let full = listed.text.split(separator: "\n")
        let short = counted.text.split(separator: "\n")
        try #require(full.count == lines.count && short.count == lines.count)
        for (i, (full, short)) in zip(full, short).enumerated() {
            let text = Self.requests[i]
            #expect(full.hasPrefix(short.dropLast() + ",\"objects\":["), "\(text): \(full)")
            let objects = full.split(separator: "{\"name\":").count - 1
            #expect(short == "{\"id\":1,\"count\":\(objects)}", "\(text)")
        }
    }

    /// A request that cannot be answered is an answer of its own, and the others follow.
    @Test func errorsAreAnswers() throws {
        let run = answers(
            "--count",
            [
                request("age > 'x'"), request("age >"),
                "{\\\"id\\\":7,\\\"class\\\":\\\"Nobody\\\"}", "{oops", request("TRUEPREDICATE"),
            ])
        let lines = run.text.split(separator: "\n")
        try #require(lines.count == 5, "\(run.text)")
        #expect(run.status == 8)
        #expect(lines[..<4].allSatisfy { $0.contains("\"error\":{") }, "\(run.text)")
        #expect(lines[2].hasPrefix("{\"id\":7,"))
        #expect(lines[4].hasPrefix("{\"id\":1,\"count\":"))
    }
}
