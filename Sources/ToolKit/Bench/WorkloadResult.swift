/// What one run used.
struct RunFigures: Sendable {
    let operations: Int
    /// Nanoseconds of the measured part.
    let elapsed: UInt64
    let usage: ResourceUsage
    /// Bytes of memory at the most, pages of mapped files included.
    let peakMemory: Int
    /// What was stored; nil for workloads that write nothing.
    var storage: StorageFigures?

    /// Operations per second.
    var throughput: Double { Double(operations) * 1e9 / Double(max(1, elapsed)) }

    /// Nanoseconds of all threads, inside the program and in the kernel: what the operation costs
    /// whoever else wants the processor.
    var processorTimePerOperation: Int {
        (usage.userNanoseconds + usage.systemNanoseconds) / max(1, operations)
    }
}

/// What all runs of one workload say together.
struct WorkloadResult: Sendable {
    let name: String
    /// The query the workload ran; nil for other workloads.
    let query: String?
    private(set) var runs: [RunFigures] = []
    /// Latencies of all runs, in nanoseconds.
    private(set) var latencies = LatencyHistogram()
    /// How long commits of all runs waited for their syncs, in nanoseconds.
    private(set) var syncTimes = LatencyHistogram()

    init(plan: WorkloadPlan) {
        name = plan.name
        query = plan.query
    }

    mutating func add(_ run: RunFigures, _ histogram: LatencyHistogram) {
        runs.append(run)
        latencies.merge(histogram)
        if let storage = run.storage { syncTimes.merge(storage.syncTimes) }
    }

    var throughputs: [Double] { runs.map(\.throughput) }

    /// Operations per second: the median of the runs.
    var throughput: Double { Statistics.median(throughputs) }

    /// Where the median lies with a confidence of 95%; nil for a single run.
    func interval(seed: UInt64) -> (low: Double, high: Double)? {
        Statistics.medianInterval95(throughputs, seed: seed)
    }

    /// Relative distance between the quartiles of the runs; nil for a single run.
    var noise: Double? { Statistics.relativeInterquartileRange(throughputs) }

    /// Nanoseconds that this share (0 to 1) of the operations took at most; nil where single
    /// operations are not timed.
    func latency(_ share: Double) -> Int? {
        latencies.count == 0 ? nil : Int(clamping: latencies.value(atShare: share))
    }

    /// Whether the workload writes.
    var writes: Bool { runs.contains { $0.storage != nil } }

    /// The median over the runs of a figure of what was stored; 0 where nothing was.
    func storage(_ figure: (StorageFigures) -> Int) -> Int {
        median { $0.storage.map(figure) ?? 0 }
    }

    /// Bytes written for each byte changed; nil when nothing changed.
    var writeAmplification: Double? {
        let known = runs.compactMap { $0.storage?.writeAmplification }
        return known.isEmpty ? nil : Statistics.median(known)
    }

    /// The median over the runs of a whole number.
    func median(_ figure: (RunFigures) -> Int) -> Int {
        Int(Statistics.median(runs.map { Double(figure($0)) }).rounded())
    }

    /// As above, for a number that may be unknown.
    func knownMedian(_ figure: (RunFigures) -> Int?) -> Int? {
        let known = runs.compactMap { run in figure(run).map(Double.init) }
        return known.isEmpty ? nil : Int(Statistics.median(known).rounded())
    }
}
