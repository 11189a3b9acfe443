import Testing

@testable import ToolKit
@testable import ToolSupport

/// `realm-query --watch --since` and `realm-write -m apply --resume`: a database follows another
/// one, even if processes are killed at any time.
@Suite struct ResumeTests {
    private let lab = WriteLab()

    init() { #expect(lab.makeZoo().status == 0) }

    /// `begin` prints the stream of `zoo.realm` from the position of `b.realm` up to the first
    /// mark. `fill N` makes N random changes, in classes with and without primary key.
    private static let tools = """
        V=${TOOL%write}versions
        first='/^{"op":"commit"/q'
        begin() { $Q --watch --types extended --since "$($V -g applied b.realm)" zoo.realm \\
          | sed -u $first; }
        fill() {
          for i in $(seq $1); do
            id=$((RANDOM % 20)); other=$((RANDOM % 20))
            echo "{\\"$class\\":\\"Animal\\",\\"id\\":$id,\\"name\\":\\"n$RANDOM\\",\\"mother\\":$other,"\\
        "\\"friends\\":[$other,$id],\\"tag\\":{\\"text\\":\\"t$RANDOM\\",\\"owner\\":$id}}"
            echo "{\\"$class\\":\\"Cage\\",\\"inmate\\":$other}"
          done | sed 's/"":/"$class":/' | $W -q -m merge --links create zoo.realm -
          $W -q --where "id == $((RANDOM % 20))" --delete zoo.realm Animal
          $W -q --where "inmate == null" --delete zoo.realm Cage
        }
        same() { test "$($Q --digest zoo.realm)" = "$($Q --digest b.realm)" && echo same; }
        apply() { $W -q -m apply --resume "$@" b.realm -; }
        until_() { for i in $(seq 600); do "$@" > /dev/null && return; sleep 0.05; done
        echo "never: $*" >&2; return 1; }
        marks() { test $(grep -c '"op":"commit"' $1) -ge $2; }
        trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT

        """

    private func script(_ text: String) -> ToolProcess { lab.shell(Self.tools + text) }

    @Test func aFollowerResyncsAndContinues() {
        let run = script(
            """
            fill 5; $W -q --create b.realm; $V -g applied b.realm
            begin > one; apply < one; same; apply < one; same
            test "$($V -g applied b.realm)" = \\
              "$(sed -n '$s/.*"version":\\([0-9]*\\).*"source":"\\(.*\\)"}/\\1@\\2/p' one)" && echo there
            $Q --watch --types extended zoo.realm > log & until_ grep ready log
            fill 3; until_ marks log 2; sleep 0.2
            apply < log; same; apply < log; same
            """)
        #expect(run.text == "0\nsame\nsame\nthere\nsame\nsame\n", "\(run.errorText)")
    }

    /// A resync removes objects that only the target has and, with `--force`, parts of the schema.
    @Test func aResyncMakesDatabasesEqual() {
        lab.write(
            "other.txt",
            """
            class Animal
              *id    int
               name  string?
            class Cage
               inmate  int
            class Stranger
               friend  Animal?

            """)
        let run = script(
            """
            fill 5; $W -q --create --schema-file other.txt b.realm
            seq 90 99 | sed 's/.*/{"id":&}/' | $W -q b.realm Animal
            echo '{"friend":91}' | $W -q b.realm Stranger
            begin > one; apply < one; echo "refused $?"; $Q -c b.realm Stranger
            apply --force < one; same; $Q -q --diff zoo.realm b.realm; echo "equal $?"
            """)
        #expect(run.text == "refused 8\n1\nsame\nequal 0\n", "\(run.errorText)")
    }

    /// A resync of one class, in a database with other classes.
    @Test func aResyncOfOneClassKeepsOtherClasses() {
        let run = script(
            """
            fill 5; cp zoo.realm b.realm; fill 5
            $Q --watch --since 0 zoo.realm Animal | sed -u $first > one
            before=$($Q -c b.realm Cage); apply < one
            test "$($Q --digest zoo.realm | grep Animal)" = "$($Q --digest b.realm | grep Animal)" \\
              && test $before = $($Q -c b.realm Cage) && echo same
            """)
        #expect(run.text == "same\n", "\(run.errorText)")
    }

    @Test func gapsInTheStreamAreRefused() {
        let run = script(
            """
            fill 2; $W -q --create b.realm; begin > one
            apply < one
            sed 's/"from":0/"from":7/;s/resync/heartbeat/' one | sed 's/"version":[0-9]*/"version":99/' > gap
            apply < gap; echo $?
            head -n -1 one > cut; cp b.realm c.realm; rm -f c.realm.applied
            $W -m apply --resume c.realm - < cut; echo $?; same
            echo '{"op":"commit","version":99,"from":98,"records":0}' \\
              | $W -m apply --resume c.realm -; echo $?
            """)
        #expect(run.text == "8\n0\nsame\n8\n", "\(run.errorText)")
        #expect(run.errorText.contains("expected changes since version"))
        #expect(run.errorText.contains("not complete"))
        #expect(run.errorText.contains("no applied version is recorded"))
    }

    /// A version that is too large to hold back is one transaction, which is discarded if the
    /// version is interrupted.
    @Test func largeVersionsAreDiscardedIfInterrupted() {
        let run = script(
            """
            seq 30000 | sed 's/.*/{"id":&,"name":"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"}/' \\
              | $W -q -1 zoo.realm Animal
            $W -q --create b.realm; begin > one; wc -c < one | awk '{ print ($1 > 4500000) }'
            head -n -5 one > cut; apply < cut; $Q --json b.realm | wc -l; $V -g applied b.realm
            cat cut one | apply --commit-records 10; same
            """)
        #expect(run.text == "1\n1\n0\nsame\n", "\(run.errorText)")
    }

    /// Both processes are killed at random during writes; at the end both databases are equal.
    @Test func databasesAreEqualAfterKills() {
        let run = script(
            """
            $W -q --create b.realm
            (while sleep 0.02; do fill 2; done) 2>/dev/null & load=$!
            for round in $(seq 12); do
              (exec $Q --watch --types extended --since "$($V -g applied b.realm)" zoo.realm > pipe$round) &
              from=$!
              (tail -n +1 -s 0.02 -f --pid=$from pipe$round | $W -q -m apply --resume b.realm - & echo $! > to
               wait) &
              sleep 0.$((RANDOM % 5 + 1)); test $((round % 2)) = 0 && kill -9 $from
              sleep 0.$((RANDOM % 3)); kill -9 $(cat to); kill -9 $from; wait $from
            done 2>/dev/null
            kill $load; wait $load 2>/dev/null; sleep 0.3
            $Q --watch --types extended --since "$($V -g applied b.realm)" zoo.realm > last & until_ grep ready last
            for i in $(seq 100); do apply < last; same && break; sleep 0.1; done
            $Q -q --diff zoo.realm b.realm; echo "equal $?"
            """)
        #expect(run.text == "same\nequal 0\n", "\(run.errorText)")
    }

    /// Each version is exactly one commit, even if the process is killed between writing the
    /// position and the commit, after the commit, or at any other time.
    @Test func eachVersionIsOneCommit() {
        let run = script(
            """
            $W -q --create --schema-file zoo.json b.realm; first=$($V -g version b.realm)
            mark() { echo "{\\"op\\":\\"commit\\",\\"version\\":$1,\\"from\\":$2,\\"records\\":1}"; }
            { echo '{"op":"resync","version":1,"from":0,"class":"Cage"}'
              echo '{"op":"insert","version":1,"class":"Cage","key":1,"object":{}}'; mark 1 0
              for i in $(seq 2 300); do
                echo "{\\"op\\":\\"insert\\",\\"version\\":$i,\\"class\\":\\"Cage\\",\\"key\\":$i,\\"object\\":{"\\
            "\\"next\\":{\\"_key\\":$((i - 1))}}}"; mark $i $((i - 1))
              done; } > log
            for round in $(seq 20); do
              $W -q -m apply --resume --commit-records 1 b.realm - log &
              sleep 0.$((RANDOM % 30 + 10)); kill -9 $!; wait $!
            done 2>/dev/null
            apply --commit-records 1 < log
            $V -g applied b.realm; echo $(($($V -g version b.realm) - first)); $Q -c b.realm Cage
            """)
        #expect(run.text == "300\n300\n300\n", "\(run.errorText)")
    }

    /// A position file that contradicts the version of the database is ignored.
    @Test func contradictoryPositionFilesAreIgnored() {
        let run = script(
            """
            cp zoo.realm b.realm; at=$($V -g version b.realm)
            say() { echo "$1" > b.realm.applied; $V -g applied b.realm
              echo '{"op":"commit","version":9,"from":8,"records":0}' | apply 2>> said; echo $?; }
            say "8 $at"; say "7 $((at - 1)) 8"; say "8 $at 9"; say "7 $((at - 2)) 8"; say "8 $((at + 1))"
            say "x y"; cat said
            """)
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(
            Array(lines.prefix(12)) == ["8", "0", "8", "0", "8", "0", "0", "8", "0", "8", "0", "3"])
        #expect(run.text.contains("no applied version is recorded"), "\(run.text)")
        #expect(run.text.contains("not an applied version"), "\(run.text)")
    }
}
