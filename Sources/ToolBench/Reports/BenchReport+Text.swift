import RealmEngine
import ToolKit

/// The report as text, at most 80 columns wide.
extension BenchReport {
    private static let width = 80

    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        appendHead(to: &out)
        appendTable(speed, to: &out)
        for result in results { appendNotes(result, to: &out) }
        appendTable(resources, to: &out)
        if !writers.isEmpty {
            appendTable(commits, to: &out)
            appendTable(space, to: &out)
        }
        guard let peer, let besidePeer else { return }
        appendTable(besidePeer, to: &out)
        out.append("\(peer.name) \(peer.version)  \(peer.settings)\n")
    }

    private func appendHead(to out: inout ByteBuffer) {
        let engine = stamp.identity.map { ["engine \($0)"] } ?? []
        let machine =
            ["realm-bench \(stamp.version)"] + engine + [
                stamp.build,
                "\(stamp.processorCount) x \(stamp.processor)", "Linux \(stamp.kernel)",
                stamp.fileSystem,
            ]
        var measurement = [
            setting.isGenerated
                ? "\(objects) objects" : "\(setting.file) \(Quantity.bytes(fileSize))",
            setting.runs == 1 ? "1 run" : "\(setting.runs) runs", "seed \(setting.seed)",
            setting.threads == 1 ? "1 thread" : "\(setting.threads) threads",
            setting.isCacheCold ? "cache=cold" : "cache=warm",
        ]
        if results.contains(where: \.writes) {
            measurement.append((setting.isDurable ? "full" : "unsafe") + " durability")
        }
        if let rate = setting.rate { measurement.append("\(Quantity.rate(rate)) begun per second") }
        for items in [machine, measurement] {
            appendWrapped(items.map(DisplayWidth.printable), to: &out)
        }
        for result in results {
            guard let query = result.query, result.name.hasSuffix("count") else { continue }
            let label = "\(result.name.dropLast("-count".count))  \(query)"
            out.append(DisplayWidth.printable(label))
            out.append("\n")
        }
    }

    /// Number of generated objects. The tasks of `core-bench` may begin with another number.
    private var objects: String {
        let core = results.count { $0.name.hasPrefix("core-") }
        guard core > 0, let rows = setting.coreRows, rows != setting.num else {
            return String(setting.num)
        }
        return core == results.count ? String(rows) : "\(setting.num), core \(rows)"
    }

    /// Appends details of a result that have no columns in the tables.
    private func appendNotes(_ result: WorkloadResult, to out: inout ByteBuffer) {
        var notes: [String] = []
        if result.isPaced {
            notes.append(
                "began late by P50 \(time(result.lags, 0.5)), P99 \(time(result.lags, 0.99)); "
                    + "took P50 \(time(result.services, 0.5)), "
                    + "P99 \(time(result.services, 0.99)) from there")
        }
        if result.isPaced, let limit = setting.lateThreshold {
            let count = Int(clamping: result.responses.count)
            notes.append(
                "\(result.late) of \(count) later than \(Quantity.latency(Int(limit)))")
        }
        if let note = result.note { notes.append(note) }
        for note in notes {
            out.append("  ")
            out.append(InlineText.wrap("\(result.name): \(note)", indent: 4))
            out.append("\n")
        }
    }

    private func time(_ histogram: LatencyHistogram, _ share: Double) -> String {
        Quantity.latency(Int(clamping: histogram.value(atShare: share)))
    }

    /// Appends items separated by two spaces, wrapped to the width.
    private func appendWrapped(_ items: [String], to out: inout ByteBuffer) {
        var used = 0
        for item in items {
            let columns = DisplayWidth.columns(item)
            if used > 0 {
                let fits = used + 2 + columns <= Self.width
                out.append(fits ? "  " : "\n")
                used = fits ? used + 2 : 0
            }
            out.append(item)
            used += columns
        }
        out.append("\n")
    }

    /// Headings and rows of a table. The first column is text, all other columns are numbers.
    private typealias Lines = (headings: [String], rows: [[String]])

    private func appendTable(_ lines: Lines, to out: inout ByteBuffer) {
        let rows = lines.rows.map { row in
            [.text(isLong(row[0]) ? "" : row[0])] + row.dropFirst().map { Report.Cell.text($0) }
        }
        var table = ByteBuffer(capacity: 1 << 12)
        Report(figures: lines.headings, rows: rows)
            .append(RecordStyle(TableForm.self), to: &table)
        out.append("\n")
        let text = String(decoding: table.bytes, as: UTF8.self)
        for (i, line) in text.split(separator: "\n").enumerated() {
            let name = i == 0 ? "" : lines.rows[i - 1][0]
            if isLong(name) { out.append(name + "\n") }
            out.append(String(line) + "\n")
        }
    }

    /// Whether the name of a workload gets a line of its own above its numbers.
    private func isLong(_ name: String) -> Bool { DisplayWidth.columns(name) > 20 }

    private var speed: Lines {
        let shown = Self.percentiles.filter { $0.name != "p90" }
        let rows = results.map { result in
            [result.name, Quantity.rate(result.throughput), precision(result)]
                + shown.map { result.latency($0.share).map(Quantity.latency) ?? "-" }
        }
        return (["WORKLOAD", "OPS/S", "±"] + shown.map(\.name), rows)
    }

    /// Returns half the width of the throughput's confidence interval, relative to the median.
    private func precision(_ result: WorkloadResult) -> String {
        guard let (low, high) = result.interval(seed: setting.seed), result.throughput > 0 else {
            return "-"
        }
        return Quantity.percent((high - low) / 2 / result.throughput)
    }

    private var resources: Lines {
        let rows = results.map { result in
            [
                result.name, String(result.median(\.operations)),
                Quantity.latency(result.median(\.usage.userNanoseconds)),
                Quantity.latency(result.median(\.usage.systemNanoseconds)),
                Quantity.latency(result.median(\.processorTimePerOperation)),
                Quantity.bytes(result.median(\.peakMemory)),
                faults(result),
            ]
        }
        return (["WORKLOAD", "OPS", "USER", "SYSTEM", "CPU/OP", "MEMORY", "FAULTS"], rows)
    }

    /// Returns the number of page faults without disk access. Adds the number of page faults that
    /// waited for a disk, if there were any.
    private func faults(_ result: WorkloadResult) -> String {
        let major = result.median(\.usage.majorFaults)
        let minor = String(result.median(\.usage.minorFaults))
        return major == 0 ? minor : "\(minor)+\(major)"
    }

    /// Results of workloads that commit.
    private var writers: [WorkloadResult] {
        results.filter { $0.storage(\.commits) > 0 }
    }

    private var commits: Lines {
        let rows = writers.map { result in
            var cells = [
                result.name, String(result.storage(\.commits)), String(result.storage(\.syncs)),
            ]
            for times in [result.workTimes, result.syncTimes] {
                for share in [0.5, 0.99] {
                    cells.append(times.count == 0 ? "-" : time(times, share))
                }
            }
            cells.append(Quantity.bytes(result.storage(\.bytesWritten)))
            return cells
        }
        return (
            ["WORKLOAD", "COMMITS", "FSYNC", "WORK", "P99", "SYNC", "P99", "WRITTEN"], rows
        )
    }

    private var space: Lines {
        let rows = writers.map { result in
            [
                result.name,
                result.knownMedian(\.usage.bytesWritten).map(Quantity.bytes) ?? "-",
                result.writeAmplification.map(Quantity.oneDecimal) ?? "-",
                Quantity.bytes(result.storage(\.sizeAtEnd)),
                result.knownStorage(\.compactedSize).map(Quantity.bytes) ?? "-",
                result.spaceAmplification.map(Quantity.oneDecimal) ?? "-",
                Quantity.bytes(result.storage(\.pinnedBytes)),
                String(result.storage(\.maximumVersionCount)),
            ]
        }
        return (
            ["WORKLOAD", "KERNEL", "W-AMP", "FILE", "COMPACT", "S-AMP", "PINNED", "VERS"], rows
        )
    }
}

extension Quantity {
    /// Formats a time in a suitable unit: `88 ns`, `1.2 us`, `14 ms`, `2.3 s`.
    static func latency(_ nanoseconds: Int) -> String {
        if nanoseconds < 1000 { return "\(nanoseconds) ns" }
        var value = Double(nanoseconds) / 1000
        for unit in ["us", "ms"] {
            if value < 9.95 { return "\(oneDecimal(value)) \(unit)" }
            if value < 999.5 { return "\(Int(value.rounded())) \(unit)" }
            value /= 1000
        }
        return seconds(value)
    }

    /// Formats a rate per second with at most four significant digits.
    static func rate(_ value: Double) -> String {
        if value < 99.95 { return oneDecimal(value) }
        var unit = 1.0
        while value / unit >= 9999.5 { unit *= 10 }
        return String(Int((min(value, 0x1p60) / unit).rounded() * unit))
    }

    /// Formats a share as percentage with one decimal: `1.8%`.
    static func percent(_ share: Double) -> String { oneDecimal(share * 100) + "%" }
}
