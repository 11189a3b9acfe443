import Testing

@testable import ToolBench
@testable import ToolFiles
@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport
@testable import ToolWrite

/// The manual pages and completions in the repository are up to date with the command tables.
@Suite struct GeneratedFilesTests {
    private static let tables = [
        QueryTable.table, WriteTable.table, CompactTable.table, VersionsTable.table,
        BenchTable.table,
    ]

    private func check(_ path: String, _ source: String, tool: String, kind: String) {
        // The comparison is a Bool, so that a failure does not print two arrays of bytes.
        let isCurrent = contents(of: "\(packageRoot)/\(path)") == Array(source.utf8)
        #expect(
            isCurrent,
            "out of date; regenerate: swift run \(tool) --generate=\(kind) > \(path)")
    }

    @Test(arguments: tables.map(\.name))
    func filesMatchTheTable(name: String) throws {
        let table = try #require(Self.tables.first { $0.name == name })
        check("man/\(name).1", ManualPage.source(table), tool: name, kind: "man")
        check("completions/\(name).bash", BashCompletion.source(table), tool: name, kind: "bash")
        check("completions/_\(name)", ZshCompletion.source(table), tool: name, kind: "zsh")
        check("completions/\(name).fish", FishCompletion.source(table), tool: name, kind: "fish")
    }

    @Test func commonPageMatchesTheTable() {
        check("man/realm-tools.7", ToolsPage.source, tool: "realm-query", kind: "tools-man")
    }

    @Test(arguments: tables.map(\.name))
    func everyLongOptionIsInHelpAndCompletions(name: String) throws {
        let table = try #require(Self.tables.first { $0.name == name })
        let texts = [
            HelpText.short(table), HelpText.full(table), BashCompletion.source(table),
            ZshCompletion.source(table),
        ]
        for long in table.options.compactMap(\.long) {
            for text in texts { #expect(text.contains("--" + long), "\(long)") }
            let escaped = long.split(separator: "-").joined(separator: "\\-")
            #expect(ManualPage.source(table).contains("Fl \\-" + escaped), "\(long)")
            #expect(FishCompletion.source(table).contains(" -l \(long) "), "\(long)")
        }
    }

    @Test(arguments: tables.map(\.name))
    func helpIsASCIIAndFitsTheLine(name: String) throws {
        let table = try #require(Self.tables.first { $0.name == name })
        for text in [HelpText.short(table), HelpText.full(table)] {
            #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
            #expect(!text.contains("`"))
        }
        for line in HelpText.short(table).split(separator: "\n") {
            #expect(line.count <= 100, "\(line)")
        }
    }

    @Test(arguments: tables.map(\.name))
    func optionTablesAreConsistent(name: String) throws {
        let table = try #require(Self.tables.first { $0.name == name })
        let names = table.options.map(\.name)
        #expect(Set(names).count == names.count)
        let shorts = table.options.compactMap(\.short)
        #expect(Set(shorts).count == shorts.count)
        for option in table.options {
            for other in option.excludes { #expect(names.contains(other)) }
            for needed in option.needs { #expect(names.contains(needed)) }
            #expect(option.details.hasSuffix("."), "\(option.name)")
            #expect(!option.summary.hasSuffix("."), "\(option.name)")
        }
        for operand in table.operands.dropLast() { #expect(!operand.isRepeatable) }
    }

    @Test func everySpellingHasOneMeaning() {
        // `watch` is excluded: one tool watches changes, another repeats a report.
        let options = Self.tables.flatMap(\.options).filter { $0.name != "watch" }
        for a in options {
            for b in options where a.name == b.name {
                #expect(a.short == b.short, "\(a.name)")
                #expect(a.metavar == b.metavar, "\(a.name)")
            }
            for b in options where a.short != nil && a.short == b.short {
                #expect(a.name == b.name, "-\(a.short!)")
            }
        }
    }

    @Test func mdocSpecialCharactersAreEscaped() {
        #expect(MdocWriter.escapeLiteral(#"a-b\n '`^~"#) == #"a\-b\en \(aq\(ga\(ha\(ti"#)
        #expect(MdocWriter.argument("No") == "\\&No")
        var page = MdocWriter(name: "p", section: 1, summary: "s")
        page.prose(".x is bad. See `q(7)`, and `p(1)`.")
        #expect(page.source.hasSuffix("\\&.x is bad.\nSee\n.Xr q 7 ,\nand this page.\n"))
    }
}
