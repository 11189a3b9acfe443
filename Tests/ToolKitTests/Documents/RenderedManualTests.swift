import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolFiles
@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport
@testable import ToolWrite

/// The output of `man` contains the text of the command tables, word for word, and its examples are
/// valid commands.
@Suite(.enabled(if: RenderedPage.canRender)) struct RenderedManualTests {
    private static let tables = [
        QueryTable.table, WriteTable.table, CompactTable.table, VersionsTable.table,
        BenchTable.table,
    ]

    private func table(_ name: String) throws -> CommandTable {
        try #require(Self.tables.first { $0.name == name })
    }

    @Test(arguments: tables.map(\.name))
    func theSynopsisEqualsTheTable(_ name: String) throws {
        let table = try table(name)
        let shown = RenderedPage(name + ".1").lines("SYNOPSIS").filter { !$0.isEmpty }
        #expect(shown.count == table.synopsis.count)
        for (line, expected) in zip(shown, table.synopsis) {
            #expect(line.drop { $0 == " " } == "\(name) \(expected.words)")
        }
    }

    /// Every line of a synopsis passes the parser, with and without the words in brackets.
    @Test(arguments: tables.map(\.name))
    func linesOfTheSynopsisCanBeCalled(_ name: String) throws {
        let table = try table(name)
        for line in table.synopsis {
            let words = line.words.split(separator: " ").filter { $0 != "[options]" }
            let all = words.map { $0.filter { !"[].".contains($0) } }
            let least = words.filter { !$0.contains("[") && !$0.contains("]") }.map {
                $0.filter { $0 != "." }
            }
            for call in [all, least] {
                let call = call.map { Self.sample[$0] ?? $0 }
                #expect(throws: Never.self, "\(call)") {
                    try OptionParser.parse(table, call[...])
                }
            }
        }
    }

    /// Values that are passed for the words of a synopsis that the parser would not accept.
    private static let sample = ["WORKLOAD": "readseq", "KEY": "format", "EXPR": "format<=24"]

    @Test(arguments: tables.map(\.name))
    func optionsEqualTheTable(_ name: String) throws {
        let table = try table(name)
        var shown = RenderedPage(name + ".1").text("OPTIONS")[...]
        for (section, options) in table.optionsBySection {
            expect(section.rawValue, &shown)
            for option in options { expect(option, &shown) }
        }
        #expect(shown.isEmpty, "\(shown.prefix(80))")
    }

    @Test func commonOptionsEqualThoseOfTheTools() {
        var shown = RenderedPage("realm-tools.7").text("OPTIONS")[...]
        for block in ToolsPage.syntax { expect(block, &shown, page: "realm-tools(7)") }
        expect("These options mean the same in every tool that has them:", &shown)
        for option in ToolsPage.options { expect(option, &shown, page: "realm-tools(7)") }
        #expect(shown.isEmpty, "\(shown.prefix(80))")
    }

    @Test(arguments: tables.map(\.name))
    func sectionsEqualTheTable(_ name: String) throws {
        let table = try table(name)
        let page = RenderedPage(name + ".1")
        var shown = page.text("DESCRIPTION")[...]
        for block in table.manual().description { expect(block, &shown, page: name + "(1)") }
        expect("The operands are:", &shown)
        for operand in table.operands { expect(operand.name + operand.details, &shown) }
        #expect(shown.isEmpty, "\(shown.prefix(80))")
        check(table.manual().sections, page, name + "(1)")
    }

    @Test func commonSectionsEqualTheTable() {
        let page = RenderedPage("realm-tools.7")
        check(
            [ManualSection("DESCRIPTION", ToolsPage.description)] + ToolsPage.sections, page,
            "realm-tools(7)")
        let others = Self.tables.map { $0.name + "(1)" }
        for place in ["DESCRIPTION", "SEE ALSO"] {
            for other in others { #expect(page.text(place).contains(other), "\(other)") }
        }
    }

    private func check(_ sections: [ManualSection], _ page: RenderedPage, _ name: String) {
        for section in sections {
            var shown = page.text(section.title)[...]
            for block in section.blocks { expect(block, &shown, page: name) }
            #expect(shown.isEmpty, "\(section.title): \(shown.prefix(80))")
            // Examples that can be copied from the page keep their blanks.
            let lines = page.lines(section.title)
            for line in section.blocks.flatMap(\.literalLines) where !line.contains("\t") {
                let isThere = lines.contains { shown in
                    shown.hasSuffix(line) && shown.dropLast(line.count).allSatisfy { $0 == " " }
                }
                #expect(isThere, "\(line)")
            }
        }
    }

    // MARK: Expected text

    private func expect(
        _ text: String, _ shown: inout Substring, page: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let own = page.isEmpty ? text : text.replacing("`\(page)`", with: "this page")
        let words = RenderedPage.dense(own.filter { $0 != "`" })
        guard shown.hasPrefix(words) else {
            Issue.record("\(text)\n\(shown.prefix(200))", sourceLocation: sourceLocation)
            return
        }
        shown = shown.dropFirst(words.count)
    }

    private func expect(_ option: OptionSpec, _ shown: inout Substring, page: String = "") {
        let names = [option.short.map { "-\($0)" }, option.long.map { "--\($0)" }]
        expect(names.compactMap { $0 }.joined(separator: ","), &shown)
        switch option.argument {
        case .none: break
        case .required(let metavar, _): expect(metavar, &shown)
        case .optional(let metavar, _): expect("[=\(metavar)]", &shown)
        }
        for sentence in option.sentences { expect(sentence, &shown, page: page) }
    }

    private func expect(_ block: ManualBlock, _ shown: inout Substring, page: String) {
        switch block {
        case .paragraph(let prose): expect(prose, &shown, page: page)
        case .literal(let lines): expectLiteral(lines, &shown)
        case .definitions(let list):
            for item in list { expect(item.term + item.text, &shown, page: page) }
        case .example(let caption, let lines):
            expect(caption, &shown, page: page)
            expectLiteral(lines, &shown)
        }
    }

    private func expectLiteral(_ lines: [String], _ shown: inout Substring) {
        let text = RenderedPage.dense(lines.joined())
        guard shown.hasPrefix(text) else {
            Issue.record("\(lines)\n\(shown.prefix(200))")
            return
        }
        shown = shown.dropFirst(text.count)
    }

    // MARK: Examples

    /// The commands of the rendered examples are valid calls of the tools. A shell runs them with
    /// functions that record their arguments in place of the programs.
    @Test(arguments: tables.map(\.name))
    func examplesAreCommands(_ name: String) throws {
        let lines = RenderedPage(name + ".1").lines("EXAMPLES").map { line in
            String(line.drop { $0 == " " })
        }
        let captions = try table(name).manual().sections.flatMap(\.blocks).compactMap { block in
            if case .example(let caption, _) = block { caption } else { nil }
        }
        let commands = lines.filter { line in
            !captions.contains {
                RenderedPage.dense(InlineText.plain($0)) == RenderedPage.dense(line)
            }
        }
        let calls = Self.calls(commands.joined(separator: "\n"))
        let named = commands.joined(separator: " ").split { " |&($".contains($0) }
        let tools = Self.tables.map(\.name)
        #expect(calls.count >= named.count { tools.contains(String($0)) }, "\(calls)")
        for call in calls {
            #expect(throws: Never.self, "\(call)") {
                let command = try OptionParser.parse(try table(call[0]), call[1...])
                switch call[0] {
                case "realm-query": _ = try QueryRequest(command)
                case "realm-write": _ = try WriteRequest(command)
                case "realm-compact": _ = try CompactRequest(command)
                default: break
                }
            }
        }
    }

    /// Returns the arguments of all tool calls in a script. The script runs twice, with programs
    /// that succeed and with programs that fail, to reach all branches.
    private static func calls(_ script: String) -> Set<[String]> {
        let scratch = ScratchDirectory()
        let names = tables.map(\.name).joined(separator: " ")
        for status in [0, 4] {
            _ = ToolProcess.shell(
                """
                cd '\(scratch.path)' && PATH=/nonexistent
                note() { printf '%s\\0' "$@" $'\\1' >> log; return \(status); }
                for tool in \(names); do eval "$tool() { note $tool \\"\\$@\\"; }"; done
                command_not_found_handle() {
                    while [ $# -gt 0 ]; do
                        case $1 in realm-*) note "$@"; return;; esac
                        shift
                    done
                    echo 1
                    return \(status)
                }
                \(script)
                """)
        }
        let log = String(decoding: contents(of: scratch.file("log")) ?? [], as: UTF8.self)
        return Set(
            log.split(separator: "\u{1}\0").map { call in
                call.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(
                    String.init)
            })
    }
}

extension ManualBlock {
    fileprivate var literalLines: [String] {
        switch self {
        case .literal(let lines), .example(_, let lines): lines
        case .paragraph, .definitions: []
        }
    }
}
