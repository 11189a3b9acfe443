import Testing

@testable import ToolKit
@testable import ToolSupport

/// Tables as written and read by spreadsheets and other programs.
struct SpreadsheetTests {
    private let lab = WriteLab()

    private func load(_ options: String, _ text: String) -> ToolProcess {
        lab.scratch.write("in.csv", Array(text.utf8))
        return lab.shell("rm -f t.realm; $W --create --infer \(options) t.realm T in.csv")
    }

    private var records: String { lab.shell("$Q -f ndjson t.realm T").text }

    @Test func semicolonsInTheHeaderAreDetectedAndReported() {
        let run = load("", "name;wert\nA;3,14\nB;-2,5\n")
        #expect(run.status == 0)
        #expect(run.errorText.contains("fields are separated by ';'; --delimiter sets"))
        #expect(records == "{\"name\":\"A\",\"wert\":3.14}\n{\"name\":\"B\",\"wert\":-2.5}\n")
        let certain = load("--delimiter ';'", "name;wert\nA;3,14\n")
        #expect(!certain.errorText.contains("separated"))
        #expect(lab.shell("$W --delimiter 5 t.realm T in.csv").status == 2)
        #expect(lab.shell("$W -i tsv --delimiter tab t.realm T in.csv").status == 2)
        #expect(lab.shell("$W -i ndjson --ragged t.realm T in.csv").status == 2)
    }

    @Test func otherEncodingsAreDecoded() {
        let run = lab.shell(
            "printf 'n\\344me,x\\nM\\374ller \\200,1\\n' | "
                + "$W --create --infer --encoding windows-1252 -i csv t.realm T")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(records == "{\"näme\":\"Müller €\",\"x\":1}\n")
        let wide = lab.shell(
            "printf '\\377\\376a\\0,\\0b\\0\\n\\0001\\0,\\0\\254 \\n\\0' | $W --create --infer -i csv u.realm T"
        )
        #expect(wide.status == 0, "\(wide.errorText)")
        #expect(lab.shell("$Q -f ndjson u.realm T").text == "{\"a\":1,\"b\":\"€\"}\n")
        let json = lab.shell(
            "printf '{\"a\":\"\\351\"}\\n' | $W --create --infer --encoding latin-1 v.realm T")
        #expect(json.status == 0, "\(json.errorText)")
        #expect(lab.shell("$Q -f ndjson v.realm T").text == "{\"a\":\"é\"}\n")
        let bad = lab.shell("printf 'a\\n\\201\\n' | $W --encoding windows-1252 -i csv t.realm T")
        #expect(bad.status == 3)
        #expect(bad.errorText.contains("not windows-1252 at byte 2"))
    }

    @Test func columnsWithoutNamesAreSkippedOrMapped() {
        let run = load("", ",a\n0,x\n1,y\n")
        #expect(run.errorText.contains("no name for column 1, which is ignored"))
        #expect(records == "{\"a\":\"x\"}\n{\"a\":\"y\"}\n")
        #expect(load("--map index=1", ",a\n0,x\n").status == 0)
        #expect(records == "{\"index\":0,\"a\":\"x\"}\n")
    }

    @Test func raggedRowsAreRefusedOrFilled() {
        let refused = load("", "a,b\n1,2\n3\n")
        #expect(refused.status == 8)
        #expect(refused.errorText.contains("record 2, line 3, column 1: expected 2 fields, got 1"))
        #expect(load("--ragged", "a,b\n1,2\n3\n4,5,\n").status == 0)
        #expect(records == "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":null}\n{\"a\":4,\"b\":5}\n")
    }

    @Test(arguments: [";", "tab", "|"]) func outputWithADelimiterIsReadBack(
        separator: String
    ) {
        let text = "a,b\n\"x;y|z\t,\"\"q\",1.5\n,2\n\"\",-3\n"
        #expect(load("", text).status == 0)
        let digest = lab.shell("$Q --digest -f ndjson t.realm T").text
        let options = "-f csv --delimiter '\(separator)' --bom --crlf"
        #expect(lab.shell("$Q \(options) -o out.csv t.realm T").status == 0)
        let load = lab.shell(
            "rm -f u.realm; $Q -S --json t.realm > s.json; $W -q --create --schema-file s.json "
                + "--delimiter '\(separator)' u.realm T out.csv && $Q --digest -f ndjson u.realm T")
        #expect(load.text == digest, "\(load.errorText)")
        let bytes = lab.text("out.csv")
        #expect(bytes.hasPrefix("\u{FEFF}"))
        #expect(bytes.utf8.count { $0 == 13 } == 4)
    }

    @Test func studioJSONIsReadByClass() {
        let text =
            #"{"Dog":[{"_id":1,"name":"Rex"}],"Person":[{"_id":7,"dog":{"_id":1,"name":"Rex"}}]}"#
        lab.write("studio.json", text)
        let run = lab.shell(
            "$W --create --infer --key _id --link Person.dog=Dog s.realm - studio.json; "
                + "$W --create --infer --key _id d.realm - studio.json")
        #expect(run.errorText.contains("inserted"))
        #expect(lab.shell("$Q -f ndjson d.realm Dog").text == "{\"_id\":1,\"name\":\"Rex\"}\n")
        #expect(lab.shell("$Q -c d.realm Person").text == "1\n")
        let bad = lab.shell(
            "printf '{\"Dog\":[{\"_id\":2},\\n{\"_id\":\"x\"}]}' > bad.json; $W d.realm - bad.json")
        #expect(bad.status == 8)
        #expect(bad.errorText.contains("line 2"), "\(bad.errorText)")
    }

    @Test func lineFormatsAreAcceptedOnlyForTables() {
        _ = load("", "a\n1\n")
        for options in ["--bom", "--crlf", "--delimiter ';'"] {
            let run = lab.shell("$Q -f ndjson \(options) t.realm T")
            #expect(run.status == 2)
            #expect(run.errorText.contains("needs -f csv"))
        }
        #expect(
            lab.shell("$Q -f csv --delimiter ';' --aggregate 'count,sum(a)' t.realm T").text
                == "count;sum(a)\n1;1\n")
    }
}
