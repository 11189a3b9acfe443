import Testing

@testable import ToolSupport

/// Runs the recipes of the tools' contract that `RecipeTests` does not run, unchanged. Programs
/// that are not installed or need a network are replaced by shell functions.
@Suite(.enabled(if: ToolProcess.has("jq", "sqlite3")))
struct ReadingRecipeTests {
    private let scratch = ScratchDirectory()

    /// Runs a script in a directory with `mail.realm`.
    private func run(_ script: String) -> ToolProcess {
        ToolProcess.shell(
            """
            cd '\(scratch.path)'; PATH=${TOOL%/*}:$PATH
            cat > schema.json <<'END'
            {"schemaVersion":7,"classes":[
            {"name":"Person","primaryKey":"address","properties":[
             {"name":"address","type":"string"},{"name":"name","type":"string","optional":true}]},
            {"name":"Dog","primaryKey":"tag","properties":[
             {"name":"tag","type":"int"},
             {"name":"owner","type":"object","target":"Person","optional":true}]},
            {"name":"Item","primaryKey":"id","properties":[
             {"name":"id","type":"int"},{"name":"count","type":"int"}]},
            {"name":"Email","primaryKey":"_id","properties":[
             {"name":"_id","type":"string"},
             {"name":"from","type":"object","target":"Person","optional":true},
             {"name":"read","type":"bool"},{"name":"receivedAt","type":"date"},
             {"name":"priority","type":"int"},
             {"name":"subject","type":"string","optional":true},
             {"name":"labels","type":"string","collection":"set"}]}]}
            END
            realm-write -q --create --schema-file schema.json mail.realm
            realm-write -q -m upsert mail.realm Email <<'END'
            {"_id":"a","from":{"address":"x@y","name":"Ana"},"read":true,"receivedAt":"2025-03-04T09:12:44Z","priority":5,"subject":"hi","labels":["new","old"]}
            {"_id":"b","read":true,"receivedAt":"2025-03-03T09:00:00Z","priority":1}
            {"_id":"c","read":false,"receivedAt":"2025-03-02T09:00:00Z","priority":1,"subject":""}
            END
            \(script)
            """)
    }

