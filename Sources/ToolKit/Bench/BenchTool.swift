import Glibc
import RealmEngine

/// `realm-bench`: measures how fast a database is read.
enum BenchTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        if command.flag("list") { return try printList(command) }
        let (setting, workloads) = try request(command)
        // Before measuring, so that a bad output does not cost the time that takes.
        let format = command.format
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let report: BenchReport
        do throws(RealmError) {
            report = try measure(command, setting, workloads)
        } catch {
            throw error.kind == .misuse ? error : error.inFile(setting.file)
        }
        var buffer = ByteBuffer(capacity: 4096)
        report.append(format, to: &buffer)
        try output.flush(&buffer)
        try output.commit()
        let diagnostics = Diagnostics(command)
        for warning in report.warnings { diagnostics.warn(warning) }
        return .ok
    }

    private static func printList(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let kinds = WorkloadKind.allCases
        let width = kinds.map(\.rawValue.count).max() ?? 0
        var buffer = ByteBuffer(capacity: 1024)
        for kind in kinds {
            let padding = String(repeating: " ", count: width - kind.rawValue.count)
            buffer.append("\(kind.rawValue)\(padding)  \(kind.summary)\n")
        }
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        try output.flush(&buffer)
        try output.commit()
        return .ok
    }

    private static func request(
        _ command: ParsedCommand
    ) throws(RealmError) -> (BenchSetting, [WorkloadPlan]) {
        guard let file = command.text("file") else {
            throw .misuse(
                "no database to measure", code: "InvalidArgument", reason: "missing-option",
                hint: "name it: realm-bench --file FILE")
        }
        var setting = BenchSetting(file: file)
        if let num = command.count("num") { setting.num = num }
        if let runs = command.count("runs") { setting.runs = runs }
        if let warmup = command.duration("warmup") { setting.warmup = warmup }
        if let seed = command.count("seed") { setting.seed = UInt64(seed) }
        setting.threads = command.workers
        let named = command.operands.compactMap(WorkloadKind.init)
        var queries: [WorkloadPlan] = []
        for (i, text) in command.all("query").enumerated() {
            queries += try QueryUnderTest(text).plans(number: i + 1)
        }
        let wanted = named.isEmpty && queries.isEmpty ? WorkloadKind.allCases : named
        return (setting, WorkloadKind.allCases.filter(wanted.contains).map(\.plan) + queries)
    }

    private static func measure(
        _ command: ParsedCommand, _ setting: BenchSetting, _ workloads: [WorkloadPlan]
    ) throws(RealmError) -> BenchReport {
        let stamp = EnvironmentStamp(path: setting.file)
        let diagnostics = Diagnostics(command)
        for warning in stamp.warnings { diagnostics.warn(warning) }
        var retry = RetryPolicy(command.wait)
        while true {
            do throws(RealmError) {
                let results = try runs(command, setting, workloads)
                return BenchReport(
                    stamp: stamp, setting: setting, fileSize: fileSize(setting.file),
                    results: results)
            } catch {
                guard DatabaseChange.isBehind(error), retry.mayRepeat() else { throw error }
            }
        }
    }

    private static func runs(
        _ command: ParsedCommand, _ setting: BenchSetting, _ workloads: [WorkloadPlan]
    ) throws(RealmError) -> [WorkloadResult] {
        var progress = ProgressReporter(
            command, file: setting.file, total: setting.runs * workloads.count, unit: .runs)
        defer { progress.finish() }
        var runner = BenchRunner(setting: setting, workloads: workloads)
        runner.progress = { progress.update($0) }
        return try runner.run()
    }

    private static func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
