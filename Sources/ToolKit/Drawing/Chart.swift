import RealmEngine

/// A chart over a horizontal axis: lines, stacked areas, points with intervals, or groups of bars.
package struct Chart {
    /// Content of the horizontal axis.
    package enum Horizontal {
        case numbers(label: String, unit: ChartUnit)
        /// One group of bars for each name.
        case names([String])
        /// The numbers 0, 1, 2 ..., each with a label.
        case labels([String])
    }

    package typealias Point = (x: Double, y: Double)

    /// A measured value with the ends of its confidence interval.
    package struct Interval {
        package var value: Double
        var low: Double
        var high: Double

        package init(_ value: Double, low: Double? = nil, high: Double? = nil) {
            self.value = value
            self.low = low ?? value
            self.high = high ?? value
        }
    }

    package enum Mark {
        case line([Point])
        /// A stacked area: the values are added to the values of the areas before it.
        case area([Point])
        case points([(x: Double, y: Interval)])
        /// One bar for each of `Horizontal.names`; nil leaves a gap.
        case bars([Interval?])
    }

    struct Series {
        let name: String
        let paint: Paint
        let mark: Mark
    }

    let title: String
    let subtitle: String
    let horizontal: Horizontal
    let verticalLabel: String
    let verticalUnit: ChartUnit
    package var isLogarithmic = false
    var series: [Series] = []
    package var width = 960.0
    var height = 520.0

    package init(
        title: String, subtitle: String, horizontal: Horizontal, verticalLabel: String,
        verticalUnit: ChartUnit
    ) {
        self.title = title
        self.subtitle = subtitle
        self.horizontal = horizontal
        self.verticalLabel = verticalLabel
        self.verticalUnit = verticalUnit
    }

    /// Adds a series in the next colour, or in `paint`.
    package mutating func add(_ name: String, _ mark: Mark, _ paint: Paint? = nil) {
        series.append(Series(name: name, paint: paint ?? .series(series.count), mark: mark))
    }

    /// All values that the vertical axis must include. The value of an area includes the areas
    /// below it.
    var heights: [Double] {
        var values: [Double] = []
        var stack: [Double] = []
        for one in series {
            switch one.mark {
            case .line(let points): values += points.map(\.y)
            case .area(let points):
                stack = Self.stacked(stack, points)
                values += stack
            case .points(let points): values += points.flatMap { [$0.y.low, $0.y.high] }
            case .bars(let bars): values += bars.compactMap { $0 }.flatMap { [$0.low, $0.high] }
            }
        }
        return values
    }

    static func stacked(_ below: [Double], _ points: [Point]) -> [Double] {
        points.enumerated().map { $0 < below.count ? below[$0] + $1.y : $1.y }
    }

    /// All values that the horizontal axis must include.
    var positions: [Double] {
        series.flatMap { one -> [Double] in
            switch one.mark {
            case .line(let points), .area(let points): points.map(\.x)
            case .points(let points): points.map(\.x)
            case .bars: []
            }
        }
    }

    /// Draws the chart as an SVG document.
    package func drawing() -> ByteBuffer { ChartDrawing(self).drawn().document() }
}
