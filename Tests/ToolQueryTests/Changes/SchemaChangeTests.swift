import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Differences of schemas, printed as records and applied.
@Suite struct SchemaChangeTests {
    private let lab = WriteLab()

    private func make(_ name: String, _ classes: String, _ records: String = "") {
        lab.write("\(name).json", "{\"classes\":[\(classes)]}")
        lab.write("\(name).ndjson", records)
        let run = lab.shell(
            "$W -q -1 --create --schema-file \(name).json \(name).realm - \(name).ndjson")
        #expect(run.status == 0, "\(run.errorText)")
    }

    private static func schema(_ id: String, _ rest: String) -> String {
        "{\"name\":\"A\",\"primaryKey\":\"id\",\"properties\":[{\"name\":\"id\",\"type\":\"\(id)\"}"
            + "\(rest)]}"
    }

    @Test func classesAndPropertiesOfOneSideAreDifferences() {
        let text = ",{\"name\":\"t\",\"type\":\"string\",\"optional\":true"
        let records = "{\"$class\":\"A\",\"id\":1}\n"
        make("plain", Self.schema("int", text + "}"), records)
        for (i, other) in [
            Self.schema("int", text + ",\"indexed\":true}"),
            Self.schema("int", text + ",\"fulltext\":true}"),
            Self.schema("int", text + "},{\"name\":\"u\",\"type\":\"int\"}"),
            Self.schema("int", ",{\"name\":\"t\",\"type\":\"string\"}"),
            Self.schema("int", ",{\"name\":\"t\",\"type\":\"data\",\"optional\":true}"),
            Self.schema("int", ""),
            Self.schema("int", text + "}") + ",{\"name\":\"B\",\"properties\":[]}",
        ].enumerated() {
            make("o\(i)", other, records)
            for (from, to) in [("plain", "o\(i)"), ("o\(i)", "plain")] {
                let run = lab.shell("$Q --diff \(to).realm \(from).realm")
                #expect(run.status == 1, "\(from) \(to)")
                #expect(run.text.contains("\"op\":\"schema\""), "\(run.text)")
                #expect(lab.shell("$Q -q --diff \(to).realm \(from).realm").status == 1)
                let counts = lab.shell("$Q --diff \(to).realm -c \(from).realm")
                #expect(counts.status == 1 && counts.text.contains("\"schema\":"), "\(counts.text)")
            }
        }
    }

