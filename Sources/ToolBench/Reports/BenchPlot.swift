import RealmEngine
import ToolKit

/// A picture of a measurement: throughput, latencies, and growth of the file. Can also show the
/// numbers of a baseline and of another program.
struct BenchPlot {
    private let report: SavedReport
    private let baseline: SavedReport?
    private let subtitle: String

    init(_ report: BenchReport, _ baseline: SavedReport?) throws(RealmError) {
        self.report = try SavedReport(report)
        self.baseline = baseline
        let stamp = report.stamp
        let setting = report.setting
        subtitle =
            "realm-bench \(stamp.version) \(stamp.build), \(stamp.processorCount) x "
            + "\(stamp.processor), \(stamp.fileSystem), "
            + (setting.isGenerated ? "\(setting.num) objects" : FileName.last(of: setting.file))
            + ", \(setting.runs) runs, seed \(setting.seed)"
    }

    func drawing() -> ByteBuffer {
        var page = ChartPage(title: "realm-bench", summary: subtitle)
        page.add(throughput)
        if let latencies { page.add(latencies) }
        if let growth { page.add(growth) }
        return page.drawing()
    }

    /// Chart with the median throughput and its confidence interval of each workload, on a
    /// logarithmic axis.
    private var throughput: Chart {
        var chart = Chart(
            title: "Operations per second", subtitle: subtitle,
            horizontal: .names(report.results.map(\.name)), verticalLabel: "operations per second",
            verticalUnit: .number)
        chart.isLogarithmic = true
        chart.add("this run", .bars(report.results.map { Self.interval($0) }), .series(0))
        if let baseline {
            let bars = report.results.map { baseline.result($0.name).flatMap(Self.interval) }
            chart.add("baseline", .bars(bars), .quiet)
        }
        if let (name, results) = report.peer {
            let bars = report.results.map { ours in
                results.first { $0.name == ours.name }.flatMap(Self.interval)
            }
            chart.add(name, .bars(bars), .series(1))
        }
        return chart
    }

    private static func interval(_ result: SavedResult) -> Chart.Interval? {
        guard let runs = result.runs[.ops] else { return nil }
        let bounds = Statistics.medianInterval95(runs, seed: 1)
        return Chart.Interval(Statistics.median(runs), low: bounds?.low, high: bounds?.high)
    }

    /// Chart of latencies by percentile; nil if no operations were timed.
    private var latencies: Chart? {
        let timed = report.results.filter { !$0.latencies.isEmpty }
        if timed.isEmpty { return nil }
        var chart = Chart(
            title: "Latency", subtitle: "latency percentiles of single operations",
            horizontal: .labels(BenchReport.percentiles.map { $0.name.uppercased() }),
            verticalLabel: "time", verticalUnit: .seconds)
        chart.isLogarithmic = true
        let shown = timed.prefix(Paint.seriesCount)
        addOthers(shown.map(\.name), to: &chart) { $0.latencies.isEmpty ? nil : Self.curve($0) }
        for result in shown {
            chart.add(result.name, Self.curve(result), .series(colour(of: result.name)))
        }
        return chart
    }

    /// Returns the colour of a workload. It is the same in all charts.
    private func colour(of name: String) -> Int {
        (report.results.firstIndex { $0.name == name } ?? 0) % Paint.seriesCount
    }

    /// Adds the results of other measurements of a workload, in the workload's colour: from the
    /// baseline as dashed lines, from the other program as dotted lines.
    private func addOthers(
        _ names: [String], to chart: inout Chart, _ mark: (SavedResult) -> Chart.Mark?
    ) {
        for name in names {
            if let mark = baseline?.result(name).flatMap(mark) {
                chart.add("\(name), baseline", mark, .dashed(colour(of: name)))
            }
            if let mark = report.peer?.results.first(where: { $0.name == name }).flatMap(mark) {
                chart.add("\(name), \(report.peer!.name)", mark, .dotted(colour(of: name)))
            }
        }
    }

    private static func curve(_ result: SavedResult) -> Chart.Mark {
        .line(
            result.latencies.enumerated().map {
                (x: Double($0.offset), y: max(1e-9, $0.element.nanoseconds / 1e9))
            })
    }

    /// Chart of the file size after each commit; nil if no workload commits.
    private var growth: Chart? {
        let growing = report.results.filter { $0.growth.count > 1 }
            .ordered { Self.increase($0) > Self.increase($1) }
            .prefix(Paint.seriesCount)
        if growing.isEmpty { return nil }
        var chart = Chart(
            title: "Size of the file", subtitle: "after each commit of the last run",
            horizontal: .numbers(label: "share of the run's commits", unit: .percent),
            verticalLabel: "bytes", verticalUnit: .bytes)
        addOthers(growing.map(\.name), to: &chart) { $0.growth.count > 1 ? Self.sizes($0) : nil }
        for result in growing {
            chart.add(result.name, Self.sizes(result), .series(colour(of: result.name)))
        }
        return chart
    }

    private static func increase(_ result: SavedResult) -> Double {
        (result.growth.last ?? 0) - (result.growth.first ?? 0)
    }

    private static func sizes(_ result: SavedResult) -> Chart.Mark {
        let last = Double(result.growth.count - 1)
        return .line(
            result.growth.enumerated().map { (x: Double($0.offset) / last * 100, y: $0.element) })
    }
}
