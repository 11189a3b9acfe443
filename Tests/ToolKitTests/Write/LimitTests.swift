import Testing

@testable import ToolKit

/// Limits of the system and of memory, through the tool.
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

    /// A file that cannot grow: what was committed stays, the exit status says why.
    @Test func noMoreSpace() {
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

    @Test func noMoreSpaceForOneTransaction() {
        makeInput(5000)
        let result = lab.shell(
            "trap '' XFSZ; ulimit -f 200; $W -1 --max-memory 64KiB zoo.realm Animal in.ndjson")
        #expect(result.status == 9, "\(result.errorText)")
        #expect(count == "0\n")
        #expect(lab.shell("$W -1 zoo.realm Animal in.ndjson").status == 0)
        #expect(count == "5000\n")
    }

    @Test func outputThatIsFull() {
        let result = lab.shell(
            #"echo '{"id":1,"weight":2}' | $W --ack zoo.realm Animal > /dev/full"#)
        #expect(result.status == 9, "\(result.errorText)")
        let rejects = lab.shell(
            #"echo '{"id":"x"}' | $W --on-error skip --rejects /dev/full zoo.realm Animal"#)
        #expect(rejects.status == 9, "\(rejects.errorText)")
    }

    /// Whether a transaction is written ahead of its commit does not show.
    @Test func littleMemory() {
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

    /// Links whose targets come last wait in a temporary file, and a rehearsal keeps its nodes in one.
    @Test func littleMemoryForWhatWaits() {
        var text = ""
        for i in 0..<40_000 {
            text += "{\"id\":\(i),\"name\":\"animal \(i)\",\"weight\":1,\"mother\":39999}\n"
        }
        lab.write("in.ndjson", text)
        lab.write("twice.ndjson", text + "{\"id\":7,\"weight\":1}\n")
        let rehearsed = lab.shell("$W -n -1 --max-memory 64KiB zoo.realm Animal in.ndjson")
        #expect(rehearsed.status == 0, "\(rehearsed.errorText)")
        #expect(rehearsed.errorText.contains("would write 40000 records: 40000 inserted"))
        // The rehearsal still knows what it put aside.
        let twice = lab.shell("$W -n -1 --max-memory 64KiB zoo.realm Animal twice.ndjson")
        #expect(twice.status == 8, "\(twice.errorText)")
        #expect(twice.errorText.contains("record 40001, line 40001"), "\(twice.errorText)")
        #expect(count == "0\n")
        #expect(lab.shell("$W -1 --max-memory 64KiB zoo.realm Animal in.ndjson").status == 0)
        #expect(lab.shell("$Q -c zoo.realm Animal 'mother.id == 39999'").text == "40000\n")
    }

    @Test func progressLines() {
        makeInput(10)
        let result = lab.shell(
            "(cat in.ndjson; sleep 5.5; seq -f '{\"id\":1%g,\"weight\":1}' 10 999) | "
                + "$W --progress always zoo.realm Animal")
        #expect(result.status == 0)
        #expect(result.errorText.contains("/s"), "\(result.errorText)")
    }
}
