import Testing

@testable import ToolKit
@testable import ToolSupport

/// Limits of the system and of memory.
@Suite struct LimitTests {
    private let lab = WriteLab()

    init() { _ = lab.makeZoo() }

    private var count: String { lab.shell("$Q -c zoo.realm Animal").text }

    private func makeInput(_ count: Int) {
        var text = ""
        for i in 0..<count {
            text += "{\"id\":\(i),\"name\":\"animal number \(i) of many\",\"weight\":1}\n"
        }
        lab.write("in.ndjson", text)
    }

    /// If the file cannot grow, commits stay, and the exit status reports the cause.
    @Test("THR-97: committed records stay when the file cannot grow")
    func committedRecordsStayWithoutSpace() {
        makeInput(5000)
        let result = lab.shell(
            "trap '' XFSZ; ulimit -f 200; (head -n 500 in.ndjson; sleep 1; tail -n +501 in.ndjson) |"
                + " $W --commit-records 500 --ack zoo.realm Animal")
        #expect(result.status == 9, "\(result.errorText)")
        let commits = result.text.split(separator: "\n").count
        #expect(commits > 0)
        #expect(count == "\(commits * 500)\n")
        #expect(
            lab.shell("$W --skip-records \(commits * 500) zoo.realm Animal in.ndjson").status == 0)
        #expect(count == "5000\n")
    }

    @Test func aTransactionWithoutSpaceIsRolledBack() {
        makeInput(5000)
        let result = lab.shell(
            "trap '' XFSZ; ulimit -f 200; $W -1 --max-memory 64KiB zoo.realm Animal in.ndjson")
        #expect(result.status == 9, "\(result.errorText)")
        #expect(count == "0\n")
        #expect(lab.shell("$W -1 zoo.realm Animal in.ndjson").status == 0)
        #expect(count == "5000\n")
    }

    @Test func fullOutputHasExitStatusNine() {
        let result = lab.shell(
            #"echo '{"id":1,"weight":2}' | $W --ack zoo.realm Animal > /dev/full"#)
        #expect(result.status == 9, "\(result.errorText)")
        for options in ["--json", "--json -n", "--json -q"] {
            let summary = lab.shell(
                #"echo '{"id":2,"weight":2}' | $W -m upsert \#(options) zoo.realm Animal > /dev/full"#
            )
            #expect(summary.status == 9, "\(options): \(summary.errorText)")
        }
        let rejects = lab.shell(
            #"echo '{"id":"x"}' | $W --on-error skip --rejects /dev/full zoo.realm Animal"#)
        #expect(rejects.status == 9, "\(rejects.errorText)")
    }

    /// A tiny limit is divided into shares, which can round down to zero. The tool must not wait
    /// for ever then.
    @Test(arguments: ["1", "15", "1k"]) func tinyMemoryLimitsDoNotBlock(_ size: String) {
        makeInput(300)
        for options in ["", "-n", "-1", "--ack"] {
            let result = lab.shell(
                "timeout 60 $W -q -m upsert \(options) --max-memory \(size) zoo.realm Animal in.ndjson"
            )
            #expect(result.status == 0, "\(options) \(size): \(result.errorText)")
        }
        #expect(count == "300\n")
    }

    /// A dry run does not commit, so no deadline applies to it.
    @Test func dryRunsHaveNoDeadline() {
        makeInput(5000)
        let result = lab.shell(
            "timeout 60 $W -n --commit-interval 1ms zoo.realm Animal in.ndjson")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains("5000 inserted"), "\(result.errorText)")
        #expect(count == "0\n")
    }

    /// Moving the nodes of a transaction to a temporary file before its commit does not change the
    /// result.
    @Test func spillingDoesNotChangeTheResult() {
        makeInput(5000)
        let script = """
            cp zoo.realm other.realm
            $W -1 -q --max-memory 100KiB zoo.realm Animal in.ndjson &&
            $W -1 -q other.realm Animal in.ndjson &&
            $Q --digest -f csv zoo.realm > a && $Q --digest -f csv other.realm > b && cmp a b
            """
        let result = lab.shell(script)
        #expect(result.status == 0, "\(result.errorText)")
    }

    /// Links to later targets wait in a temporary file, and a dry run stores its nodes in one.
    @Test func pendingLinksAreSpilled() {
        var text = ""
        for i in 0..<40_000 {
            text += "{\"id\":\(i),\"name\":\"animal \(i)\",\"weight\":1,\"mother\":39999}\n"
        }
        lab.write("in.ndjson", text)
        lab.write("twice.ndjson", text + "{\"id\":7,\"weight\":1}\n")
        let rehearsed = lab.shell("$W -n -1 --max-memory 64KiB zoo.realm Animal in.ndjson")
        #expect(rehearsed.status == 0, "\(rehearsed.errorText)")
        #expect(rehearsed.text.contains("would write 40000 records: 40000 inserted"))
        // The dry run finds objects that it has spilled.
        let twice = lab.shell("$W -n -1 --max-memory 64KiB zoo.realm Animal twice.ndjson")
        #expect(twice.status == 8, "\(twice.errorText)")
        #expect(twice.errorText.contains("record 40001, line 40001"), "\(twice.errorText)")
        #expect(count == "0\n")
        #expect(lab.shell("$W -1 --max-memory 64KiB zoo.realm Animal in.ndjson").status == 0)
        #expect(lab.shell("$Q -c zoo.realm Animal 'mother.id == 39999'").text == "40000\n")
    }

    /// The records of a large transaction are spilled, so that it can be written again without a
    /// record that is rejected at its end.
    @Test(arguments: ["ndjson", "json", "csv"]) func recordsOfLargeTransactionsAreSpilled(
        _ format: String
    ) {
        var lines: [String] = []
        let padding = String(repeating: "x", count: 400)
        for i in 0..<12_000 {
            // One record has a key that is already taken, another a mother that does not exist.
            let mother = i == 3 ? 77_777 : i % 2 == 0 ? 11_999 : 1
            let id = i == 11_000 ? 5 : i
            lines.append(
                format == "csv"
                    ? "\(id),\(padding),1,\(mother)"
                    : "{\"id\":\(id),\"name\":\"\(padding)\",\"weight\":1,\"mother\":\(mother)}")
        }
        switch format {
        case "csv": lines.insert("id,name,weight,mother", at: 0)
        case "json": lines = ["[" + lines.joined(separator: ",") + "]"]
        default: break
        }
        lab.write("in", lines.joined(separator: "\n") + "\n")
        let result = lab.shell(
            "$W -i \(format) --on-error skip --rejects bad --max-memory 64KiB "
                + "--commit-records 20000 --commit-bytes 1GiB --commit-interval 1h zoo.realm Animal in"
        )
        #expect(result.status == 8, "\(result.errorText)")
        #expect(result.errorText.contains("12000 records: 11998 inserted, 2 rejected"))
        #expect(count == "11998\n")
        #expect(lab.shell("$Q -c zoo.realm Animal 'mother.id == 11999'").text == "5999\n")
    }

    @Test func progressIsPrinted() {
        makeInput(10)
        let result = lab.shell(
            "(cat in.ndjson; sleep 5.5; seq -f '{\"id\":1%g,\"weight\":1}' 10 999) | "
                + "$W --progress always zoo.realm Animal")
        #expect(result.status == 0)
        #expect(result.errorText.contains("/s"), "\(result.errorText)")
    }

    /// Maximum sizes in the reference library (object format 3.5): a string includes a terminating
    /// zero.
    @Test(arguments: [("data", 16_777_200), ("string", 16_777_199), ("mixed", 16_777_199)])
    func valuesHaveMaximumSizes(_ type: String, _ largest: Int) {
        lab.write("s.txt", "class A\n  a \(type)\n")
        for (count, status) in [(largest, Int32(0)), (largest + 1, 8)] {
            let text =
                "head -c \(count) /dev/zero | "
                + (type == "string" ? "tr '\\0' x" : "base64 -w0")
            let (start, end) =
                type == "mixed"
                ? (#"{"$binary":{"base64":""#, #"","subType":"00"}}"#) : ("\"", "\"")
            let run = lab.shell(
                """
                rm -rf a.realm*; set -o pipefail
                (printf '%s' '{"a":\(start)'; \(text); printf '%s\\n' '\(end)}') > in.ndjson
                $W -q --create --schema-file s.txt a.realm A in.ndjson
                """)
            #expect(run.status == status, "\(count): \(run.errorText.prefix(300))")
        }
    }
}
