import Foundation
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Random data of all types through every format that is both written and read. The copy has the
/// same digests, or a warning counts the values that the form does not preserve.
@Suite struct FormatRoundTripTests {
    /// A form of output, and the commands that create `b.realm` from it.
    struct Form: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let script: String

        static let all: [Form] = whole + tables + directories + changes

        private static let whole = ["ndjson", "json"].flatMap { format in
            ["plain", "extended"].map { types in
                Form(
                    testDescription: "\(format) \(types)",
                    script: """
                        $Q --all -f \(format) --types \(types) a.realm > a.out
                        $W -q -1 -i \(format) b.realm - a.out
                        """)
            }
        }

        private static let classes = "ByInt ByText ById ByUUID Keyless Main"

        /// A file per class, with collections in cells.
        private static let tables = ["csv", "tsv"].flatMap { format in
            ["plain", "extended"].map { types in
                Form(
                    testDescription: "\(format) \(types), collections in cells",
                    script: """
                        for c in \(classes); do
                          fields=; [ $c = Keyless ] && fields='-F _key,n'
                          $Q $fields -f \(format) --types \(types) a.realm $c > $c.out
                          $W -q -1 -i \(format) b.realm $c $c.out
                        done
                        """)
            }
        }

        /// A file per class and per collection.
        private static let directories = ["csv", "tsv"].flatMap { format in
            ["plain", "extended"].map { types in
                Form(
                    testDescription: "\(format) \(types), a directory",
                    script: """
                        $Q --all -f \(format) --types \(types) --output-dir out a.realm
                        for c in \(classes); do
                          $W -q -1 -i \(format) b.realm $c out/$c.\(format); done
                        for f in out/*.*.\(format); do
                          p=${f##*/}; $W -q -i \(format) b.realm ${p%.\(format)} $f; done
                        rm -r out
                        """)
            }
        }

