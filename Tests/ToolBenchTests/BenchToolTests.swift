import RealmEngine
import Testing

@testable import CoreTasks
@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// Every workload at a tiny size, on files that other programs wrote. Speed is not tested.
@Suite struct BenchToolTests {
    private static let fixtures = [
        "query/anyval", "query/bags", "query/orders", "query/places", "query/social",
        "query/text", "query/types", "objects/all-types-2-compacted",
    ]

    private static func path(_ name: String) -> String {
        "\(packageRoot)/Tests/Fixtures/\(name).realm"
    }

    private static let readers = WorkloadCatalogue.reading
    private static let writers = WorkloadCatalogue.writing.map(\.name)

    @Test(arguments: fixtures)
    func everyRunOfAWorkloadHasTheSameResult(fixture: String) throws {
        var setting = BenchSetting(file: Self.path(fixture))
        setting.num = 50
        setting.runs = 3
        setting.warmup = .zero
        setting.threads = 2
        let runner = BenchRunner(setting: setting, workloads: Self.readers)
        let results = try runner.run()
        #expect(results.map(\.name) == Self.readers.map(\.name))
        for result in results {
            #expect(result.runs.count == 3)
            #expect(result.runs.allSatisfy { $0.operations > 0 && $0.elapsed > 0 })
            let total = result.runs.reduce(0) { $0 + $1.operations }
            let isTimed = !["export", "check", "compact"].contains(result.name)
            #expect(result.latencies.count == (isTimed ? UInt64(total) : 0), "\(result.name)")
        }
    }

    /// Names of files that do not exist yet are unique, too.
    @Test func scratchFilesHaveUniqueNames() throws {
        let directory = ScratchDirectory()
        let setting = tiny(directory)
        let first = try ScratchFile(setting, name: "same")
        do {
            let second = try ScratchFile(setting, name: "same")
            #expect(first.path != second.path)
            #expect(try ScratchFile(setting, name: "same").path != second.path)
        }
        #expect(try ScratchFile(setting, name: "same").path != first.path)
    }

    /// Each workload checks its result by slower means.
    @Test func queriesOfPeopleHaveCorrectResults() throws {
        let directory = ScratchDirectory()
        var setting = tiny(directory)
        setting.num = 700
        let scratch = try ScratchFile(setting, name: "queries")
        let people = try PeopleDatabase(path: scratch.path, setting)
        try people.fill(setting)
        try people.addIndexes()
        setting.file = scratch.path
        let runner = BenchRunner(setting: setting, workloads: WorkloadCatalogue.queries)
        let results = try runner.run()
        #expect(results.map(\.name) == WorkloadCatalogue.queries.map(\.name))
        for result in results {
            #expect(result.runs.count == 2)
            #expect(result.runs[0].operations == result.runs[1].operations)
        }
    }

    @Test func queriesOfPeopleAreRefusedWithAFile() {
        let result = ToolProcess.run(
            "realm-bench", ["--file", Self.path("query/social"), "sort-limit"])
        #expect(result.status == 2)
    }

    @Test func theSeedDeterminesTheObjects() throws {
        func sum(_ seed: UInt64) throws -> UInt64 {
            var setting = BenchSetting(file: Self.path("query/social"))
            setting.num = 20
            setting.seed = seed
            let workload = ReadRandomWorkload(setting)
            try workload.setUp()
            var meter = Meter()
            try workload.run(&meter)
            return try workload.finish(meter).checksum
        }
        #expect(try sum(1) == sum(1))
        #expect(try sum(1) != sum(2))
    }

