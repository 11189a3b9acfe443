import RealmEngine

/// Several charts on one page, one below the other.
package struct ChartPage {
    private let title: String
    private let summary: String
    private var charts: [Chart] = []

    package init(title: String, summary: String) {
        self.title = title
        self.summary = summary
    }

    package mutating func add(_ chart: Chart) { charts.append(chart) }

    /// Draws the page as an SVG document.
    package func drawing() -> ByteBuffer {
        var page = SVGDrawing(
            width: charts.map(\.width).max() ?? 0, height: charts.reduce(0) { $0 + $1.height },
            title: title, summary: summary)
        var y = 0.0
        for chart in charts {
            page.place(ChartDrawing(chart).drawn(), 0, y)
            y += chart.height
        }
        return page.document()
    }
}
