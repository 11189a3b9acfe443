import Testing

@testable import ToolKit
@testable import ToolSupport

/// Notation of values.
@Suite struct QueryValuesTests {
    private let types = QueryRun.fixture("query/types.realm")

    private func row(_ options: String..., fields: String) -> String {
        QueryRun.text(options + ["-F", fields, "--offset", "3", "-L1", types, "Row"])
            .split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test func plainValuesAreJSON() {
        #expect(
            row(fields: "i,b,f,d,dec,s,bin,t,oid,u,oi")
                == #"{"i":2,"b":true,"f":2.5,"d":2.5,"dec":"2.5","s":"b","bin":"AA==","#
                + #""t":"1970-01-01T00:00:01.000000001Z","oid":"000000000000000000000003","#
                + #""u":"00000000-0000-4000-8000-000000000003","oi":null}"#)
        #expect(
            QueryRun.text(["-Ff,d", "--offset=5", "-L3", types, "Row"]) == """
                {"f":"Infinity","d":"Infinity"}
                {"f":"-Infinity","d":"-Infinity"}
                {"f":"NaN","d":"NaN"}

                """)
    }

    @Test func extendedValuesHaveTheirTypes() {
        #expect(
            row("--types", "extended", fields: "i,b,f,d,dec,s,bin,t,oid,u,oi")
                == #"{"i":{"$numberLong":"2"},"b":true,"f":{"$numberDouble":"2.5"},"#
                + #""d":{"$numberDouble":"2.5"},"dec":{"$numberDecimal":"2.5"},"s":"b","#
                + #""bin":{"$binary":{"base64":"AA==","subType":"00"}},"#
                + #""t":{"$date":{"$numberLong":"1000"},"$nanoseconds":1},"#
                + #""oid":{"$oid":"000000000000000000000003"},"#
                + #""u":{"$binary":{"base64":"AAAAAAAAQACAAAAAAAAAAw==","subType":"04"}},"#
                + #""oi":null}"#)
    }

    @Test func extendedDatesKeepNanoseconds() {
        #expect(
            QueryRun.lines("--types=extended", "-Fborn", "--offset=4", "-L1", of: "Person") == [
                #"{"born":{"$date":{"$numberLong":"600000000000"},"$nanoseconds":1}}"#
            ])
    }

    @Test func extendedLinksAndCollectionsHaveTheirTypes() {
        #expect(
            QueryRun.lines(
                "--types=extended", "-Femployer,friends,follows,contacts,address", "-L1",
                of: "Person") == [
                    #"{"employer":{"$link":{"table":"Company","key":{"$numberLong":"1"}}},"#
                        + #""friends":[{"$link":{"table":"Person","key":"bob"}},"#
                        + #"{"$link":{"table":"Person","key":"cid"}}],"#
                        + #""follows":{"$set":[{"$link":{"table":"Person","key":"bob"}}]},"#
                        + #""contacts":{"$dictionary":{"home":{"$link":{"table":"Person","key":"eve"}},"#
                        + #""work":{"$link":{"table":"Person","key":"bob"}}}},"#
                        + #""address":{"$embedded":{"table":"class_Address","value":{"street":"1 Elm","#
                        + #""city":"Oslo","zip":{"$numberLong":"150"},"phones":["111","112"],"#
                        + #""landlord":{"$link":{"table":"Person","key":"bob"}}}}}}"#
                ])
    }

    @Test func timesArePrintedInTheChosenFormat() {
        func seen(_ form: String) -> [String] {
            QueryRun.lines("--time", form, "--raw", "-Fseen", "--offset", "6", of: "Pet")
        }
        #expect(seen("rfc3339") == ["1970-01-01T00:03:20.000000005Z", "1969-12-31T23:59:50Z"])
        #expect(seen("unix") == ["200.000000005", "-10"])
        #expect(seen("unix-ns") == ["200000000005", "-10000000000"])
        #expect(
            QueryRun.lines("--time=unix", "-Fseen", "-L1", of: "Pet") == [#"{"seen":100}"#],
            "a number in JSON")
    }

    @Test func binariesArePrintedInTheChosenFormat() {
        let bags = QueryRun.fixture("query/bags.realm")
        func bin(_ options: String...) -> String {
            QueryRun.text(options + ["--offset", "1", "-L1", bags, "Bag"])
        }
        #expect(bin("-Fl_bin") == "{\"l_bin\":[\"b25l\"]}\n")
        #expect(bin("-Fl_bin", "--binary", "hex") == "{\"l_bin\":[\"6f6e65\"]}\n")
        #expect(!bin("--binary", "omit").contains("l_bin"))
        #expect(bin().contains("l_bin"))
    }

    @Test func nullTextAndSeparatorsAreApplied() {
        #expect(
            QueryRun.lines(
                "-fcsv", "-Fname,weight,nick", "--join", " + ", "--null", "NULL", "--offset", "2",
                "-L2",
                of: "Pet") == ["name,weight,nick", "NULL,NULL,", "Kit,3.5,kitty + kit + k"])
        #expect(
            QueryRun.lines("-ftsv", "-H", "-Fname,age", "--offset", "2", "-L1", of: "Person")
                == ["Cid\t\\N"])
        #expect(
            QueryRun.lines("-fcsv", "-H", "--null", "31", "-Fname,age", "-L1", of: "Person")
                == [#"Ann,"31""#], "quotes tell a value from the null it looks like")
    }

    @Test func rawValuesAreSeparatedByNewlinesOrNulls() {
        #expect(QueryRun.lines("--raw", "-Fname", "-L2", of: "Person") == ["Ann", "Bob"])
        #expect(
            QueryRun.lines("--raw", "-Fage", "--offset", "1", "-L2", of: "Person") == [
                "45", "null",
            ])
        #expect(QueryRun.text(["-0", "-Fname", "-L2", QueryRun.social, "Person"]) == "Ann\0Bob\0")
        #expect(
            QueryRun.text(["-0", "-Fname,age", "-L1", QueryRun.social, "Person"])
                == "{\"name\":\"Ann\",\"age\":31}\0")
        #expect(
            QueryRun.text(["-0", "-fcsv", "-Fname", "-L1", QueryRun.social, "Person"])
                == "name\0Ann\0")
    }

    @Test func extendedCSVKeepsTypesOfMixedAndCollections() {
        #expect(
            QueryRun.lines(
                "-fcsv", "-H", "--types=extended", "-Fhandle,age,score,friends", "-L1", of: "Person"
            )
                == [
                    #"ann,31,"{""$numberLong"":""10""}","[{""$link"":{""table"":""Person"",""key"":"#
                        + #"""bob""}},{""$link"":{""table"":""Person"",""key"":""cid""}}]""#
                ])
    }

    @Test func tablesEscapeControlCharacters() {
        #expect(
            DisplayWidth.printable("a\u{1B}[2Jb\n\u{9B}c\u{202E}d")
                == "a\\u001b[2Jb\\n\\u009bc\\u202ed")
        #expect(DisplayWidth.columns("日本e\u{301}") == 5)
        #expect(DisplayWidth.fitting("日本語", 5) == "日本…")
        #expect(DisplayWidth.fitting("abc", 3) == "abc")
    }
}
