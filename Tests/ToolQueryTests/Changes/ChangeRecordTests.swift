import Testing

@testable import ToolSupport

/// `--diff`, `--at` and `--since` on databases made by realm-write.
@Suite struct ChangeRecordTests {
    private let lab = WriteLab()

    init() {
        #expect(lab.makeZoo().status == 0)
        lab.write(
            "one.ndjson",
            """
            {"id":1,"name":"a","weight":2.5,"tag":{"text":"x"},"friends":[2]}
            {"id":2,"name":"b","scores":{"k":1}}
            {"id":3}
            """)
        lab.write("two.ndjson", "{\"id\":1,\"tag\":{\"text\":\"y\"}}\n{\"id\":4,\"mother\":1}\n")
        let run = lab.shell(
            """
            set -e; $W -q zoo.realm Animal one.ndjson; cp zoo.realm old.realm
            $W -q -m merge zoo.realm Animal two.ndjson
            $W -q --where 'id == 2' --delete zoo.realm Animal
            """)
        #expect(run.status == 0, "\(run.errorText)")
    }

    @Test func changesOfTheLastCommitArePrinted() {
        let run = lab.shell("$Q --at previous --diff @latest zoo.realm")
        #expect(run.status == 1)
        #expect(
            run.text == """
                {"op":"delete","version":5,"class":"Animal","key":2}
                {"op":"update","version":5,"class":"Animal","key":1,"changed":["friends"],\
                "object":{"friends":[]}}

                """)
    }

    @Test func changesArePrintedBackwards() {
        let run = lab.shell("$Q --diff @previous -F friends --before zoo.realm Animal")
        #expect(run.status == 1)
        #expect(
            run.text == """
                {"op":"insert","version":4,"class":"Animal","key":2,"object":{"friends":[]}}
                {"op":"update","version":4,"class":"Animal","key":1,"changed":["friends"],\
                "object":{"friends":[2]},"before":{"friends":[]}}

                """)
    }

    @Test func changesBetweenFilesArePrinted() {
        let run = lab.shell("$Q --diff zoo.realm old.realm")
        #expect(run.status == 1)
        #expect(
            run.text == """
                {"op":"delete","version":5,"class":"Animal","key":2}
                {"op":"update","version":5,"class":"Animal","key":1,\
                "changed":["friends","tag"],"object":{"friends":[],"tag":{"text":"y",\
                "owner":null}}}
                {"op":"insert","version":5,"class":"Animal","key":4,"object":{"id":4,"name":null,\
                "weight":0.0,"born":null,"mother":1,"friends":[],"names":[],"scores":{},\
                "tag":null,"any":null}}

                """)
        let applied = lab.shell(
            """
            set -o pipefail; cp old.realm new.realm
            $Q --diff zoo.realm old.realm | $W -q new.realm - -m apply
            $Q --diff zoo.realm new.realm && $Q --diff new.realm zoo.realm
            """)
        #expect(applied.status == 0, "\(applied.errorText)")
        #expect(applied.text == "")
    }

    @Test func countsAndQuietReplaceRecords() {
        let counts = lab.shell("$Q --diff zoo.realm --count old.realm")
        #expect(counts.status == 1)
        #expect(
            counts.text
                == "{\"class\":\"Animal\",\"inserts\":1,\"updates\":1,\"deletes\":1,\"schema\":0}\n"
        )
        let quiet = lab.shell("$Q -q --diff zoo.realm old.realm")
        #expect(quiet.status == 1 && quiet.text == "")
        let same = lab.shell("$Q -q --diff @latest zoo.realm")
        #expect(same.status == 0 && same.text == "")
        let sameCount = lab.shell("$Q --diff @latest -c zoo.realm")
        #expect(sameCount.status == 0 && sameCount.text == "")
    }

    @Test func predicatesSelectChangedObjects() {
        // Object 1 does not match in either version; object 2 matched and is deleted.
        let run = lab.shell("$Q --diff zoo.realm old.realm Animal 'name == \"b\" OR id == 4'")
        #expect(run.text.split(separator: "\n").count == 2)
        #expect(run.text.contains("\"op\":\"delete\""))
        #expect(run.text.contains("\"op\":\"insert\""))
        // An object that begins to match is an insertion.
        let begins = lab.shell(
            "$Q --at previous --diff @latest zoo.realm Animal 'friends.@count == 0'")
        #expect(
            begins.text.contains("\"op\":\"insert\",\"version\":5,\"class\":\"Animal\",\"key\":1"))
    }

    @Test func olderVersionsAreRead() {
        #expect(lab.shell("$Q -c --at previous zoo.realm Animal").text == "4\n")
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "3\n")
        #expect(lab.shell("$Q -c --at 4 zoo.realm Animal").text == "4\n")
        let gone = lab.shell("$Q --at 2 zoo.realm")
        #expect(gone.status == 2)
        #expect(gone.errorText.contains("these can be read: 4, 5"))
        let since = lab.shell("$Q --since 4 -c zoo.realm")
        #expect(
            since.text
                == "{\"class\":\"Animal\",\"inserts\":0,\"updates\":1,\"deletes\":1,\"schema\":0}\n"
        )
        #expect(lab.scratch.entries.filter { $0.hasSuffix(".note") }.isEmpty)
    }

    @Test(arguments: [
        ("--watch --sort id", "Animal"), ("--watch -c", ""), ("--watch -f csv", ""),
        ("--diff @x", ""), ("--before", ""), ("--initial", ""), ("--at x", ""),
        ("--diff @latest -F mother.id", "Animal"), ("--diff @latest", "Tag"),
        ("--diff @latest", "Nobody"), ("--watch --since x", ""),
        ("--watch --since 5@x", ""),
    ])
    func contradictoryOptionsAreRefused(_ options: String, _ name: String) {
        let run = lab.shell("$Q \(options) zoo.realm \(name)")
        #expect(run.status == 2, "\(options): \(run.text) \(run.errorText)")
        #expect(run.text == "")
    }
}
