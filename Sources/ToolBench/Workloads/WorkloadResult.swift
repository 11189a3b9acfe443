import ToolKit

/// Measured numbers of one run of a workload.
struct RunStatistics: Sendable {
    let operations: Int
    /// Nanoseconds of the measured part.
    let elapsed: UInt64
    let usage: ResourceUsage
    /// Peak memory of the process in bytes, including pages of mapped files.
    let peakMemory: Int
    /// Storage statistics; nil for workloads that do not write.
    var storage: StorageStatistics?
    /// 99th percentile of the latencies in nanoseconds; nil if operations are not timed.
    var p99: Int?

    /// Operations per second.
    var throughput: Double { Double(operations) * 1e9 / Double(max(1, elapsed)) }

    /// Processor time per operation in nanoseconds. Includes all threads, in user and kernel mode.
    var processorTimePerOperation: Int { Int(exactProcessorTime) }

    /// Processor time per operation in nanoseconds, with its fraction.
    var exactProcessorTime: Double {
        Double(usage.userNanoseconds + usage.systemNanoseconds) / Double(max(1, operations))
    }
}

/// Results of all runs of one workload.
struct WorkloadResult: Sendable {
    let name: String
    /// The query of a query workload; nil for other workloads.
    let query: String?
    private(set) var runs: [RunStatistics] = []
    /// Latencies of all runs in nanoseconds, from the actual start of operations.
    private(set) var services = LatencyHistogram()
    /// Latencies from the intended start of operations. `lags` are the delays of the actual start.
    /// Both are empty without `--rate`.
    private(set) var responses = LatencyHistogram()
    private(set) var lags = LatencyHistogram()
    /// Number of operations that ended later than `--late-after` allows.
    private(set) var late = 0
    /// For each commit of all runs, the nanoseconds that it waited for syncs. `workTimes` are the
    /// nanoseconds of the other work of the commit.
    private(set) var syncTimes = LatencyHistogram()
    private(set) var workTimes = LatencyHistogram()
    /// Remark of the last run; nil for none.
    private(set) var note: String?

    init(plan: WorkloadPlan) {
        name = plan.name
        query = plan.query
    }

    init(name: String) {
        self.name = name
        query = nil
    }

    mutating func add(_ run: RunStatistics, _ meter: Meter, note: String? = nil) {
        var run = run
        services.merge(meter.histogram)
        responses.merge(meter.responses)
        lags.merge(meter.lags)
        late += meter.late
        let timed = meter.responses.count > 0 ? meter.responses : meter.histogram
        if timed.count > 0 { run.p99 = Int(clamping: timed.value(atShare: 0.99)) }
        if let storage = run.storage {
            syncTimes.merge(storage.syncTimes)
            workTimes.merge(storage.workTimes)
        }
        runs.append(run)
        self.note = note
    }

    var throughputs: [Double] { runs.map(\.throughput) }

    /// Operations per second; median of the runs.
    var throughput: Double { Statistics.median(throughputs) }

    /// Returns the 95 % confidence interval of the median; nil if there is a single run.
    func interval(seed: UInt64) -> (low: Double, high: Double)? {
        Statistics.medianInterval95(throughputs, seed: seed)
    }

    /// Distance between the quartiles of the runs' throughput, divided by the median; nil if there
    /// is a single run.
    var noise: Double? { Statistics.relativeInterquartileRange(throughputs) }

    /// Whether operations were started at fixed times (`--rate`).
    var isPaced: Bool { responses.count > 0 }

    /// The latencies that are reported: from the intended start if operations had one, otherwise
    /// from the actual start.
    var latencies: LatencyHistogram { isPaced ? responses : services }

    /// Returns the latency in nanoseconds that a share (0 to 1) of the operations did not exceed;
    /// nil if operations were not timed.
    func latency(_ share: Double) -> Int? {
        latencies.count == 0 ? nil : Int(clamping: latencies.value(atShare: share))
    }

    /// Whether the workload writes.
    var writes: Bool { runs.contains { $0.storage != nil } }

    /// Returns the median of a storage statistic over all runs. A run that did not write counts as
    /// 0.
    func storage(_ figure: (StorageStatistics) -> Int) -> Int {
        median { $0.storage.map(figure) ?? 0 }
    }

    /// Returns the median of a storage statistic over the runs in which it is known; nil if it is
    /// known in none.
    func knownStorage(_ figure: (StorageStatistics) -> Int?) -> Int? {
        knownMedian { $0.storage.flatMap(figure) }
    }

    /// Bytes written per changed byte; nil if nothing changed.
    var writeAmplification: Double? { ratio(\.writeAmplification) }

    /// File size per byte reachable from the newest version; nil if those bytes were not counted.
    var spaceAmplification: Double? { ratio(\.spaceAmplification) }

    private func ratio(_ figure: (StorageStatistics) -> Double?) -> Double? {
        let known = runs.compactMap { $0.storage.flatMap(figure) }
        return known.isEmpty ? nil : Statistics.median(known)
    }

    /// Returns the median of an integer over all runs.
    func median(_ figure: (RunStatistics) -> Int) -> Int {
        Int(Statistics.median(runs.map { Double(figure($0)) }).rounded())
    }

    /// Returns the median of an integer over the runs in which it is known; nil if it is known in
    /// none.
    func knownMedian(_ figure: (RunStatistics) -> Int?) -> Int? {
        let known = runs.compactMap { run in figure(run).map(Double.init) }
        return known.isEmpty ? nil : Int(Statistics.median(known).rounded())
    }
}
