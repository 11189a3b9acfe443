import RealmEngine
import ToolKit

/// `realm-bench`: measures the speed of reading and writing databases.
package enum BenchTool {
    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        try run(command, .installed)
    }

    /// Runs a parsed command with a given catalogue of workloads.
    package static func run(
        _ command: ParsedCommand, _ catalogue: WorkloadCatalogue
    ) throws(RealmError) -> ExitCode {
        if command[BenchOption.list] { return try printList(command, catalogue) }
        if command[BenchOption.compare] { return try compare(command) }
        if command.isGiven(BenchOption.scaling) {
            return try ScalingRun(command: command, catalogue: catalogue).run()
        }
        let request = try BenchRequest(command, catalogue)
        // Outputs are opened before measuring, so that an invalid output or baseline is reported at
        // the beginning.
        let outputs = try BenchOutputs(command)
        let baseline = try command[BenchOption.baseline].map { (path) throws(RealmError) in
            try SavedReport(path: path)
        }
        let report: BenchReport
        do throws(RealmError) {
            report = try measure(command, request)
        } catch {
            throw error.inDatabase(request.place)
        }
        var comparison: Comparison?
        if let baseline {
            let found = Comparison(
                try SavedReport(report), with: baseline, request.gate)
            try found.checkComparable(command[BenchOption.allowDifferentMachine])
            comparison = found
        }
        let diagnostics = Diagnostics(command)
        for warning in report.warnings { diagnostics.warn(warning) }
        warn(of: comparison, command[BenchOption.baseline], diagnostics)
        if let path = command[BenchOption.save], !report.noisy.isEmpty {
            diagnostics.warn(
                "--save: \(path) is marked as noisy; more runs (--runs) may help")
        }
        try outputs.write(report, comparison, baseline)
        return (comparison?.regressions ?? 0) > 0 ? .no : .ok
    }

    /// Prints a warning if the older results of a comparison were noisy.
    private static func warn(
        of comparison: Comparison?, _ path: String?, _ diagnostics: Diagnostics
    ) {
        for (name, noise) in comparison?.noisyBefore ?? [] {
            diagnostics.warn(
                "\(path ?? "the baseline") is noisy: the runs of \(name) differ by "
                    + "\(Quantity.percent(noise)), which hides smaller changes")
        }
    }

    private static func printList(
        _ command: ParsedCommand, _ catalogue: WorkloadCatalogue
    ) throws(RealmError) -> ExitCode {
        let plans = catalogue.all
        let width = plans.map(\.name.count).max() ?? 0
        var buffer = ByteBuffer(capacity: 4096)
        func line(_ name: String, _ summary: String) {
            let padding = String(repeating: " ", count: max(0, width - name.count))
            buffer.append("\(name)\(padding)  \(summary)\n")
        }
        for plan in plans { line(plan.name, plan.summary) }
        for set in catalogue.sets { line(set.rawValue, "set: " + set.summary) }
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        try output.flush(&buffer)
        try output.commit()
        return .ok
    }

    /// Compares two saved results, without measuring.
    private static func compare(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        guard command.operands.count == 2 else {
            throw .misuse(
                "--compare needs two files, OLD and NEW", code: "InvalidArgument",
                hint: "realm-bench --save FILE writes one")
        }
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let old = try SavedReport(path: command.operands[0])
        let new = try SavedReport(path: command.operands[1])
        let comparison = Comparison(new, with: old, command[BenchOption.gate])
        try comparison.checkComparable(command[BenchOption.allowDifferentMachine])
        warn(of: comparison, command.operands[0], Diagnostics(command))
        var buffer = ByteBuffer(capacity: 4096)
        comparison.append(command.format, to: &buffer)
        try output.flush(&buffer)
        try output.commit()
        return comparison.regressions > 0 ? .no : .ok
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
        if request.setting.injection != Injection() {
            diagnostics.warn("--inject: the figures are worse than without it")
        }
        let peer = try command[BenchOption.against].map { (peer) throws(RealmError) in
            try SQLitePeer(peer, request.setting, request.workloads)
        }
        var setting = request.setting
        // Holding this reference keeps the generated file until measuring ends.
        let generated = try request.makeFile()
        if let generated { setting.file = generated.path }
        var retry = RetryPolicy(command.wait)
        while true {
            do throws(RealmError) {
                let results = try runs(command, setting, request.workloads, peer)
                var report = BenchReport(
                    stamp: stamp, setting: setting, fileSize: ScratchFile.size(setting.file),
                    results: results)
                report.peer = peer?.report
                return report
            } catch {
                guard DatabaseChange.isBehind(error), retry.mayRepeat() else { throw error }
            }
        }
    }

    private static func runs(
        _ command: ParsedCommand, _ setting: BenchSetting, _ workloads: [WorkloadPlan],
        _ peer: SQLitePeer?
    ) throws(RealmError) -> [WorkloadResult] {
        var progress = ProgressReporter(
            command, file: setting.isGenerated ? setting.directory : setting.file,
            total: setting.runs * workloads.count, unit: .runs)
        defer { progress.finish() }
        var runner = BenchRunner(setting: setting, workloads: workloads)
        runner.progress = { progress.update($0) }
        if let peer {
            runner.afterRun = { (_, plan) throws(RealmError) in try peer.run(plan.name) }
        }
        return try runner.run()
    }
}

