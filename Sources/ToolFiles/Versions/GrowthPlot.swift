import RealmEngine
import ToolKit

/// `--plot`: a chart of the sizes of a file over time.
struct GrowthPlot {
    private struct Sample {
        let seconds: Double
        let bytes: Double
        let live: Double
        let free: Double
        let pinned: Double
    }

    private let file: String
    private var samples: [Sample] = []

    /// Maximum number of samples. When it is exceeded, every second sample is removed.
    private static let maximumSampleCount = 4000

    init(file: String) { self.file = FileName.last(of: file) }

    /// Adds a sample. `seconds` are since 1970 and must ascend. The other values are in bytes.
    mutating func add(
        seconds: Double, bytes: Double, live: Double, free: Double, pinned: Double
    ) {
        samples.append(
            Sample(seconds: seconds, bytes: bytes, live: live, free: free, pinned: pinned))
        guard samples.count > Self.maximumSampleCount else { return }
        samples = samples.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }

    var isEmpty: Bool { samples.isEmpty }

    func drawing() -> ByteBuffer {
        let first = samples.first?.seconds ?? 0
        let start = WallTime.text(Int64(first) * 1_000_000_000)
        let now = samples.last.map { "now \(ChartUnit.bytes.text($0.bytes))" } ?? "no data"
        var chart = Chart(
            title: "Size of \(file)",
            subtitle: "\(now); pinned space cannot be used until old versions are released",
            horizontal: .numbers(label: "time since \(start)", unit: .seconds),
            verticalLabel: "size", verticalUnit: .bytes)
        func points(_ part: (Sample) -> Double) -> Chart.Mark {
            .area(samples.map { ($0.seconds - first, part($0)) })
        }
        chart.add("live data", points(\.live), .series(0))
        chart.add("pinned by old versions", points(\.pinned), .warning(0))
        chart.add("free", points(\.free), .empty)
        chart.add("size of the file", .line(samples.map { ($0.seconds - first, $0.bytes) }), .ink)
        return chart.drawing()
    }
}
