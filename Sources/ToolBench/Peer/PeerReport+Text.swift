import RealmEngine
import ToolKit

extension BenchReport {
    /// Throughput, bytes and sizes of both programs side by side; nothing without a peer.
    var besidePeer: (headings: [String], rows: [[String]])? {
        guard let peer else { return nil }
        let rows = results.compactMap { ours -> [String]? in
            guard let theirs = peer.results.first(where: { $0.name == ours.name }) else {
                return nil
            }
            func both(_ figure: (WorkloadResult) -> String) -> [String] {
                [figure(ours), figure(theirs)]
            }
            return [ours.name] + both { Quantity.rate($0.throughput) }
                + [Self.ratio(ours, theirs)]
                + both { $0.writes ? Quantity.bytes($0.storage(\.bytesWritten)) : "-" }
                + both { $0.writes ? Quantity.bytes($0.storage(\.sizeAtEnd)) : "-" }
        }
        return (
            ["WORKLOAD", "OPS/S", peer.name, "RATIO", "WRITTEN", peer.name, "FILE", peer.name],
            rows
        )
    }

    /// How many times as fast; no figure when either side's runs differ too much.
    private static func ratio(_ ours: WorkloadResult, _ theirs: WorkloadResult) -> String {
        let noise = max(ours.noise ?? 0, theirs.noise ?? 0)
        guard theirs.throughput > 0 else { return "-" }
        let ratio = Quantity.oneDecimal(ours.throughput / theirs.throughput) + "x"
        return noise > tolerableNoise ? ratio + "?" : ratio
    }
}
