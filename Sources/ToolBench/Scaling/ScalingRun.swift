import RealmEngine
import ToolKit

/// `--scaling`: measures at several sizes and reports how costs grow.
struct ScalingRun {
    let command: ParsedCommand
    let catalogue: WorkloadCatalogue

    func run() throws(RealmError) -> ExitCode {
        let request = try BenchRequest(command, catalogue)
        let sizes = command[BenchOption.scaling] ?? BenchOption.usualSizes
        guard request.setting.num <= Self.maximumObjectCount >> (sizes - 1) else {
            throw .misuse(
                "--scaling: the largest size has more than \(Self.maximumObjectCount) objects",
                code: "InvalidArgument")
        }
        // The output is opened before measuring, so that an invalid output is reported at the
        // beginning.
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let report: ScalingReport
        do throws(RealmError) {
            report = try measure(request, sizes)
        } catch {
            throw error.inDatabase(request.place)
        }
        var buffer = ByteBuffer(capacity: 1 << 14)
        report.append(command.format, to: &buffer)
        try output.flush(&buffer)
        try output.commit()
        return judge(report)
    }

    /// Largest number that `--num` accepts.
    private static let maximumObjectCount = 1_000_000_000

    private func measure(
        _ request: BenchRequest, _ sizes: Int
    ) throws(RealmError) -> ScalingReport {
        let stamp = EnvironmentStamp(path: request.place)
        let diagnostics = Diagnostics(command)
        for warning in stamp.warnings { diagnostics.warn(warning) }
        var runner = ScalingRunner(
            setting: request.setting, workloads: request.workloads, sizes: sizes)
        var progress = ProgressReporter(
            command, file: request.setting.directory, total: sizes * request.workloads.count,
            unit: .runs)
        defer { progress.finish() }
        runner.progress = { progress.update($0) }
        let results = try runner.run()
        return ScalingReport(
            stamp: stamp, setting: request.setting, results: results,
            limit: command[BenchOption.failAbove])
    }

    /// Reports the costs that grow faster than `--fail-above` allows. Returns the exit code.
    private func judge(_ report: ScalingReport) -> ExitCode {
        let diagnostics = Diagnostics(command)
        for (result, what, exponent) in report.excesses {
            diagnostics.notice(
                "\(result.name): \(what) grows with the exponent "
                    + ScalingReport.text(exponent, places: 2))
        }
        return report.excesses.isEmpty ? .ok : .no
    }
}
