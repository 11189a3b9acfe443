import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolBench
@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

@Suite struct OptionParserTests {
    private func parse(_ words: String..., posix: Bool = false) throws -> ParsedCommand {
        try OptionParser.parse(QueryTable.table, words[...], posixlyCorrect: posix)
    }

    private func failure(_ words: String...) -> RealmError? {
        do throws(RealmError) {
            _ = try OptionParser.parse(QueryTable.table, words[...])
            return nil
        } catch { return error }
    }

    @Test func argumentsAreTheWordsOfTheCommandLine() {
        #expect(ProgramArguments.all() == CommandLine.arguments)
        #expect(ProgramArguments.words([]) == [])
        #expect(ProgramArguments.words([97, 0, 0, 195, 188, 98, 0]) == ["a", "", "\u{FC}b"])
    }

    @Test func valuesAreAttachedOrInTheNextWord() throws {
        for words in [
            ["--limit=5", "f"], ["--limit", "5", "f"], ["-L5", "f"], ["-L", "5", "f"],
            ["f", "-L", "0x5"], ["-cL5", "f"], ["f", "-cL", "5"],
        ] {
            let parsed = try OptionParser.parse(QueryTable.table, words[...])
            #expect(parsed[QueryOption.limit] == 5, "\(words)")
            #expect(parsed.operands == ["f"], "\(words)")
            #expect(parsed[QueryOption.count] == words.contains { $0.hasPrefix("-c") })
        }
    }

    @Test func valuesMayLookLikeOptionsOrContainEqualsSigns() throws {
        #expect(try parse("-Q", "--all", "f")[QueryOption.queryFile] == "--all")
        let fields = try parse("--fields=a=b,c=d", "f")[QueryOption.fields]
        #expect(fields?.map { "\($0.label ?? "")<\($0.path)" } == ["a<b", "c<d"])
        #expect(try parse("--null=", "f")[QueryOption.null] == "")
        #expect(try parse("--null", "\u{301}", "f")[QueryOption.null] == "\u{301}")
        #expect(try parse("--null=\u{301}", "f")[QueryOption.null] == "\u{301}")
    }

    @Test func twoHyphensEndTheOptions() throws {
        let parsed = try parse("-c", "--", "-L", "--all")
        #expect(parsed.operands == ["-L", "--all"])
        #expect(!parsed.isGiven(QueryOption.limit))
        #expect(try parse("-").operands == ["-"])
    }

    @Test func posixEndsOptionsAtTheFirstOperand() throws {
        #expect(try parse("-c", "f", "-a", posix: true).operands == ["f", "-a"])
        #expect(try parse("-c", "f", "-a").operands == ["f"])
    }

    @Test func theLastOfRepeatedValuesIsUsed() throws {
        #expect(try parse("-L1", "-L", "2", "f")[QueryOption.limit] == 2)
        #expect(try parse("-vv", "-v", "f").verbosity == 3)
        #expect(try parse("--json", "-f", "csv", "f").format == .csv)
        #expect(try parse("-f", "csv", "--json", "f").format == .json)
        #expect(try parse("f").format == .auto)
    }

    @Test func optionalValuesNeedAnEqualsSign() throws {
        #expect(try parse("f").wait == .none)
        #expect(try parse("--wait", "f").wait == .forever)
        #expect(try parse("--wait=2m", "f").wait == .atMost(.seconds(120)))
        #expect(failure("--wait=2", "f")?.reason == "bad-value")
    }

    @Test func sharedOptionsHaveDefaults() throws {
        let parsed = try parse("f")
        #expect(parsed.threads == 0)
        #expect(parsed.maxMemory == 64 << 20)
        #expect(parsed.access == .auto)
        #expect(parsed.color == .auto)
        #expect(parsed.progress == .auto)
        #expect(parsed.outputPath == nil)
        #expect(!parsed.mayReplaceOutput)
        #expect(try parse("-o", "-", "f").outputPath == nil)
        #expect(try parse("-o", "x", "f").outputPath == "x")
        let bench = try OptionParser.parse(BenchTable.table, ["--list"])
        #expect(bench.access == .auto)
    }

    @Test func unknownOptionsSuggestTheNearestName() {
        #expect(failure("--feilds", "x", "f")?.message == "unknown option --feilds")
        #expect(failure("--feilds", "x", "f")?.hint?.contains("--fields;") == true)
        #expect(failure("--lim", "f")?.hint?.contains("--limit;") == true)
        #expect(failure("--colour=never", "f")?.hint?.contains("--color;") == true)
        #expect(failure("-l", "f")?.hint?.contains("-L;") == true)
        #expect(failure("-limit", "f")?.hint?.contains("--limit;") == true)
        #expect(failure("--=x")?.reason == "unknown-option")
        #expect(failure("-\u{e9}", "f")?.message == "unknown option -\u{e9}")
    }

