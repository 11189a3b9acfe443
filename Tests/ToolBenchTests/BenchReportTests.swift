import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// The three forms of a report on given figures.
@Suite struct BenchReportTests {
    private func report() -> BenchReport {
        var stamp = EnvironmentStamp(path: "/")
        stamp.version = "1.2.3"
        stamp.build = "release"
        stamp.identity = "7a0d6f8"
        stamp.processor = "Some \"Fast\" Processor With A Long Name @ 3.00GHz"
        stamp.processorCount = 2
        stamp.kernel = "6.1.0"
        stamp.fileSystem = "ext4"
        stamp.governor = nil
        stamp.load = 0.25
        var setting = BenchSetting(file: "mail.realm")
        setting.runs = 3
        var timed = WorkloadResult(name: "readrandom")
        for elapsed in [1_000_000, 2_000_000, 1_250_000] as [UInt64] {
            var meter = Meter()
            meter.record(900, times: 990)
            meter.record(12_345, times: 10)
            timed.add(figures(1000, elapsed), meter)
        }
        var untimed = WorkloadResult(name: "export")
        untimed.add(figures(500, 250_000_000), Meter())
        return BenchReport(
            stamp: stamp, setting: setting, fileSize: 12 << 20, results: [timed, untimed])
    }

    private func figures(_ operations: Int, _ elapsed: UInt64) -> RunStatistics {
        var usage = ResourceUsage()
        usage.userNanoseconds = 700_000
        usage.systemNanoseconds = 14_000_000
        usage.minorFaults = 42
        usage.bytesWritten = nil
        return RunStatistics(
            operations: operations, elapsed: elapsed, usage: usage, peakMemory: 3 << 20)
    }

    private func text(_ format: OutputFormat) -> String {
        var buffer = ByteBuffer()
        report().append(format, to: &buffer)
        return buffer.string
    }

    @Test func textFitsEightyColumns() {
        let expected = """
            realm-bench 1.2.3  engine 7a0d6f8  release
            2 x Some "Fast" Processor With A Long Name @ 3.00GHz  Linux 6.1.0  ext4
            mail.realm 12.0 MiB  3 runs  seed 1  1 thread  cache=warm

            WORKLOAD     OPS/S      ±     P50     P99  P99.9    MAX
            readrandom  800000  31.3%  900 ns  900 ns  12 us  12 us
            export        2000      -       -       -      -      -

            WORKLOAD     OPS    USER  SYSTEM  CPU/OP   MEMORY  FAULTS
            readrandom  1000  700 us   14 ms   15 us  3.0 MiB      42
            export       500  700 us   14 ms   29 us  3.0 MiB      42

            """
        #expect(text(.text) == expected)
        for line in text(.text).split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func longNamesArePrintedOnASeparateLine() {
        var result = WorkloadResult(name: "core-query-timestamp-greater-over-links")
        result.add(figures(1000, 1_000_000), Meter())
        let report = BenchReport(
            stamp: EnvironmentStamp(path: "/"), setting: BenchSetting(file: "a.realm"),
            fileSize: 0, results: [result])
        var buffer = ByteBuffer()
        report.append(.text, to: &buffer)
        let lines = buffer.string.split(separator: "\n")
        let names = lines.indices.filter { lines[$0] == "core-query-timestamp-greater-over-links" }
        #expect(names.count == 2)
        #expect(names.allSatisfy { lines[$0 + 1].hasPrefix("          ") })
        for line in lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test func jsonIsOneLine() {
        let text = text(.json)
        #expect(text.filter { $0 == "\n" }.count == 1 && text.hasSuffix("}\n"))
        #expect(
            text.hasPrefix(
                #"{"tool":"realm-bench","output":1,"engine":{"version":"1.2.3","id":"7a0d6f8","#
                    + #""build":"release"},"host":{"cpu":"Some \"Fast\" Processor"#))
        #expect(text.contains(#""latency_ns":{"p50":900,"p90":900,"p99":900,"p99.9":12345,"#))
        #expect(
            text.contains(
                #""runs":[1000000.0,500000.0,800000.0],"perRun":{"p99_ns":[900,900,900],"#
                    + #""cpuPerOp_ns":[14700.0,14700.0,14700.0]}}"#))
        let untimed = [
            #"{"workload":"export","ops":2000.0,"ci95":null,"noise":null,"operations":500,"#,
            #""elapsed_ns":250000000,"latency_ns":null,"fsyncs":0,"commits":0,"bytesWritten":0,"#,
            #""logicalBytes":0,"writeAmp":null,"kernelBytesWritten":null,"#,
            #""rssPeakBytes":3145728,"rssPeak":3145728,"#,
            #""cpu":{"user_ns":700000,"sys_ns":14000000},"faults":{"major":0,"minor":42},"#,
            #""runs":[2000.0],"perRun":{"cpuPerOp_ns":[29400.0]}}"#,
        ]
        #expect(text.contains(untimed.joined()))
    }

    @Test func csvHasOneLinePerWorkload() {
        let lines = text(.csv).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[3].isEmpty)
        let fields = lines.dropLast().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).count
        }
        #expect(Set(fields).count == 1)
        #expect(lines[0].hasPrefix("workload,ops,ci95_low,ci95_high,noise,operations,"))
        #expect(lines[1].hasPrefix("readrandom,800000.0,"))
        #expect(
            lines[2]
                == "export,2000.0,,,,500,250000000,,,,,,,3145728,700000,14000000,0,42,1,,,,,,,,,,,,,,,,,,,"
        )
    }

