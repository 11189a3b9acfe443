import RealmEngine
import ToolKit

/// The report as CSV: a header, then a line per workload. Columns are only ever added, at the end.
extension BenchReport {
    func appendCSV(to out: inout ByteBuffer) {
        for (i, name) in Self.columns.enumerated() {
            if i > 0 { out.append(",") }
            out.append(name)
        }
        out.append("\n")
        for result in results {
            for (i, figure) in figures(result).enumerated() {
                if i > 0 { out.append(",") }
                if figure.isNull { continue }
                out.append(csv: figure)
            }
            out.append("\n")
        }
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

    /// Columns at the end that only workloads that write fill.
    private static let storageColumns = 17

    private func figures(_ result: WorkloadResult) -> [BenchFigure] {
        let interval = result.interval(seed: setting.seed)
        var figures: [BenchFigure] = [
            .text(result.name), .decimal(result.throughput, places: 1),
            .decimal(interval?.low, places: 1), .decimal(interval?.high, places: 1),
            .decimal(result.noise, places: 4), .number(result.median(\.operations)),
            .number(result.median { Int($0.elapsed) }),
        ]
        for (_, share) in Self.percentiles { figures.append(.number(result.latency(share))) }
        figures += [
            .number(result.knownMedian(\.usage.bytesWritten)),
            .number(result.median(\.peakMemory)),
            .number(result.median(\.usage.userNanoseconds)),
            .number(result.median(\.usage.systemNanoseconds)),
            .number(result.median(\.usage.majorFaults)),
            .number(result.median(\.usage.minorFaults)), .number(result.runs.count),
        ]
        figures +=
            result.writes
            ? storage(result) : [BenchFigure](repeating: .null, count: Self.storageColumns)
        let isPaced = result.isPaced
        figures += [
            .number(isPaced ? Int(clamping: result.lags.value(atShare: 0.99)) : nil),
            .number(isPaced && setting.lateAfter != nil ? result.late : nil),
        ]
        return figures
    }

    private func storage(_ result: WorkloadResult) -> [BenchFigure] {
        let syncs = result.syncTimes.count == 0 ? nil : result.syncTimes
        let work = result.workTimes.count == 0 ? nil : result.workTimes
        return [
            .number(result.storage(\.syncs)), .number(result.storage(\.commits)),
            .number(result.storage(\.bytesWritten)), .number(result.storage(\.logicalBytes)),
            .decimal(result.writeAmplification, places: 2),
            .number(result.storage(\.sizeAtStart)), .number(result.storage(\.sizeAtEnd)),
            .number(syncs.map { Int(clamping: $0.value(atShare: 0.5)) }),
            .number(syncs.map { Int(clamping: $0.value(atShare: 0.99)) }),
            .number(work.map { Int(clamping: $0.value(atShare: 0.5)) }),
            .number(work.map { Int(clamping: $0.value(atShare: 0.99)) }),
            .number(result.knownStorage(\.compactedSize)),
            .number(result.knownStorage(\.liveBytes)), .number(result.storage(\.freeBytes)),
            .decimal(result.spaceAmplification, places: 2),
            .number(result.storage(\.pinnedBytes)), .number(result.storage(\.mostVersions)),
        ]
    }
}

extension ByteBuffer {
    /// Words of the tool itself, which need no quotes, and numbers.
    fileprivate mutating func append(csv figure: BenchFigure) {
        if case .text(let text) = figure { append(text) } else { append(figure: figure) }
    }
}