    @Test func invalidOptionsAreUsageErrors() {
        for (words, message) in [
            (["--count=1", "f"], "--count takes no argument"),
            (["f", "--limit"], "--limit needs an argument, N"),
            (["f", "-L"], "--limit needs an argument, N"),
            (["-L", "-1", "f"], "--limit: '-1' is not a whole number of 0 or more"),
            (["-j", "1025", "f"], "--threads: '1025' is not a whole number from 0 to 1024"),
            (
                ["-f", "xml", "f"],
                "--format: 'xml' is not one of auto, table, line, markdown, ndjson, "
                    + "json, csv, tsv, sql, html, diff, swift, kotlin, typescript, csharp, "
                    + "swiftdata, grdb, room, jsonschema, ddl, mermaid, dot"
            ),
            (
                ["--max-memory", "1KB", "f"],
                "--max-memory: '1KB' is not a size such as 512, 64KiB, 4M or 1GiB"
            ),
            (["-o", "", "f"], "--output: '' is not a file name"),
            ([], "missing operand FILE"),
            (["-c"], "missing operand FILE"),
            (["--all", "-S", "f"], "--all and --schema exclude each other"),
            (["--output-dir", "d", "f"], "--output-dir needs --all"),
        ] {
            do throws(RealmError) {
                _ = try OptionParser.parse(QueryTable.table, words[...])
                Issue.record("accepted \(words)")
            } catch {
                #expect(error.message == message)
                #expect(ExitCode(error.kind) == .usage)
                #expect(error.hint != nil)
            }
        }
    }

    /// Errors for options that do not apply to a use of the tool, and forms that only one option
    /// has.
    @Test func optionsAreCheckedForEachUse() {
        for (words, message) in [
            (["--raw", "f"], "--raw needs a CLASS"),
            (["--sort", "a", "--all", "f"], "--sort needs a CLASS"),
            (["--explain", "--schema", "f"], "--explain cannot be used with --schema or --digest"),
            (
                ["--fields", "a", "--aggregate", "count", "f", "C"],
                "--fields cannot be used with --aggregate"
            ),
            (["--limit", "1", "--batch", "f"], "--limit cannot be used with --batch"),
            (["--limit", "1", "--watch", "f"], "--limit cannot be used with --watch"),
            (["--limit", "1", "--since", "3", "f"], "--limit cannot be used with --diff"),
            (
                ["--count", "--all", "--output-dir", "d", "f"],
                "--count cannot be used with --output-dir"
            ),
            (["--before", "f"], "--before needs --diff or --watch or --since"),
            (["--sort", "a,,b", "f", "C"], "--sort: '' is not a key path"),
            (["--fields", "a,,b", "f", "C"], "--fields: a name is missing in 'a,,b'"),
            (["--at", "last", "f"], "--at: 'last' is not a version"),
            (["--argjson", "{", "f", "C"], nil),
        ] as [([String], String?)] {
            do throws(RealmError) {
                _ = try QueryRequest(try OptionParser.parse(QueryTable.table, words[...]))
                Issue.record("accepted \(words)")
            } catch {
                if let message { #expect(error.message == message) }
                #expect(ExitCode(error.kind) == .usage)
            }
        }
    }

    @Test func hiddenSpellingsAreAccepted() throws {
        let option = Option(
            "new-name", nil, .required("N", .count(0...9)), in: .general, "n", "N.",
            default: 3, aliases: ["old-name"])
        let table = CommandTable(
            name: "t", summary: "s", synopsis: [], operands: [],
            options: [option] + SharedOptions.general,
            manual: { CommandTable.Manual(description: [], sections: []) })
        #expect(try OptionParser.parse(table, ["--old-name=4"])[option] == 4)
        #expect(try OptionParser.parse(table, ["--new-name", "5"])[option] == 5)
        #expect(try OptionParser.parse(table, [])[option] == 3)
        #expect(!HelpText.full(table).contains("old-name"))
        #expect(HelpText.full(table).contains("Default: 3."))
    }

    @Test func operandsAreChecked() throws {
        #expect(throws: RealmError.self) {
            try BenchRequest(
                try OptionParser.parse(BenchTable.table, ["--file", "f", "raedseq"]))
        }
        let parsed = try OptionParser.parse(BenchTable.table, ["readseq", "--file=f", "open"])
        #expect(parsed.operands == ["readseq", "open"])
    }

    @Test func helpEndsParsing() throws {
        #expect(try parse("--help", "--nonsense")[SharedOptions.help])
        #expect(try parse("-h")[SharedOptions.shortHelp])
        #expect(try parse("-cV", "a", "b", "c")[SharedOptions.version])
        #expect(failure("--nonsense", "--help") != nil)
    }

    @Test func editDistanceCountsSwapsOnce() {
        #expect(NearestNames.distance("", "") == 0)
        #expect(NearestNames.distance("", "abc") == 3)
        #expect(NearestNames.distance("feilds", "fields") == 1)
        #expect(NearestNames.distance("kitten", "sitting") == 3)
        #expect(Spelling.nearest(to: "x", among: []) == nil)
    }
}
