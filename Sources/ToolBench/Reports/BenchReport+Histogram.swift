import RealmEngine
import ToolKit

/// The distribution of latencies: bars for text, and the percentile spectrum for HdrHistogram
/// tools.
extension BenchReport {
    private static let barWidth = 50

    /// Appends bars for each workload whose operations were timed, with one line for each power of
    /// two.
    func appendHistograms(to out: inout ByteBuffer) {
        for result in results where result.latencies.count > 0 {
            out.append("\n")
            out.append(result.name)
            out.append("\n")
            appendBars(result.latencies, to: &out)
        }
    }

    private func appendBars(_ histogram: LatencyHistogram, to out: inout ByteBuffer) {
        var counts = [UInt64](repeating: 0, count: 65)
        for (last, count) in histogram.distribution {
            counts[64 - last.leadingZeroBitCount] += count
        }
        let most = counts.max() ?? 1
        let used = counts.indices.filter { counts[$0] > 0 }
        guard let first = used.first, let last = used.last else { return }
        for bits in first...last {
            // These latencies are below 2^bits nanoseconds, and at least half of that.
            let bound = bits >= 63 ? Int.max : 1 << bits
            let share = Double(counts[bits]) / Double(histogram.count)
            let length = Int(
                (Double(counts[bits]) / Double(most) * Double(Self.barWidth)).rounded())
            let label = "< " + Quantity.latency(bound)
            let percent = Quantity.percent(share)
            out.append(String(repeating: " ", count: max(0, 10 - label.count)) + label)
            out.append(String(repeating: " ", count: max(1, 8 - percent.count)) + percent + "  ")
            let bar = counts[bits] == 0 ? "" : String(repeating: "#", count: max(1, length))
            out.append(bar)
            out.append("\n")
        }
    }

    /// Appends the percentile spectrum of each workload whose operations were timed, in
    /// microseconds and in the format of HdrHistogram. A comment contains the name of the workload.
    func appendSpectra(to out: inout ByteBuffer) {
        for result in results where result.latencies.count > 0 {
            out.append("#[Workload = ")
            out.append(result.name)
            out.append("]\n")
            appendSpectrum(result.latencies, to: &out)
        }
    }

    private func appendSpectrum(_ histogram: LatencyHistogram, to out: inout ByteBuffer) {
        out.append("       Value     Percentile TotalCount 1/(1-Percentile)\n\n")
        var seen: UInt64 = 0
        var shown = -1.0
        for (last, count) in histogram.distribution {
            seen += count
            let share = Double(seen) / Double(histogram.count)
            // As in HdrHistogram, there are five steps each time the remaining share is halved.
            let isLast = seen == histogram.count
            guard isLast || share - shown >= (1 - share) / 5 else { continue }
            shown = share
            append(Double(last) / 1000, places: 3, width: 12, to: &out)
            append(share, places: 12, width: 15, to: &out)
            append(number: seen, width: 11, to: &out)
            if !isLast { append(1 / (1 - share), places: 2, width: 15, to: &out) }
            out.append("\n")
        }
        let (mean, deviation) = Self.moments(histogram)
        out.append("#[Mean    = ")
        append(mean / 1000, places: 3, width: 12, to: &out)
        out.append(", StdDeviation   = ")
        append(deviation / 1000, places: 3, width: 12, to: &out)
        out.append("]\n#[Max     = ")
        append(Double(histogram.maximum) / 1000, places: 3, width: 12, to: &out)
        out.append(", Total count    = ")
        append(number: histogram.count, width: 12, to: &out)
        out.append("]\n")
    }

    /// Returns the mean and the standard deviation. Their precision is limited by the buckets.
    private static func moments(_ histogram: LatencyHistogram) -> (Double, Double) {
        let total = Double(histogram.count)
        var sum = 0.0
        for (last, count) in histogram.distribution { sum += Double(last) * Double(count) }
        let mean = sum / total
        var squares = 0.0
        for (last, count) in histogram.distribution {
            squares += (Double(last) - mean) * (Double(last) - mean) * Double(count)
        }
        return (mean, (squares / total).squareRoot())
    }

    private func append(
        _ value: Double, places: Int, width: Int, to out: inout ByteBuffer
    ) {
        var text = ByteBuffer(capacity: 64)
        text.append(decimal: value, places: places)
        for _ in text.count..<max(width, text.count) { out.append(" ") }
        out.append(text.bytes)
    }

    private func append(number: UInt64, width: Int, to out: inout ByteBuffer) {
        let text = String(number)
        out.append(String(repeating: " ", count: max(0, width - text.count)) + text)
    }
}
