import RealmEngine
import Testing

@testable import ToolKit

/// Every workload, tiny, on files other programs wrote; no word about speed.
@Suite struct BenchToolTests {
    private static let fixtures = [
        "query/anyval", "query/bags", "query/orders", "query/places", "query/social",
        "query/text", "query/types", "objects/all-types-2-compacted",
    ]

    private static func path(_ name: String) -> String {
        "\(packageRoot)/Tests/Fixtures/\(name).realm"
    }

    private static let readers = WorkloadKind.allCases.filter { !$0.needsPeople }
    private static let queries = WorkloadKind.allCases.filter {
        $0.needsPeople && !$0.plan.writes
    }
    private static let writers = WorkloadKind.allCases.filter(\.plan.writes)

    @Test(arguments: fixtures)
    func everyWorkloadFindsTheSameInEveryRun(fixture: String) throws {
        var setting = BenchSetting(file: Self.path(fixture))
        setting.num = 50
        setting.runs = 3
        setting.warmup = .zero
        setting.threads = 2
        let runner = BenchRunner(setting: setting, workloads: Self.readers.map(\.plan))
        let results = try runner.run()
        #expect(results.map(\.name) == Self.readers.map(\.rawValue))
        for result in results {
            #expect(result.runs.count == 3)
            #expect(result.runs.allSatisfy { $0.operations > 0 && $0.elapsed > 0 })
            let total = result.runs.reduce(0) { $0 + $1.operations }
            #expect(result.latencies.count == (result.name == "export" ? 0 : UInt64(total)))
        }
    }

    /// Each checks what it found by slower means.
    @Test func everyQueryOfPeopleIsRight() throws {
        let directory = ScratchDirectory()
        var setting = tiny(directory)
        setting.num = 700
        let scratch = try ScratchFile(setting, name: "queries")
        let people = try PeopleDatabase(path: scratch.path, setting)
        try people.fill(setting)
        try people.addIndexes()
        setting.file = scratch.path
        setting.num = 2
        let runner = BenchRunner(setting: setting, workloads: Self.queries.map(\.plan))
        let results = try runner.run()
        #expect(results.map(\.name) == Self.queries.map(\.rawValue))
        #expect(results.allSatisfy { $0.runs.count == 2 && $0.runs[0].operations > 0 })
    }

    @Test func queriesOfPeopleDoNotGoWithAFile() {
        let result = ToolProcess.run(
            "realm-bench", ["--file", Self.path("query/social"), "sort-limit"])
        #expect(result.status == 2)
    }

    @Test func theSeedChoosesTheObjects() throws {
        func sum(_ seed: UInt64) throws -> UInt64 {
            var setting = BenchSetting(file: Self.path("query/social"))
            setting.num = 20
            setting.seed = seed
            let workload = try ReadRandomWorkload(setting)
            try workload.setUp()
            var meter = Meter()
            try workload.run(&meter)
            return try workload.finish(meter).checksum
        }
        #expect(try sum(1) == sum(1))
        #expect(try sum(1) != sum(2))
    }

    @Test func warmingUpHappensAtLeastOnceAndEnds() throws {
        var setting = BenchSetting(file: Self.path("query/orders"))
        setting.num = 1
        setting.runs = 1
        setting.warmup = .milliseconds(1)
        var done: [Int] = []
        var runner = BenchRunner(
            setting: setting, workloads: [WorkloadKind.open.plan, WorkloadKind.readseq.plan])
        runner.progress = { done.append($0) }
        #expect(try runner.run().count == 2)
        #expect(done == [0, 1])
    }

    @Test func queriesAreCountedAndListed() throws {
        var setting = BenchSetting(file: Self.path("query/social"))
        setting.num = 3
        setting.runs = 2
        setting.warmup = .zero
        let snapshot = try Database(immutable: setting.file).snapshot()
        let info = try #require(snapshot.schema.classes.first)
        let plans = try QueryUnderTest(info.className + ":").plans(number: 1)
        #expect(plans.map(\.name) == ["query-1-count", "query-1-rows"])
        for plan in plans {
            let workload = try plan.make(setting)
            try workload.setUp()
            var meter = Meter()
            try workload.run(&meter)
            #expect(try workload.finish(meter).objects == snapshot.table(info).count())
            #expect(meter.operations <= 3 && meter.operations > 0)
        }
        let results = try BenchRunner(setting: setting, workloads: plans).run()
        #expect(results.allSatisfy { $0.query == info.className + ":TRUEPREDICATE" })
    }

