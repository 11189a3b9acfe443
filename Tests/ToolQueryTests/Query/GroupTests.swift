import Testing

@testable import ToolKit
@testable import ToolSupport

/// `--group-by` as used by scripts.
@Suite struct GroupTests {
    @Test func groupsByAPropertyAndAPath() {
        #expect(
            QueryRun.lines("--aggregate", "count,avg(age)", "--group-by", "vip", of: "Person")
                .count == 2)
        #expect(
            QueryRun.lines(
                "-fcsv", "--aggregate", "count", "--group-by", "employer.title,vip",
                "--sort", "-count,vip", of: "Person"
            ).first == "employer.title,vip,count")
        #expect(
            QueryRun.lines(
                "-ftsv", "-H", "--aggregate", "sum(weight)", "--group-by", "kind", "-L1",
                "--offset", "1", of: "Pet"
            ).count == 1)
    }

    /// Groups by year of birth have the counts of predicates on the year.
    @Test func groupsByFunctionsOfAProperty() {
        let file = QueryRun.fixture("query/social.realm")
        let lines = QueryRun.lines(
            "-ftsv", "-H", "--aggregate", "count", "--group-by", "year(born),floor(age, 10)",
            "--sort",
            "-count,year(born)", of: "Person")
        #expect(lines.count > 2)
        for line in lines {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            let year = cells[0] == "\\N" ? "null" : cells[0]
            let age = cells[1] == "\\N" ? "null" : cells[1]
            let predicate = "year(born) == \(year) AND floor(age, 10) == \(age)"
            #expect(QueryRun.text(["-c", file, "Person", predicate]) == cells[2] + "\n")
        }
    }

    /// A comma between parentheses separates no fields, after a name either.
    @Test func printsFunctionsAsFields() {
        let lines = QueryRun.lines(
            "-ftsv", "-H", "-F", "handle,bin=floor(age,10),floor(age, 10),born=year(born),age",
            of: "Person")
        #expect(lines.count > 5)
        for line in lines {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            #expect(cells.count == 5 && cells[1] == cells[2])
            #expect(cells[1] == (Int(cells[4]).map { "\($0 / 10 * 10)" } ?? "\\N"))
        }
        #expect(
            QueryRun.lines("-fcsv", "-L1", "-F", "a=floor(age, 10),b=day(born)", of: "Person")[0]
                == "a,b")
    }

    @Test func groupsDependOnTheTimeZone() {
        func days(_ zone: String) -> [String] {
            QueryRun.lines(
                "-ftsv", "-H", "--aggregate", "count", "--group-by", "day(born)", "--zone", zone,
                of: "Person")
        }
        #expect(days("+00:00") == days("Z"))
        #expect(days("+14:00") != days("Z"))
        let refused = ToolProcess.run(
            "realm-query",
            [
                "-c", "--zone", "../etc", QueryRun.fixture("query/social.realm"), "Person",
                "born > now()",
            ])
        #expect(refused.status == 2 && refused.errorText.contains("not a time zone"))
    }

    /// Each group has the objects that a query for its key finds, and the groups contain all
    /// objects.
    @Test(arguments: [
        ("query/bulk.realm", "64MiB"), ("query/bulk.realm", "1KiB"),
        ("query/social.realm", "1KiB"), ("query/types.realm", "1KiB"),
        ("query/anyval.realm", "64MiB"), ("query/anyval.realm", "1KiB"),
    ])
    func groupsDoNotDependOnTheMemoryLimit(name: String, memory: String) throws {
        let file = QueryRun.fixture(name)
        let schema = try StrictJSON(QueryRun.text(["-S", "--json", file]))
        for table in schema["classes"]?.array ?? [] where table["kind"] == "class" {
            guard case .string(let name)? = table["name"] else { continue }
            for property in table["properties"]?.array ?? [] {
                guard case .string(let field)? = property["name"], property["collection"] == .null,
                    property["type"] != "object"
                else { continue }
                check(file, name, field, memory)
            }
        }
    }

    private func check(_ file: String, _ name: String, _ field: String, _ memory: String) {
        let words = [
            "--aggregate", "count", "--group-by", field, "-fcsv", "-H", file, name,
        ]
        let run = ToolProcess.run("realm-query", ["--max-memory", memory] + words)
        #expect(run.status == 0, "\(name).\(field): \(run.errorText)")
        let whole = QueryRun.text(words)
        #expect(run.text == whole, "\(name).\(field)")
        let counts = QueryRun.text(
            ["--aggregate", "count", "--group-by", field, "-0", "-fndjson", file, name])
        let total = counts.split(separator: "\0").reduce(0) { sum, line in
            sum + (Int(line.dropLast().split(separator: ":").last ?? "") ?? 0)
        }
        #expect("\(total)\n" == QueryRun.text(["-c", file, name]), "\(name).\(field)")
        let distinct = QueryRun.text(["-c", "--distinct", field, file, name])
        #expect("\(counts.split(separator: "\0").count)\n" == distinct, "\(name).\(field)")
    }

    /// Aggregates of groups skip NaN like aggregates of all objects.
    @Test func groupsHaveTheAggregatesOfTheirObjects() {
        let types = QueryRun.fixture("query/types.realm")
        for name in ["f", "od", "dec", "mx", "oi"] {
            let list =
                "count,sum(\(name)),avg(\(name)),min(\(name)),max(\(name)),median(\(name)),"
                + "count(distinct \(name))"
            for memory in ["1KiB", "64MiB"] {
                let groups = QueryRun.text([
                    "--max-memory", memory, "--aggregate", list, "--group-by", "ob", types, "Row",
                ])
                let each = ["null", "false", "true"].map { value in
                    let text = QueryRun.text(["--aggregate", list, types, "Row", "ob == \(value)"])
                    return "{\"ob\":\(value),\(text.dropFirst())"
                }
                #expect(groups == each.joined(), "\(name)")
            }
        }
    }

    @Test func deviationsMediansAndDistinctCountsArePrinted() {
        func text(_ words: String...) -> String {
            QueryRun.text(words + [QueryRun.social, "Person"])
        }
        let list = "stddev(age), median(age),count(distinct age)"
        #expect(
            text("-fcsv", "--aggregate", list).hasPrefix(
                "stddev(age),median(age),count(distinct age)\n"))
        // The count equals the number of results of DISTINCT, except null.
        let distinct = QueryRun.text([
            "-c", "--distinct", "age", QueryRun.social, "Person", "age != null",
        ])
        #expect(text("-fcsv", "-H", "--aggregate", "count(distinct age)") == distinct)
        let groups = text(
            "-fcsv", "-H", "--aggregate", list, "--group-by", "vip", "--sort",
            "-count(distinct age)")
        #expect(groups.split(separator: "\n").count == 2)
        let spilled = text(
            "--max-memory", "1KiB", "-fcsv", "-H", "--aggregate",
            "median(age),count(distinct name)",
            "--group-by", "vip")
        let whole = text(
            "-fcsv", "-H", "--aggregate", "median(age),count(distinct name)", "--group-by", "vip")
        #expect(spilled == whole)
    }

    @Test func operatorsAgreeWithAggregates() {
        func count(_ predicate: String) -> String {
            QueryRun.text(["-c", QueryRun.social, "Person", predicate])
        }
        #expect(count("friends.@median.age > 0") != "0\n")
        #expect(count("friends.@stddev.age >= 0") != "0\n")
        #expect(
            count("friends.@stddev.age == null")
                == count("SUBQUERY(friends, $f, $f.age != null).@count < 2"))
    }

    @Test func groupsAreSortedByAggregates() {
        let bulk = QueryRun.fixture("query/bulk.realm")
        let list = QueryRun.text([bulk]).split(separator: "\n").first ?? ""
        #expect(list.hasPrefix("{"))
        let lines = QueryRun.lines(
            "--aggregate", "count,max(age)", "--group-by", "vip", "--sort", "-max(age)", "-fcsv",
            "-H", of: "Person")
        let ages = lines.map { Int($0.split(separator: ",").last ?? "") ?? 0 }
        #expect(ages == ages.sorted(by: >))
        let spilled = QueryRun.lines(
            "--max-memory", "1KiB", "--aggregate", "count,max(age)", "--group-by", "vip", "--sort",
            "-max(age)", "-fcsv", "-H", of: "Person")
        #expect(spilled == lines)
    }

    @Test func contradictoryOptionsAreRefused() {
        let social = QueryRun.social
        func error(_ words: String...) -> String { QueryRun.error(words + [social, "Person"]) }
        #expect(error("--group-by", "vip").contains("--group-by needs --aggregate"))
        #expect(error("--aggregate", "count", "--group-by", "frends").contains("friends"))
        #expect(error("--aggregate", "count", "--group-by", "friends").contains("single value"))
        #expect(
            error("--aggregate", "count", "--group-by", "vip", "--sort", "age").contains(
                "vip, count"))
        #expect(error("--sort", "sum(age)").contains("--group-by"))
        #expect(
            error("--aggregate", "count", "--group-by", "vip,vip").contains("two fields"))
        #expect(error("--aggregate", "count(age)").contains("count(distinct P)"))
        #expect(error("--aggregate", "count(distinct agee)").contains("age"))
        #expect(error("--aggregate", "stddev(name)").contains("string"))
        #expect(error("--aggregate", "count(distinct friends)").contains("a list of object"))
    }
}
