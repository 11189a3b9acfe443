import Testing

@testable import ToolKit
@testable import ToolSupport

/// Asynchronous transactions of realm-write: they share syncs, and none is acknowledged before it
/// is durable.
@Suite struct GroupedCommitTests {
    private let lab = WriteLab()

    init() { _ = lab.makeZoo() }

    private func animals(_ range: Range<Int>) -> String {
        range.map { "{\"id\":\($0),\"name\":\"n\($0)\",\"weight\":1}\n" }.joined()
    }

    private func members(_ line: Substring) throws -> StrictJSON { try StrictJSON(String(line)) }

    private func number(_ value: StrictJSON?, _ name: String) -> Int? {
        guard case .number(let digits)? = value?[name] else { return nil }
        return Int(digits)
    }

    /// Every transaction has its own acknowledgement and version, in order, with far fewer syncs
    /// than transactions.
    @Test(arguments: ["-j1", "-j2", "-j3"]) func transactionsShareSyncs(threads: String) throws {
        lab.write("in", animals(0..<2000))
        let result = lab.shell(
            "$W --json --ack --commit-records 1 --commit-interval 1m \(threads) zoo.realm Animal in"
        )
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == 2001)
        var version: Int?
        for (i, line) in lines.dropLast().enumerated() {
            let commit = try members(line)
            #expect(number(commit, "commit") == i + 1)
            #expect(number(commit, "records") == i + 1)
            let own = number(commit, "version")
            if let version { #expect(own == version + 1) }
            version = own
        }
        let summary = try members(try #require(lines.last))["summary"]
        #expect(number(summary, "commits") == 2000)
        #expect(number(summary, "version") == version)
        let syncs = try #require(number(summary, "syncs"))
        #expect(syncs > 0 && syncs <= 200, "\(syncs) syncs")
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "2000\n")
    }

