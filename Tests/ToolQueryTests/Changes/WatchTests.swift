import Testing

@testable import ToolSupport

/// `--watch` while other processes commit. The scripts wait for the expected output, with timeouts
/// that only a hang exceeds.
@Suite struct WatchTests {
    private let lab = WriteLab()

    init() { #expect(lab.makeZoo().status == 0) }

    /// Functions for scripts: `until_ PATTERN FILE` waits for a line, and `$nameless` removes the
    /// fingerprint of the file.
    private static let tools = """
        nameless='sed s/"source":"[0-9a-f]*"/"source":""/'
        until_() { for i in $(seq 600); do grep -q "$1" "$2" 2>/dev/null && return; sleep 0.05; done
        echo "no $1 in $2" >&2; return 1; }
        trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT

        """

    private func script(_ text: String) -> ToolProcess { lab.shell(Self.tools + text) }

    @Test("THR-37 ACT-40: other processes' commits are reported")
    func commitsOfOtherProcessesAreReported() {
        let run = script(
            """
            $Q --watch zoo.realm Animal > out & until_ ready out
            echo '{"id":1,"name":"a"}' | $W -q zoo.realm Animal; until_ insert out
            echo '{"inmate":1}' | $W -q zoo.realm Cage
            echo '{"id":1,"name":"b"}' | $W -q -m merge zoo.realm Animal; until_ update out
            $W -q --where TRUEPREDICATE --delete zoo.realm Animal; until_ delete out
            until_ '"commit","version":6' out; grep -v insert out | $nameless
            """)
        #expect(
            run.text == """
                {"op":"ready","version":2}
                {"op":"commit","version":3,"from":2,"records":1,"source":""}
                {"op":"update","version":5,"class":"Animal","key":1,"changed":["name"],\
                "object":{"name":"b"}}
                {"op":"commit","version":5,"from":3,"records":1,"source":""}
                {"op":"delete","version":6,"class":"Animal","key":1}
                {"op":"commit","version":6,"from":5,"records":1,"source":""}

                """, "\(run.errorText)")
    }

