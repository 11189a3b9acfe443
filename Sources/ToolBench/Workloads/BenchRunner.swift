import RealmEngine
import ToolKit

/// Runs workloads repeatedly and collects the numbers of each run.
///
/// Runs of different workloads alternate. If the machine is slow for a minute, all workloads are
/// affected equally.
struct BenchRunner {
    let setting: BenchSetting
    let workloads: [WorkloadPlan]
    /// Called between runs with the number of completed runs.
    var progress: (Int) -> Void = { _ in }
    /// Called after each run, to measure another program in alternation.
    var afterRun: (_ turn: Int, WorkloadPlan) throws(RealmError) -> Void = {
        (_, _) throws(RealmError) in
    }

    /// Measures all workloads. The results are in the order of the workloads.
    ///
    /// - Throws: errors of reading the database, `busy` if a commit changed it meanwhile,
    ///   `internal` if a run found unexpected data.
    func run() throws(RealmError) -> [WorkloadResult] {
        var results = workloads.map { WorkloadResult(plan: $0) }
        var expected = [RunOutcome?](repeating: nil, count: workloads.count)
        for i in workloads.indices { expected[i] = try warmUp(workloads[i]) }
        for turn in 0..<setting.runs {
            for (i, plan) in workloads.enumerated() {
                progress(turn * workloads.count + i)
                let once = try measure(plan, setting)
                try check(once.outcome, against: expected[i], plan)
                expected[i] = once.outcome
                results[i].add(once.figures, once.meter, note: once.note)
                try afterRun(turn, plan)
            }
        }
        return results
    }

    /// Runs the workload until the warmup time has passed, but at least once. Returns nil if no
    /// warmup is requested.
    private func warmUp(_ plan: WorkloadPlan) throws(RealmError) -> RunOutcome? {
        guard setting.warmup > .zero else { return nil }
        if plan.ownsFile {
            // A tenth of the operations suffices to warm up. The outcome of such a run cannot be
            // compared with later runs.
            var smaller = setting
            smaller.num = max(1, setting.num / 10)
            smaller.coreRows = setting.coreRows.map { max(1, $0 / 10) }
            _ = try measure(plan, smaller)
            return nil
        }
        let began = MonotonicClock.nanoseconds()
        var found: RunOutcome?
        repeat {
            let outcome = try measure(plan, setting).outcome
            try check(outcome, against: found, plan)
            found = outcome
        } while !MonotonicClock.hasPassed(setting.warmup, since: began)
        return found
    }

    /// Results of a single run.
    struct Once {
        let figures: RunStatistics
        let meter: Meter
        let outcome: RunOutcome
        let note: String?
    }

    /// Runs the workload once.
    func measure(
        _ plan: WorkloadPlan, _ setting: BenchSetting
    ) throws(RealmError) -> Once {
        let workload = try plan.make(setting)
        try workload.setUp()
        var meter = setting.meter
        PeakMemory.reset()
        let before = ResourceUsage.now
        try workload.run(&meter)
        let usage = ResourceUsage.now.since(before).since(meter.asideUsage)
        let memory = PeakMemory.bytes
        let outcome = try workload.finish(meter)
        let figures = RunStatistics(
            operations: meter.operations, elapsed: meter.elapsed, usage: usage,
            peakMemory: memory, storage: workload.storage)
        return Once(figures: figures, meter: meter, outcome: outcome, note: workload.note)
    }

    /// Throws an error if the outcome of a run differs from the outcome of the previous run.
    func check(
        _ outcome: RunOutcome, against expected: RunOutcome?, _ plan: WorkloadPlan
    ) throws(RealmError) {
        // Runs with a time limit execute different numbers of operations.
        guard let expected, outcome != expected, setting.time == nil else { return }
        if !plan.ownsFile, outcome.version != expected.version { throw DatabaseChange.error }
        throw .failedCheck("\(plan.name): two runs over the same data found different things")
    }
}