    @Test func warmUpRunsAtLeastOnceAndEnds() throws {
        var setting = BenchSetting(file: Self.path("query/orders"))
        setting.num = 1
        setting.runs = 1
        setting.warmup = .milliseconds(1)
        var done: [Int] = []
        var runner = BenchRunner(
            setting: setting, workloads: Array(Self.readers.prefix(2)))
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

    @Test func severalThreadsRunTheSameQuery() throws {
        var setting = BenchSetting(file: Self.path("query/social"))
        (setting.num, setting.runs, setting.readers) = (30, 2, 3)
        setting.warmup = .zero
        let plans = try QueryUnderTest("Person:age > 3 SORT(name ASC)").plans(number: 1)
        let results = try BenchRunner(setting: setting, workloads: plans).run()
        #expect(results.count == 2)
        for result in results {
            #expect(result.runs.allSatisfy { (1...30).contains($0.operations) })
            let total = result.runs.reduce(0) { $0 + $1.operations }
            #expect(result.latencies.count == UInt64(total))
        }
    }

    /// Every writing thread commits through a separate instance; all of them are counted.
    @Test(arguments: [("writewhilereading", 300, 3), ("readwhilewriting", 3000, 3)])
    func severalThreadsWrite(_ name: String, _ objects: Int, _ commits: Int) throws {
        let scratch = ScratchDirectory()
        var setting = tiny(scratch)
        (setting.isDurable, setting.writers, setting.readers) = (true, 3, 2)
        setting.num = objects
        let plan = try #require(WorkloadCatalogue.installed.named(name))
        let result = try #require(
            try BenchRunner(setting: setting, workloads: [plan]).run().first)
        let operations = name == "writewhilereading" ? 10 * commits : objects
        #expect(result.runs.allSatisfy { $0.operations == operations })
        #expect(result.storage(\.commits) == commits)
        #expect(result.storage(\.syncs) == 2 * commits)
        #expect(result.syncTimes.count == UInt64(commits * result.runs.count))
    }

