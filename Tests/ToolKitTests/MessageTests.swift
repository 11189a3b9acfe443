import RealmEngine
import Testing

@testable import ToolFiles
@testable import ToolKit
@testable import ToolSupport

/// Messages contain the file, and classes and properties by the names that users know.
@Suite struct MessageTests {
    private let scratch = ScratchDirectory()

    private func error(_ tool: String, _ words: [String]) -> String {
        let run = ToolProcess.run(tool, words)
        #expect(run.status == 2, "\(words) \(run.status)")
        return run.errorText
    }

    @Test func errorsForUnknownNamesNameTheFile() {
        let file = QueryRun.social
        let named = #""file":"\#(file)""#
        for words in [
            [file, "Persn"], [file, "Person", "nme == 1"], [file, "Person", "-F", "naem"],
            [file, "Person", "--aggregate", "sum(x)"], [file, "Person", "--exclude", "x"],
            [file, "Person", "-s", "x"], [file, "--schema", "x"], [file, "--diff", file, "x"],
            [file, "--all", "--exclude", "x"], [file, "Person", "@links.Foo.x.@count > 1"],
        ] {
            let text = error("realm-query", ["--json"] + words)
            #expect(text.contains(named), "\(words) \(text)")
        }
        let copy = scratch.write("copy.realm", contents(of: file)!)
        for words in [
            [copy, "x"], ["--rename", "x=y", copy], ["--index", "Person.x", copy],
            ["--where", "x == 1", "--delete", copy, "Person"],
        ] {
            let text = error("realm-write", ["--json"] + words)
            #expect(text.contains(#""file":"\#(copy)""#), "\(words) \(text)")
        }
        // A mistake in the query itself does not concern a file.
        #expect(
            error("realm-query", ["--json", file, "Person", "age =="]).contains(#""file":null"#))
    }

    @Test func errorsForUnquotedTextSuggestQuotes() {
        let advice = #"a text stands in quotes: "Bob""#
        #expect(error("realm-query", [QueryRun.social, "Person", "name = Bob"]).contains(advice))
        #expect(
            error("realm-query", [QueryRun.social, "Person", "name BEGINSWITH Bob"]).contains(
                advice))
        #expect(!error("realm-query", [QueryRun.social, "Person", "Bob = 1"]).contains("quotes"))
    }

    @Test func messagesUseTheTypeNamesOfSchemas() {
        let text = error("realm-query", [QueryRun.social, "Person", "born == 5"])
        #expect(text.contains("a date cannot be compared with an int"), "\(text)")
    }

    @Test func messagesForCorruptFilesNameTheRescueTool() throws {
        let whole = try #require(contents(of: QueryRun.social))
        let path = scratch.write("short.realm", Array(whole.prefix(5000)))
        for tool in ["realm-query", "realm-compact"] {
            let words = tool == "realm-query" ? [path] : ["-n", path]
            let run = ToolProcess.run(tool, words)
            #expect(run.status == 4)
            #expect(
                run.errorText.contains("realm-compact --salvage -o NEW FILE"), "\(run.errorText)")
        }
    }

    /// Messages of the writer contain class names, not the stored names of tables.
    @Test func messagesContainClassNamesNotTableNames() throws {
        var options = WriteSession.Options()
        (options.creates, options.isDurable) = (true, false)
        let session = try WriteSession(path: scratch.file("a.realm"), options: options)
        let transaction = try session.begin()
        let keyed = try transaction.createClass("Keyed", primaryKey: PropertySpec("id", .int))
        let plain = try transaction.createClass("Plain")
        let part = try transaction.createClass("Part", kind: .embedded)
        var link = PropertySpec("to", .link)
        (link.target, link.isOptional) = (keyed, true)
        try transaction.addProperty(plain, link)
        let attempts: [() throws -> Void] = [
            { _ = try transaction.create(in: keyed) },
            { _ = try transaction.create(in: part) },
            { _ = try transaction.create(in: plain, primaryKey: .int(1)) },
            { try transaction.remove(plain, ObjectKey(77)) },
            { try transaction.addProperty(keyed, PropertySpec("id", .int)) },
        ]
        for attempt in attempts {
            let error = #expect(throws: RealmError.self) { try attempt() }
            #expect(error?.message.contains("class_") == false, "\(error?.message ?? "")")
        }
        transaction.rollback()
    }

    @Test func shortOptionsTakeOptionalValuesAfterAnEqualsSign() throws {
        let words: [[String]] = [["-w=100ms", "f"], ["--watch=100ms", "f"]]
        for words in words {
            let command = try OptionParser.parse(VersionsTable.table, words[...])
            #expect(command[VersionsOption.watch] == .milliseconds(100))
        }
        #expect(
            try OptionParser.parse(VersionsTable.table, ["-w", "f"]).isGiven(VersionsOption.watch))
        #expect(error("realm-query", ["-w=1s", "f"]).contains("--watch takes no argument"))
    }

    @Test func unknownShortOptionsHaveNoSuggestion() {
        #expect(!error("realm-query", ["-Z", "f"]).contains("--at"))
    }

    @Test func batchHasADefaultClass() {
        let run = ToolProcess.shell(
            """
            printf '{"where":"age > 90"}\\n{"class":"Pet","where":"LIMIT(0)"}\\n{"class":"Pet"}\\n' |
                "$TOOL" --batch '\(QueryRun.social)' Person -c
            """)
        let lines = run.text.split(separator: "\n")
        #expect(run.status == 8 && lines.count == 3)
        #expect(lines.first == "{\"count\":0}" && lines.last == "{\"count\":8}", "\(run.text)")
        for words in [["--batch", "-L1"], ["--batch", "-s", "age"], ["--batch", "--raw"]] {
            #expect(error("realm-query", words + [QueryRun.social]).contains("--batch"))
        }
    }

    @Test func aQueryMayConsistOfClausesOnly() {
        for predicate in ["SORT(name DESC) LIMIT(1)", " sort (name DESC) limit(1)"] {
            #expect(
                QueryRun.text([QueryRun.social, "Person", predicate, "-F", "name", "--raw"])
                    == "fay\n")
        }
    }
}
