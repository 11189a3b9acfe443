import RealmEngine

/// Lays a chart out: title, legend, axes, then the series.
struct ChartDrawing {
    private let chart: Chart
    private var drawing: SVGDrawing
    private let vertical: ChartScale
    private let left: Double
    private let right: Double
    private let top: Double
    private let bottom: Double

    private static let margin = 24.0

    init(_ chart: Chart) {
        self.chart = chart
        drawing = SVGDrawing(
            width: chart.width, height: chart.height, title: chart.title,
            summary: chart.subtitle)
        var named: [(String, Paint)] = []
        for series in chart.series where !named.contains(where: { $0.0 == series.name }) {
            named.append((series.name, series.paint))
        }
        let legend = Legend(named, width: chart.width - 48)
        top = 76 + legend.height
        bottom = chart.height - 62 - Self.roomForNames(chart)
        let heights = chart.heights
        let scale = ChartScale(
            heights, from: bottom, to: top, unit: chart.verticalUnit, ticks: 6,
            isLogarithmic: chart.isLogarithmic)
        vertical = scale
        let labels = scale.labels.map { SVGDrawing.width(of: $0, .small) }
        left = Self.margin + 24 + (labels.max() ?? 0)
        right = chart.width - Self.margin
        drawing.text(chart.title, Self.margin, 34, .title)
        drawing.text(chart.subtitle, Self.margin, 56, .small)
        legend.draw(Self.margin, 76, on: &drawing)
    }

    /// Draws the axes and the series.
    func drawn() -> SVGDrawing {
        var copy = self
        copy.drawVerticalAxis()
        switch chart.horizontal {
        case .numbers(let label, let unit): copy.drawNumbers(label, unit)
        case .names(let names): copy.drawNames(names)
        case .labels(let labels): copy.drawLabels(labels)
        }
        return copy.drawing
    }

    /// Returns the extra height in pixels below the axis. It is needed for names that are wider
    /// than their bars and are therefore turned.
    private static func roomForNames(_ chart: Chart) -> Double {
        guard case .names(let names) = chart.horizontal else { return 0 }
        let widest = names.map { SVGDrawing.width(of: $0, .small) }.max() ?? 0
        let room = (chart.width - 120) / Double(max(1, names.count))
        return widest + 8 > room ? max(0, widest - 24) : 0
    }

    private mutating func drawVerticalAxis() {
        for (tick, label) in zip(vertical.ticks, vertical.labels) {
            let y = vertical.position(tick)
            drawing.line(left, y, right, y, .grid)
            drawing.text(label, left - 8, y + 4, .small, anchor: .end)
        }
        drawing.text(
            chart.verticalLabel, Self.margin, (top + bottom) / 2, .small, anchor: .middle,
            turned: true)
    }

    // MARK: Numeric axis

    private mutating func drawNumbers(_ label: String, _ unit: ChartUnit) {
        let scale = ChartScale(
            chart.positions, from: left, to: right, unit: unit, ticks: 8, fromZero: false,
            isTight: true)
        drawSeries(scale)
        drawing.line(left, bottom, right, bottom, .axis)
        for (tick, label) in zip(scale.ticks, scale.labels) {
            drawTick(scale.position(tick), label)
        }
        drawing.text(label, (left + right) / 2, chart.height - 18, .small, anchor: .middle)
    }

    private mutating func drawLabels(_ labels: [String]) {
        let last = Double(max(1, labels.count - 1))
        let scale = ChartScale(
            [0, last], from: left + 24, to: right - 24, unit: .number, ticks: 1, fromZero: false,
            isTight: true)
        drawSeries(scale)
        drawing.line(left, bottom, right, bottom, .axis)
        for (i, label) in labels.enumerated() { drawTick(scale.position(Double(i)), label) }
    }

    private mutating func drawTick(_ x: Double, _ label: String) {
        drawing.line(x, bottom, x, bottom + 5, .axis)
        drawing.text(label, x, bottom + 20, .small, anchor: .middle)
    }

