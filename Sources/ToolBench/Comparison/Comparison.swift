import RealmEngine
import ToolKit

/// Compares a measurement with an older one, and judges the differences by limits.
struct Comparison: ReportDocument {
    /// One metric of one workload.
    struct Row {
        let workload: String
        let metric: GateMetric
        /// Median of the metric over the runs of the older measurement. `new` is the median over
        /// the new runs.
        let old: Double
        let new: Double
        let noise: Double
        let limit: Double
        let verdict: Verdict

        /// Change relative to the old value; positive for an increase. Nil if only the old value is
        /// 0.
        var change: Double? { old == 0 ? (new == 0 ? 0 : nil) : (new - old) / old }
    }

    /// Differences between the two measurements in machine, settings or build.
    let differences: [String]
    private(set) var judgements: [Row] = []
    /// Workloads for which there are no older results.
    private(set) var missing: [String] = []
    /// Workloads whose runs in the older measurement were noisy, and their noise.
    private(set) var noisyBefore: [(name: String, noise: Double)] = []

    init(_ new: SavedReport, with old: SavedReport, _ gate: Gate) {
        differences = new.differences(from: old)
        for result in new.results {
            guard let before = old.result(result.name) else {
                missing.append(result.name)
                continue
            }
            let noise = before.noise
            if noise > BenchReport.tolerableNoise { noisyBefore.append((result.name, noise)) }
            for metric in GateMetric.allCases {
                guard let limit = gate.limits[metric], let a = before.runs[metric],
                    let b = result.runs[metric]
                else { continue }
                judgements.append(
                    Row(
                        workload: result.name, metric: metric, old: Statistics.median(a),
                        new: Statistics.median(b), noise: Verdict.noise(a, b), limit: limit,
                        verdict: Verdict(old: a, new: b, metric: metric, limit: limit)))
            }
        }
        missing += old.results.map(\.name).filter { new.result($0) == nil }
    }

    var regressions: Int { judgements.count { $0.verdict == .regression } }

    /// Throws an error if the measurements differ in machine, settings or build, unless that is
    /// allowed.
    func checkComparable(_ allowsDifferences: Bool) throws(RealmError) {
        guard !differences.isEmpty, !allowsDifferences else { return }
        throw .misuse(
            "the two results cannot be compared: " + differences.joined(separator: "; "),
            code: "InvalidArgument", reason: "different-machine",
            hint: "--allow-different-machine compares them anyway")
    }

    // MARK: Forms

    /// Appends a table with the throughput, and with all metrics that changed.
    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        for difference in differences {
            out.append("differs: ")
            out.append(DisplayWidth.printable(difference))
            out.append("\n")
        }
        let shown = judgements.filter { $0.metric == .ops || $0.verdict != .same }
        Report(
            headings: ["workload", "metric", "old", "new", "change", "verdict"],
            isNumber: [false, false, true, true, true, false],
            rows: shown.map { row in
                [
                    row.workload, row.metric.label, row.metric.text(row.old),
                    row.metric.text(row.new), Self.signed(row.change), Self.words(row),
                ].map { .text($0) }
            }
        ).append(RecordStyle(TableForm.self), to: &out)
        for name in missing {
            out.append(DisplayWidth.printable(name))
            out.append(": only one of the two results has it\n")
        }
        out.append(number: regressions)
        out.append(regressions == 1 ? " regression\n" : " regressions\n")
    }

    private static func signed(_ change: Double?) -> String {
        guard let change else { return "-" }
        return (change < 0 ? "-" : "+") + Quantity.percent(abs(change))
    }

    private static func words(_ row: Row) -> String {
        let noise = "noise \(Quantity.percent(row.noise))"
        switch row.verdict {
        case .same: return row.metric.isCounted ? "same" : "same (\(noise))"
        case .better: return "better"
        case .noisy: return "too noisy to tell (\(noise))"
        case .single: return "one run is not enough"
        case .regression:
            let apart = row.metric.isCounted ? "" : ", intervals apart"
            return "REGRESSION (limit \(limit(row.limit))\(apart))"
        }
    }

    /// Formats a share like the argument of `--gate`: 0.05 as `5%`.
    private static func limit(_ share: Double) -> String {
        let percent = share * 100
        return percent == percent.rounded()
            ? "\(Int(min(percent, 0x1p50)))%" : Quantity.percent(share)
    }

    var json: JSONItem { JSONReport.object("realm-bench", members) }

    /// Members of the comparison. Used in the report of a comparison, and in the report of a
    /// measurement with a baseline.
    var members: JSONItem.Members {
        let names = Self.names
        return [
            ("differences", .texts(differences)),
            (
                "comparison",
                .list(judged.map { .object(zip(names, $0).map { (name: $0, value: $1) }) })
            ), ("missing", .texts(missing)), ("noisyBaseline", .texts(noisyBefore.map(\.name))),
            ("regressions", .count(regressions)),
        ]
    }

    var rows: Report? { Report(names: Self.names, rows: judged, isNumber: []) }

    private static let names = ["workload", "metric", "old", "new", "noise", "limit", "verdict"]

    private var judged: [[JSONItem]] {
        judgements.map { row in
            [
                .text(row.workload), .text(row.metric.rawValue), .decimal(row.old, places: 1),
                .decimal(row.new, places: 1), .decimal(row.noise, places: 4),
                .decimal(row.limit, places: 4), .text(Self.word(row.verdict)),
            ]
        }
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .same: "same"
        case .better: "better"
        case .regression: "regression"
        case .noisy: "noisy"
        case .single: "single"
        }
    }
}