    /// Recipe 1: print read emails as csv.
    @Test func recipe1PrintsReadEmailsAsCSV() {
        let result = run(
            """
            realm-query mail.realm Email 'read == true' -F id=_id,sender=from.name,receivedAt,subject \
            -f csv -o read.csv; cat read.csv
            """)
        #expect(
            result.text
                == "id,sender,receivedAt,subject\na,Ana,2025-03-04T09:12:44Z,hi\n"
                + "b,,2025-03-03T09:00:00Z,\n", "\(result.errorText)")
    }

    /// Recipe 2: upsert with group commit, skip bad records, and resume.
    @Test func recipe2UpsertsWithGroupedCommits() {
        let result = run(
            """
            cp mail.realm app.realm; URL=https://example.org/items
            curl() { cat items.ndjson; }
            for i in 1 2 3 x 5; do echo "{\\"id\\":$i,\\"count\\":$i}"; done | sed 's/:x,/:"x",/' |
                sed 's/:x}/:4}/' > items.ndjson
            curl -sN "$URL" | realm-write app.realm Item -m upsert --commit-records 5000 \
            --commit-interval 200ms --on-error skip --rejects bad.ndjson --ack >> load.log
            echo $?; wc -l < bad.ndjson; realm-query -c app.realm Item
            echo '{"id":6,"count":6}' >> items.ndjson
            curl -sN "$URL" | realm-write app.realm Item -m upsert \
            --skip-records "$(tail -1 load.log | jq .records)"
            echo $?; realm-query -c app.realm Item
            """)
        #expect(result.text == "8\n1\n4\n0\n5\n", "\(result.text)\(result.errorText)")
        #expect(result.errorText.contains("1 inserted"), "\(result.errorText)")
    }

    /// Recipe 4: follow a database, and mirror it live. Commits continue until the follower has
    /// received one, so that the test does not depend on timing.
    @Test func recipe4MirrorsADatabase() {
        let follow = run(
            """
            set -m; n=0
            realm-query --watch mail.realm Email 'priority > 3' | \
            jq -r --unbuffered 'select(.op=="insert") | .object.subject' > seen &
            until [ -s seen ] || [ $n -gt 500 ]; do
                n=$((n + 1))
                echo "{\\"_id\\":\\"n$n\\",\\"read\\":false,\\"receivedAt\\":\\"2025-03-05T00:00:00Z\\",\\"priority\\":$((n % 2 * 9)),\\"subject\\":\\"urgent\\"}" |
                    realm-write -q mail.realm Email -
            done
            kill %1; wait; sort -u seen
            """)
        #expect(follow.text == "urgent\n", "\(follow.errorText)")
        let mirror = run(
            """
            set -m; cp mail.realm a.realm; n=0
            realm-write -q --create --schema-file schema.json b.realm
            realm-query --watch --initial a.realm | realm-write b.realm - -m apply &
            until realm-query -q --diff b.realm a.realm || [ $((n += 1)) -gt 500 ]; do :; done
            realm-write -q --where '_id == "a"' --set 'subject="changed"' a.realm Email
            until realm-query -q --diff b.realm a.realm || [ $((n += 1)) -gt 500 ]; do :; done
            kill %1; wait
            realm-query b.realm Email '_id == "a"' -F subject --raw
            """)
        #expect(mirror.text == "changed\n", "\(mirror.errorText)")
    }

    /// Recipe 5: create a diff and apply it elsewhere, and show the last commit.
    @Test func recipe5AppliesADiff() {
        let result = run(
            """
            cp mail.realm old.realm; cp mail.realm new.realm; cp old.realm copy.realm
            realm-write -q --where '_id == "b"' --delete new.realm Email
            realm-query --diff new.realm old.realm > patch.ndjson; \
            realm-write copy.realm - -m apply patch.ndjson
            realm-query --diff new.realm copy.realm && echo equal
            realm-write -q --where '_id == "c"' --set 'read=true' mail.realm Email
            realm-query --at previous --diff @latest mail.realm | jq -c '[.op,.key,.changed]'
            """)
        #expect(result.text == "equal\n[\"update\",\"c\",[\"read\"]]\n", "\(result.errorText)")
    }

    /// Recipe 6: the alarm. It stays silent while nothing is pinned, and is raised for a missing
    /// file.
    @Test func recipe6RaisesAnAlarmForPins() {
        let result = run(
            """
            notify-ops() { echo alarm; }; cp mail.realm app.realm
            realm-versions -E 'pinned-percent<=20' app.realm || notify-ops
            rm app.realm; realm-versions -q -E 'pinned-percent<=20' app.realm || notify-ops
            """)
        #expect(result.text == "alarm\n", "\(result.errorText)")
    }

    /// Recipe 9: upgrade in a batch. A file in the target format stays unchanged; an old file is
    /// converted and backed up.
    @Test func recipe9ConvertsOnlyOldFiles() {
        let result = run(
            """
            cp '\(QueryRun.fixture("legacy/f7-sdk.realm"))' old.realm; chmod 644 old.realm
            sha256sum mail.realm > before; sha256sum old.realm | sed 's/old.realm/&.v-old/' >> before
            find . -name '*.realm' -print0 | xargs -0 -n1 sh -c 'test "$(realm-versions -g format \
            "$1")" = 24 || realm-compact -q --to-format 24 --backup=.v-old --force "$1"' _
            echo $?; sha256sum -c before; ls *.v-old; realm-versions -g format old.realm
            """)
        #expect(
            result.text == "0\nmail.realm: OK\nold.realm.v-old: OK\nold.realm.v-old\n24\n",
            "\(result.errorText)")
    }

    /// Recipe 10: benchmark two commits, with small parameters and in a debug build. The test does
    /// not depend on which is faster.
    @Test func recipe10ComparesTwoCommits() {
        let result = run(
            """
            realm-bench() {
                if [ "$1" = --compare ]; then command realm-bench "$@"; return; fi
                command realm-bench "$@" -q -N 20 -r 2 --warmup 0s --durability unsafe --force
            }
            realm-bench standard --save main.json > /dev/null; echo $?
            realm-bench standard --baseline main.json --gate ops=5%,p99=10%,size=2% > verdict
            [ $? -le 1 ]; echo $?; tail -n 1 verdict | cut -d ' ' -f 2 | cut -c 1-10
            cp main.json laptop.json; sed 's/"cpus":/"cpus":1/' main.json > server.json
            realm-bench --compare laptop.json server.json; echo $?
            realm-bench --compare laptop.json server.json --allow-different-machine | tail -n 1
            """)
        #expect(
            result.text == "0\n0\nregression\n2\n0 regressions\n",
            "\(result.text)\(result.errorText)")
    }

    /// Recipe 11: read a database on a phone through adb.
    @Test func recipe11ReadsTheDatabaseOfAPhone() {
        let result = run(
            """
            adb() { [ "$*" = "exec-out run-as com.example cat files/default.realm" ] && cat mail.realm; }
            realm-write -q --rename Email=Event --rename Event.receivedAt=at mail.realm
            adb exec-out run-as com.example cat files/default.realm | realm-query - Event \
            'SORT(at DESC) LIMIT(20)' | jq -r ._id
            """)
        #expect(result.text == "a\nb\nc\n", "\(result.errorText)")
    }

    /// Recipe 12: create a seed database from csv.
    @Test func recipe12CreatesASeedFromCSV() {
        let result = run(
            """
            printf 'address,name\\nx@y,Ana\\nz@y,\\n' > people.csv
            printf 'tag,owner\\n1,x@y\\n2,\\n' > dogs.csv
            realm-write --create --schema-file schema.json seed.realm && \
            realm-write seed.realm Person people.csv -i csv && \
            realm-write seed.realm Dog dogs.csv -i csv --links strict && realm-compact seed.realm
            echo $?; realm-query seed.realm Dog -F tag,owner.name -f csv -H
            """)
        #expect(result.text == "0\n1,Ana\n2,\n", "\(result.errorText)")
    }

    /// Recipe 13: load all classes into SQLite through csv.
    @Test func recipe13LoadsAllClassesIntoSQLite() {
        let result = run(
            """
            cp mail.realm app.realm
            realm-query --all -f csv --output-dir out app.realm && for f in out/*.csv; do \
            sqlite3 app.db ".import --csv $f \\"$(basename "$f" .csv)\\""; done
            rm -r out
            sqlite3 app.db 'SELECT _id, name FROM Email JOIN Person ON "from" = address' \
                'SELECT value FROM "Email.labels" ORDER BY value'
            """)
        #expect(result.text == "a|Ana\nnew\nold\n", "\(result.errorText)")
    }

    /// Recipe 16: answer many look-ups with `--batch`.
    @Test func recipe16AnswersManyLookUps() {
        let result = run(
            """
            printf '{"n":1,"id":"a"}\\n{"n":2,"id":"nobody"}\\n' > ids.ndjson
            jq -c '{id:.n,class:"Email",where:"_id == $0",args:[.id]}' ids.ndjson | \
            realm-query --batch mail.realm | jq -c '[.id,.count,.objects[0].subject]'
            """)
        #expect(result.text == "[1,1,\"hi\"]\n[2,0,null]\n", "\(result.errorText)")
    }
}
