import RealmEngine
import ToolKit

extension BenchReport {
    /// Table with the throughput, bytes and sizes of both programs; nil if no other program was
    /// measured.
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

    /// Returns the ratio of the throughputs. It is marked with `?` if the runs of a program differ
    /// too much from each other.
    private static func ratio(_ ours: WorkloadResult, _ theirs: WorkloadResult) -> String {
        let noise = max(ours.noise ?? 0, theirs.noise ?? 0)
        guard theirs.throughput > 0 else { return "-" }
        let ratio = Quantity.oneDecimal(ours.throughput / theirs.throughput) + "x"
        return noise > tolerableNoise ? ratio + "?" : ratio
    }
}
