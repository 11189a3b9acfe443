import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Strings that are not UTF-8 keep their bytes in extended forms, and are counted in forms that
/// cannot represent them.
@Suite struct ExactTextTests {
    private let lab = WriteLab()

    private static let schema = """
        {"classes":[{"name":"A","primaryKey":"_id","properties":[{"name":"_id","type":"string"},
        {"name":"s","type":"string","optional":true},{"name":"any","type":"mixed"},
        {"name":"to","type":"object","target":"A","optional":true},
        {"name":"list","type":"string","collection":"list"},
        {"name":"set","type":"string","collection":"set"},
        {"name":"map","type":"string","collection":"dictionary"},
        {"name":"links","type":"object","target":"A","collection":"list"}]}]}
        """
    /// The keys are the bytes `a\xFF` and `a\xFE`.
    private static let records = """
        {"_id":{"$string":{"base64":"Yf8="}},"s":{"$string":{"base64":"Yf4="}},"any":{"$string":\
        {"base64":"Yf8="}},"list":[{"$string":{"base64":"/w=="}},"x;y"],"set":[{"$string":{"base64":\
        "/g=="}}],"map":{"$dictionary":{"$base64:Yf8=":{"$string":{"base64":"gA=="}}}},"links":[]}
        {"_id":{"$string":{"base64":"Yf4="}},"any":[{"$string":{"base64":"wA=="}},1],"to":{"$link":\
        {"table":"A","key":{"$string":{"base64":"Yf8="}}}},"links":[{"$link":{"table":"A","key":\
        {"$string":{"base64":"Yf8="}}}}]}
        {"_id":"{\\"$string\\":\\"x\\"}","s":"{\\"$string\\":{\\"base64\\":\\"eA==\\"}}","any":"{1"}
        {"_id":"{brace","s":"\\"q\\"","any":"\\"q\\"","to":"{brace"}

        """

    init() {
        lab.write("a.json", Self.schema)
        lab.write("a.ndjson", Self.records)
        let made = lab.shell("$W -q -1 --create --schema-file a.json a.realm A a.ndjson")
        #expect(made.status == 0, "\(made.errorText)")
    }

    private func expectEqual(_ load: String) {
        let run = lab.shell(
            """
            set -e; $W -q --create --schema-file a.json b.realm
            \(load)
            $Q --diff b.realm a.realm; $Q --diff a.realm b.realm
            test "$($Q --digest a.realm)" = "$($Q --digest b.realm)"
            """)
        #expect(run.status == 0, "\(run.text) \(run.errorText)")
        #expect(run.text == "" && run.errorText == "")
    }

    @Test func ndjsonPreservesInvalidUTF8() {
        expectEqual("$Q --all --types extended a.realm | $W -q -1 b.realm - -")
    }

    @Test func csvPreservesInvalidUTF8() {
        expectEqual(
            """
            $Q --types extended -f csv a.realm A > a.csv
            $W -q -1 -i csv b.realm A a.csv
            """)
    }

    @Test func directoriesPreserveInvalidUTF8() {
        expectEqual(
            """
            $Q --all --types extended -f tsv --output-dir out a.realm
            $W -q -1 -i tsv b.realm A out/A.tsv
            for p in list set map links; do $W -q -i tsv b.realm A.$p out/A.$p.tsv; done
            """)
    }

    @Test func changeRecordsPreserveInvalidUTF8() {
        expectEqual("$Q --diff a.realm b.realm | $W -q b.realm - -m apply || true")
    }

    @Test func plainFormatsCountInvalidStrings() {
        let run = lab.shell("$Q a.realm A -F _id,s")
        #expect(run.status == 0)
        #expect(run.errorText.contains("warning: 3 strings are not UTF-8"), "\(run.errorText)")
        #expect(lab.shell("$Q -q a.realm A").errorText == "")
        let links = lab.shell("$Q a.realm A -f csv -F to,links")
        #expect(links.errorText.contains("warning: 2 strings are not UTF-8"), "\(links.errorText)")
        let check = lab.shell("${TOOL%write}compact --check a.realm")
        #expect(check.status == 0 && check.text.contains("9 warnings"), "\(check.text)")
    }

    @Test func plainTablesCountLostValues() {
        let schema = """
            {"classes":[{"name":"M","properties":[{"name":"any","type":"mixed"},
            {"name":"list","type":"string","collection":"list"}]}]}
            """
        lab.write("m.json", schema)
        lab.write(
            "m.ndjson",
            """
            {"any":1,"list":["a"]}
            {"any":"1","list":["a;b"]}
            {"any":"blue","list":[""]}
            {"any":{"$numberFloat":"1.5"},"list":[]}
            {"any":{"$oid":"65e5b0c2a1b2c3d4e5f60708"}}
            {"any":[1,{"$date":{"$numberLong":"1"}}]}
            {"any":1.5}

            """)
        let run = lab.shell(
            """
            $W -q --create --schema-file m.json m.realm M m.ndjson; $Q -f csv m.realm M > m.csv
            """)
        #expect(run.status == 0)
        #expect(
            run.errorText.contains("4 mixed values are printed without type"), "\(run.errorText)")
        #expect(run.errorText.contains("1 collection is joined"), "\(run.errorText)")
        let exact = lab.shell(
            """
            set -e; $Q -f csv --types extended m.realm M > x.csv
            $W -q --create --schema-file m.json n.realm; $W -q -i csv n.realm M x.csv
            $Q --diff n.realm m.realm
            """)
        #expect(exact.status == 0 && exact.errorText == "", "\(exact.text) \(exact.errorText)")
    }

    /// Values in a form chosen by an option are counted if `realm-write` reads the format but not
    /// this form.
    @Test(arguments: [
        ("--time unix", 0), ("--time unix-ns", 2), ("--binary hex", 2), ("-f csv --null NULL", 1),
        ("-f csv --null NULL --types extended", 1), ("-f tsv --null '\\N'", 0),
        ("-f csv --join '|'", 1), ("-f table --null NULL --time unix-ns --binary hex", 0),
    ])
    func valuesInChosenFormatsAreCounted(_ options: String, _ count: Int) {
        lab.write("c.txt", "class C\n  d date\n  b data\n  s string?\n  l list<int>\n")
        lab.write(
            "c.ndjson",
            #"{"d":"2025-03-04","b":"AAEC","s":null,"l":[1,2]}"# + "\n"
                + #"{"d":"2025-03-05","b":"AAEC","s":"x","l":[1]}"# + "\n")
        let run = lab.shell(
            "$W -q --create --schema-file c.txt c.realm C c.ndjson && $Q \(options) c.realm C")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.errorText.contains("warning: \(count) ") == (count > 0), "\(run.errorText)")
        #expect(run.errorText.contains("warning: ") == (count > 0), "\(run.errorText)")
    }
}
