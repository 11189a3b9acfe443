import RealmEngine
import RealmRecords
import ToolKit

/// `--plot` without `--watch`: draws a chart from the lines that an earlier `--watch` printed.
enum WatchLog {
    static func draw(_ request: VersionsRequest) throws(RealmError) -> ExitCode {
        guard let path = request.plotPath else { return .ok }
        let output = try OutputFile(path: path, force: request.command.mayReplaceOutput)
        let plot = try read()
        var buffer = plot.drawing()
        try output.flush(&buffer)
        try output.commit()
        return .ok
    }

    private static let limit = 1 << 30

    private static func read() throws(RealmError) -> GrowthPlot {
        let text = try InputFile("-").readAll(limit: limit)
        let tape = JSONTape()
        var plot: GrowthPlot?
        for (position, line) in text.bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let base = text.bytes.baseAddress else { break }
            let view = ByteView(base + line.startIndex, count: line.count)
            guard let item = try? tape.parse(copying: view), let sample = Sample(item) else {
                throw .misuse(
                    "line \(position + 1) is not a line of --watch", code: "InvalidArgument",
                    reason: "bad-value")
            }
            if plot == nil { plot = GrowthPlot(file: sample.file) }
            plot?.add(
                seconds: sample.seconds, bytes: sample.bytes, live: sample.live,
                free: sample.free, pinned: sample.pinned)
        }
        guard let plot else {
            throw .misuse("there is nothing to draw", code: "InvalidArgument", reason: "empty")
        }
        return plot
    }

    private struct Sample {
        let file: String
        let seconds: Double
        let bytes: Double
        let live: Double
        let free: Double
        let pinned: Double

        init?(_ item: JSONValue) {
            guard let file = item.field("file"), let time = item.field("time"),
                let moment = Timestamp(text: time.text),
                let bytes = item.field("bytes")?.double, let live = item.field("liveBytes")?.double,
                let free = item.field("freeBytes")?.double,
                let pinned = item.field("pinnedBytes")?.double
            else { return nil }
            self.file = file.text.string
            seconds = Double(moment.seconds) + Double(moment.nanoseconds) / 1e9
            (self.bytes, self.live, self.free, self.pinned) = (bytes, live, free, pinned)
        }
    }
}
