import Testing

@testable import ToolKit
@testable import ToolSupport

/// Properties whose names the query language cannot express, in options as used by scripts.
@Suite struct PropertyNameTests {
    private let scratch = ScratchDirectory()
    private var file: String { scratch.file("names.realm") }

    private static let names = [
        "day(x)", "floor(x",
        "any", "null", "1st", "a.b", "obj", "nan", "not", "x y", "@links", "it's", "`", "(",
        "p,q",
    ]

    /// Returns a name as an item of a list.
    private static func listed(_ name: String) -> String { name == "p,q" ? #"p\,q"# : name }

    /// Makes objects 0 to 3, with the values 3, 2, 1 and 0 and a link to the previous object.
    init() {
        let properties = Self.names.map { #"{"name":"\#($0)","type":"int"}"# }
        let schema =
            #"{"classes":[{"name":"C","primaryKey":"id","properties":[{"name":"id","type":"int"},"#
            + #"{"name":"next","type":"object","target":"C","optional":true},"#
            + properties.joined(separator: ",") + "]}]}"
        let records = (0..<4).map { id in
            let values = Self.names.map { "\"\($0)\":\(3 - id)" }.joined(separator: ",")
            let next = id == 0 ? "null" : "\(id - 1)"
            return "{\"id\":\(id),\"next\":\(next),\(values)}\n"
        }
        scratch.write("schema.json", Array(schema.utf8))
        scratch.write("records", Array(records.joined().utf8))
        write("--create", "--schema-file", scratch.file("schema.json"), file)
        write(file, "C", scratch.file("records"))
    }

    private func write(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let run = ToolProcess.run("realm-write", ["-q"] + words)
        #expect(run.status == 0, "\(run.errorText)", sourceLocation: sourceLocation)
    }

    /// Returns the ids of the objects that options and an optional predicate find.
    private func ids(
        _ options: String..., where predicate: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Substring] {
        QueryRun.text(
            ["-F", "id", "-fcsv", "-H"] + options + [file, "C"] + (predicate.map { [$0] } ?? []),
            sourceLocation: sourceLocation
        ).split(separator: "\n")
    }

    @Test func argumentsNamePropertiesInPredicates() {
        for name in Self.names {
            #expect(ids("--arg", name, where: "$K0 == 1") == ["2"], "\(name)")
            #expect(ids("--argjson", "\"\(name)\"", where: "$K0 > 1") == ["0", "1"], "\(name)")
            #expect(ids("--arg", name, "--arg", "2", where: "$K0 == $1") == ["1"], "\(name)")
            #expect(ids("--arg", "next." + name, where: "$K0 == 1") == ["3"], "\(name)")
        }
        #expect(
            QueryRun.error(["--arg", "no", file, "C", "$K0 == 1"]).contains("has no property 'no'"))
    }

    @Test func reservedNamesAreSortedAndGroupedBy() {
        for name in Self.names.map(Self.listed) {
            #expect(ids("--sort", name) == ["3", "2", "1", "0"], "\(name)")
            #expect(ids("--sort", "-" + name) == ["0", "1", "2", "3"], "\(name)")
            #expect(ids("--sort", "next." + name, where: "next != null").first == "3", "\(name)")
            #expect(ids("--distinct", name).count == 4, "\(name)")
            #expect(ids("--sort", name, "-L1", where: "id < 2") == ["1"], "\(name)")
            let groups = QueryRun.text([
                "--aggregate", "count,max(\(name))", "--group-by", name, "-fcsv", "-H", file, "C",
            ])
            #expect(groups == "0,1,0\n1,1,1\n2,1,2\n3,1,3\n", "\(name)")
        }
        #expect(QueryRun.error(["--sort", "x  y", file, "C"]).contains("--sort: class C has no"))
        #expect(QueryRun.error(["--sort", "xy", file, "C"]).contains("has no property 'xy'"))
    }

    @Test func reservedNamesAreSet() {
        for name in Self.names {
            write("--where", "$K0 == 1", "--arg", name, "--set", "\(name)=7", file, "C")
            #expect(ids("--arg", name, where: "$K0 == 7") == ["2"], "\(name)")
        }
    }

    /// A word in backticks is not a valid name in a predicate.
    @Test func backticksAreNoPredicateSyntax() {
        #expect(QueryRun.error([file, "C", "`any` == 1"]).contains("starts no word"))
        #expect(QueryRun.error(["-sany", file, "C", "`any` == 1"]).contains("starts no word"))
    }

    // MARK: Dates

    /// A date in an unsupported notation is an error that lists the supported notations.
    @Test(arguments: [
        "t > 2024-06-01", "t > 2024-06-01T10:00:00Z", "t > 2024-06-01T10:00",
        "t>2024-06-01T10:00:00.5", "t == 2024-06-01T10:00:00+02:00", "t > 2024-06-01 10:00:00",
        "t > '2024-06-01'", "t BETWEEN {2024-06-01, 2024-06-02}", "t > 2024",
    ])
    func errorsListTheSupportedDateNotations(_ predicate: String) {
        let error = QueryRun.error([QueryRun.fixture("query/types.realm"), "Row", predicate])
        #expect(error.contains("2024-06-01T10:00:00, which is UTC"), "\(predicate)")
        #expect(error.contains("--arg 2024-06-01T10:00:00+02:00"), "\(predicate)")
    }

    @Test func datesAreAcceptedAsArguments() {
        let types = QueryRun.fixture("query/types.realm")
        func count(_ text: String) -> String {
            QueryRun.text(["-c", "--arg", text, types, "Row", "t == $0"])
        }
        let all = QueryRun.text(["-c", types, "Row", "t == 2000-01-01T00:00:00"])
        #expect(all == "1\n")
        for text in [
            "2000-01-01", "2000-01-01T00:00:00", "2000-01-01T00:00:00Z", "2000-01-01 00:00:00",
            "2000-01-01T01:00:00+01:00",
        ] {
            #expect(count(text) == all, "\(text)")
        }
    }
}
