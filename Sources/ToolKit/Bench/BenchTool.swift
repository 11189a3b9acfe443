import RealmEngine

/// `realm-bench`: measures how fast databases are read and written.
enum BenchTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        if command.flag("list") { return try printList(command) }
        let request = try BenchRequest(command)
        // Before measuring, so that a bad output does not cost the time that takes.
        let format = command.format
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let report: BenchReport
        do throws(RealmError) {
            report = try measure(command, request)
        } catch {
            throw error.kind == .misuse ? error : error.inFile(request.place)
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

    private static func measure(
        _ command: ParsedCommand, _ request: BenchRequest
    ) throws(RealmError) -> BenchReport {
        let stamp = EnvironmentStamp(path: request.place)
        let diagnostics = Diagnostics(command)
        for warning in stamp.warnings { diagnostics.warn(warning) }
        if !request.setting.isDurable {
            diagnostics.warn("--durability unsafe: commits do not survive a power failure")
        }
        var setting = request.setting
        // Removed when measuring ends.
        let generated = try request.makeFile()
        if let generated { setting.file = generated.path }
        var retry = RetryPolicy(command.wait)
        while true {
            do throws(RealmError) {
                let results = try runs(command, setting, request.workloads)
                return BenchReport(
                    stamp: stamp, setting: setting, fileSize: ScratchFile.size(setting.file),
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
            command, file: setting.isGenerated ? setting.directory : setting.file,
            total: setting.runs * workloads.count, unit: .runs)
        defer { progress.finish() }
        var runner = BenchRunner(setting: setting, workloads: workloads)
        runner.progress = { progress.update($0) }
        return try runner.run()
    }
}
