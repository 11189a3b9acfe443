import RealmEngine
import ToolKit

/// The report as rows, one for each workload. New columns may only be added at the end, because
/// scripts rely on the order.
extension BenchReport {
    var rows: Report? {
        Report(names: Self.columns, rows: results.map(figures), isNumber: [])
    }

    private static let columns: [String] =
        ["workload", "ops", "ci95_low", "ci95_high", "noise", "operations", "elapsed_ns"]
        + percentiles.map { $0.name + "_ns" }
        + [
            "kernelBytesWritten", "rssPeak", "user_ns", "sys_ns", "majorFaults", "minorFaults",
            "runs", "fsyncs", "commits", "bytesWritten", "logicalBytes", "writeAmp", "fileStart",
            "fileEnd", "syncP50_ns", "syncP99_ns", "workP50_ns", "workP99_ns", "compacted",
            "live", "free", "spaceAmp", "pinnedBytes", "liveVersionsMax", "lagP99_ns", "late",
        ]

    /// Number of columns at the end of a row that are empty for workloads that only read.
    private static let storageColumns = 17

    private func figures(_ result: WorkloadResult) -> [JSONItem] {
        let interval = result.interval(seed: setting.seed)
        var figures: [JSONItem] = [
            .text(result.name), .decimal(result.throughput, places: 1),
            .decimal(interval?.low, places: 1), .decimal(interval?.high, places: 1),
            .decimal(result.noise, places: 4), .known(result.median(\.operations)),
            .known(result.median { Int($0.elapsed) }),
        ]
        for (_, share) in Self.percentiles { figures.append(.known(result.latency(share))) }
        figures += [
            .known(result.knownMedian(\.usage.bytesWritten)),
            .known(result.median(\.peakMemory)),
            .known(result.median(\.usage.userNanoseconds)),
            .known(result.median(\.usage.systemNanoseconds)),
            .known(result.median(\.usage.majorFaults)),
            .known(result.median(\.usage.minorFaults)), .known(result.runs.count),
        ]
        figures +=
            result.writes
            ? storage(result) : [JSONItem](repeating: .null, count: Self.storageColumns)
        let isPaced = result.isPaced
        figures += [
            .known(isPaced ? Int(clamping: result.lags.value(atShare: 0.99)) : nil),
            .known(isPaced && setting.lateThreshold != nil ? result.late : nil),
        ]
        return figures
    }

    private func storage(_ result: WorkloadResult) -> [JSONItem] {
        let syncs = result.syncTimes.count == 0 ? nil : result.syncTimes
        let work = result.workTimes.count == 0 ? nil : result.workTimes
        return [
            .known(result.storage(\.syncs)), .known(result.storage(\.commits)),
            .known(result.storage(\.bytesWritten)), .known(result.storage(\.logicalBytes)),
            .decimal(result.writeAmplification, places: 2),
            .known(result.storage(\.sizeAtStart)), .known(result.storage(\.sizeAtEnd)),
            .known(syncs.map { Int(clamping: $0.value(atShare: 0.5)) }),
            .known(syncs.map { Int(clamping: $0.value(atShare: 0.99)) }),
            .known(work.map { Int(clamping: $0.value(atShare: 0.5)) }),
            .known(work.map { Int(clamping: $0.value(atShare: 0.99)) }),
            .known(result.knownStorage(\.compactedSize)),
            .known(result.knownStorage(\.liveBytes)), .known(result.storage(\.freeBytes)),
            .decimal(result.spaceAmplification, places: 2),
            .known(result.storage(\.pinnedBytes)), .known(result.storage(\.maximumVersionCount)),
        ]
    }
}
