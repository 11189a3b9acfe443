import ToolKit

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
    /// Nanoseconds that 99% of the operations took at most; nil where they are not timed.
    var p99: Int?

    /// Operations per second.
    var throughput: Double { Double(operations) * 1e9 / Double(max(1, elapsed)) }

    /// Nanoseconds of all threads, inside the program and in the kernel: what the operation costs
    /// whoever else wants the processor.
    var processorTimePerOperation: Int { Int(exactProcessorTime) }

    /// The same with its fraction.
    var exactProcessorTime: Double {
        Double(usage.userNanoseconds + usage.systemNanoseconds) / Double(max(1, operations))
    }
}

/// What all runs of one workload say together.
struct WorkloadResult: Sendable {
    let name: String
    /// The query the workload ran; nil for other workloads.
    let query: String?
    private(set) var runs: [RunFigures] = []
    /// Latencies of all runs, in nanoseconds, from when operations began.
    private(set) var services = LatencyHistogram()
    /// The same from when they were meant to begin, and how much later they began; empty without
    /// `--rate`.
    private(set) var responses = LatencyHistogram()
    private(set) var lags = LatencyHistogram()
    /// Operations that were done later than `--late-after` allows.
    private(set) var late = 0
    /// How long commits of all runs waited for their syncs, and took without, in nanoseconds.
    private(set) var syncTimes = LatencyHistogram()
    private(set) var workTimes = LatencyHistogram()
    /// What else the last run said.
    private(set) var note: String?

    init(plan: WorkloadPlan) {
        name = plan.name
        query = plan.query
    }

    init(name: String) {
        self.name = name
        query = nil
    }

    mutating func add(_ run: RunFigures, _ meter: Meter, note: String? = nil) {
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

    /// Operations per second: the median of the runs.
    var throughput: Double { Statistics.median(throughputs) }

    /// Where the median lies with a confidence of 95%; nil for a single run.
    func interval(seed: UInt64) -> (low: Double, high: Double)? {
        Statistics.medianInterval95(throughputs, seed: seed)
    }

    /// Relative distance between the quartiles of the runs; nil for a single run.
    var noise: Double? { Statistics.relativeInterquartileRange(throughputs) }

    /// Operations were meant to begin at fixed moments.
    var isPaced: Bool { responses.count > 0 }

    /// What the workload's latency is: from the intended start where there was one.
    var latencies: LatencyHistogram { isPaced ? responses : services }

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

    /// As above, for a figure that may be unknown.
    func knownStorage(_ figure: (StorageFigures) -> Int?) -> Int? {
        knownMedian { $0.storage.flatMap(figure) }
    }

    /// Bytes written for each byte changed; nil when nothing changed.
    var writeAmplification: Double? { ratio(\.writeAmplification) }

    /// Bytes of the file for each byte its newest version reaches; nil when nobody counted them.
    var spaceAmplification: Double? { ratio(\.spaceAmplification) }

    private func ratio(_ figure: (StorageFigures) -> Double?) -> Double? {
        let known = runs.compactMap { $0.storage.flatMap(figure) }
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
