import Testing

@testable import ToolKit
@testable import ToolSupport

/// realm-write as used by scripts.
@Suite struct RecordLoadTests {
    private let lab: WriteLab

    init() {
        lab = WriteLab()
        let made = lab.makeZoo()
        #expect(made.status == 0, "\(made.errorText)")
    }

    private func animals(_ fields: String = "id,name") -> String {
        lab.shell("$Q -f ndjson -F \(fields) zoo.realm Animal").text
    }

    @Test func recordsAreInsertedAndAcknowledged() {
        let result = lab.shell(
            """
            for i in 1 2 3 4 5; do echo "{\\"id\\":$i,\\"name\\":\\"n$i\\",\\"weight\\":$i.5}"; done |
                $W --ack --commit-records 2 zoo.realm Animal
            """)
        #expect(result.status == 0)
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first!.hasPrefix(#"{"commit":1,"version":"#))
        #expect(lines.last!.hasSuffix(#""records":5,"inserted":5,"updated":0,"rejected":0}"#))
        #expect(result.errorText.contains("5 records: 5 inserted; 3 commits, version "))
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "5\n")
    }

    @Test func recordsWithAllStructuresAreStored() {
        let record =
            #"{"id":1,"name":"a","weight":1.5,"born":"2020-01-02T03:04:05Z","mother":2,"#
            + #""friends":[2,1],"names":["x","y"],"scores":{"s":1},"#
            + #""tag":{"text":"t","owner":2},"any":[1,{"k":"v"}]}"#
        lab.write("in", record + "\n{\"id\":2,\"any\":[]}\n")
        let result = lab.shell("$W zoo.realm Animal in; $Q -f ndjson -L 1 zoo.realm Animal")
        #expect(result.text == record + "\n", "\(result.errorText)")
    }

