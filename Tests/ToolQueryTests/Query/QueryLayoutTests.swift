import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// The forms for people: tables, lines, Markdown.
@Suite struct QueryLayoutTests {
    private func run(_ script: String) -> ToolProcess {
        ToolProcess.shell(script.replacing("$S", with: QueryRun.social))
    }

    @Test func eachFieldHasALine() {
        #expect(
            QueryRun.lines("-f", "line", "-F", "name,kind,seen", "-L2", of: "Pet").prefix(5).map {
                $0.split(separator: "=").first ?? ""
            } == ["name ", "kind ", "seen ", "", "name "])
        let all = QueryRun.lines("-f", "line", "-a")
        #expect(all.first == "Company" && all.contains("Person"))
        #expect(QueryRun.lines("-f", "line").first == "      class = Address")
    }

    @Test func markdownTablesArePrinted() {
        let lines = QueryRun.lines("-f", "markdown")
        #expect(lines[0] == "| class | objects | primary key | properties | data |")
        #expect(lines[1] == "| --- | ---: | --- | ---: | ---: |")
        #expect(lines[2] == "| Address | 13 | (embedded) | 5 | 856 B |")
        #expect(QueryRun.lines("-f", "markdown", "-F", "name", "-H", "-L1", of: "Pet").count == 1)
    }

    @Test func markdownCellsAreEscaped() {
        var out = ByteBuffer(capacity: 64)
        let layout = MarkdownForm(
            RecordFields(["a", "b"]), RecordStyle(MarkdownForm.self, hasHeader: false))
        Array("x|y\n<b>".utf8).withUnsafeBytes { layout.add($0) }
        layout.add(UnsafeRawBufferPointer(start: nil, count: 0))
        layout.endRow(to: &out)
        #expect(out.string == "| x\\|y\\\\n\\<b> | |\n")
    }

    /// Columns that do not fit are left out and listed; numbers and dates are never cut.
    @Test func wideTablesOmitColumns() {
        let wide = run("COLUMNS=40 $TOOL -f table $S Person")
        #expect(wide.text.split(separator: "\n").allSatisfy { $0.count <= 40 })
        #expect(wide.errorText.contains("columns, -F or -f line: "))
        #expect(wide.errorText.contains("sites"))
        let dates = run("COLUMNS=30 $TOOL -f table -F born,name,age $S Person").text
        #expect(dates.contains("Z"))
        for line in dates.split(separator: "\n").dropFirst() {
            #expect(line.hasPrefix("null") || line.prefix { $0 != " " }.hasSuffix("Z"), "\(line)")
        }
        #expect(!run("COLUMNS=400 $TOOL -f table $S Person").errorText.contains("-f line"))
        #expect(!run("$TOOL -f table $S Person").errorText.contains("-f line"))
    }
}