    private mutating func drawSeries(_ scale: ChartScale) {
        var below: [Double] = []
        for series in chart.series {
            switch series.mark {
            case .area(let points):
                below = drawArea(points, on: below, scale, series.paint)
            case .line(let points):
                drawing.polyline(
                    points.map { (scale.position($0.x), vertical.position($0.y)) }, series.paint)
            case .points(let points):
                for point in points {
                    drawInterval(scale.position(point.x), point.y, series.paint)
                    drawing.circle(
                        scale.position(point.x), vertical.position(point.y.value), radius: 3.5,
                        series.paint)
                }
            case .bars: break
            }
        }
    }

    private mutating func drawArea(
        _ points: [Chart.Point], on below: [Double], _ scale: ChartScale, _ paint: Paint
    ) -> [Double] {
        let heights = Chart.stacked(below, points)
        let upper = zip(points, heights).map {
            (x: scale.position($0.x), y: vertical.position($1))
        }
        let lower = points.indices.map { i in
            (
                x: scale.position(points[i].x),
                y: vertical.position(i < below.count ? below[i] : vertical.low)
            )
        }
        drawing.polygon(upper + lower.reversed(), paint)
        return heights
    }

    private mutating func drawInterval(_ x: Double, _ interval: Chart.Interval, _ paint: Paint) {
        guard interval.high > interval.low else { return }
        let (low, high) = (vertical.position(interval.low), vertical.position(interval.high))
        drawing.line(x, low, x, high, paint)
        for y in [low, high] { drawing.line(x - 4, y, x + 4, y, paint) }
    }

    // MARK: Category axis

    private mutating func drawNames(_ names: [String]) {
        let groups = chart.series.compactMap { series -> (Paint, String, [Chart.Interval?])? in
            if case .bars(let bars) = series.mark { return (series.paint, series.name, bars) }
            return nil
        }
        let room = (right - left) / Double(max(1, names.count))
        let gap = min(24, room * 0.2)
        let width = min(64, (room - gap) / Double(max(1, groups.count)))
        for (index, name) in names.enumerated() {
            let middle = left + room * (Double(index) + 0.5)
            let start = middle - width * Double(groups.count) / 2
            for (position, group) in groups.enumerated() {
                guard index < group.2.count, let bar = group.2[index] else { continue }
                drawBar(
                    start + width * Double(position), width - 2, bar, group.0,
                    "\(name), \(group.1): \(chart.verticalUnit.text(bar.value))")
            }
            if Self.roomForNames(chart) > 0 {
                drawing.text(name, middle + 4, bottom + 8, .small, anchor: .end, turned: true)
            } else {
                drawing.text(name, middle, bottom + 20, .small, anchor: .middle)
            }
        }
        drawing.line(left, bottom, right, bottom, .axis)
    }

    private mutating func drawBar(
        _ x: Double, _ width: Double, _ bar: Chart.Interval, _ paint: Paint, _ hint: String
    ) {
        let y = vertical.position(bar.value)
        drawing.rectangle(x, y, width, max(0.5, bottom - y), paint, hint: hint)
        drawInterval(x + width / 2, bar, .ink)
    }
}

/// Coloured squares with the names of the series, wrapped into lines.
struct Legend {
    private struct Entry {
        let name: String
        let paint: Paint
        let x: Double
        let line: Int
    }

    private static let lineHeight = 22.0
    private var entries: [Entry] = []

    /// Height of the legend in pixels; 0 for a single series, which needs no legend.
    var height: Double {
        entries.isEmpty ? 0 : Double(entries.last!.line + 1) * Self.lineHeight + 8
    }

    init(_ names: [(String, Paint)], width: Double) {
        if names.count < 2 { return }
        var (x, line) = (0.0, 0)
        for (name, paint) in names {
            let needed = 36 + SVGDrawing.width(of: name)
            if x > 0, x + needed > width { (x, line) = (0, line + 1) }
            entries.append(Entry(name: name, paint: paint, x: x, line: line))
            x += needed
        }
    }

    func draw(_ x: Double, _ y: Double, on drawing: inout SVGDrawing) {
        for entry in entries {
            let top = y + Double(entry.line) * Self.lineHeight
            if entry.paint.isBroken {
                drawing.line(x + entry.x - 6, top + 6, x + entry.x + 14, top + 6, entry.paint)
            } else {
                drawing.rectangle(x + entry.x, top, 12, 12, entry.paint)
            }
            drawing.text(entry.name, x + entry.x + 18, top + 11)
        }
    }
}
