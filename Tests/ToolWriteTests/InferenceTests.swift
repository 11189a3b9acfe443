import Testing

@testable import ToolKit
@testable import ToolSupport

/// `--infer`: a schema made from the records.
@Suite struct InferenceTests {
    private let lab = WriteLab()

    private func schema(_ name: String) -> String { lab.shell("$Q --schema \(name)").text }

    @Test func everyKindOfValue() {
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
        // Through a pipe the input is kept until it is read again.
        #expect(lab.shell("cat in.ndjson | $W --create --infer pipe.realm P").status == 0)
        #expect(schema("pipe.realm") == expected)
        #expect(lab.shell("$Q -c pipe.realm P").text == "4\n")
        #expect(
            lab.shell("cat in.ndjson | (sleep 0.1; cat) | $W -n --create --infer no.realm P").status
                == 0)
        #expect(lab.shell("test -e no.realm").status == 1)
    }

    @Test func theFirstRecordsOnly() {
        let script = #"printf '%s\n' '{"a":1}' '{"a":2}' | $W --create --infer=1 n.realm C"#
        #expect(lab.shell(script).status == 0)
        #expect(schema("n.realm") == "class C\n   a  int\n")
        #expect(lab.shell("$Q -c n.realm C").text == "2\n")
    }

    @Test func tables() {
        lab.write("in.csv", "id,zip,x,t,e\n1,007,1.5,true,\n2,12,,false,\n")
        #expect(lab.shell("$W --create --infer -i csv t.realm T in.csv").status == 0)
        #expect(
            schema("t.realm")
                == "class T\n   id   int\n   zip  string\n   x    double?\n   t    bool\n"
                + "   e    mixed\n")
        #expect(lab.shell("$Q -f csv t.realm T").text.hasPrefix("id,zip,x,t,e\n1,007,1.5,true,\n"))
    }

    @Test func whatIsMissing() {
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

    @Test func asSchemaFile() {
        let script =
            #"echo '{"_id":"k","o":{"x":[true]}}' | $W --create --infer --json -q a.realm A"#
        let output = lab.shell(script)
        lab.write("a.json", String(output.text.prefix { $0 != "\n" }))
        #expect(lab.shell("$W -q --create --schema-file a.json b.realm").status == 0)
        #expect(schema("a.realm") == schema("b.realm"))
    }
}
