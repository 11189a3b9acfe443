import Testing

@testable import ToolKit
@testable import ToolSupport

/// Fields of records, and paths through links.
@Suite struct QueryFieldsTests {
    @Test func everyFormatPrintsSelectedFields() {
        let fields = ["-F", "tag,weight,nick,seen", "-L2", QueryRun.social, "Pet"]
        func run(_ format: String) -> String { QueryRun.text(["-f", format] + fields) }
        #expect(
            run("ndjson") == """
                {"tag":"000000000000000000000001","weight":30.5,"nick":["rexy","r"],"seen":"1970-01-01T00:01:40Z"}
                {"tag":"000000000000000000000002","weight":4.25,"nick":["tommy"],"seen":"1970-01-01T00:03:20Z"}

                """)
        #expect(
            run("json") == """
                [{"tag":"000000000000000000000001","weight":30.5,"nick":["rexy","r"],"seen":"1970-01-01T00:01:40Z"},
                {"tag":"000000000000000000000002","weight":4.25,"nick":["tommy"],"seen":"1970-01-01T00:03:20Z"}]

                """)
        #expect(
            run("csv") == """
                tag,weight,nick,seen
                000000000000000000000001,30.5,rexy;r,1970-01-01T00:01:40Z
                000000000000000000000002,4.25,tommy,1970-01-01T00:03:20Z

                """)
        #expect(
            run("tsv") == """
                tag\tweight\tnick\tseen
                000000000000000000000001\t30.5\trexy;r\t1970-01-01T00:01:40Z
                000000000000000000000002\t4.25\ttommy\t1970-01-01T00:03:20Z

                """)
        #expect(
            run("table") == """
                TAG                       WEIGHT  NICK          SEEN
                000000000000000000000001    30.5  ["rexy","r"]  1970-01-01T00:01:40Z
                000000000000000000000002    4.25  ["tommy"]     1970-01-01T00:03:20Z

                """)
    }

    @Test func theTablePrintsItsCountToStandardError() {
        let run = ToolProcess.run("realm-query", ["-ftable", QueryRun.social, "Pet"])
        #expect(run.errorText == "8 objects, version 2\n")
        let quiet = ToolProcess.run(
            "realm-query", ["-q", "-ftable", "-L1", QueryRun.social, "Pet"])
        #expect(quiet.errorText == "")
    }

    @Test func pathsFollowLinksCollectionsAndKeys() {
        let fields =
            "-Fwho=handle,employer.title,friends.name,contacts.home.name,address.landlord.age"
        #expect(
            QueryRun.lines(fields, "-L2", of: "Person") == [
                #"{"who":"ann","employer.title":"Northwind","friends.name":["Bob","Cid"],"#
                    + #""contacts.home.name":"Eve","address.landlord.age":45}"#,
                #"{"who":"bob","employer.title":"Northwind","friends.name":["Ann"],"#
                    + #""contacts.home.name":null,"address.landlord.age":null}"#,
            ])
        #expect(
            QueryRun.lines(fields, "-L1", "-fcsv", "-H", of: "Person") == [
                "ann,Northwind,Bob;Cid,Eve,45"
            ])
        // Values are nested as deep as there are collections on the path.
        #expect(
            QueryRun.lines("-F", "friends.pets.name", "-L1", of: "Person") == [
                #"{"friends.pets.name":[[null],[]]}"#
            ])
        #expect(
            QueryRun.lines("-F", "friends.pets.name", "-L1", "-fcsv", "-H", of: "Person")
                == [""])
    }

    @Test func pathsIntoMixedValuesFollowTheirContent() {
        let path = QueryRun.fixture("query/anyval.realm")
        #expect(
            QueryRun.text(["-F", "sku,meta.k,meta.tags", path, "Item"]) == """
                {"sku":"a","meta.k":null,"meta.tags":null}
                {"sku":"b","meta.k":1,"meta.tags":["p","q"]}
                {"sku":"c","meta.k":[null,null,null],"meta.tags":[null,null,null]}

                """)
    }

    @Test func objectKeysAndBacklinksAreFields() {
        #expect(
            QueryRun.lines("-F", "_key,name", "-L1", of: "Person") == [
                #"{"_key":0,"name":"Ann"}"#
            ])
        #expect(
            QueryRun.lines("--backlinks", "-Fname", "-L1", of: "Pet") == [
                #"{"name":"Rex","@links.Person.pets":["ann","hal"],"@links.Person.favourite":["ann","gil"]}"#
            ])
        #expect(
            QueryRun.lines("-Fname,@links.Person.pets.age", "-L1", of: "Pet") == [
                #"{"name":"Rex","@links.Person.pets.age":[31,0]}"#
            ])
    }

    @Test func excludedFieldsAndBoundsAreApplied() {
        let some = QueryRun.lines(
            "--exclude", "weight,vet,nick,seen", "--offset", "6", "-L9", of: "Pet")
        #expect(
            some == [
                #"{"tag":"000000000000000000000007","name":"Ivy","kind":"bird"}"#,
                #"{"tag":"000000000000000000000008","name":"Old","kind":"dog"}"#,
            ])
        #expect(QueryRun.lines("-L0", of: "Pet") == [])
        #expect(QueryRun.lines("-L0", "-fjson", of: "Pet") == ["[]"])
        #expect(QueryRun.lines("-L0", "-fcsv", "-Ftag", of: "Pet") == ["tag"])
        #expect(QueryRun.lines("--offset", "99", of: "Pet") == [])
        #expect(QueryRun.lines("-c", of: "Pet") == ["8"])
        #expect(QueryRun.lines("-c", "--offset", "3", "-L4", of: "Pet") == ["4"])
        #expect(QueryRun.lines("-ac") == ["20"])
        #expect(QueryRun.lines("-a", "--exclude", "name,kind").count == 20)
    }

    @Test func expandingEndsWithThePath() throws {
        // A friend of Eve is Eve herself: a cycle that must not recurse.
        let line = try #require(
            QueryRun.lines("-x", "boss.employer", "-Fboss", "--offset", "1", "-L1", of: "Person")
                .first)
        let boss = try #require(try StrictJSON(line)["boss"])
        #expect(boss["handle"] == "ann")
        #expect(boss["employer"]?["title"] == "Northwind")
        #expect(boss["employer"]?["parent"] == .null)
        #expect(boss["favourite"] == "000000000000000000000001", "other links stay keys")
        let own = try #require(QueryRun.lines("-x", "landlord", "-L1", of: "Address").first)
        #expect(try StrictJSON(own)["landlord"]?["handle"] == "bob")
        let parent = QueryRun.lines(
            "-x", "parent.parent", "-Fparent", "--offset", "3", of: "Company")
        let levels = try StrictJSON(try #require(parent.first))["parent"]
        #expect(levels?["parent"]?["parent"] == .number("4"), "Zeta is its own parent")
    }

    @Test func expandingIncludesDictionariesAndLists() throws {
        let line = try #require(
            QueryRun.lines(
                "-x", "contacts.employer,friends", "-Fcontacts,friends", "-L1", of: "Person"
            )
            .first)
        let record = try StrictJSON(line)
        #expect(record["contacts"]?["home"]?["handle"] == "eve")
        #expect(record["contacts"]?["home"]?["employer"]?["title"] == "Zeta")
        #expect(record["friends"]?.array?.map { $0["handle"] } == ["bob", "cid"])
    }

    @Test func explodingPrintsARecordForEachElement() {
        #expect(
            QueryRun.lines("--explode", "rates", "-Fno,rates.@key,rates", of: "Company") == [
                #"{"no":1,"rates.@key":"high","rates":9.25}"#,
                #"{"no":1,"rates.@key":"low","rates":0.5}"#,
                #"{"no":3,"rates.@key":"low","rates":1.5}"#,
                #"{"no":4,"rates.@key":"mid","rates":3.0}"#,
            ])
        #expect(
            QueryRun.lines(
                "--explode", "pets", "-Fhandle,pets.name", "--offset", "1", "-L2", "-fcsv",
                of: "Person") == ["handle,pets.name", "ann,Tom", "bob,"]
        )
        #expect(QueryRun.lines("-c", "--explode", "pets", of: "Person") == ["9"])
        #expect(
            QueryRun.lines(
                "--explode", "address.phones", "-Fhandle,address.phones", "-L2", of: "Person")
                == [
                    #"{"handle":"ann","address.phones":"111"}"#,
                    #"{"handle":"ann","address.phones":"112"}"#,
                ])
        // Without -F the element replaces the collection.
        #expect(
            QueryRun.lines("--explode", "rates", "-L1", "-fcsv", of: "Company")
                == [
                    "no,title,founded,parent,board,marks,rates.@key,rates",
                    "1,Northwind,1950,,ann;bob,3;1;2,high,9.25",
                ])
    }

    @Test func missingFieldsAreRefused() {
        let social = QueryRun.social
        func expectError(_ text: String, _ arguments: String...) {
            #expect(QueryRun.error(arguments).contains(text))
        }
        expectError("did you mean Person, Pet", social, "Persn")
        expectError("did you mean handle, name", "-F", "hande", social, "Person")
        expectError("class Company has no property titel", "-F", "employer.titel", social, "Person")
        expectError("no name can follow it", "-F", "name.x", social, "Person")
        let long = Array(repeating: "boss", count: 17_000).joined(separator: ".")
        expectError("a path of 17000 steps; the limit is 200", "-F", long, social, "Person")
        expectError("too many steps: the limit is 200", "-c", social, "Person", long + " == null")
        expectError("two fields are called name", "-F", "name,name", social, "Person")
        expectError("a name is missing", "-F", "name,,age", social, "Person")
        expectError("no property nope", "--exclude", "nope", social, "Person")
        expectError("no class has a property nope", "-a", "--exclude", "nope", social)
        expectError("name is not a link", "-x", "name", social, "Person")
        expectError("name is not a collection", "--explode", "name", social, "Person")
        expectError("leads through another", "--explode", "friends.pets", social, "Person")
        expectError("needs a CLASS", "-F", "name", social)
        expectError("needs a CLASS", "-a", "-F", "name", social)
        expectError("--raw prints one field, not 18", "--raw", social, "Person")
        expectError("classes have different columns", "-a", "-fcsv", social)
        expectError("cannot be used with -f json", "-0", "-fjson", social, "Person")
        expectError("its own form", "--time", "unix", "--types", "extended", social, "Person")
        expectError("cannot be used with --schema", "-S", "-L1", social)
        expectError("already prints every class", "-a", social, "Person")
    }
}