    @Test func noisyRunsGiveAWarning() {
        #expect(report().warnings.count == 1)
        #expect(report().warnings[0].hasPrefix("readrandom: the runs differ by 31.3%"))
    }

    /// Noisy measurements are saved and marked as noisy, and comparisons with them warn.
    @Test func noisyRunsAreSavedAndMarked() throws {
        let scratch = ScratchDirectory()
        let path = scratch.file("main.json")
        let command = try OptionParser.parse(
            BenchTable.table,
            ["--save", path, "--force", "--output", scratch.file("report"), "readrandom"])
        try BenchOutputs(command).write(report(), nil, nil)
        let saved = String(decoding: try #require(contents(of: path)), as: UTF8.self)
        #expect(saved.contains(#","noisy":["readrandom"],"#))
        let result = ToolProcess.run("realm-bench", ["--compare", path, path])
        #expect(result.status == 0)
        #expect(
            result.errorText.contains("\(path) is noisy: the runs of readrandom differ by 31.3%"))
        let json = ToolProcess.run("realm-bench", ["--compare", path, path, "--json", "-q"])
        #expect(json.text.contains(#","noisyBaseline":["readrandom"],"#) && json.errors.isEmpty)
    }

    @Test func unsuitableEnvironmentsGiveAWarning() {
        var stamp = EnvironmentStamp(path: "/")
        (stamp.build, stamp.fileSystem, stamp.load, stamp.processorCount) = ("debug", "tmpfs", 3, 2)
        #expect(stamp.warnings.count == 3)
        (stamp.build, stamp.fileSystem, stamp.load) = ("release", "ext4", 0.5)
        #expect(stamp.warnings.isEmpty)
        #expect(EnvironmentStamp(path: "/proc/self/status").fileSystem == "proc")
        #expect(EnvironmentStamp(path: "/nowhere").fileSystem == "unknown")
    }

    @Test func quantitiesArePrintedWithUnits() {
        let times: [(Int, String)] = [
            (0, "0 ns"), (999, "999 ns"), (1000, "1.0 us"), (9949, "9.9 us"), (9951, "10 us"),
            (88_400, "88 us"), (999_499, "999 us"), (999_500, "1.0 ms"), (5_300_000, "5.3 ms"),
            (14_000_000, "14 ms"), (2_300_000_000, "2.3 s"), (.max, "1000000.0 h"),
        ]
        for (time, expected) in times { #expect(Quantity.latency(time) == expected) }
        let rates: [(Double, String)] = [
            (0, "0.0"), (12.34, "12.3"), (1910.4, "1910"), (148_012, "148000"),
            (1_893_456, "1893000"), (99_996, "100000"),
        ]
        for (rate, expected) in rates { #expect(Quantity.rate(rate) == expected) }
    }

    @Test func resourcesAreCounted() {
        let before = ResourceUsage.now
        let pages = [UInt8](repeating: 1, count: 32 << 20)
        #expect(pages.reduce(0) { $0 &+ Int($1) } == 32 << 20)
        let used = ResourceUsage.now.since(before)
        #expect(used.userNanoseconds + used.systemNanoseconds > 0)
        #expect(used.minorFaults > 0)
    }

    /// Runs in a separate process, in which no other test frees memory at the same time.
    @Test func peakMemoryIsCounted() async {
        await #expect(processExitsWith: .success) {
            PeakMemory.reset()
            let low = PeakMemory.bytes
            let pages = [UInt8](repeating: 1, count: 32 << 20)
            try #require(pages.reduce(0) { $0 &+ Int($1) } == 32 << 20)
            try #require(PeakMemory.bytes >= low + 24 << 20)
        }
    }
}
