import RealmEngine
import RealmRecords
import ToolKit

/// A measurement to be compared: read from a file that `--save` wrote, or from the JSON of a new
/// measurement.
struct SavedReport {
    /// Conditions of the measurement: names such as `host.cpu` and their values as JSON.
    private(set) var stamp: [(name: String, value: String)] = []
    private(set) var results: [SavedResult] = []
    /// Results of another program, such as `sqlite3`, that was measured in alternation; nil if
    /// there are none.
    private(set) var peer: (name: String, results: [SavedResult])?

    private static let maximumFileSize = 64 << 20
    /// Conditions that may differ although two measurements are comparable.
    private static let indifferent: Set<String> = [
        "host.load", "config.fileBytes", "config.runs", "config.warmup_ns",
        // Equals `config.valueSize`, which is the older name of this condition.
        "config.valueBytes",
    ]

    /// Reads a saved measurement. Throws `input` if the file cannot be read, or is not a saved
    /// measurement.
    init(path: String) throws(RealmError) {
        let buffer = try InputFile(path).readAll(limit: Self.maximumFileSize)
        do throws(RealmError) {
            try self.init(buffer)
        } catch { throw error.inFile(path) }
    }

    init(_ report: BenchReport) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 1 << 14)
        report.json.appendLine(to: &buffer)
        try self.init(buffer)
    }

    private init(_ buffer: borrowing ByteBuffer) throws(RealmError) {
        let tape = JSONTape()
        let bytes = buffer.bytes
        let root: JSONValue
        do throws(RecordError) {
            root = try tape.parse(copying: ByteView(bytes.baseAddress!, count: bytes.count))
        } catch { throw Self.malformed("it is not JSON") }
        guard root.field("tool")?.text.string == "realm-bench", root.field("output")?.int == 1,
            let results = root.field("results"), results.kind == .array
        else { throw Self.malformed("it is something else") }
        readStamp(root)
        self.results = try Self.read(results)
        if let peer = root.field("peer")?.field("name"), peer.kind == .string,
            let results = root.field("peerResults"), results.kind == .array
        {
            self.peer = (peer.text.string, try Self.read(results))
        }
    }

    private static func read(_ results: JSONValue) throws(RealmError) -> [SavedResult] {
        var read: [SavedResult] = []
        for item in results.children {
            guard let result = SavedResult(item) else {
                throw malformed("a result without its runs")
            }
            read.append(result)
        }
        return read
    }

    private static func malformed(_ why: String) -> RealmError {
        RealmError(
            .input, code: "InvalidArgument", reason: "not-a-result",
            "not a result of realm-bench: \(why)", hint: "realm-bench --save FILE writes one")
    }

    private mutating func readStamp(_ root: JSONValue) {
        for (name, part) in [
            ("host", root.field("host")), ("config", root.field("config")),
        ] {
            guard let part else { continue }
            for value in part.children {
                let name = name + "." + value.key.string
                if !Self.indifferent.contains(name) { stamp.append((name, value.source.string)) }
            }
        }
        if let build = root.field("engine")?.field("build") {
            stamp.append(("engine.build", build.source.string))
        }
    }

    /// Returns a text for each condition, such as `host.cpu`, whose value differs from the value in
    /// `other`. The text contains both values.
    func differences(from other: SavedReport) -> [String] {
        stamp.compactMap { name, value in
            guard let old = other.stamp.first(where: { $0.name == name })?.value, old != value
            else { return nil }
            return "\(name): \(old), now \(value)"
        }
    }

    func result(_ name: String) -> SavedResult? { results.first { $0.name == name } }
}

/// One workload of a saved measurement.
struct SavedResult {
    let name: String
    /// For each metric, its value in each run.
    private(set) var runs: [GateMetric: [Double]] = [:]
    /// Nanoseconds by percentile; empty if operations were not timed.
    private(set) var latencies: [(share: Double, nanoseconds: Double)] = []
    /// Sizes of the file after commits. `growthStride` is the number of commits between two
    /// consecutive sizes.
    private(set) var growth: [Double] = []
    private(set) var growthStride = 1.0

    /// Distance between the quartiles of the throughput over all runs, divided by the median.
    var noise: Double { runs[.ops].flatMap(Statistics.relativeInterquartileRange) ?? 0 }

    /// Returns nil if the JSON value is not the result of a workload.
    init?(_ item: JSONValue) {
        guard let name = item.field("workload"), name.kind == .string,
            let ops = Self.numbers(item.field("runs")), !ops.isEmpty
        else { return nil }
        self.name = name.text.string
        runs[.ops] = ops
        if let perRun = item.field("perRun") {
            runs[.p99] = Self.numbers(perRun.field("p99_ns"))
            runs[.cpu] = Self.numbers(perRun.field("cpuPerOp_ns"))
            runs[.bytes] = Self.numbers(perRun.field("bytesWritten"))
            runs[.fsyncs] = Self.numbers(perRun.field("fsyncs"))
            runs[.size] = Self.numbers(perRun.field("fileBytes") ?? perRun.field("size"))
        }
        for (i, value) in (item.field("latency_ns")?.children ?? name.children).enumerated() {
            guard i < BenchReport.percentiles.count, let time = value.double else { break }
            latencies.append((BenchReport.percentiles[i].share, time))
        }
        if let growth = item.field("growth") {
            self.growth = Self.numbers(growth.field("bytes") ?? growth.field("sizes")) ?? []
            growthStride = growth.field("commits")?.double ?? 1
        }
    }

    /// Returns the numbers in an array; nil if there are none.
    private static func numbers(_ list: JSONValue?) -> [Double]? {
        guard let list, list.kind == .array, list.count > 0 else { return nil }
        var numbers: [Double] = []
        for item in list.children {
            guard let number = item.double, number.isFinite, number >= 0 else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
