import ToolKit

/// A metric that a comparison judges.
enum GateMetric: String, CaseIterable, Sendable {
    case ops
    case p99
    case cpu
    case bytes
    case fsyncs
    case size

    /// Whether a higher value of the metric is better.
    var isRate: Bool { self == .ops }

    /// Whether the metric is the same in every run of a program, so that it has no noise.
    var isCounted: Bool { self == .bytes || self == .fsyncs || self == .size }

    /// Name of the metric in the report.
    var label: String {
        switch self {
        case .ops: "ops/s"
        case .p99: "p99"
        case .cpu: "cpu/op"
        case .bytes: "written"
        case .fsyncs: "fsync"
        case .size: "file"
        }
    }

    func text(_ value: Double) -> String {
        switch self {
        case .ops: Quantity.rate(value)
        case .p99, .cpu: Quantity.latency(Int(min(value, 0x1p62)))
        case .bytes, .size: Quantity.bytes(Int(min(value, 0x1p62)))
        case .fsyncs: Quantity.rate(value)
        }
    }
}

/// For each metric, the limit by which it may become worse.
struct Gate: Sendable, Equatable {
    private(set) var limits: [GateMetric: Double]

    static let usual = "ops=5%,p99=10%,bytes=2%,fsyncs=0,size=2%"
    static let standard = Gate(usual)!

    /// Parses `ops=5%,fsyncs=0`: metrics to judge, each with its limit. Returns nil for any other
    /// text.
    init?(_ text: String) {
        limits = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let metric = GateMetric(rawValue: String(sides[0])),
                let limit = Injection.share(sides[1]), limits[metric] == nil
            else { return nil }
            limits[metric] = limit
        }
    }
}

/// The verdict of a comparison about one metric of one workload.
enum Verdict: Equatable, Sendable {
    case same
    case better
    case regression
    /// The runs differ so much from each other that no verdict is possible.
    case noisy
    /// One of the two measurements has a single run, so the noise is unknown.
    case single

    /// Compares the runs `new` with the runs `old`.
    ///
    /// A change of a metric that is the same in every run, such as the number of syncs, counts if
    /// the medians differ by more than `limit`. A change of any other metric counts only if, in
    /// addition, the confidence intervals of the medians do not overlap, and all new runs are worse
    /// than all old runs, or all are better.
    ///
    /// Runs are noisy if the quartiles of the old or of the new runs differ by more than 10 %. An
    /// improvement then never counts. A regression then counts only if the best new run is worse
    /// than the worst old run by more than `limit`.
    init(old: [Double], new: [Double], metric: GateMetric, limit: Double) {
        let worsening = Self.worsening(Statistics.median(old), Statistics.median(new), metric)
        guard abs(worsening) > limit else {
            self = .same
            return
        }
        if metric.isCounted {
            self = worsening > 0 ? .regression : .better
            return
        }
        guard old.count > 1, new.count > 1 else {
            self = .single
            return
        }
        let (worst, best) = Self.edges(old, new, metric, isWorse: worsening > 0)
        let gap = Self.worsening(worst, best, metric)
        let isApart =
            (worsening > 0 ? gap > 0 : gap < 0) && Self.areIntervalsApart(old, new)
        if Self.noise(old, new) > BenchReport.tolerableNoise {
            self = isApart && gap > limit ? .regression : .noisy
            return
        }
        self = !isApart ? .same : worsening > 0 ? .regression : .better
    }

    /// Returns the share by which `new` is worse than `old`. Negative if it is better.
    static func worsening(_ old: Double, _ new: Double, _ metric: GateMetric) -> Double {
        if old == new { return 0 }
        if old == 0 { return metric.isRate ? -.infinity : .infinity }
        return (metric.isRate ? old - new : new - old) / old
    }

    /// Returns the old and the new run that are closest to each other. If the new runs are worse,
    /// these are the worst old run and the best new run.
    private static func edges(
        _ old: [Double], _ new: [Double], _ metric: GateMetric, isWorse: Bool
    ) -> (old: Double, new: Double) {
        let isFalling = isWorse == metric.isRate
        return isFalling ? (old.min()!, new.max()!) : (old.max()!, new.min()!)
    }

    private static func areIntervalsApart(_ old: [Double], _ new: [Double]) -> Bool {
        guard let a = Statistics.medianInterval95(old, seed: 1),
            let b = Statistics.medianInterval95(new, seed: 1)
        else { return false }
        return a.high < b.low || b.high < a.low
    }

    static func noise(_ old: [Double], _ new: [Double]) -> Double {
        max(
            Statistics.relativeInterquartileRange(old) ?? 0,
            Statistics.relativeInterquartileRange(new) ?? 0)
    }
}
