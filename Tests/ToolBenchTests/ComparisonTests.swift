import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// Verdicts of comparisons, and their effect on the tool.
@Suite struct ComparisonTests {
    private let steady: [Double] = [1000, 1010, 990, 1005, 995]

    private func verdict(
        _ new: [Double], against old: [Double]? = nil, _ metric: GateMetric = .ops,
        limit: Double = 0.05
    ) -> Verdict {
        Verdict(old: old ?? steady, new: new, metric: metric, limit: limit)
    }

    @Test func clearChangesAreReported() {
        #expect(verdict(steady.map { $0 / 1.3 }) == .regression)
        #expect(verdict(steady.map { $0 * 1.3 }) == .better)
        #expect(verdict(steady.map { $0 * 1.3 }, .p99) == .regression)
        #expect(verdict(steady.map { $0 / 1.3 }, .p99) == .better)
    }

    @Test func changesWithinTheLimitAreIgnored() {
        #expect(verdict(steady.map { $0 * 0.96 }) == .same)
        #expect(verdict(steady) == .same)
    }

    @Test func overlappingRunsAreTheSame() {
        #expect(verdict([930, 940, 920, 935, 996]) == .same)
    }

    @Test func noisyRunsHaveNoVerdict() {
        let wild: [Double] = [1500, 1000, 1900, 1200, 2000]
        #expect(verdict(wild.map { $0 * 1.1 }) == .noisy)
        #expect(verdict([900, 600, 800, 980, 700]) == .noisy)
        // Even the best of these runs is far beyond the limit.
        #expect(verdict([300, 400, 200, 500, 350]) == .regression)
        #expect(verdict([3000, 4000, 2000, 5000, 3500]) == .noisy)
    }

    @Test func oneRunGivesNoVerdictOnTimes() {
        #expect(verdict([500], against: [1000]) == .single)
        #expect(verdict([1001], against: [1000]) == .same)
        #expect(verdict([500], against: [400], .bytes, limit: 0.02) == .regression)
    }

    @Test func countsAreComparedExactly() {
        #expect(verdict([201], against: [200], .fsyncs, limit: 0) == .regression)
        #expect(verdict([200], against: [200], .fsyncs, limit: 0) == .same)
        #expect(verdict([1], against: [0], .fsyncs, limit: 0) == .regression)
        #expect(verdict([0], against: [0], .bytes, limit: 0.02) == .same)
        #expect(verdict([100], against: [200], .size, limit: 0.02) == .better)
    }

    /// Two samples of the same distribution: counts false alarms.
    @Test func repeatedRunsOfOneBuildPass() {
        var random = SplitMix64(seed: 11)
        func run() -> Double { 1000 + Double(random.below(81)) - 40 }
        var called = 0
        for _ in 0..<1000 {
            let (old, new) = ((0..<5).map { _ in run() }, (0..<5).map { _ in run() })
            if verdict(new, against: old) == .regression { called += 1 }
        }
        #expect(called <= 2, "seed 11: \(called) of 1000")
    }

