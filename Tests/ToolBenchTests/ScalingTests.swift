import RealmEngine
import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// `--scaling`: exponents of given figures, and every bulk operation at tiny sizes. Speed is not
/// tested.
@Suite struct ScalingTests {
    private func point(
        _ num: Int, cpu: Int, file: Int? = nil, live: Int? = nil
    ) -> ScalingPoint {
        var usage = ResourceUsage()
        (usage.userNanoseconds, usage.systemNanoseconds) = (cpu - cpu / 4, cpu / 4)
        var figures = RunStatistics(operations: num, elapsed: 1, usage: usage, peakMemory: 3 << 20)
        if let file {
            var storage = StorageStatistics()
            (storage.sizeAtEnd, storage.liveBytes) = (file, live)
            figures.storage = storage
        }
        return ScalingPoint(num: num, runs: [figures])
    }

    private func result(
        _ name: String, cpu: (Int) -> Int, file: (Int) -> Int?
    ) -> ScalingResult {
        ScalingResult(
            name: name,
            points: [100, 200, 400].map {
                point($0, cpu: cpu($0), file: file($0), live: file($0).map { $0 / 2 })
            })
    }

    /// Report on synthetic costs: quadratic, linear and constant.
    private func report(limit: Double? = nil) -> ScalingReport {
        var stamp = EnvironmentStamp(path: "/")
        (stamp.version, stamp.build, stamp.processor) = ("1.2.3", "release", "CPU")
        (stamp.processorCount, stamp.kernel, stamp.fileSystem) = (2, "6.1.0", "ext4")
        return ScalingReport(
            stamp: stamp, setting: BenchSetting(),
            results: [
                result("square", cpu: { 1000 * $0 * $0 }, file: { 4096 * $0 }),
                result("linear", cpu: { 40_000 * $0 }, file: { $0 * $0 * 64 }),
                result("reading", cpu: { _ in 8_000_000 }, file: { _ in nil }),
            ], limit: limit)
    }

    @Test func exponentsMatchKnownMeasurements() throws {
        let results = report().results
        func isNear(_ exponent: Double?, _ expected: Double) -> Bool {
            exponent.map { abs($0 - expected) < 1e-9 } ?? false
        }
        #expect(isNear(results[0].processorExponent, 2) && isNear(results[0].fileExponent, 1))
        #expect(isNear(results[1].processorExponent, 1) && isNear(results[1].fileExponent, 2))
        #expect(isNear(results[2].processorExponent, 0) && results[2].fileExponent == nil)
        #expect(results[0].exponent(at: 0, of: \.processorTime) == nil)
        #expect(isNear(results[0].exponent(at: 1, of: \.processorTime), 2))
        let (small, large) = (point(10, cpu: 800), point(80, cpu: 100))
        #expect(isNear(large.exponent(since: small, of: \.processorTime), -1))
        // Sizes need not double: the exponent depends on their ratio.
        let eightfold = point(80, cpu: 6400)
        #expect(isNear(eightfold.exponent(since: small, of: \.processorTime), 1))
        #expect(point(80, cpu: 0).exponent(since: small, of: \.processorTime) == nil)
        #expect(large.exponent(since: point(10, cpu: 0), of: \.processorTime) == nil)
        #expect(small.exponent(since: small, of: \.processorTime) == nil)
        #expect(ScalingResult(name: "none").processorExponent == nil)
    }

    @Test func theFastestRunCounts() {
        func run(_ cpu: Int, memory: Int) -> RunStatistics {
            var usage = ResourceUsage()
            usage.userNanoseconds = cpu
            return RunStatistics(operations: 7, elapsed: 1, usage: usage, peakMemory: memory)
        }
        let point = ScalingPoint(
            num: 5, runs: [run(30, memory: 1), run(20, memory: 2), run(40, memory: 9)])
        #expect(point.processorTime == 20 && point.runs == 3 && point.operations == 7)
        #expect(point.peakMemory == 9 && point.fileBytes == nil)
    }