    @Test func schemaChangesHaveRecords() {
        make(
            "old", Self.schema("int", ",{\"name\":\"x\",\"type\":\"int\"}"),
            "{\"$class\":\"A\",\"id\":1}\n")
        make(
            "new",
            Self.schema("int", ",{\"name\":\"y\",\"type\":\"string\",\"indexed\":true}")
                + ",{\"name\":\"B\",\"properties\":[{\"name\":\"a\",\"type\":\"object\",\"target\":"
                + "\"A\",\"optional\":true}]}", "{\"$class\":\"A\",\"id\":1,\"y\":\"z\"}\n")
        let run = lab.shell("$Q --diff new.realm old.realm")
        #expect(
            run.text == """
                {"op":"schema","version":2,"class":"A","change":"remove-property","property":"x",\
                "reason":"removed"}
                {"op":"schema","version":2,"class":"B","change":"add-class","kind":"class",\
                "primaryKey":null}
                {"op":"schema","version":2,"class":"A","change":"add-property","property":"y",\
                "definition":{"name":"y","type":"string","optional":false,"indexed":true}}
                {"op":"schema","version":2,"class":"B","change":"add-property","property":"a",\
                "definition":{"name":"a","type":"object","optional":true,"target":"A"}}
                {"op":"update","version":2,"class":"A","key":1,"changed":["y"],"object":{"y":"z"}}

                """)
        // Changes that lose values need `--force`; without it the whole batch is rolled back.
        let refused = lab.shell(
            "cp old.realm c.realm; $Q --diff new.realm old.realm | $W -q c.realm - -m apply")
        #expect(refused.status == 8)
        #expect(refused.errorText.contains("--force"), "\(refused.errorText)")
        #expect(lab.shell("$Q -q --diff old.realm c.realm").status == 0)
        let forced = lab.shell(
            """
            $Q --diff new.realm old.realm > p; $W -q --force c.realm - -m apply p &&
            $W -q --force c.realm - -m apply p; $Q --diff new.realm c.realm
            """)
        #expect(forced.status == 0 && forced.text == "", "\(forced.text) \(forced.errorText)")
        let back = lab.shell(
            "$Q --diff old.realm new.realm | $W -q -1 --force new.realm - -m apply; $Q --diff old.realm new.realm"
        )
        #expect(back.status == 0 && back.text == "", "\(back.text) \(back.errorText)")
    }

    @Test func refusedSchemaRecordsAreSkipped() {
        make(
            "old", Self.schema("int", ",{\"name\":\"x\",\"type\":\"int\"}"),
            "{\"$class\":\"A\",\"id\":1}\n")
        lab.write(
            "p",
            """
            {"op":"update","class":"A","key":1,"object":{"x":5}}
            {"op":"schema","class":"A","change":"add-property","property":"y","definition":{"name":"y","type":"int"}}
            {"op":"schema","class":"A","change":"remove-property","property":"x"}
            {"op":"schema","class":"A","change":"add-property","property":"x","definition":{"name":"x","type":"string"}}
            {"op":"schema","class":"A","change":"melt","property":"x"}
            {"op":"update","class":"A","key":1,"object":{"y":6}}
            {"op":"update","class":"A","key":9,"object":{"y":6}}
            {"op":"insert","class":"A","key":2,"object":{"x":1,"y":2}}

            """)
        let run = lab.shell("$W -m apply --on-error skip old.realm - p; $Q old.realm A")
        #expect(
            run.text == "{\"id\":1,\"x\":5,\"y\":6}\n{\"id\":2,\"x\":1,\"y\":2}\n",
            "\(run.errorText)")
        #expect(run.errorText.contains("4 rejected"), "\(run.errorText)")
        #expect(run.errorText.contains("1 schema change"), "\(run.errorText)")
    }

    @Test func schemaChangesBetweenVersionsArePrinted() {
        make("f", Self.schema("int", ""), "{\"$class\":\"A\",\"id\":1}\n")
        lab.write(
            "more.json",
            "{\"classes\":[\(Self.schema("int", ",{\"name\":\"z\",\"type\":\"int\"}"))]}")
        let run = lab.shell(
            "$W -q --schema-file more.json f.realm; $Q --at previous --diff @latest f.realm")
        #expect(run.status == 1)
        #expect(run.text.contains("\"change\":\"add-property\",\"property\":\"z\""), "\(run.text)")
        #expect(run.text.split(separator: "\n").count == 1)
    }

    @Test func watchingPrintsSchemaChanges() {
        make("w", Self.schema("int", ""))
        lab.write(
            "more.json",
            "{\"classes\":[\(Self.schema("int", ",{\"name\":\"z\",\"type\":\"int\"}"))]}")
        let run = lab.shell(
            """
            until_() { for i in $(seq 600); do grep -q "$1" "$2" 2>/dev/null && return; sleep 0.05; done; }
            trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
            $Q --watch w.realm > out & until_ ready out
            $W -q --schema-file more.json w.realm; until_ schema out
            echo '{"id":4,"z":5}' | $W -q w.realm A; until_ insert out; grep -v commit out
            """)
        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 3, "\(run.text)")
        #expect(lines.dropFirst().first?.contains("add-property") == true)
    }

    /// A diff is empty only if the databases are equal, and applying a diff makes them equal. The
    /// databases are random and have little or much in common.
    @Test(arguments: 0..<12) func applyingADiffMakesDatabasesEqual(seed: Int) {
        for half in 0..<2 {
            let made = RandomDatabase(seed: UInt64(seed * 2 + half + 1))
            lab.write("s\(half).json", made.schema)
            lab.write("r\(half).ndjson", made.records)
        }
        let run = lab.shell(
            """
            set -e
            for n in 0 1; do $W -q -1 --create --schema-file s$n.json $n.realm - r$n.ndjson; done
            for pair in "0 1" "1 0"; do set -- $pair; cp $1.realm c.realm
            $Q --types \(seed % 2 == 0 ? "plain" : "extended") --diff $2.realm c.realm > p || test $? = 1
            if ! cmp -s s0.json s1.json || ! cmp -s r0.ndjson r1.ndjson; then test -s p; fi
            $W -q --force c.realm - -m apply p
            $Q --diff $2.realm c.realm; $Q --diff c.realm $2.realm
            test "$($Q --digest $2.realm)" = "$($Q --digest c.realm)"
            ${TOOL%write}compact --check --strict c.realm | grep -v -e ': ok' -e string-utf8 || true
            rm -r c.realm*; done
            """)
        #expect(run.status == 0, "seed \(seed): \(run.text.prefix(600)) \(run.errorText)")
        #expect(run.text == "", "seed \(seed)")
    }
}