    @Test func gatesAreParsed() {
        #expect(
            Gate(Gate.usual)?.limits == [
                .ops: 0.05, .p99: 0.1, .bytes: 0.02, .fsyncs: 0, .size: 0.02,
            ])
        #expect(Gate("cpu=15%")?.limits == [.cpu: 0.15])
        #expect(Gate("p99=12.5%")?.limits == [.p99: 0.125])
        for text in ["", "ops", "ops=5", "ops=5%,", "ops=5%,ops=4%", "speed=5%", "ops=-5%"] {
            #expect(Gate(text) == nil, "\(text)")
        }
    }

    // MARK: The tool

    private let scratch = ScratchDirectory()

    /// Saves a result of one workload with the given runs.
    private func save(
        _ name: String, ops: [Double], cpu: String = "Fast", fsyncs: Int = 200
    ) -> String {
        let runs = ops.map { "\($0)" }.joined(separator: ",")
        let syncs = ops.map { _ in "\(fsyncs)" }.joined(separator: ",")
        let text =
            #"{"tool":"realm-bench","output":1,"engine":{"version":"1","commit":null,"#
            + #""build":"release"},"host":{"cpu":"\#(cpu)","load":0.1},"config":{"num":100},"#
            + #""results":[{"workload":"fillbatch","ops":1,"latency_ns":{"p50":1,"p90":2},"#
            + #""runs":[\#(runs)],"perRun":{"fsyncs":[\#(syncs)]}}]}"#
        return scratch.write(name, Array(text.utf8))
    }

    private func compare(_ arguments: String...) -> ToolProcess {
        ToolProcess.run("realm-bench", ["--compare"] + arguments)
    }

    @Test func twoSavedResultsAreCompared() {
        let old = save("old.json", ops: steady)
        let slow = save("slow.json", ops: steady.map { $0 / 1.3 }, fsyncs: 201)
        let worse = compare(old, slow)
        #expect(worse.status == 1, "\(worse.errorText)")
        let expected = """
            WORKLOAD   METRIC   OLD     NEW  CHANGE  VERDICT
            fillbatch  ops/s   1000   769.2  -23.1%  REGRESSION (limit 5%, intervals apart)
            fillbatch  fsync  200.0   201.0   +0.5%  REGRESSION (limit 0%)
            2 regressions

            """
        let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
        #expect(words(worse.text).count == words(expected).count, "\(worse.text)")
        #expect(worse.text.contains("REGRESSION (limit 5%, intervals apart)"))
        #expect(worse.text.hasSuffix("2 regressions\n"))
        #expect(compare(old, old).status == 0)
        #expect(compare(slow, old).status == 0)
        #expect(compare(old, slow, "--gate", "size=2%").status == 0)
        #expect(compare(old, slow, "--gate", "fsyncs=1%").status == 0)
        #expect(compare(old, slow, "--json").text.contains(#""regressions":2}"#))
        let csv = compare(old, slow, "-f", "csv").text
        #expect(csv.contains("fillbatch,ops,1000.0,769.2,0.0100,0.0500,regression\n"))
    }

    @Test func differentMachinesAreNotCompared() {
        let old = save("old.json", ops: steady)
        let other = save("other.json", ops: steady, cpu: "Slow")
        let refused = compare(old, other)
        #expect(refused.status == 2)
        #expect(refused.errorText.contains(#"host.cpu: "Fast", now "Slow""#))
        let allowed = compare(old, other, "--allow-different-machine")
        #expect(allowed.status == 0)
        #expect(allowed.text.contains("differs: host.cpu"))
    }

    @Test func filesThatAreNoResultsAreRefused() {
        let old = save("old.json", ops: steady)
        let texts = [
            "", "{", "[]", "{}", #"{"tool":"realm-bench","output":1}"#,
            #"{"tool":"realm-bench","output":1,"results":[{}]}"#,
            #"{"tool":"realm-bench","output":1,"results":[{"workload":"a","runs":[]}]}"#,
            #"{"tool":"realm-bench","output":1,"results":[{"workload":"a","runs":["x"]}]}"#,
        ]
        for text in texts {
            let path = scratch.write("bad.json", Array(text.utf8))
            let result = compare(old, path)
            #expect(result.status == 3, "\(text): \(result.errorText)")
            #expect(result.output.isEmpty)
        }
        #expect(compare(old, scratch.file("none.json")).status == 3)
        #expect(compare(old).status == 2)
    }

    /// Counts are equal in every run, so this test also passes on a busy machine.
    @Test func theGateAcceptsTheSameBuildAndRefusesASlowerOne() {
        let saved = scratch.file("base.json")
        let options =
            "--dir '\(scratch.path)' -N 300 -r 3 --warmup 0s -q --durability unsafe fillbatch"
        let save = ToolProcess.shell(
            "\"$TOOL\" \(options) --save '\(saved)' --force", tool: "realm-bench")
        #expect(save.status == 0, "\(save.errorText)")
        let counts = "--gate bytes=2%,fsyncs=0,size=2%"
        let again = ToolProcess.shell(
            "\"$TOOL\" \(options) -b '\(saved)' \(counts)", tool: "realm-bench")
        #expect(again.status == 0, "\(again.text)\(again.errorText)")
        let slow = ToolProcess.shell(
            "\"$TOOL\" \(options) -b '\(saved)' --gate ops=30% --inject slow=2000%",
            tool: "realm-bench")
        #expect(slow.status == 1, "\(slow.text)\(slow.errorText)")
        let more = ToolProcess.shell(
            "\"$TOOL\" \(options) --batch 5 -b '\(saved)' \(counts)", tool: "realm-bench")
        #expect(more.status == 2, "other settings: \(more.text)\(more.errorText)")
        let refused = ToolProcess.shell(
            "\"$TOOL\" \(options) --save '\(scratch.file("new.json"))'", tool: "realm-bench")
        #expect(refused.status == 2, "a debug build is not saved")
    }
}