    @Test func modesDecideWhetherObjectsAreReplacedOrMerged() {
        lab.write("in", #"{"id":1,"name":"a","weight":1,"names":["x"]}"#)
        #expect(lab.shell("$W zoo.realm Animal in").status == 0)
        #expect(lab.shell("$W zoo.realm Animal in").status == 8)
        let merged = lab.shell(#"echo '{"id":1,"weight":2}' | $W -m merge zoo.realm Animal"#)
        #expect(merged.errorText.contains("1 updated"))
        #expect(
            animals("name,weight,names") == #"{"name":"a","weight":2.0,"names":["x"]}"# + "\n")
        let same = lab.shell(#"echo '{"id":1,"weight":2}' | $W -m merge zoo.realm Animal"#)
        #expect(same.errorText.contains("1 unchanged; 0 commits"))
        _ = lab.shell(#"echo '{"id":1,"weight":3}' | $W -m upsert zoo.realm Animal"#)
        #expect(animals("name,weight,names") == "{\"name\":null,\"weight\":3.0,\"names\":[]}\n")
        #expect(lab.shell(#"echo '{"id":9}' | $W -m update zoo.realm Animal"#).status == 8)
        #expect(lab.shell(#"echo '{"id":9}' | $W -m delete zoo.realm Animal"#).status == 8)
        let deleted = lab.shell(#"echo '{"id":1}' | $W -m delete zoo.realm Animal"#)
        #expect(deleted.errorText.contains("1 deleted"))
        #expect(animals() == "")
    }

    @Test func errorsNameRecordLineAndProperty() {
        lab.write("in", "{\"id\":1}\n{\"id\":2}\n\n{\"id\":3,\"weight\":\"12kB\"}\n{\"id\":4}\n")
        let stopped = lab.shell("$W --rejects bad --commit-records 2 zoo.realm Animal in")
        #expect(stopped.status == 8)
        #expect(
            stopped.errorText.contains(
                "in: record 3, line 4, column 18: weight: expected double, got string \"12kB\""))
        #expect(stopped.errorText.contains("--skip-records 2 resumes"))
        #expect(
            lab.text("bad")
                == #"{"record":3,"line":4,"code":"TypeMismatch","property":"weight","#
                + #""expected":"double","got":"string \"12kB\"","#
                + #""input":{"id":3,"weight":"12kB"}}"# + "\n")
        #expect(animals("id") == "{\"id\":1}\n{\"id\":2}\n")
        let skipped = lab.shell("$W --on-error skip --skip-records 2 zoo.realm Animal in")
        #expect(skipped.status == 8)
        #expect(animals("id") == "{\"id\":1}\n{\"id\":2}\n{\"id\":4}\n")
    }

    @Test(arguments: [
        (#"{"id":1,"wieght":1}"#, "a property of Animal such as weight"),
        (#"{"name":"x"}"#, "a primary key"), (#"{"id":null}"#, "expected int, got null"),
        (#"{"id":1,"scores":{"a.b":1}}"#, "neither begins with $"),
        (#"{"id":1,"friends":[null]}"#, "friends[0]: expected a link, got null"),
        (#"{"id":1,"tag":3}"#, "an embedded object"), ("[]", "an object"), ("{", "expected"),
        (#"{"id":1,"id":2}"#, "id"),
    ])
    func invalidRecordsAreRefused(record: String, message: String) {
        lab.write("in", record + "\n")
        let result = lab.shell("$W zoo.realm Animal in")
        #expect(result.status == 8)
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(animals() == "")
    }

    @Test func linksResolveByTheEndOfTheCommit() {
        let pair = "{\"id\":1,\"mother\":2}\n{\"id\":2,\"mother\":1}\n"
        lab.write("in", pair + "{\"id\":3,\"mother\":9}\n")
        let strict = lab.shell("$W zoo.realm Animal in")
        #expect(strict.status == 8)
        #expect(strict.errorText.contains("record 3, line 3"))
        #expect(strict.errorText.contains("no object with the key 9"))
        #expect(animals() == "")
        let skipped = lab.shell("$W --on-error skip zoo.realm Animal in")
        #expect(skipped.status == 8)
        #expect(animals("id,mother") == pair)
        _ = lab.shell("$W -m upsert --links create zoo.realm Animal in")
        #expect(animals("id").contains("{\"id\":9}"))
        _ = lab.shell(#"echo '{"id":1,"mother":77}' | $W -m merge --links null zoo.realm Animal"#)
        #expect(animals("id,mother").hasPrefix("{\"id\":1,\"mother\":null}\n"))
    }

    /// Rejecting a record also rejects the records that link to it.
    @Test func recordsThatLinkToRefusedOnesAreRefused() {
        lab.write("in", "{\"id\":1,\"mother\":2}\n{\"id\":2,\"mother\":3}\n{\"id\":4}\n")
        let result = lab.shell("$W --on-error skip --rejects bad zoo.realm Animal in")
        #expect(result.status == 8)
        #expect(result.errorText.contains("3 records: 1 inserted, 2 rejected (bad)"))
        #expect(lab.text("bad").split(separator: "\n").count == 2)
        #expect(animals("id") == "{\"id\":4}\n")
    }

    @Test func oneTransactionStoresAllOrNothing() {
        lab.write("in", "{\"id\":1}\n{\"id\":2}\n{\"id\":2}\n")
        let before = lab.shell("$Q --digest zoo.realm; md5sum zoo.realm").text
        #expect(lab.shell("$W -1 zoo.realm Animal in").status == 8)
        #expect(lab.shell("$Q --digest zoo.realm; md5sum zoo.realm").text == before)
    }

    @Test func dryRunsChangeNothing() {
        lab.write("in", "{\"id\":1}\n{\"id\":2,\"mother\":1}\n")
        let before = lab.shell("md5sum zoo.realm; ls -A").text
        let result = lab.shell("$W -n zoo.realm Animal in")
        #expect(result.status == 0)
        #expect(
            result.text.hasPrefix("would write 2 records: 2 inserted; ") && result.errors.isEmpty)
        let bad = lab.shell("$W -n --drop Cage --rename Animal.name=title zoo.realm")
        #expect(bad.text.contains("rename property  Animal.name -> Animal.title"))
        #expect(lab.shell("md5sum zoo.realm; ls -A").text == before)
    }

    @Test func objectKeysIdentifyObjectsWithoutPrimaryKeys() {
        lab.write("in", "{\"_key\":7,\"next\":{\"_key\":300}}\n{\"_key\":300,\"next\":7}\n")
        let made = lab.shell("$W -1 zoo.realm Cage in; $Q --all -f ndjson zoo.realm")
        #expect(made.text.contains(#""_key":7,"inmate":null,"next":{"_key":300}"#), "\(made.text)")
        #expect(lab.shell("$W zoo.realm Cage in").status == 8)
        #expect(lab.shell(#"echo '{"_key":7}' | $W -m delete zoo.realm Cage"#).status == 0)
        #expect(lab.shell("echo '{}' | $W zoo.realm Cage; $Q -c zoo.realm Cage").text == "2\n")
    }
}
