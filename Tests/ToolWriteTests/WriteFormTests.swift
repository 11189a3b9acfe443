import Testing

@testable import ToolKit
@testable import ToolSupport

/// Input formats, and options that change records.
@Suite struct WriteFormTests {
    private let lab: WriteLab

    init() {
        lab = WriteLab()
        _ = lab.makeZoo()
    }

    private func animals(_ fields: String) -> String {
        lab.shell("$Q -f ndjson -F \(fields) zoo.realm Animal").text
    }

    @Test func theFormatIsTakenFromTheInputName() {
        lab.write("in.csv", "id,weight\n1,2.5\n")
        lab.write("in.TSV", "id\tweight\n2\t2.5\n")
        lab.write("in.json", #"[{"id":3,"weight":2.5}]"#)
        lab.write("in.data", #"{"id":4,"weight":2.5}"# + "\n")
        for input in ["in.csv", "in.TSV", "in.json", "in.data"] {
            let run = lab.shell("$W -q zoo.realm Animal \(input)")
            #expect(run.status == 0, "\(input): \(run.errorText)")
        }
        #expect(lab.shell("$W -q -i ndjson zoo.realm Animal in.csv").status == 8)
        lab.write("changes.json", #"{"op":"delete","class":"Animal","key":4}"# + "\n")
        #expect(lab.shell("$W -q -m apply zoo.realm - changes.json").status == 0)
        #expect(lab.shell("$Q -c zoo.realm Animal 'weight == 2.5'").text == "3\n")
    }

    @Test func csvTablesAreLoaded() {
        lab.write(
            "in.csv",
            "id,name,weight,mother,names,scores\n1,,1.5,2,a;b,\"{\"\"k\"\":1}\"\n2,\"\",2,,,\n")
        #expect(lab.shell("$W -i csv zoo.realm Animal in.csv").status == 0)
        #expect(
            animals("id,name,mother,names,scores")
                == #"{"id":1,"name":null,"mother":2,"names":["a","b"],"scores":{"k":1}}"# + "\n"
                + #"{"id":2,"name":"","mother":null,"names":[],"scores":{}}"# + "\n")
        let unknown = lab.shell("printf 'id,nmae\\n3,x\\n' | $W -i csv zoo.realm Animal")
        #expect(unknown.status == 2)
        #expect(unknown.errorText.contains("did you mean name"))
        let bad = lab.shell("printf 'id\\tweight\\n3\\tx\\n' | $W -i tsv zoo.realm Animal")
        #expect(bad.status == 8)
        #expect(bad.errorText.contains("record 1, line 2"))
        #expect(bad.errorText.contains("weight: expected double, got \"x\""))
    }

    @Test func arraysAndRenamedFieldsAreLoaded() {
        let script =
            #"echo '[{"nr":1,"x":2},{"nr":2}]' | $W -i json --map id=nr --ignore-unknown "#
            + #"--const 'name="c"' --const 'names=["q"]' zoo.realm Animal"#
        #expect(lab.shell(script).status == 0)
        #expect(
            animals("id,name,names")
                == #"{"id":1,"name":"c","names":["q"]}"# + "\n"
                + #"{"id":2,"name":"c","names":["q"]}"# + "\n")
        let misfit = lab.shell("$W --const name=c zoo.realm Animal /dev/null")
        #expect(misfit.status == 2)
    }

    @Test func recordsMayNameTheirClass() {
        let script =
            #"printf '%s\n' '{"$class":"Animal","id":1}' '{"$class":"Cage","inmate":1}' | "#
            + "$W zoo.realm -"
        #expect(lab.shell(script).status == 0)
        #expect(lab.shell("$Q -c zoo.realm Cage").text == "1\n")
        let missing = lab.shell(#"echo '{"id":1}' | $W zoo.realm -"#)
        #expect(missing.status == 8)
        #expect(missing.errorText.contains("a class in the field $class"))
    }

    @Test func changeRecordsAreApplied() {
        lab.write(
            "changes",
            """
            {"op":"ready","version":1}
            {"op":"insert","version":2,"class":"Animal","key":1,"object":{"id":1,"name":"a"}}
            {"op":"insert","version":2,"class":"Cage","key":5,"object":{"inmate":1}}
            {"op":"update","version":3,"class":"Animal","key":1,"object":{"weight":4}}
            {"op":"delete","version":4,"class":"Cage","key":5}

            """)
        for _ in 0..<2 {
            #expect(lab.shell("$W -m apply zoo.realm - changes").status == 0)
            #expect(animals("id,name,weight") == "{\"id\":1,\"name\":\"a\",\"weight\":4.0}\n")
            #expect(lab.shell("$Q -c zoo.realm Cage").text == "0\n")
        }
        let resync = lab.shell(#"echo '{"op":"resync","from":1,"to":3}' | $W -m apply zoo.realm -"#)
        #expect(resync.status == 8)
        let gone = lab.shell(
            #"echo '{"op":"update","class":"Animal","key":9,"object":{}}' | "#
                + "$W -m apply zoo.realm -")
        #expect(gone.status == 8)
    }

    @Test func bulkChangesUpdateAndDelete() {
        lab.write(
            "in", "{\"id\":1,\"weight\":1}\n{\"id\":2,\"weight\":5}\n{\"id\":3,\"weight\":9}\n")
        _ = lab.shell("$W zoo.realm Animal in")
        let plan = lab.shell("$W -n --where 'weight > $0' --argjson 3 --delete zoo.realm Animal")
        #expect(plan.text.hasPrefix("would delete 2 Animal objects (version "))
        let unmet = lab.shell(
            "$W --where 'weight > 3' --expect-count 3 --delete zoo.realm Animal")
        #expect(unmet.status == 1)
        #expect(animals("id").split(separator: "\n").count == 3)
        let set = lab.shell(
            "$W --where 'weight > 3' --set 'name=\"big\"' --set mother=1 zoo.realm Animal")
        #expect(set.status == 0)
        #expect(animals("id,name,mother").contains(#"{"id":3,"name":"big","mother":1}"#))
        let deleted = lab.shell("$W --where 'name == $0' --arg big --delete zoo.realm Animal")
        #expect(deleted.errorText.contains("deleted 2 Animal objects"))
        #expect(animals("id") == "{\"id\":1}\n")
        #expect(lab.shell("$W --where 'wieght > 3' --delete zoo.realm Animal").status == 2)
    }

    @Test func schemaOptionsChangeTheSchema() {
        _ = lab.shell(#"printf '{"id":1}\n{"id":2,"name":"x"}\n' | $W zoo.realm Animal"#)
        let loss = lab.shell("$W --required Animal.name zoo.realm")
        #expect(loss.status == 2)
        #expect(loss.errorText.contains("1 null lost"))
        let script =
            "$W --required Animal.name --rename Animal.weight=mass --drop Cage --unindex "
            + "Animal.name --index Animal.mass --schema-version 4 --force zoo.realm"
        let refused = lab.shell(script)
        #expect(refused.status == 2)
        let edited = lab.shell(script.replacing("--index Animal.mass", with: "--index Animal.born"))
        #expect(edited.status == 0, "\(edited.errorText)")
        let schema = lab.shell("$Q --schema zoo.realm").text
        #expect(schema.contains("schema version 4"))
        #expect(schema.contains("mass"))
        #expect(!schema.contains("Cage"))
        #expect(animals("id,name") == "{\"id\":1,\"name\":\"\"}\n{\"id\":2,\"name\":\"x\"}\n")
        #expect(lab.shell("$W --schema-version 2 zoo.realm").status == 2)
    }

    @Test func fileErrorsHaveTheirExitCodes() {
        #expect(lab.shell("$W none.realm Animal /dev/null").status == 3)
        #expect(lab.shell("echo x > bad.realm; $W bad.realm Animal /dev/null").status == 3)
        #expect(lab.shell("$W zoo.realm Animal none").status == 3)
        #expect(lab.shell("$W zoo.realm Anmial /dev/null").status == 2)
        #expect(lab.shell("$W --create zoo.realm").status == 2)
        #expect(lab.shell("$W --create --force --schema-file zoo.json zoo.realm").status == 0)
        #expect(lab.shell("$W zoo.realm").status == 2)
        #expect(lab.shell("$W --create --schema-file none.json new.realm").status == 3)
        #expect(!lab.scratch.entries.contains("new.realm"))
        #expect(lab.shell("echo '{\"id\":1}' | $W --ack zoo.realm Animal > /dev/full").status == 9)
    }

    @Test(arguments: ["INT", "TERM"])
    func signalsRollBackTheOpenBatch(signal: String) {
        let script =
            "{ echo '{\"id\":1}'; sleep 0.5; echo '{\"id\":2}'; sleep 3; } | "
            + "env --default-signal=INT,TERM $W --commit-interval 10s --commit-records 1 --skip-records 0 zoo.realm Animal & "
            + "sleep 1.5; kill -\(signal) $!; wait $!"
        let result = lab.shell(script)
        #expect(result.status == (signal == "INT" ? 130 : 143), "\(result.errorText)")
        #expect(result.errorText.contains("interrupted; 2 records are settled"))
        #expect(animals("id") == "{\"id\":1}\n{\"id\":2}\n")
    }
}