/// Output files of a measurement.
struct BenchOutputs {
    private let format: OutputFormat
    private let main: OutputFile
    private let saved: OutputFile?
    private let spectra: OutputFile?
    private let plot: OutputFile?
    private let showsHistograms: Bool

    /// Opens the outputs. Without `--force`, throws `misuse` if a file exists already, and if the
    /// results of a debug build are to be saved.
    init(_ command: ParsedCommand) throws(RealmError) {
        format = command.format
        let isForced = command.mayReplaceOutput
        showsHistograms = command[BenchOption.histogram]
        if command.isGiven(BenchOption.save), !isForced, Capabilities.buildMode == "debug" {
            throw .misuse(
                "--save: the figures of a debug build are meaningless", code: "InvalidArgument",
                reason: "debug-build", hint: "--force saves them anyway")
        }
        main = try OutputFile(path: command.outputPath, force: isForced)
        saved = try Self.file(command, BenchOption.save)
        spectra = try Self.file(command, BenchOption.hgrm)
        plot = try Self.file(command, BenchOption.plot)
    }

    private static func file(
        _ command: ParsedCommand, _ option: Option<String?>
    ) throws(RealmError) -> OutputFile? {
        guard let path = command[option] else { return nil }
        return try OutputFile(
            path: path == "-" ? nil : path, force: command.mayReplaceOutput)
    }

    /// Writes the report to all outputs. Throws `output` if that fails.
    func write(
        _ report: BenchReport, _ comparison: Comparison?, _ baseline: SavedReport?
    ) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 1 << 14)
        if format == .json {
            report.json(comparison).appendLine(to: &buffer)
        } else {
            report.append(format, to: &buffer)
            if format != .csv {
                if showsHistograms { report.appendHistograms(to: &buffer) }
                if let comparison {
                    buffer.append("\n")
                    comparison.append(.text, to: &buffer)
                }
            }
        }
        try Self.finish(main, &buffer)
        if let spectra {
            report.appendSpectra(to: &buffer)
            try Self.finish(spectra, &buffer)
        }
        if let plot {
            var picture = try BenchPlot(report, baseline).drawing()
            try Self.finish(plot, &picture)
        }
        // Noisy results are saved, too: they are marked as noisy, and measuring them took time.
        guard let saved else { return }
        report.json.appendLine(to: &buffer)
        try Self.finish(saved, &buffer)
    }

    private static func finish(
        _ file: OutputFile, _ buffer: inout ByteBuffer
    ) throws(RealmError) {
        try file.flush(&buffer)
        try file.commit()
    }
}