    @Test func initialObjectsAndHeartbeatsArePrinted() {
        let run = script(
            """
            seq 3 | sed 's/.*/{"id":&}/' | $W -q zoo.realm Animal
            $Q --watch --initial --heartbeat 20ms -F id zoo.realm > out & until_ heartbeat out
            head -5 out
            """)
        #expect(
            run.text == """
                {"op":"insert","version":3,"class":"Animal","key":1,"object":{"id":1}}
                {"op":"insert","version":3,"class":"Animal","key":2,"object":{"id":2}}
                {"op":"insert","version":3,"class":"Animal","key":3,"object":{"id":3}}
                {"op":"ready","version":3}
                {"op":"heartbeat","version":3}

                """, "\(run.errorText)")
    }

    @Test func watchingResumesOrReportsTheGap() {
        let run = script(
            """
            for i in 1 2 3; do echo "{\\"id\\":$i}" | $W -q zoo.realm Animal; done
            $Q --watch --since 4 -F id zoo.realm > out & until_ commit out
            $Q --watch --since 2 -F id zoo.realm > gone & until_ commit gone
            $Q --watch --since 99 -F id zoo.realm Cage > ahead & until_ commit ahead
            $Q --watch --since 5@0123456789abcdef -F id zoo.realm Cage > other & until_ commit other
            cat out gone ahead other | $nameless
            """)
        #expect(
            run.text == """
                {"op":"ready","version":4}
                {"op":"insert","version":5,"class":"Animal","key":3,"object":{"id":3}}
                {"op":"commit","version":5,"from":4,"records":1,"source":""}
                {"op":"ready","version":2}
                {"op":"resync","version":5,"from":2,"to":5,"reason":"history-trimmed","source":""}
                {"op":"insert","version":5,"class":"Animal","key":1,"object":{"id":1}}
                {"op":"insert","version":5,"class":"Animal","key":2,"object":{"id":2}}
                {"op":"insert","version":5,"class":"Animal","key":3,"object":{"id":3}}
                {"op":"commit","version":5,"from":2,"records":3,"source":""}
                {"op":"ready","version":99}
                {"op":"resync","version":5,"from":99,"to":5,"reason":"version-ahead",\
                "class":"Cage","source":""}
                {"op":"commit","version":5,"from":99,"records":0,"source":""}
                {"op":"ready","version":5}
                {"op":"resync","version":5,"from":5,"to":5,"reason":"other-database",\
                "class":"Cage","source":""}
                {"op":"commit","version":5,"from":5,"records":0,"source":""}

                """, "\(run.errorText)")
    }

    /// A heartbeat advances the position, so that a watcher of one class need not read commits to
    /// other classes again.
    @Test func heartbeatsAdvanceThePosition() {
        let run = script(
            """
            $Q --watch --heartbeat 20ms zoo.realm Cage > out & until_ ready out
            echo '{"id":1}' | $W -q zoo.realm Animal; until_ commit out; until_ '"heartbeat","version":3' out
            grep commit out | $nameless
            """)
        #expect(
            run.text
                == "{\"op\":\"commit\",\"version\":3,\"from\":2,\"records\":0,\"source\":\"\"}\n",
            "\(run.errorText)")
    }

    @Test func watchingEndsWithItsReader() {
        let run = script(
            """
            $Q --watch zoo.realm | head -1; echo "${PIPESTATUS[0]}"
            """)
        #expect(run.text == "{\"op\":\"ready\",\"version\":2}\n141\n", "\(run.errorText)")
    }

    /// Every object is reported exactly once, at any rate of commits. This includes the first
    /// commit if no process had the database open before.
    @Test(arguments: [true, false]) func everyObjectIsReportedOnce(_ hasLockFile: Bool) {
        let run = script(
            """
            \(hasLockFile ? "" : "rm zoo.realm.lock")
            $Q --watch -F id zoo.realm > out & until_ ready out
            seq 2000 | sed 's/.*/{"id":&}/' \\
              | $W -q --commit-records 5 zoo.realm Animal
            until_ '"key":2000,' out
            grep resync out
            grep -c '"op":"insert"' out; sed 's/.*"key":\\([0-9]*\\).*/\\1/' out | sort -nu | wc -l
            """)
        // The first line has no key.
        #expect(run.text == "2000\n2001\n", "\(run.errorText)")
    }

    /// The writer is killed at any time: the reported objects equal the committed objects.
    @Test func everyCommitOfDeadWritersIsReported() {
        let run = script(
            """
            $Q --watch -F id zoo.realm > out & until_ ready out
            for round in 1 2 3 4 5 6 7 8; do
              seq $((round * 100000)) $((round * 100000 + 99999)) | sed 's/.*/{"id":&}/' \\
                | $W -q --commit-records 3 zoo.realm Animal &
              writer=$!; sleep 0.0$((RANDOM % 90 + 10)); kill -9 $writer; wait $writer
            done 2>/dev/null
            echo '{"id":5}' | $W -q zoo.realm Animal; until_ '"key":5,' out
            $Q -c zoo.realm Animal; grep -c insert out; grep -c -e update -e delete -e resync out
            """)
        let numbers = run.text.split(separator: "\n")
        #expect(numbers.count == 3, "\(run.text) \(run.errorText)")
        #expect(numbers.first == numbers.dropFirst().first, "\(run.text)")
        #expect(numbers.last == "0")
    }

    /// `a --watch | realm-write b -m apply` keeps b equal to a.
    @Test func aMirrorStaysEqual() {
        let run = script(
            """
            cp zoo.realm b.realm
            $Q --watch --initial --types extended zoo.realm > pipe_log 2>err & until_ ready pipe_log
            (tail -n +1 -f pipe_log & echo $! > tail_pid; wait) \\
              | $W -q -m apply --commit-records 100000 b.realm - &
            for round in $(seq 12); do
              for i in 1 2 3 4 5 6; do
                id=$((RANDOM % 30)); other=$((RANDOM % 30))
                echo "{\\"id\\":$id,\\"name\\":\\"n$RANDOM\\",\\"scores\\":{\\"a\\":$RANDOM},"\\
            "\\"tag\\":{\\"text\\":\\"t$RANDOM\\"},\\"any\\":[1,{\\"$oid\\":\\"65e5b0c2a1b2c3d4e5f60708\\"}]}"
                echo "{\\"id\\":$other,\\"mother\\":$id,\\"friends\\":[$id,$other]}"
              done | $W -q -m merge --links create zoo.realm Animal
              echo "{\\"inmate\\":$other}" | $W -q --links null zoo.realm Cage
              $W -q --where "id == $((RANDOM % 30))" --delete zoo.realm Animal
            done
            echo '{"id":1000}' | $W -q zoo.realm Animal
            for i in $(seq 200); do $Q -q --diff zoo.realm b.realm && break; sleep 0.05; done
            $Q --diff zoo.realm b.realm; echo "equal $?"; $Q -c zoo.realm Animal > count
            kill $(cat tail_pid); cat err
            """)
        #expect(run.text == "equal 0\n", "\(run.errorText)")
    }
}
