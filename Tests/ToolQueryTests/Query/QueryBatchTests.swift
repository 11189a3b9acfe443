import Foundation
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

    /// Counts equal the numbers of listed objects.
    @Test func countsEqualTheListedObjects() throws {
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

    /// A request that fails gets an error as its answer, and later requests are answered.
    @Test func failedRequestsAreAnsweredWithErrors() throws {
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

    // MARK: Members

    private func answer(_ request: String, _ options: String = "") -> String {
        let escaped = request.replacing("\"", with: "\\\"").replacing("$", with: "\\$")
        return answers(options, [escaped]).text
    }

    /// Members select and order objects like the options with the same names.
    @Test func membersEqualTheirOptions() throws {
        func lines(_ words: [String], _ predicate: [String] = []) -> String {
            QueryRun.text(["-fndjson"] + words + [QueryRun.social, "Person"] + predicate)
                .split(separator: "\n").joined(separator: ",")
        }
        func answersObjects(
            _ members: String, _ words: [String], _ predicate: [String] = [], line: Int = #line
        ) {
            let expected = lines(
                words + (words.contains("--fields") ? [] : ["--fields", "name"]), predicate)
            let found = answer("{\(members)}", words.contains("--fields") ? "" : "--fields name")
            #expect(found.hasSuffix("\"objects\":[\(expected)]}\n"), "line \(line): \(found)")
        }
        answersObjects(#""sort":"-age,name""#, ["--sort", "-age,name"])
        answersObjects(
            #""sort":["-age","name"],"limit":3"#, ["--sort", "-age,name", "--limit", "3"])
        answersObjects(#""limit":2,"offset":1"#, ["--limit", "2", "--offset", "1"])
        answersObjects(#""offset":100000"#, ["--offset", "100000"])
        answersObjects(#""limit":0"#, ["--limit", "0"])
        answersObjects(#""distinct":"vip""#, ["--distinct", "vip"])
        answersObjects(
            #""where":"age > $0","args":[3],"sort":"name","distinct":["age"],"limit":4,"offset":1"#,
            ["--sort", "name", "--distinct", "age", "--limit", "4", "--offset", "1"], ["age > 3"])
        answersObjects(#""fields":"n=name,age""#, ["--fields", "n=name,age"])
        answersObjects(#""fields":["age"],"sort":"name""#, ["--fields", "age", "--sort", "name"])
        answersObjects(
            #""where":"age > 3 SORT(name ASC) LIMIT(5)","sort":"-name","limit":2"#,
            ["--sort", "-name", "--limit", "2"], ["age > 3 SORT(name ASC) LIMIT(5)"])
    }

    @Test func countsCoverLimitAndOffset() {
        let all = QueryRun.text(["-c", QueryRun.social, "Person"]).dropLast()
        #expect(answer(#"{"count":true}"#) == "{\"count\":\(all)}\n")
        #expect(answer(#"{"count":true,"limit":2}"#) == "{\"count\":2}\n")
        #expect(answer(#"{"count":true,"limit":2,"offset":100000}"#) == "{\"count\":0}\n")
        #expect(
            answer(#"{"count":false,"limit":0}"#, "--count") == "{\"count\":0,\"objects\":[]}\n")
        #expect(answer(#"{"limit":3}"#, "--count") == "{\"count\":3}\n")
    }

    @Test func aggregatesAndGroupsEqualThoseOfOptions() {
        func text(_ words: String...) -> String {
            QueryRun.text(["-fndjson"] + words + [QueryRun.social, "Person"])
        }
        let list = "count,avg(age),stddev(age),median(age),count(distinct age)"
        let record = text("--aggregate", list).dropLast()
        let all = QueryRun.text(["-c", QueryRun.social, "Person"]).dropLast()
        #expect(
            answer("{\"id\":\"a\",\"aggregate\":\"\(list)\"}")
                == "{\"id\":\"a\",\"count\":\(all),\"aggregate\":\(record)}\n")
        let groups = text(
            "--aggregate", "count,max(age)", "--group-by", "vip,employer.title", "--sort",
            "-count,vip,employer.title",
            "--limit", "2", "--offset", "1"
        ).split(separator: "\n")
        guard !groups.isEmpty else { return }
        #expect(
            answer(
                #"{"aggregate":["count","max(age)"],"groupBy":["vip","employer.title"],"#
                    + #""sort":"-count,vip,employer.title","limit":2,"offset":1}"#)
                == "{\"count\":\(groups.count),\"groups\":[\(groups.joined(separator: ","))]}\n")
        #expect(
            answer(#"{"where":"FALSEPREDICATE","aggregate":"count","groupBy":"vip"}"#)
                == "{\"count\":0,\"groups\":[]}\n")
    }

    /// Each invalid member gets an error as its answer, and the next request is answered.
    @Test(arguments: [
        (#"{"were":"age > 3"}"#, "did you mean where?"), (#"{"Sort":"age"}"#, "did you mean sort?"),
        (#"{"groupby":"vip","aggregate":"count"}"#, "did you mean groupBy?"),
        (#"{"sort":3}"#, "sort is a string"), (#"{"sort":["name",3]}"#, "sort is a string"),
        (#"{"sort":[]}"#, "sort is a string"), (#"{"sort":"name,,age"}"#, "key path"),
        (#"{"sort":"sum(age)"}"#, "not a key path"), (#"{"sort":"nome"}"#, "name"),
        (#"{"distinct":true}"#, "distinct is a string"), (#"{"distinct":""}"#, "not a key path"),
        (#"{"limit":-1}"#, "limit is a whole number"),
        (#"{"limit":"3"}"#, "limit is a whole number"),
        (#"{"limit":1.5}"#, "limit is a whole number"), (#"{"offset":null}"#, "offset is a whole"),
        (#"{"fields":{}}"#, "fields is a string"), (#"{"fields":"=name"}"#, "fields"),
        (#"{"fields":"nome"}"#, "name"), (#"{"count":1}"#, "count is true or false"),
        (#"{"where":3}"#, "where is a string"), (#"{"class":["Person"]}"#, "class is a string"),
        (#"{"args":3}"#, "args is an array"), (#"{"aggregate":7}"#, "aggregate is a string"),
        (#"{"aggregate":"mean(age)"}"#, "avg(P)"), (#"{"aggregate":"avg(name)"}"#, "string"),
        (#"{"groupBy":"vip"}"#, "groupBy needs aggregate"),
        (#"{"aggregate":"count","groupBy":"friends"}"#, "single value"),
        (#"{"aggregate":"count","groupBy":"vip","sort":"age"}"#, "vip, count"),
        (#"{"aggregate":"count","fields":"name"}"#, "fields cannot be used with aggregate"),
        (#"{"aggregate":"count","count":true}"#, "count cannot be used with aggregate"),
        (#"{"aggregate":"count","limit":3}"#, "limit and offset cannot be used"),
        (#"[1]"#, "is an object"),
    ])
    func invalidMembersAreAnsweredWithErrors(request: String, words: String) {
        let escaped = request.replacing("\"", with: "\\\"")
        let run = answers("--fields name", [escaped, "{\\\"limit\\\":0}"])
        let lines = run.text.split(separator: "\n")
        #expect(run.status == 8 && lines.count == 2, "\(run.text)")
        #expect(lines[0].hasPrefix("{\"error\":{") && lines[0].contains(words), "\(run.text)")
        #expect(lines.last == "{\"count\":0,\"objects\":[]}", "\(run.text)")
    }
}