    /// After a kill at any time, acknowledged records exist, and the records are cut off at a
    /// record boundary.
    @Test("CD-20: acknowledged records survive a kill") func acknowledgedRecordsSurvive() throws {
        lab.write("in", animals(0..<200_000))
        for milliseconds in [150, 400] {
            let script = """
                rm -f acks; cp zoo.realm k.realm
                $W -q --ack --commit-records 1 k.realm Animal in > acks & pid=$!
                until [ -s acks ]; do sleep 0.01; done
                sleep 0.\(milliseconds); kill -9 $pid; wait $pid 2> /dev/null
                $Q -c k.realm Animal
                """
            let result = lab.shell(script)
            let count = try #require(Int(result.text.split(separator: "\n").last ?? ""))
            let acks = lab.text("acks")
            // The last line may be incomplete.
            let whole = acks.split(separator: "\n").dropLast(acks.hasSuffix("\n") ? 0 : 1)
            let last = try members(try #require(whole.last))
            let acknowledged = try #require(number(last, "records"))
            #expect(acknowledged > 0 && count >= acknowledged, "\(count) of \(acknowledged)")
            let ids = lab.shell("$Q -f csv -F id k.realm Animal | tail -n +2 | sort -n").text
            #expect(ids == (0..<count).map { "\($0)\n" }.joined())
        }
    }

    /// Slow input is committed within its interval, even if half a record follows.
    @Test(arguments: ["-j1", "-j2", "-j1 -m update --links null", "-j2 -m merge"])
    func slowInputIsCommittedWithinItsInterval(options: String) {
        lab.write("in", animals(1..<4))
        _ = lab.shell("$W -q zoo.realm Animal in")
        let keys = options.contains("-m") ? "1 2 3" : "11 12 13"
        let script = """
            set -- \(keys)
            (echo "{\\"id\\":$1,\\"weight\\":5}"; printf '%s' "{\\"id\\":$2,"
             i=0; while [ ! -s acks ] && [ $i -lt 1000 ]; do sleep 0.01; i=$((i+1)); done
             cp acks first
             echo '"weight":5}'; echo "{\\"id\\":$3,\\"weight\\":5}") |
                $W -q --ack --commit-interval 20ms \(options) zoo.realm Animal > acks
            echo "status $?"; wc -l < first
            $Q -c zoo.realm Animal 'weight == 5'
            """
        let result = lab.shell(script)
        #expect(result.text == "status 0\n1\n3\n", "\(result.text) \(result.errorText)")
    }

    /// The result does not depend on the number of threads or the size of transactions.
    @Test func resultDoesNotDependOnTheGrouping() {
        let lines = (0..<1500).map { i in
            var line = "{\"id\":\(i * 7919 % 1000),\"name\":\"n\(i)\",\"weight\":\(i).5"
            if i % 3 == 0 { line += ",\"mother\":\((i * 31) % 1000)" }
            if i % 5 == 0 { line += ",\"friends\":[\(i % 1000),\((i + 700) % 1000)]" }
            return line + "}\n"
        }
        lab.write("in", lines.joined())
        var results: Set<String> = []
        let ways = [
            "-j1 --commit-records 1", "-j2 --commit-records 1", "-j4 --commit-records 7",
            "-j2", "-j1", "-1", "-j3 -1", "-j5",
            "-j4 --commit-bytes 1KiB", "-j3 --commit-records 400",
        ]
        for way in ways {
            let result = lab.shell(
                "cp zoo.realm x.realm && $W -q -m upsert --links create \(way) x.realm Animal in && "
                    + "$Q --digest -f csv x.realm")
            #expect(result.status == 0, "\(way): \(result.errorText)")
            results.insert(result.text)
        }
        #expect(results.count == 1)
    }

    /// A rejected record affects only records that depend on it, and errors are reported in order.
    @Test(arguments: ["-j1", "-j3"]) func refusedRecordsAffectOnlyTheirDependents(threads: String) {
        var lines = (0..<600).map { "{\"id\":\($0),\"weight\":1,\"mother\":\($0)}" }
        for i in stride(from: 50, to: 600, by: 100) {
            lines[i] = "{\"id\":\(i),\"weight\":\"heavy\"}"
            lines[i + 20] = "{\"id\":\(i - 3),\"weight\":2}"
            lines[i + 30] = "{\"id\":\(i + 30),\"mother\":-1}"
        }
        lab.write("in", lines.joined(separator: "\n"))
        let result = lab.shell(
            "$W --json --on-error skip --rejects bad --commit-records 3 \(threads) zoo.realm Animal in"
        )
        #expect(result.status == 8)
        #expect(
            result.text.contains("\"inserted\":582,\"updated\":0,\"rejected\":18"),
            "\(result.text)")
        let records = lab.text("bad").split(separator: "\n").compactMap {
            number(try? members($0), "record")
        }
        let expected = stride(from: 50, to: 600, by: 100).flatMap { [$0 + 1, $0 + 21, $0 + 31] }
        #expect(records == expected)
        // A record that ends the load does not affect earlier transactions.
        let stopped = lab.shell(
            "$W -q --create --schema-file zoo.json s.realm; "
                + "$W --commit-records 3 \(threads) s.realm Animal in; echo $?; $Q -c s.realm Animal"
        )
        #expect(stopped.text == "8\n48\n", "\(stopped.text)")
        #expect(stopped.errorText.contains("--skip-records 48 resumes"), "\(stopped.errorText)")
    }

    /// After a signal the open batch is discarded, and commits are durable, acknowledged and
    /// counted.
    @Test func signalsDiscardOnlyTheOpenBatch() {
        lab.write("in", animals(0..<2500))
        let script = """
            mkfifo pipe
            $W --ack --commit-interval 1h zoo.realm Animal < pipe > acks 2> said & pid=$!
            exec 3> pipe; cat in >&3
            until [ "$(wc -l < acks)" = 2 ]; do sleep 0.01; done
            kill -TERM $pid; wait $pid; echo $?
            $Q -c zoo.realm Animal
            """
        let result = lab.shell(script)
        #expect(result.text == "143\n2000\n", "\(result.text) \(lab.text("said"))")
        #expect(lab.text("said").contains("2000 records are settled"), "\(lab.text("said"))")
    }

    /// If another process has the write mutex until the timeout, the error names it and nothing is
    /// changed.
    @Test func waitingForAnotherWriterTimesOut() {
        let script = """
            mkfifo pipe
            $W -q -1 zoo.realm Animal < pipe & pid=$!
            exec 3> pipe; echo '{"id":1,"weight":1}' >&3
            for i in $(seq 200); do
                echo '{"id":2}' | $W -q -m merge --wait=50ms zoo.realm Animal 2> said
                status=$?; [ $status = 7 ] && break
            done
            exec 3>&-; wait $pid
            echo $status; $Q -c zoo.realm Animal 'id == 1'
            """
        let result = lab.shell(script)
        #expect(result.text == "7\n1\n", "\(result.text)")
        #expect(lab.text("said").contains("is writing to the database"), "\(lab.text("said"))")
    }
}