        private static let changes = [
            Form(
                testDescription: "change records",
                script: """
                    ($Q --diff a.realm b.realm || true) > a.out
                    $W -q -1 -m apply b.realm - a.out
                    """)
        ]
    }

    private static let seed =
        ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 1...999_999_999)

    /// Types that every form preserves.
    @Test(arguments: Form.all) func plainTypesArePreservedByEveryFormat(form: Form) {
        print("formats: \(form.testDescription), REALM_TEST_SEED=\(Self.seed)")
        for round in 0..<UInt64(RecordSupport.scaled(1)) {
            let seed = Self.seed + round
            let (run, isEqual) = roundTrip(form, seed: seed, isLossy: false, records: 8)
            // Plain cells do not preserve every collection.
            let mayLose = form.testDescription.hasSuffix("plain, collections in cells")
            if mayLose, run.errorText.contains("warning: ") { continue }
            #expect(run.status == 0 && isEqual, "seed \(seed): \(run.errorText.prefix(500))")
            #expect(!run.errorText.contains("warning: "), "seed \(seed): \(run.errorText)")
        }
    }

    /// Mixed values and strings that are not UTF-8. Extended forms preserve them; plain forms count
    /// those that they do not preserve.
    @Test(arguments: Form.all) func allTypesArePreservedByExtendedFormats(form: Form) {
        print("formats: \(form.testDescription), REALM_TEST_SEED=\(Self.seed)")
        for round in 0..<UInt64(RecordSupport.scaled(1)) {
            let seed = Self.seed + round
            let (run, isEqual) = roundTrip(form, seed: seed, isLossy: true, records: 1)
            if run.errorText.contains("warning: "), form.testDescription.contains("plain") {
                continue
            }
            #expect(!run.errorText.contains("warning: "), "seed \(seed): \(run.errorText)")
            #expect(run.status == 0 && isEqual, "seed \(seed): \(run.errorText.prefix(500))")
        }
    }

    private func roundTrip(
        _ form: Form, seed: UInt64, isLossy: Bool, records: Int
    ) -> (run: ToolProcess, isEqual: Bool) {
        var random = RandomRecords(seed: seed, isLossy: isLossy)
        let lab = WriteLab()
        lab.write("schema.txt", random.schema)
        lab.write("in.ndjson", random.records(records).joined(separator: "\n") + "\n")
        let made = lab.shell(
            "$W -q -1 --create --schema-file schema.txt a.realm - in.ndjson && "
                + "$W -q --create --schema-file schema.txt b.realm")
        #expect(made.status == 0, "seed \(seed): \(made.errorText.prefix(500))")
        let run = lab.shell("set -e; set -o pipefail; " + form.script)
        let digests = lab.shell("cmp <($Q --digest a.realm) <($Q --digest b.realm)")
        return (run, digests.status == 0)
    }

    /// Single values of a mixed property: a value is counted if and only if it is read back as
    /// another one.
    @Test(arguments: ["ndjson", "json", "csv", "tsv"]) func lostMixedValuesAreCounted(
        format: String
    ) {
        let records = Self.mixedValues.enumerated().map { id, value in
            #"{"$class":"M","id":\#(id),"any":\#(value)}"#
        }
        expectExactCount(format, "any mixed", records)
    }

    /// Collections in cells: a collection is counted if and only if it is read back as another one.
    @Test(arguments: ["csv", "tsv"]) func lostCollectionsAreCounted(format: String) {
        let records = Self.collections.enumerated().map { id, entry in
            #"{"$class":"M","id":\#(id),"\#(entry.0)":\#(entry.1)}"#
        }
        let properties = """
            s list<string>
              t list<string?>
              i list<int?>
              b list<data?>
              c list<data>
              m list<mixed>
              l list<ById>
              w list<ByText>
            """
        expectExactCount(format, properties, records)
    }

    /// Fails unless the number of objects of M that `format` changes equals the count in its
    /// warning.
    private func expectExactCount(_ format: String, _ properties: String, _ records: [String]) {
        let lab = WriteLab()
        lab.write(
            "schema.txt",
            "class ById\n *k int?\nclass ByText\n *k string?\nclass Keyless\n  n int?\n"
                + "class M\n *id int\n  \(properties)\n")
        let targets = [
            #"{"$class":"ById","k":null}"#, #"{"$class":"ById","k":5}"#,
            #"{"$class":"Keyless","_key":4}"#, #"{"$class":"ByText","k":""}"#,
            #"{"$class":"ByText","k":null}"#, #"{"$class":"ByText","k":"a;b"}"#,
        ]
        lab.write("in.ndjson", (targets + records).joined(separator: "\n") + "\n")
        let run = lab.shell(
            """
            set -e; $W -q -1 --create --schema-file schema.txt a.realm - in.ndjson
            $W -q --create --schema-file schema.txt b.realm
            grep -v '"M"' in.ndjson | $W -q -1 b.realm -
            $Q -f \(format) a.realm M > m.out
            $W -q --on-error skip -m upsert -i \(format) b.realm M m.out || test $? = 8
            $Q --diff a.realm b.realm M | grep -c '"class"'; test $? != 2
            """)
        #expect(run.status == 0, "\(run.errorText)")
        let counts = run.errorText.split(separator: " ").compactMap { Int($0) }
        let changed = Int(run.text.split(separator: "\n").first ?? "")
        #expect(changed == counts.reduce(0, +), "\(run.text) \(run.errorText)")
        #expect(counts.count == 1)
    }

    private static let mixedValues = [
        "null", "true", #"{"$numberLong":"7"}"#, #"{"$numberDouble":"7"}"#,
        #"{"$numberDouble":"1e+20"}"#, #"{"$numberDouble":"NaN"}"#, #"{"$numberDouble":"-0"}"#,
        #"{"$numberFloat":"1.5"}"#, #"{"$numberDecimal":"1.5"}"#, #"{"$date":{"$numberLong":"0"}}"#,
        #"{"$oid":"000000000000000000000000"}"#, #"{"$binary":{"base64":"AAAA","subType":"00"}}"#,
        #"{"$binary":{"base64":"ASNFZ4mrze8BI0VniavN7w==","subType":"04"}}"#, #""""#, #""x""#,
        #""1""#, #""true""#, #""1.5""#, #""NaN""#, #""[1]""#, #""[1""#, #""{}""#, #""\"q\"""#,
        #""\"q""#, #""null""#, #""2025-03-04T00:00:00Z""#, #""a;b""#, #""a,\t\n""#, "[]", "[1,2]",
        #"["a"]"#, #"{"$dictionary":{}}"#, #"{"$dictionary":{"a":[{"b":1}]}}"#,
        #"{"$link":{"table":"ById","key":null}}"#, #"{"$link":{"table":"ById","key":5}}"#,
        #"{"$link":{"table":"Keyless","key":4}}"#, #"[{"$link":{"table":"ById","key":null}}]"#,
    ]

    private static let collections = [
        ("s", "[]"), ("s", #"[""]"#), ("s", #"["",""]"#), ("s", #"["a","b"]"#), ("s", #"["a;b"]"#),
        ("s", #"["[1]"]"#), ("s", #"["a","[1]"]"#), ("s", #"["{\"$string\":\"x\"}"]"#),
        ("s", #"["a","{\"$string\":\"x\"}"]"#), ("s", #"["\"q\""]"#),
        ("s", #"["\t","\n",","]"#), ("t", "[]"), ("t", "[null]"),
        ("t", #"[null,"a"]"#), ("t", #"["",""]"#), ("i", "[]"),
        ("i", "[null]"), ("i", "[null,null]"), ("i", "[1,null,2]"), ("b", #"[""]"#),
        ("b", "[null]"),
        ("b", #"["","AAAA"]"#), ("c", #"["","AAAA"]"#), ("c", #"[""]"#), ("m", "[]"),
        ("m", "[null]"),
        ("m", #"[""]"#), ("m", #"["1"]"#), ("m", "[1,2.5,true]"), ("m", "[[1]]"), ("m", "[1,[2]]"),
        ("m", #"["\"q\""]"#), ("m", #"["x","\"q"]"#), ("m", #"[{"$date":{"$numberLong":"0"}}]"#),
        ("l", "[]"), ("l", "[5,5]"), ("l", #"[{"$link":{"table":"ById","key":null}}]"#),
        ("l", #"[5,{"$link":{"table":"ById","key":null}}]"#), ("w", #"["",""]"#), ("w", #"[""]"#),
        ("w", #"["a;b"]"#), ("w", #"["",{"$link":{"table":"ByText","key":null}}]"#),
    ]
}
