import RealmEngine
import ToolKit

/// Results of `--scaling`.
struct ScalingReport {
    let stamp: EnvironmentStamp
    /// As given; the sizes begin with its number of objects.
    let setting: BenchSetting
    let results: [ScalingResult]
    /// Largest exponent that is allowed; nil for any.
    var limit: Double?

    /// Costs that grow faster than the limit allows.
    var excesses: [(result: ScalingResult, what: String, exponent: Double)] {
        guard let limit else { return [] }
        return results.flatMap { result in
            result.excesses(over: limit).map { (result, $0.what, $0.exponent) }
        }
    }

    /// Appends the report in one of the three forms.
    func append(_ format: OutputFormat, to out: inout ByteBuffer) {
        switch format {
        case .json: appendJSON(to: &out)
        case .csv: appendCSV(to: &out)
        default: appendText(to: &out)
        }
    }

    static func text(_ number: Double, places: Int) -> String {
        var buffer = ByteBuffer(capacity: 32)
        buffer.append(decimal: number, places: places)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    // MARK: Text

    private func appendText(to out: inout ByteBuffer) {
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

    /// Headings and rows; the first column is text, the others are numbers.
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

// MARK: - For programs

extension ScalingReport {
    /// The figures of one size, in the order of the columns: names in JSON and CSV.
    private func figures(_ result: ScalingResult, _ index: Int) -> [(String, BenchFigure)] {
        let point = result.points[index]
        return [
            ("num", .number(point.num)), ("operations", .number(point.operations)),
            ("runs", .number(point.runs)), ("cpu_ns", .number(point.processorTime)),
            ("user_ns", .number(point.user)), ("sys_ns", .number(point.system)),
            (
                "cpuExponent",
                .decimal(result.exponent(at: index, of: \.processorTime), places: 3)
            ),
            ("fileBytes", .number(point.fileBytes)), ("liveBytes", .number(point.liveBytes)),
            ("fileExponent", .decimal(result.exponent(at: index, of: \.fileBytes), places: 3)),
            ("rssPeakBytes", .number(point.peakMemory)),
        ]
    }

    /// A header, then a line for each workload and size.
    private func appendCSV(to out: inout ByteBuffer) {
        guard let first = results.first, !first.points.isEmpty else { return }
        let names = ["workload"] + figures(first, 0).map(\.0)
        out.append(names.joined(separator: ",") + "\n")
        for result in results {
            for index in result.points.indices {
                out.append(result.name)
                for (_, figure) in figures(result, index) {
                    out.append(",")
                    if !figure.isNull { out.append(figure: figure) }
                }
                out.append("\n")
            }
        }
    }

    private func appendJSON(to out: inout ByteBuffer) {
        BenchReport(stamp: stamp, setting: setting, fileSize: 0, results: [])
            .appendJSONHead(to: &out)
        out.append(member: "failAbove", .decimal(limit, places: 3))
        out.append(",\"scaling\":[")
        for (i, result) in results.enumerated() {
            if i > 0 { out.append(",") }
            append(result, to: &out)
        }
        out.append("]}\n")
    }

    private func append(_ result: ScalingResult, to out: inout ByteBuffer) {
        out.append("{\"workload\":")
        out.append(json: result.name)
        out.append(member: "cpuExponent", .decimal(result.processorExponent, places: 3))
        out.append(member: "fileExponent", .decimal(result.fileExponent, places: 3))
        out.append(",\"sizes\":[")
        for index in result.points.indices {
            if index > 0 { out.append(",") }
            out.append(members: figures(result, index))
        }
        out.append("]}")
    }
}
