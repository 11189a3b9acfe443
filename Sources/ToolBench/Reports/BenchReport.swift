import RealmEngine
import ToolKit

/// The results of a measurement and its conditions.
struct BenchReport: ReportDocument {
    let stamp: EnvironmentStamp
    let setting: BenchSetting
    /// Size of the measured file in bytes.
    let fileSize: Int
    let results: [WorkloadResult]
    /// Results of another program; nil without `--against`.
    var peer: PeerReport?

    /// The percentiles in all formats of the report: the name in JSON and CSV, and the share of the
    /// values.
    static let percentiles: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
    ]

    /// Distance between the quartiles of the runs, divided by the median, above which a workload
    /// counts as noisy.
    static let tolerableNoise = 0.1

    /// Workloads whose runs differ too much from each other, each with the distance between the
    /// quartiles, divided by the median.
    var noisy: [(name: String, noise: Double)] {
        results.compactMap { result in
            guard let noise = result.noise, noise > Self.tolerableNoise else { return nil }
            return (result.name, noise)
        }
    }

    /// Warnings for people about workloads whose runs differ too much to be compared.
    var warnings: [String] {
        noisy.map {
            "\($0.name): the runs differ by \(Quantity.percent($0.noise)): too noisy to compare"
        }
    }
}
