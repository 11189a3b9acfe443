import RealmEngine
import ToolKit

/// Runs workloads at several sizes. Each size is twice the previous one.
struct ScalingRunner {
    /// Minimum total processor time in nanoseconds. Shorter runs are repeated until they reach it.
    static let minimumProcessorTime = 50_000_000
    /// Maximum number of repetitions, because preparing a run may take longer than the measured
    /// part.
    static let maximumRunCount = 20

    let setting: BenchSetting
    let workloads: [WorkloadPlan]
    /// Number of sizes at which each workload is measured.
    let sizes: Int
    /// Whether short runs are repeated.
    var repeats = true
    /// Called with the number of completed measurements. Each size of a workload is one
    /// measurement.
    var progress: (Int) -> Void = { _ in }

    /// Measures all workloads at all sizes. The results are in the order of the workloads.
    ///
    /// Throws the errors of `BenchRunner.run`.
    func run() throws(RealmError) -> [ScalingResult] {
        var results = workloads.map { ScalingResult(name: $0.name) }
        for step in 0..<sizes {
            var setting = setting
            setting.num <<= step
            setting.coreRows = setting.coreRows.map { $0 << step }
            // Holding this reference keeps the generated file until this size was measured.
            let generated = try BenchRequest.makeFile(setting, workloads)
            if let generated { setting.file = generated.path }
            for (i, plan) in workloads.enumerated() {
                progress(step * workloads.count + i)
                let runs = try measure(plan, setting, warmsUp: step == 0)
                results[i].points.append(ScalingPoint(num: setting.num, runs: runs))
            }
        }
        return results
    }

    private func measure(
        _ plan: WorkloadPlan, _ setting: BenchSetting, warmsUp: Bool
    ) throws(RealmError) -> [RunStatistics] {
        let runner = BenchRunner(setting: setting, workloads: [plan])
        var expected: RunOutcome?
        if warmsUp, setting.warmup > .zero {
            expected = try runner.measure(plan, setting).outcome
        }
        var runs: [RunStatistics] = []
        var spent = 0
        repeat {
            let once = try runner.measure(plan, setting)
            try runner.check(once.outcome, against: expected, plan)
            expected = once.outcome
            runs.append(once.figures)
            spent += once.figures.processorTime
        } while runs.count < setting.runs
            || repeats && spent < Self.minimumProcessorTime && runs.count < Self.maximumRunCount
        return runs
    }
}