    @Test(arguments: ["Person", ":age > 1", "Nobody:age > 1", "Person:age >", "Person:nothing > 1"])
    func invalidQueriesAreUsageErrors(query: String) {
        let result = ToolProcess.run(
            "realm-bench", ["--file", Self.path("query/social"), "--query", query])
        #expect(result.status == 2, "\(result.errorText)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: ["text", "json", "csv"])
    func theToolPrintsEveryFormat(format: String) {
        let options = "--file '\(Self.path("query/orders"))' -r 2 -N 5 --warmup 1ms -q -f \(format)"
        let result = ToolProcess.shell("\"$TOOL\" \(options)", tool: "realm-bench")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.errors.isEmpty)
        for plan in Self.readers { #expect(result.text.contains(plan.name)) }
        let full = ToolProcess.shell("\"$TOOL\" \(options) > /dev/full", tool: "realm-bench")
        #expect(full.status == 9)
    }

    @Test func aDebugBuildGivesAWarning() {
        let result = ToolProcess.run(
            "realm-bench",
            ["--file", Self.path("query/orders"), "-r", "1", "-N", "1", "--warmup", "0s", "open"])
        #expect(result.status == 0)
        #expect(result.errorText.contains("warning: this is a debug build"))
        #expect(!result.text.contains("readseq"))
    }

    @Test func invalidOptionsAreRefused() {
        let scratch = ScratchDirectory()
        let noise = scratch.write("noise.realm", [UInt8](repeating: 7, count: 4096))
        let none = scratch.file("none.realm")
        let cases: [([String], Int32)] = [
            (["readbackwards"], 2), (["--file", none, "fillseq"], 2), (["--file", none], 3),
            (["--file", noise], 3), (["--value-size", "17MiB", "open"], 2),
            (["--file", noise, "--dir", scratch.path], 2),
            (["--dir", scratch.file("none"), "fillseq"], 3),
            (["--file", Self.path("query/orders"), "-r", "0"], 2),
            (["-K", none, "fillseq"], 2), (["--durability", "memory", "fillseq"], 6),
            (["--durability", "none", "fillseq"], 2),
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
        let sets = WorkloadCatalogue.installed.sets.map(\.rawValue)
        #expect(names == WorkloadCatalogue.installed.all.map(\.name) + sets)
        #expect(Set(names).count == names.count)
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

    /// Runs and checks every workload that creates a file, plain and encrypted.
    @Test(arguments: WorkloadCatalogue.installed.all.filter(\.ownsFile).map(\.name), [false, true])
    func everyWorkloadHasACorrectResultInItsOwnFile(name: String, isEncrypted: Bool) throws {
        let scratch = ScratchDirectory()
        let plan = try #require(WorkloadCatalogue.installed.named(name))
        var setting = tiny(scratch)
        setting.key = isEncrypted ? try .random() : nil
        let results = try BenchRunner(setting: setting, workloads: [plan]).run()
        let result = try #require(results.first)
        #expect(result.runs.count == 2)
        let (a, b) = (result.runs[0], result.runs[1])
        #expect(a.operations > 0 && a.operations == b.operations)
        #expect(a.storage?.commits == b.storage?.commits)
        #expect(a.storage?.liveBytes ?? 1 > 0)
        #expect(scratch.entries.isEmpty, "what was generated is removed")
    }

    @Test(arguments: writers)
    func workOfWritersIsCounted(name: String) throws {
        let scratch = ScratchDirectory()
        var setting = tiny(scratch)
        setting.valueSize = 20
        setting.warmup = .milliseconds(1)
        let plan = try #require(WorkloadCatalogue.installed.named(name))
        let results = try BenchRunner(setting: setting, workloads: [plan]).run()
        let result = try #require(results.first)
        #expect(result.writes)
        let operations = ["fillsync": 3, "empty-commit": 3, "pinned-growth": 60][name] ?? 300
        #expect(result.runs.allSatisfy { $0.operations == operations })
        let commits = [
            "fillsync": 3, "empty-commit": 3, "fillbatch": 1, "create-index": 1,
            "pinned-growth": 9,
        ]
        #expect(result.storage(\.commits) == commits[name] ?? 5)
        #expect(result.storage(\.syncs) == 0)
        #expect(result.storage(\.bytesWritten) > 0)
        #expect(result.storage(\.maximumVersionCount) >= 1)
        let changesNothing = name == "create-index" || name == "empty-commit"
        #expect((result.writeAmplification == nil) == changesNothing)
        #expect(try #require(result.spaceAmplification) >= 1)
        #expect((result.storage(\.pinnedBytes) > 0) == (name == "pinned-growth"))
        #expect(scratch.entries.isEmpty, "what was generated is removed")
    }

    @Test func durableCommitsAreSyncedTwice() throws {
        let scratch = ScratchDirectory()
        var setting = tiny(scratch)
        setting.isDurable = true
        setting.runs = 1
        let plan = try #require(WorkloadCatalogue.installed.named("fillbatch"))
        let result = try #require(
            try BenchRunner(setting: setting, workloads: [plan]).run().first)
        #expect(result.storage(\.syncs) == 2)
        #expect(result.syncTimes.count == 1)
    }

    /// Acceptance: every workload with one thread writes the same bytes for the same seed.
    @Test(
        arguments: (WorkloadCatalogue.writing + WorkloadCatalogue.yahoo).map(\.name)
            + ["core-insert", "core-set-string"])
    func theSameSeedMakesTheSameFile(name: String) throws {
        let plan = try #require(CoreBench.catalogue.named(name))
        func file(_ seed: UInt64) throws -> [UInt8] {
            let scratch = ScratchDirectory()
            var setting = tiny(scratch)
            setting.num = 100
            setting.runs = 1
            setting.seed = seed
            setting.keepsFiles = true
            _ = try BenchRunner(setting: setting, workloads: [plan]).run()
            let name = try #require(scratch.entries.first)
            #expect(scratch.entries.count == 1)
            return try #require(contents(of: scratch.file(name)))
        }
        let first = try file(1)
        #expect(try file(1) == first)
        let isAlike = [
            "deleteseq", "deleterandom", "empty-commit", "core-insert", "core-set-string",
        ]
        if !isAlike.contains(name) { #expect(try file(2) != first) }
    }

    @Test func readersRunOnGeneratedPeople() {
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

    // MARK: SQLite

    @Test func sqliteRunsTheSameWorkloadsAlternately() {
        let scratch = ScratchDirectory()
        let options = "--dir '\(scratch.path)' -N 120 -r 2 --warmup 0s -q --durability unsafe"
        let names = "readseq readrandom fillrandom overwrite updaterandom deleterandom churn sort"
        let result = ToolProcess.shell(
            "\"$TOOL\" \(options) --against sqlite3 \(names)", tool: "realm-bench")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains("SQLITE3"))
        #expect(result.text.contains("journal_mode=WAL synchronous=OFF"))
        #expect(scratch.entries.isEmpty)
        let inverse = ToolProcess.shell(
            "\"$TOOL\" \(options) --against sqlite3-inverse \(names)", tool: "realm-bench")
        #expect(inverse.status == 0, "\(inverse.errorText)")
        #expect(inverse.text.contains("synchronous=OFF, links indexed both ways"))
        #expect(scratch.entries.isEmpty)
        let none = ToolProcess.shell(
            "PATH=/nowhere \"$TOOL\" \(options) --against sqlite3 churn", tool: "realm-bench")
        #expect(none.status == 3)
        #expect(none.errorText.contains("the program sqlite3 cannot be run"))
        #expect(scratch.entries.isEmpty)
    }

    // MARK: Output for scripts

    @Test func plotsAndHistogramsAreWritten() throws {
        let scratch = ScratchDirectory()
        let (plot, spectra) = (scratch.file("a.svg"), scratch.file("a.hgrm"))
        let result = ToolProcess.run(
            "realm-bench",
            [
                "--dir", scratch.path, "-N", "200", "-r", "2", "--warmup", "0s", "-q", "--plot",
                plot, "--hgrm", spectra, "--histogram", "--durability", "unsafe", "--pin", "2",
                "updaterandom", "readrandom", "notify",
            ])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains("##########"))
        let picture = String(decoding: try #require(contents(of: plot)), as: UTF8.self)
        #expect(picture.hasPrefix("<svg") && picture.hasSuffix("</svg>\n"))
        for word in ["Operations per second", "Latency", "Size of the file", "updaterandom"] {
            #expect(picture.contains(word), "\(word)")
        }
        let text = String(decoding: try #require(contents(of: spectra)), as: UTF8.self)
        #expect(text.hasPrefix("#[Workload = readrandom]\n       Value     Percentile"))
        #expect(text.contains("#[Max     ="))
        #expect(scratch.entries == ["a.hgrm", "a.svg"])
    }

    @Test func ratesLateOperationsAndTimeLimitsAreReported() {
        let file = ["--file", Self.path("query/social"), "-r", "1", "-q", "--warmup", "0s"]
        let paced = ToolProcess.run(
            "realm-bench",
            file + ["-N", "50", "--rate", "1000", "--late-after", "1s", "readrandom"])
        #expect(paced.status == 0, "\(paced.errorText)")
        #expect(paced.text.contains("began late by P50"))
        #expect(paced.text.contains("0 of 50 later than 1.0 s"))
        let timed = ToolProcess.run("realm-bench", file + ["-T", "20ms", "readrandom", "--json"])
        #expect(timed.status == 0 && timed.text.contains(#""time_ns":20000000"#))
        let refusals: [[String]] = [
            ["--rate", "10", "readseq"], ["--distribution", "flat"], ["--inject", "stop"],
            ["--gate", "speed=1%"], ["--late-after", "1s"], ["--against", "sqlite3"],
            ["--compare"],
        ]
        for arguments in refusals {
            let result = ToolProcess.run("realm-bench", file + arguments)
            #expect(result.status == 2, "\(arguments): \(result.errorText)")
        }
    }

    /// Acceptance: the output does not depend on language or time zone; help contains no escape
    /// bytes.
    @Test func outputDoesNotDependOnLanguageOrTimeZone() {
        let list = ToolProcess.shell(
            "LC_ALL=tr_TR.UTF-8 TZ=Pacific/Auckland \"$TOOL\" --list", tool: "realm-bench")
        let plain = ToolProcess.shell("LC_ALL=C TZ=UTC \"$TOOL\" --list", tool: "realm-bench")
        #expect(list.status == 0 && list.output == plain.output)
        let help = ToolProcess.run("realm-bench", ["--help"])
        #expect(!help.output.contains(0x1B))
    }

    /// Acceptance: a closed pipe ends the tool silently and without leaving files.
    @Test func aClosedPipeEndsTheToolSilently() {
        let scratch = ScratchDirectory()
        let script =
            "\"$TOOL\" --dir '\(scratch.path)' -N 50 -r 1 --warmup 0s -q --list all "
            + "| head -1 > /dev/null; echo ${PIPESTATUS[0]}; "
            + "(sleep 0.2; \"$TOOL\" --dir '\(scratch.path)' -N 50 -r 1 --warmup 0s -q churn; "
            + "echo $? >&2) | true"
        let result = ToolProcess.shell(script, tool: "realm-bench")
        #expect(result.errorText == "141\n", "\(result.errorText)")
        #expect(scratch.entries.isEmpty)
    }
}
