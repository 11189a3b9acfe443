import RealmEngine
import ToolKit

/// What a measurement found, with what it depends on.
struct BenchReport: ReportDocument {
    let stamp: EnvironmentStamp
    let setting: BenchSetting
    /// Bytes of the measured file.
    let fileSize: Int
    let results: [WorkloadResult]
    /// The same by another program; nil when none was asked.
    var peer: PeerReport?

    /// The percentiles every form shows: name in JSON and CSV, and share of the values.
    static let percentiles: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
    ]

    /// Relative spread of the runs from which on their median means little.
    static let tolerableNoise = 0.1

    /// Workloads whose runs differ too much from each other.
    var noisy: [(name: String, noise: Double)] {
        results.compactMap { result in
            guard let noise = result.noise, noise > Self.tolerableNoise else { return nil }
            return (result.name, noise)
        }
    }

    /// Why figures of this report are doubtful, in sentences.
    var warnings: [String] {
        noisy.map {
            "\($0.name): the runs differ by \(Quantity.percent($0.noise)): too noisy to call a "
                + "winner"
        }
    }
}
