import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Output of `realm-query --remnants`.
@Suite struct RemnantOutputTests {
    private let lab = WriteLab()

    /// Makes three animals, then deletes the second and changes the third, in one commit each.
    private func makeZoo() {
        #expect(lab.makeZoo().status == 0)
        lab.write(
            "a.ndjson",
            """
            {"$class":"Animal","id":1,"name":"Ada","weight":4.5}
            {"$class":"Animal","id":2,"name":"Ben","weight":5,"mother":1,"friends":[1]}
            {"$class":"Animal","id":3,"name":"Cleo","weight":6,"tag":{"text":"x"}}

            """)
        #expect(lab.shell("$W -q -1 zoo.realm - a.ndjson").status == 0)
        lab.write(
            "b.ndjson",
            #"{"op":"delete","class":"Animal","key":2}"# + "\n"
                + #"{"op":"update","class":"Animal","key":3,"changed":["name"],"object":{"name":"Cid"}}"#
                + "\n")
        let run = lab.shell("$W -q -1 -m apply zoo.realm - b.ndjson")
        #expect(run.status == 0, "\(run.errorText)")
    }

    @Test func deletedAndChangedObjectsHaveRecords() throws {
        makeZoo()
        let run = lab.shell("$Q --remnants -f ndjson zoo.realm Animal")
        #expect(run.status == 0, "\(run.errorText)")
        let lines = run.text.split(separator: "\n").map(String.init)
        try #require(lines.count == 2, "\(run.text)")
        #expect(
            lines[0].hasPrefix(
                #"{"$class":"Animal","$key":1,"$state":"deleted","$certainty":"whole","id":2,"#
                    + #""name":"Ben","weight":5.0,"born":null,"mother":1,"friends":[1],"#),
            "\(lines[0])")
        #expect(lines[0].contains(#","$source":"previous","$offset":"#))
        #expect(lines[1].contains(#""$state":"changed""#), "\(lines[1])")
        #expect(lines[1].contains(#""name":"Cleo""#))
        #expect(lines[1].contains(#""tag":{"text":"x","owner":null}"#))
        #expect(lines[1].contains(#","$changed":["name"],"#))
    }