    @Test(arguments: ["Person", ":age > 1", "Nobody:age > 1", "Person:age >", "Person:nothing > 1"])
    func wrongQueriesAreUsageErrors(query: String) {
        let result = ToolProcess.run(
            "realm-bench", ["--file", Self.path("query/social"), "--query", query])
        #expect(result.status == 2, "\(result.errorText)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: ["text", "json", "csv"])
    func theToolPrintsEveryForm(format: String) {
        let options = "--file '\(Self.path("query/orders"))' -r 2 -N 5 --warmup 1ms -q -f \(format)"
        let result = ToolProcess.shell("\"$TOOL\" \(options)", tool: "realm-bench")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.errors.isEmpty)
        for kind in Self.readers { #expect(result.text.contains(kind.rawValue)) }
        let full = ToolProcess.shell("\"$TOOL\" \(options) > /dev/full", tool: "realm-bench")
        #expect(full.status == 9)
    }

    @Test func aDebugBuildIsSaid() {
        let result = ToolProcess.run(
            "realm-bench",
            ["--file", Self.path("query/orders"), "-r", "1", "-N", "1", "--warmup", "0s", "open"])
        #expect(result.status == 0)
        #expect(result.errorText.contains("warning: this is a debug build"))
        #expect(!result.text.contains("readseq"))
    }

    @Test func wrongCallsAreRefused() {
        let scratch = ScratchDirectory()
        let noise = scratch.write("noise.realm", [UInt8](repeating: 7, count: 4096))
        let none = scratch.file("none.realm")
        let cases: [([String], Int32)] = [
            (["readbackwards"], 2), (["--file", none, "fillseq"], 2), (["--file", none], 3),
            (["--file", noise], 3), (["--value-size", "17MiB", "open"], 2),
            (["--file", noise, "--dir", scratch.path], 2),
            (["--dir", scratch.file("none"), "fillseq"], 3),
            (["--file", Self.path("query/orders"), "-r", "0"], 2),
        ]
        for (arguments, status) in cases {
            let result = ToolProcess.run("realm-bench", arguments)
            #expect(result.status == status, "\(arguments): \(result.errorText)")
            #expect(result.output.isEmpty)
        }
        #expect(scratch.entries == ["noise.realm"])
    }

    @Test func theListNamesEveryWorkload() {
        let result = ToolProcess.run("realm-bench", ["--list"])
        #expect(result.status == 0)
        let lines = result.text.split(separator: "\n")
        let names = lines.map { String($0.split(separator: " ")[0]) }
        #expect(names == WorkloadKind.allCases.map(\.rawValue))
    }

    // MARK: Writing

    private func tiny(_ directory: ScratchDirectory) -> BenchSetting {
        var setting = BenchSetting()
        setting.isGenerated = true
        setting.directory = directory.path
        setting.num = 300
        setting.batch = 70
        setting.runs = 2
        setting.warmup = .zero
        setting.isDurable = false
        return setting
    }

    @Test(arguments: writers)
    func everyWriterStoresTheSameInEveryRun(kind: WorkloadKind) throws {
        let scratch = ScratchDirectory()
        var setting = tiny(scratch)
        setting.valueSize = 20
        setting.warmup = .milliseconds(1)
        let results = try BenchRunner(setting: setting, workloads: [kind.plan]).run()
        let result = try #require(results.first)
        #expect(result.runs.count == 2 && result.writes)
        let operations = kind == .fillsync ? 3 : 300
        #expect(result.runs.allSatisfy { $0.operations == operations })
        let commits = [.fillsync: 3, .fillbatch: 1, .createIndex: 1][kind] ?? 5
        #expect(result.storage(\.commits) == commits)
        #expect(result.storage(\.syncs) == 0)
        #expect(result.storage(\.bytesWritten) > 0)
        #expect((result.writeAmplification == nil) == (kind == .createIndex))
        #expect(scratch.entries.isEmpty, "what was generated is removed")
    }

    @Test func durableCommitsAreSyncedTwice() throws {
        let scratch = ScratchDirectory()
        var setting = tiny(scratch)
        setting.isDurable = true
        setting.runs = 1
        let plan = WorkloadKind.fillbatch.plan
        let result = try #require(
            try BenchRunner(setting: setting, workloads: [plan]).run().first)
        #expect(result.storage(\.syncs) == 2)
        #expect(result.syncTimes.count == 1)
    }

    @Test(arguments: writers)
    func theSameSeedMakesTheSameFile(kind: WorkloadKind) throws {
        func file(_ seed: UInt64) throws -> [UInt8] {
            let scratch = ScratchDirectory()
            var setting = tiny(scratch)
            setting.runs = 1
            setting.seed = seed
            setting.keepsFiles = true
            _ = try BenchRunner(setting: setting, workloads: [kind.plan]).run()
            let name = try #require(scratch.entries.first)
            #expect(scratch.entries.count == 1)
            return try #require(contents(of: scratch.file(name)))
        }
        let first = try file(1)
        #expect(try file(1) == first)
        if kind != .deleteseq, kind != .deleterandom { #expect(try file(2) != first) }
    }

    @Test func readersWorkOnGeneratedPeopleToo() {
        let scratch = ScratchDirectory()
        let result = ToolProcess.run(
            "realm-bench",
            [
                "--dir", scratch.path, "-N", "400", "-r", "1", "--warmup", "0s", "--json", "-q",
                "--durability", "unsafe", "open", "readseq", "readrandom", "export", "churn",
            ])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains(#""workload":"readseq","ops""#))
        #expect(result.text.contains(#""operations":1400,"#))
        #expect(result.text.contains(#""durability":"unsafe""#))
        #expect(scratch.entries.isEmpty)
    }
}
