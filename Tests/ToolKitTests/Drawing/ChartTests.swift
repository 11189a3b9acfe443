import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

/// Scales of charts and the text of their SVG. The appearance was checked by eye.
@Suite struct ChartTests {
    private func scale(_ values: [Double], _ unit: ChartUnit) -> ChartScale {
        ChartScale(values, from: 100, to: 0, unit: unit, ticks: 5)
    }

    @Test func ticksAreRound() {
        #expect(scale([0, 97], .number).ticks == [0, 20, 40, 60, 80, 100])
        #expect(scale([0.031], .number).high >= 0.031)
        let bytes = scale([0, 9 * 1024 * 1024], .bytes)
        #expect(bytes.labels.prefix(3) == ["0", "2 MiB", "4 MiB"])
        #expect(bytes.position(0) == 100 && bytes.position(bytes.high) == 0)
        let times = scale([0, 290], .seconds)
        #expect(times.labels == ["0", "60 s", "120 s", "180 s", "240 s", "300 s"])
    }

    /// All numbers along an axis have the same unit and are round in that unit.
    @Test(arguments: [ChartUnit.number, .bytes, .seconds, .percent], [false, true])
    func ticksHaveOneUnit(_ unit: ChartUnit, _ isLogarithmic: Bool) {
        for exponent in (unit == .seconds ? -7 : 3)...9 {
            for factor in [1.0, 1.7, 3.1, 6.5, 9.9] {
                let most = factor * Double(sign: .plus, exponent: exponent * 3, significand: 1)
                let scale = ChartScale(
                    [most / 3000, most], from: 0, to: 100, unit: unit, ticks: 6,
                    isLogarithmic: isLogarithmic)
                let units = Set(
                    scale.labels.filter { $0 != "0" }
                        .map { String($0.drop { $0.isNumber || $0 == "." || $0 == "-" }) })
                #expect(units.count <= 1, "\(scale.labels)")
                #expect(Set(scale.labels).count == scale.labels.count, "\(scale.labels)")
            }
        }
    }

    @Test(arguments: [0, -1, 1e-9, 1e300, .infinity, .nan, -.infinity, 1e-300] as [Double])
    func everyNumberHasAScale(_ value: Double) {
        for unit in [ChartUnit.number, .bytes, .seconds, .percent] {
            for isLogarithmic in [false, true] {
                let scale = ChartScale(
                    [value, 3], from: 100, to: 0, unit: unit, ticks: 5,
                    isLogarithmic: isLogarithmic)
                #expect(scale.ticks.count <= 60)
                #expect(scale.position(3).isFinite)
                for tick in scale.ticks { #expect(!unit.text(tick).isEmpty) }
            }
        }
    }

    @Test func logarithmicScalesHaveTicksAtPowersOfTen() {
        let scale = ChartScale(
            [3, 40_000], from: 0, to: 100, unit: .number, ticks: 5, isLogarithmic: true)
        #expect(scale.ticks == [1, 10, 100, 1000, 10_000, 100_000])
        #expect(abs(scale.position(1000) - 60) < 0.01)
    }

    @Test func numbersArePrintedWithFewDigits() {
        #expect(ChartUnit.decimals(0) == "0" && ChartUnit.decimals(100) == "100")
        #expect(ChartUnit.decimals(1.5) == "1.5" && ChartUnit.decimals(0.04) == "0.04")
        #expect(ChartUnit.decimals(-2.25) == "-2.25" && ChartUnit.decimals(12.04) == "12")
        #expect(ChartUnit.number.text(1_250_000) == "1.25 M")
        #expect(ChartUnit.seconds.text(0.000_25) == "250 µs")
    }

    @Test func namesAreEscaped() {
        #expect(SVGDrawing.escaped("a<b>&\"\u{1B}") == "a&lt;b&gt;&amp;&quot;?")
        #expect(SVGDrawing.text(1.005) == "1" && SVGDrawing.text(-0.5) == "-0.5")
        #expect(SVGDrawing.text(12.34) == "12.34" && SVGDrawing.text(2.05) == "2.05")
    }

    @Test func barsHaveIntervals() {
        var chart = Chart(
            title: "Operations", subtitle: "operations a second, 95% intervals",
            horizontal: .names(["readseq", "readrandom", "fillseq"]),
            verticalLabel: "operations a second", verticalUnit: .number)
        chart.add(
            "main",
            .bars([
                .init(1_200_000, low: 1_150_000, high: 1_260_000), .init(640_000),
                .init(310_000, low: 250_000, high: 380_000),
            ]))
        chart.add("branch", .bars([.init(1_410_000), nil, .init(330_000, low: 300_000)]))
        let buffer = chart.drawing()
        let text = String(decoding: buffer.bytes, as: UTF8.self)
        #expect(text.components(of: "class=\"s0\"") == 4)
        #expect(text.components(of: "class=\"s1\"") == 3)
        #expect(text.components(of: "class=\"ink line\"") == 9)
        for word in [">readrandom<", ">main<", ">branch<", ">1000 k<"] {
            #expect(text.contains(word), "\(word)")
        }
    }
}

extension String {
    /// Returns the number of occurrences of `part`.
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