    @Test func formatsAndCountsAreSupported() {
        makeZoo()
        let csv = lab.shell("$Q --remnants -f csv -F id,name zoo.realm Animal")
        #expect(
            csv.text.hasPrefix(
                "$key,$state,$certainty,id,name,$changed,$missing,$source,$offset,$row,$copies,"
                    + "$versions\n1,deleted,whole,2,Ben,,,previous,"), "\(csv.text)")
        #expect(lab.shell("$Q --remnants -c zoo.realm Animal").text == "2\n")
        #expect(
            lab.shell("$Q --remnants -c zoo.realm Animal 'name BEGINSWITH \"C\"'").text == "1\n")
        #expect(lab.shell("$Q --remnants -L 1 -f json zoo.realm Animal").text.hasPrefix("[{"))
        #expect(lab.shell("$Q --remnants -f json zoo.realm Cage").text == "[]\n")
        #expect(lab.shell("$Q --remnants -e zoo.realm Cage").status == 1)
        let stat = lab.shell("$Q --remnants --stat -f csv zoo.realm")
        #expect(
            stat.text == "class,remnants,deleted,changed,orphan,whole,partial,doubtful\n"
                + "Animal,2,1,1,0,2,0,0\n", "\(stat.text)")
        let table = lab.shell("$Q --remnants -f table zoo.realm Animal")
        #expect(table.status == 0 && table.text.contains("deleted"))
        let all = lab.shell("$Q --remnants --types extended -f ndjson zoo.realm")
        #expect(all.status == 0 && all.text.contains("$numberInt") || all.text.contains("\"id\":"))
    }

    @Test func contradictoryOptionsAreRefused() {
        makeZoo()
        for arguments in [
            "zoo.realm Nobody", "-f csv zoo.realm", "-f sql zoo.realm Animal",
            "zoo.realm Animal 'TRUEPREDICATE SORT(id ASC)'", "--all zoo.realm",
            "-F id zoo.realm", "--at previous zoo.realm", "-s id zoo.realm Animal",
        ] {
            let run = lab.shell("$Q --remnants \(arguments)")
            #expect(run.status == 2, "\(arguments): \(run.text)\(run.errorText)")
        }
        #expect(lab.shell("$Q --sha256 - < zoo.realm").status == 2)
    }

    @Test func readingChangesNothing() {
        makeZoo()
        let run = lab.shell(
            """
            rm -f zoo.realm.lock; rm -rf zoo.realm.management zoo.realm.note; ls -A > before
            touch -a -d '2020-01-01' zoo.realm; stat -c '%x %y %s' zoo.realm > was
            $Q --remnants --sha256 zoo.realm > found 2> told; cat told
            stat -c '%x %y %s' zoo.realm | cmp - was && rm was found told
            ls -A | cmp - before && sha256sum zoo.realm
            """)
        #expect(run.status == 0, "\(run.text)\(run.errorText)")
        let digests = run.text.split(separator: "\n").map { $0.prefix(64) }
        #expect(digests.count == 3 && Set(digests).count == 1, "\(run.text)")
        #expect(run.text.contains("  zoo.realm  (before)\n"))
    }

    @Test func provenanceNamesOffsetsAndRows() throws {
        makeZoo()
        let run = lab.shell("$Q --provenance -f ndjson -F id zoo.realm Animal")
        let lines = run.text.split(separator: "\n")
        try #require(lines.count == 2, "\(run.errorText)")
        #expect(lines[0].contains(#"{"id":1,"$offset":"#) && lines[0].hasSuffix(#","$row":0}"#))
        #expect(lines[1].hasSuffix(#","$row":1}"#))
        let values = lab.shell("$Q --provenance=value -f csv -F id,name zoo.realm Animal")
        #expect(values.text.hasPrefix("id,name,$offset,$row,$offsets\n"), "\(values.text)")
        #expect(values.text.contains(#""{""id"":"#))
        #expect(lab.shell("$Q --provenance -f sql zoo.realm Animal").status == 2)
    }

    /// The version before one that cannot be opened is compared with.
    @Test func filesWhoseNewestVersionCannotBeOpened() throws {
        makeZoo()
        // The header's other slot is the previous version's; the root of the newest one is overwritten.
        let cut = """
            n=$(od -An -tu1 -j23 -N1 zoo.realm); n=$((n & 1))
            at=$(($(od -An -tu8 -j$((8 * n)) -N8 zoo.realm)))
            cp zoo.realm cut.realm
            printf 'XXXXXXXX' | dd of=cut.realm bs=1 seek=$at conv=notrunc status=none
            """
        let run = lab.shell("\(cut); $Q --remnants -f ndjson cut.realm Animal")
        #expect(run.status == 0, "\(run.text)\(run.errorText)")
        #expect(run.errorText.contains("the newest version cannot be opened"), "\(run.errorText)")
        #expect(!run.text.contains("\"$source\":\"previous\""), "\(run.text)")
        #expect(lab.shell("$Q -c cut.realm Animal").status == 4)
        // Neither version can be opened.
        let both = lab.shell(
            """
            for i in 0 8; do
                at=$(($(od -An -tu8 -j$i -N8 cut.realm)))
                printf 'XXXXXXXX' | dd of=cut.realm bs=1 seek=$at conv=notrunc status=none
            done
            $Q --remnants -f ndjson cut.realm Animal
            """)
        #expect(both.status == 4 && both.text == "", "\(both.text)\(both.errorText)")
    }

    @Test func aCompactedFileHasNothing() {
        makeZoo()
        let run = lab.shell(
            "C=${TOOL%write}compact; $C -q -o small.realm zoo.realm; $Q --remnants small.realm")
        #expect(run.status == 0 && run.text == "", "\(run.text)")
        #expect(run.errorText.contains("nothing of earlier versions is left"), "\(run.errorText)")
    }
}
