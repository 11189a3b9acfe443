import Testing

@testable import ToolKit
@testable import ToolSupport

/// Reports of `realm-versions` on programs that pin versions while others commit.
@Suite struct PinnedGrowthTests {
    /// Creates a database of 4000 items; `$WP`, a writer that reads records from descriptor 4; and
    /// `$QP`, a reader that pins a version, because its output is not read until descriptor 5 is
    /// drained.
    private static let setUp = """
        V=$TOOL; B=${TOOL%/*}; cd "$DIRECTORY"
        rows() {
            awk -v n=$1 -v t=$2 'BEGIN {
                pad = sprintf("%200s", ""); gsub(/ /, t, pad)
                for (i = 0; i < n; i++) printf "{\\"id\\":%d,\\"text\\":\\"%s%d\\"}\\n", i, pad, i }'
        }
        fail() { echo "$1"; kill -9 $WP $QP 2> /dev/null; exit 1; }
        upto() {
            for i in $(seq 600); do
                v=$($V -g version --no-openers a.realm); [ "$v" -ge $1 ] && return; sleep 0.05
            done
            fail "no version $1, only $v"
        }
        echo '{"schemaVersion":3,"classes":[{"name":"Item","primaryKey":"id","properties":[' \\
            '{"name":"id","type":"int"},{"name":"text","type":"string"}]}]}' > schema.json
        $B/realm-write -q --create --schema-file schema.json a.realm || fail create
        rows 4000 a | $B/realm-write -q a.realm Item - || fail load
        mkfifo in out; exec 4<>in 5<>out
        $B/realm-write -q -m upsert --commit-records 200 a.realm Item - < in & WP=$!
        FIRST=$($V -g version a.realm)
        rows 200 b >&4; upto $((FIRST + 1))
        $B/realm-query --access shared -f ndjson a.realm Item > out & QP=$!
        for i in $(seq 600); do
            HELD=$($V --json a.realm | tr '{' '\\n' | grep '"pid":'$QP',"thread"'); [ -n "$HELD" ] && break
            sleep 0.05
        done
        PINNED=$($V -g version --no-openers a.realm)
        for letter in c d e f g; do rows 2000 $letter >&4; done
        upto $((PINNED + 50))

        """

    private func run(_ script: String) -> ToolProcess {
        let scratch = ScratchDirectory()
        defer { withExtendedLifetime(scratch) {} }
        return ToolProcess.shell(
            "DIRECTORY='\(scratch.path)'; " + Self.setUp + script
                + "\nrm -rf a.realm.management", tool: "realm-versions")
    }

    /// Parses lines `name value` that a script printed.
    private func values(_ run: ToolProcess) -> [String: String] {
        var values: [String: String] = [:]
        for line in run.text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { values[String(words[0])] = String(words[1]) }
        }
        return values
    }

    @Test("THR-99: a released pin frees its space") func releasingAPinFreesThePredictedSpace()
        throws
    {
        let found = run(
            """
            echo "json $($V --json a.realm)"; echo "query $QP"; echo "pinned $PINNED"
            echo "before $($V -g free-bytes a.realm)"
            $V --growth a.realm > report; grep -c realm-query report | sed 's/^/named /'
            cat <&5 > /dev/null & DRAIN=$!
            wait $QP; echo "ended $?"; kill -9 $DRAIN
            V1=$($V -g version a.realm); rows 400 h >&4; upto $((V1 + 2))
            echo "after $($V -g free-bytes a.realm)"
            echo "left $($V -g pinned-bytes a.realm)"
            exec 4>&-; kill -9 $WP; wait $WP
            """)
        let values = values(found)
        let json = try StrictJSON(values["json"] ?? found.text + found.errorText)
        let old = try #require(json["versions"]?.array?.last)
        #expect(old["version"] == values["pinned"].map { .number($0) })
        #expect(old["live"] == .number("1") && old["stale"] == .number("0"))
        let query = try #require(values["query"])
        #expect(old["candidates"] == .array([.number(query)]))
        let pin = try #require(old["pins"]?.array?.first)
        #expect(pin["pid"] == .number(query) && pin["thread"] == .number(query))
        #expect(pin["kind"] == "live" && pin["since"] != nil)
        guard case .number(let text)? = old["releases"], let predicted = Int(text) else {
            Issue.record("no prediction")
            return
        }
        #expect(values["named"] == "2" && values["ended"] == "0" && values["left"] == "0")
        let before = try #require(values["before"].flatMap { Int($0) })
        let after = try #require(values["after"].flatMap { Int($0) })
        #expect(predicted > 300_000)
        #expect(
            abs(after - before - predicted) * 100 <= predicted,
            "predicted \(predicted), freed \(after - before)")
    }

    @Test func pinsOfDeadProcessesAreStale() throws {
        let found = run(
            """
            kill -9 $QP; wait $QP 2> /dev/null
            echo "json $($V --json a.realm)"
            $V a.realm | grep -c '1 pin is stale' | sed 's/^/told /'
            exec 4>&-; kill -9 $WP; wait $WP
            """)
        let values = values(found)
        let json = try StrictJSON(values["json"] ?? found.text + found.errorText)
        let old = try #require(json["versions"]?.array?.last)
        #expect(old["stale"] == .number("1") && json["stale"] == .number("1"))
        #expect(old["candidates"] == .array([]))
        #expect(old["pins"]?.array?.first?["stale"] == .bool(true))
        #expect(values["told"] == "1")
    }
}