    @Test func exponentsAboveTheLimitAreReported() {
        func excesses(_ limit: Double?) -> [String] {
            report(limit: limit).excesses.map { "\($0.result.name) \($0.what)" }
        }
        #expect(excesses(nil).isEmpty)
        #expect(excesses(2.01).isEmpty)
        #expect(excesses(1.99) == ["square CPU", "linear file"])
        #expect(excesses(0.5) == ["square CPU", "square file", "linear CPU", "linear file"])
    }

    // MARK: Forms

    private func text(_ format: OutputFormat) -> String {
        var buffer = ByteBuffer()
        report(limit: 1.15).append(format, to: &buffer)
        return buffer.string
    }

    @Test func textHasExponents() {
        let expected = """
            realm-bench 1.2.3  release  2 x CPU  Linux 6.1.0  ext4  seed 1

            CPU OF      100     200     400     E   MEMORY
            square    10 ms   40 ms  160 ms  2.00  3.0 MiB
            linear   4.0 ms  8.0 ms   16 ms  1.00  3.0 MiB
            reading  8.0 ms  8.0 ms  8.0 ms  0.00  3.0 MiB

            FILE OF        100        200      400     E       LIVE
            square   400.0 KiB  800.0 KiB  1.6 MiB  1.00  800.0 KiB
            linear   625.0 KiB    2.4 MiB  9.8 MiB  2.00    4.9 MiB

            """
        #expect(text(.text) == expected)
    }

