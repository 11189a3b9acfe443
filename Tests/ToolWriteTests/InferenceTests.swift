import Testing

@testable import ToolKit
@testable import ToolSupport

/// `--infer`: a schema inferred from the records.
@Suite struct InferenceTests {
    private let lab = WriteLab()

    private func schema(_ name: String) -> String { lab.shell("$Q --schema \(name)").text }

    @Test func typesOfAllValuesAreInferred() {
        lab.write(
            "in.ndjson",
            """
            {"_id":1,"s":"a","at":"2021-10-23T08:40:28Z","w":1,"tags":["x"],"in":{"a":1},"m":1}
            {"_id":2,"s":null,"at":"2022-10-23T08:40:28Z","w":1.5,"tags":[],"m":"x","big":12345678901234567890}
            {"_id":3,"s":"b","at":"2022-10-23T08:40:28Z","w":2,"tags":[],"m":[1],"kids":[{"n":1},{"m":2}]}
            {"_id":4,"s":"b","at":"2022-10-23T08:40:28Z","w":2,"tags":[],"m":[1],"id":{"$oid":"5f0000000000000000000001"}}

            """)
        let expected = """
            class P
              *_id   int
               s     string?
               at    date
               w     double
               tags  list<string>
               in    P_in?
               m     mixed
               big   decimal128?
               kids  list<P_kids>
               id    objectId?

            class P_in (embedded)
               a  int

            class P_kids (embedded)
               n  int?
               m  int?

            """
        #expect(lab.shell("$W --create --infer file.realm P in.ndjson").status == 0)
        #expect(schema("file.realm") == expected)
        // Input from a pipe is copied so that it can be read again.
        #expect(lab.shell("cat in.ndjson | $W --create --infer pipe.realm P").status == 0)
        #expect(schema("pipe.realm") == expected)
        #expect(lab.shell("$Q -c pipe.realm P").text == "4\n")
        #expect(
            lab.shell("cat in.ndjson | (sleep 0.1; cat) | $W -n --create --infer no.realm P").status
                == 0)
        #expect(lab.shell("test -e no.realm").status == 1)
    }

    @Test func onlyTheFirstRecordsAreUsed() {
        let script = #"printf '%s\n' '{"a":1}' '{"a":2}' | $W --create --infer=1 n.realm C"#
        #expect(lab.shell(script).status == 0)
        #expect(schema("n.realm") == "class C\n   a  int\n")
        #expect(lab.shell("$Q -c n.realm C").text == "2\n")
    }

    @Test func typesOfCSVTablesAreInferred() {
        lab.write("in.csv", "id,zip,x,t,e\n1,007,1.5,true,\n2,12,,false,\n")
        #expect(lab.shell("$W --create --infer -i csv t.realm T in.csv").status == 0)
        #expect(
            schema("t.realm")
                == "class T\n  *id   int\n   zip  string\n   x    double?\n   t    bool\n"
                + "   e    mixed\n")
        #expect(lab.shell("$Q -f csv t.realm T").text.hasPrefix("id,zip,x,t,e\n1,007,1.5,true,\n"))
    }

    @Test func optionsSetKeysAndLinksOfCSV() {
        lab.write("p.csv", "ID,name\n1,Ann\n2,Bob\n")
        lab.write(
            "c.csv",
            "no,owner,vip,seen,day\n7,1,yes,2025-03-04 09:12:44,2025-03-04\n"
                + "7,,0,2025-03-04T09:12:44.5+01:00,2024-02-29\n")
        #expect(lab.shell("$W -q --create --infer f.realm Person p.csv").status == 0)
        #expect(
            lab.shell("$W -q --infer --csv-booleans --link owner=Person f.realm Car c.csv").status
                == 0)
        #expect(
            schema("f.realm")
                == "class Car\n   no     int\n   owner  Person?\n   vip    bool\n   seen   date\n"
                + "   day    date\n\nclass Person\n  *ID    int\n   name  string\n")
        #expect(
            lab.shell("$Q -f csv f.realm Car").text
                == "no,owner,vip,seen,day\n"
                + "7,1,true,2025-03-04T09:12:44Z,2025-03-04T00:00:00Z\n"
                + "7,,false,2025-03-04T08:12:44.5Z,2024-02-29T00:00:00Z\n")
    }

    @Test func invalidKeysAndLinksAreRefused() {
        lab.write("c.csv", "no,owner,w\n7,1,1.5\n7,,2\n")
        for (words, message) in [
            ("--key owner", "a record has none"), ("--key w", "is double"),
            ("--key nothing", "no new class has a property nothing"),
            ("--link owner=Person", "there is no class Person"),
            ("--link owner=Car", "has no primary key"), ("--link x=Car", "no new property x"),
        ] {
            let run = lab.shell("$W --create --infer \(words) f.realm Car c.csv")
            #expect(run.status == 2, "\(words)")
            #expect(run.errorText.contains(message), "\(run.errorText)")
            #expect(lab.shell("ls f.realm*").status != 0)
        }
        // A duplicate key is detected when the records are written, and the new file is deleted.
        let twice = lab.shell("$W --create --infer --key no f.realm Car c.csv")
        #expect(twice.status == 8)
        #expect(lab.shell("ls f.realm*").status != 0)
        #expect(lab.shell("$W --key no f.realm Car c.csv").status == 2)
    }

    @Test func errorsNameTheExpectedNotation() {
        lab.write("s.txt", "class T\n  d date?\n  b bool?\n  u uuid?\n")
        for (row, form) in [
            ("tomorrow,true,", "2025-03-04"), (",maybe,", "yes, no"), (",,x", "01234567-89ab"),
        ] {
            lab.write("t.csv", "d,b,u\n\(row)\n")
            let run = lab.shell("$W --create --schema-file s.txt t.realm T t.csv")
            #expect(run.status == 8)
            #expect(run.errorText.contains(form), "\(run.errorText)")
            #expect(lab.shell("ls t.realm*").status != 0)
        }
    }

    @Test func missingPropertiesAreAdded() {
        _ = lab.makeZoo()
        let script = #"echo '{"id":1,"extra":4,"tag":{"text":"t","more":[1]}}' | "#
        #expect(lab.shell(script + "$W --infer zoo.realm Animal").status == 0)
        let text = schema("zoo.realm")
        #expect(text.contains("extra    int?\n"))
        #expect(text.contains("more   list<int>\n"))
        #expect(
            lab.shell("$Q -f ndjson -F extra,tag zoo.realm Animal").text
                == #"{"extra":4,"tag":{"text":"t","owner":null,"more":[1]}}"# + "\n")
    }

    @Test func inferredSchemasCanBeSchemaFiles() {
        let script =
            #"echo '{"_id":"k","o":{"x":[true]}}' | $W --create --infer --json -q a.realm A"#
        let output = lab.shell(script)
        lab.write("a.json", String(output.text.prefix { $0 != "\n" }))
        #expect(lab.shell("$W -q --create --schema-file a.json b.realm").status == 0)
        #expect(schema("a.realm") == schema("b.realm"))
    }

    /// The inferred type is the first of int, double, decimal128 and string that represents every
    /// number exactly.
    @Test(arguments: [
        ("7 -3", "int"), ("7 1.5", "double"), ("9007199254740992 1.5", "double"),
        ("9007199254740993 1.5", "decimal128"), ("1.5 9007199254740993", "decimal128"),
        ("12345678901234567890", "decimal128"), ("1 12345678901234567890", "decimal128"),
        ("12345678901234567890 0.1", "decimal128"), ("0.12345678901234567890", "decimal128"),
        ("1e400", "decimal128"), ("0.1 1e-300", "double"),
        ("1234567890123456789012345678901234567890 1", "string"),
        ("1e-7000", "string"), ("1e22", "double"),
    ])
    func numbersAreRepresentedExactly(_ numbers: String, _ type: String) {
        let words = numbers.split(separator: " ")
        lab.write("n.csv", "a\n" + words.joined(separator: "\n") + "\n")
        lab.write("n.ndjson", words.map { "{\"a\":\($0)}\n" }.joined())
        lab.write("l.ndjson", "{\"a\":[\(words.joined(separator: ","))]}\n")
        for (file, form) in [("n.csv", type), ("n.ndjson", type), ("l.ndjson", "list<\(type)>")] {
            let run = lab.shell(
                "rm -rf n.realm*; $W --create --infer n.realm N \(file) && $Q -S n.realm")
            #expect(run.status == 0, "\(file): \(run.errorText)")
            #expect(run.text == "class N\n   a  \(form)\n", "\(file)")
            let isUsual = type == "int" || type == "double"
            #expect(run.errorText.contains("exactly") == !isUsual, "\(run.errorText)")
            // As strings they have the digits of the input.
            let text = lab.shell("$Q -f csv n.realm N").text
            if type == "string" { #expect(text.contains(words[0]), "\(text)") }
        }
    }

    @Test func numbersOfExplicitTypesKeepThem() {
        lab.write(
            "t.ndjson",
            #"{"a":{"$numberLong":"1"},"b":9007199254740993,"c":"x"}"# + "\n"
                + #"{"a":1.5,"b":{"$numberDouble":"1.5"},"c":0.12345678901234567890}"# + "\n")
        let run = lab.shell("$W --create --infer t.realm T t.ndjson")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(schema("t.realm") == "class T\n   a  mixed\n   b  mixed\n   c  mixed\n")
        #expect(run.errorText.contains("T.c is mixed, which rounds 0.1234567890"))
        #expect(
            lab.shell("$Q -f ndjson -F b t.realm T").text
                == "{\"b\":9007199254740993}\n{\"b\":1.5}\n")
    }

    @Test func aHeaderWithoutRowsGivesMixedColumns() {
        lab.write("h.csv", "name,x\n")
        #expect(lab.shell("$W -q --create --infer h.realm P h.csv").status == 0)
        #expect(schema("h.realm") == "class P\n   name  mixed\n   x     mixed\n")
        #expect(lab.shell("$Q -c h.realm P").text == "0\n")
    }

    @Test(arguments: ["", "--key name", "--link x=P"])
    func theFirstRefusedRecordIsReported(_ words: String) {
        lab.write("r.csv", "name,x\n1\n2,3,4\n")
        let run = lab.shell("$W --create --infer \(words) r.realm P r.csv")
        #expect(run.status == 8)
        #expect(run.errorText.contains("record 1, line 2"), "\(run.errorText)")
        #expect(run.errorText.contains("expected 2 fields, got 1 field"))
        #expect(lab.shell("ls r.realm").status != 0)
    }
}
