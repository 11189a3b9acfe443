import RealmEngine
import ToolKit

/// Results of `--scaling`.
struct ScalingReport: ReportDocument {
    let stamp: EnvironmentStamp
    /// Settings of the command line. Its number of objects is the smallest size.
    let setting: BenchSetting
    let results: [ScalingResult]
    /// Maximum exponent with which a cost may grow (`--fail-above`); nil for no limit.
    var limit: Double?

    /// Costs that grow faster than the limit allows.
    var excesses: [(result: ScalingResult, what: String, exponent: Double)] {
        guard let limit else { return [] }
        return results.flatMap { result in
            result.excesses(over: limit).map { (result, $0.what, $0.exponent) }
        }
    }

    static func text(_ number: Double, places: Int) -> String {
        var buffer = ByteBuffer(capacity: 32)
        buffer.append(decimal: number, places: places)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    // MARK: Text

    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        let machine = [
            "realm-bench \(stamp.version)", stamp.build,
            "\(stamp.processorCount) x \(stamp.processor)", "Linux \(stamp.kernel)",
            stamp.fileSystem, "seed \(setting.seed)",
        ]
        out.append(machine.map(DisplayWidth.printable).joined(separator: "  ") + "\n")
        appendTable(processorTimes, to: &out)
        if results.contains(where: { $0.points.contains { $0.fileBytes != nil } }) {
            appendTable(files, to: &out)
        }
    }

    /// Headings and rows of a table. The first column is text, all other columns are numbers.
    private typealias Lines = (headings: [String], rows: [[String]])

    private var sizes: [String] { results.first?.points.map { String($0.num) } ?? [] }

    private var processorTimes: Lines {
        let rows = results.map { result in
            [result.name] + result.points.map { Quantity.latency($0.processorTime) }
                + [
                    Self.text(result.processorExponent),
                    result.points.last.map { Quantity.bytes($0.peakMemory) } ?? "-",
                ]
        }
        return (["CPU OF"] + sizes + ["E", "MEMORY"], rows)
    }

    private var files: Lines {
        let writers = results.filter { $0.points.contains { $0.fileBytes != nil } }
        let rows = writers.map { result in
            [result.name] + result.points.map { $0.fileBytes.map(Quantity.bytes) ?? "-" }
                + [
                    Self.text(result.fileExponent),
                    result.points.last?.liveBytes.map(Quantity.bytes) ?? "-",
                ]
        }
        return (["FILE OF"] + sizes + ["E", "LIVE"], rows)
    }

    private static func text(_ exponent: Double?) -> String {
        exponent.map { text($0, places: 2) } ?? "-"
    }

    private func appendTable(_ lines: Lines, to out: inout ByteBuffer) {
        out.append("\n")
        Report(figures: lines.headings, rows: lines.rows.map { $0.map { .text($0) } })
            .append(RecordStyle(TableForm.self), to: &out)
    }
}

// MARK: - JSON and CSV

extension ScalingReport {
    /// Returns the numbers measured at the size with this index, in the order of the columns, with
    /// their names in JSON and CSV.
    private func figures(_ result: ScalingResult, _ index: Int) -> JSONItem.Members {
        let point = result.points[index]
        return [
            ("num", .count(point.num)), ("operations", .count(point.operations)),
            ("runs", .count(point.runs)), ("cpu_ns", .count(point.processorTime)),
            ("user_ns", .count(point.user)), ("sys_ns", .count(point.system)),
            (
                "cpuExponent",
                .decimal(result.exponent(at: index, of: \.processorTime), places: 3)
            ),
            ("fileBytes", .known(point.fileBytes)), ("liveBytes", .known(point.liveBytes)),
            ("fileExponent", .decimal(result.exponent(at: index, of: \.fileBytes), places: 3)),
            ("rssPeakBytes", .count(point.peakMemory)),
        ]
    }

    /// The report with one row for each workload and size.
    var rows: Report? {
        guard let first = results.first, !first.points.isEmpty else { return nil }
        let rows = results.flatMap { result in
            result.points.indices.map { index in
                [JSONItem.text(result.name)] + figures(result, index).map(\.value)
            }
        }
        return Report(
            names: ["workload"] + figures(first, 0).map(\.name), rows: rows, isNumber: [])
    }

    var json: JSONItem {
        let head = BenchReport(stamp: stamp, setting: setting, fileSize: 0, results: []).head
        return .object(
            head + [
                ("failAbove", .decimal(limit, places: 3)), ("scaling", .list(results.map(json))),
            ])
    }

    private func json(_ result: ScalingResult) -> JSONItem {
        .object([
            ("workload", .text(result.name)),
            ("cpuExponent", .decimal(result.processorExponent, places: 3)),
            ("fileExponent", .decimal(result.fileExponent, places: 3)),
            ("sizes", .list(result.points.indices.map { .object(figures(result, $0)) })),
        ])
    }
}