    @Test func csvHasALineForEachSize() {
        let lines = text(.csv).split(separator: "\n")
        #expect(lines.count == 1 + 9)
        #expect(
            lines[0]
                == "workload,num,operations,runs,cpu_ns,user_ns,sys_ns,cpuExponent,fileBytes,"
                + "liveBytes,fileExponent,rssPeakBytes")
        #expect(lines[1] == "square,100,100,1,10000000,7500000,2500000,,409600,204800,,3145728")
        #expect(
            lines[2]
                == "square,200,200,1,40000000,30000000,10000000,2.000,819200,409600,1.000,3145728")
        #expect(lines[9] == "reading,400,400,1,8000000,6000000,2000000,0.000,,,,3145728")
    }

    @Test func jsonContainsEveryMeasurement() {
        let json = text(.json)
        #expect(json.hasPrefix(#"{"tool":"realm-bench","output":1,"engine":{"version":"1.2.3""#))
        #expect(
            json.contains(
                #","failAbove":1.150,"scaling":[{"workload":"square","cpuExponent":2.000,"#
                    + #""fileExponent":1.000,"sizes":[{"num":100,"operations":100,"runs":1,"#
                    + #""cpu_ns":10000000,"user_ns":7500000,"sys_ns":2500000,"cpuExponent":null,"#
                    + #""fileBytes":409600,"liveBytes":204800,"fileExponent":null,"#
                    + #""rssPeakBytes":3145728},{"num":200,"#))
        #expect(json.contains(#"{"workload":"reading","cpuExponent":0.000,"fileExponent":null,"#))
        #expect(json.hasSuffix("}]}]}\n"))
    }

    @Test func roundedNumbersKeepTheirSign() {
        #expect(ScalingReport.text(-0.256, places: 2) == "-0.26")
        #expect(ScalingReport.text(-0.001, places: 2) == "0.00")
        #expect(ScalingReport.text(1.15, places: 3) == "1.150")
    }

    // MARK: Running

    private func tiny(_ scratch: ScratchDirectory) -> BenchSetting {
        var setting = BenchSetting()
        (setting.isGenerated, setting.directory, setting.num) = (true, scratch.path, 40)
        (setting.runs, setting.warmup, setting.isDurable) = (1, .zero, false)
        return setting
    }

    @Test(arguments: BulkOperation.all.map(\.name))
    func everyBulkOperationRunsAtTwoSizes(name: String) throws {
        let scratch = ScratchDirectory()
        let plan = try #require(WorkloadCatalogue.installed.named(name))
        let runner = ScalingRunner(
            setting: tiny(scratch), workloads: [plan], sizes: 2, repeats: false)
        let result = try #require(try runner.run().first)
        #expect(result.name == name && result.points.map(\.num) == [40, 80])
        for point in result.points {
            #expect(point.runs == 1 && point.operations > 0)
            #expect(point.fileBytes ?? 0 > 0 && point.liveBytes ?? 0 > 0)
        }
        #expect(scratch.entries.isEmpty, "what was generated is removed")
    }

    /// An operation that does nothing is detected, because it leaves the wrong number of objects.
    @Test func bulkOperationsAreChecked() throws {
        let names = BulkOperation.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.count <= 20 })
        let scratch = ScratchDirectory()
        let workload = try BulkWorkload(tiny(scratch), name: "delete-linked")
        try workload.setUp()
        #expect(throws: RealmError.self) { try workload.finish(Meter()) }
    }

    /// Read workloads get a generated file of each size.
    @Test func readersAndWritersAreMeasuredTogether() throws {
        let scratch = ScratchDirectory()
        let plans = ["check", "sort", "fillseq"].compactMap(WorkloadCatalogue.installed.named)
        var runner = ScalingRunner(
            setting: tiny(scratch), workloads: plans, sizes: 3, repeats: false)
        var done: [Int] = []
        runner.progress = { done.append($0) }
        let results = try runner.run()
        #expect(results.map(\.name) == ["check", "sort", "fillseq"])
        #expect(done == Array(0..<9))
        // The checked objects include 1000 dogs and the object of the schema.
        #expect(results[0].points.map(\.operations) == [1041, 1081, 1161])
        #expect(results[2].points.map(\.operations) == [40, 80, 160])
        #expect(results.map { $0.points[0].fileBytes == nil } == [true, true, false])
        #expect(scratch.entries.isEmpty)
    }

    @Test(arguments: ["text", "json", "csv"])
    func theToolPrintsEveryFormat(format: String) {
        let scratch = ScratchDirectory()
        let arguments = [
            "--scaling=2", "--dir", scratch.path, "-N", "50", "--durability", "unsafe",
            "--warmup", "0s", "-q", "-f", format, "delete-linked", "churn",
        ]
        let result = ToolProcess.run("realm-bench", arguments)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errorText)")
        for word in ["delete-linked", "churn", "50", "100"] {
            #expect(result.text.contains(word))
        }
        #expect(scratch.entries.isEmpty)
        let script =
            "\"$TOOL\" --scaling=2 -N 20 -q --warmup 0s --dir '\(scratch.path)' unlink > /dev/full"
        #expect(ToolProcess.shell(script, tool: "realm-bench").status == 9)
    }

    /// File sizes decide here; they are the same on every machine.
    @Test func exitStatusOneNamesTheGrowingWorkload() {
        let scratch = ScratchDirectory()
        func run(_ limit: String, _ others: [String] = []) -> ToolProcess {
            ToolProcess.run(
                "realm-bench",
                [
                    "--scaling=2", "--fail-above", limit, "--dir", scratch.path, "-N", "400",
                    "--durability", "unsafe", "--warmup", "0s", "fillbatch",
                ] + others)
        }
        let over = run("0.001")
        #expect(over.status == 1)
        #expect(over.errorText.contains("fillbatch: file grows with the exponent 0."))
        #expect(over.text.contains("FILE OF"))
        #expect(run("0.001", ["-q"]).errors.isEmpty)
        #expect(run("1000000").status == 0)
    }

    @Test func invalidOptionsAreRefused() {
        let file = "\(packageRoot)/Tests/Fixtures/query/orders.realm"
        let cases = [
            ["--fail-above", "1.15", "churn"], ["--scaling", "--fail-above", "x"],
            ["--scaling", "--fail-above", "0"], ["--scaling=1"], ["--scaling=7"],
            ["--scaling", "--file", file], ["--scaling", "--save", "x.json"],
            ["--scaling", "--run-time", "1s"], ["--scaling", "nothing"],
            ["--scaling", "-N", "999999999"],
        ]
        for arguments in cases {
            let result = ToolProcess.run("realm-bench", arguments)
            #expect(result.status == 2, "\(arguments): \(result.errorText)")
            #expect(result.output.isEmpty)
        }
    }
}
