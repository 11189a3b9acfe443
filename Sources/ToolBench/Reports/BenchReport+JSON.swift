import RealmEngine
import ToolKit

/// The report as one line of JSON; times are whole nanoseconds.
extension BenchReport {
    func appendJSON(_ comparison: Comparison? = nil, to out: inout ByteBuffer) {
        appendJSONHead(to: &out)
        out.append(",\"noisy\":[")
        for (i, workload) in noisy.enumerated() {
            if i > 0 { out.append(",") }
            out.append(json: workload.name)
        }
        out.append("],\"results\":[")
        for (i, result) in results.enumerated() {
            if i > 0 { out.append(",") }
            append(result, to: &out)
        }
        out.append("]")
        if let peer {
            out.append(",\"peer\":")
            out.append(members: [
                ("name", .text(peer.name)), ("version", .text(peer.version)),
                ("settings", .text(peer.settings)),
            ])
            out.append(",\"peerResults\":[")
            for (i, result) in peer.results.enumerated() {
                if i > 0 { out.append(",") }
                append(result, to: &out)
            }
            out.append("]")
        }
        if let comparison {
            out.append(",")
            comparison.appendJSON(to: &out)
        }
        out.append("}\n")
    }

    /// Begins the object with what the figures depend on.
    func appendJSONHead(to out: inout ByteBuffer) {
        JSONReport.begin("realm-bench", to: &out)
        out.append(",\"engine\":")
        out.append(members: [
            ("version", .text(stamp.version)), ("id", stamp.identity.map { .text($0) } ?? .null),
            ("build", .text(stamp.build)),
        ])
        out.append(",\"host\":")
        out.append(members: [
            ("cpu", .text(stamp.processor)), ("cpus", .number(stamp.processorCount)),
            ("kernel", .text(stamp.kernel)), ("filesystem", .text(stamp.fileSystem)),
            ("governor", stamp.governor.map { .text($0) } ?? .null),
            ("load", .decimal(stamp.load, places: 2)),
        ])
        out.append(",\"config\":")
        out.append(members: config)
    }

    private var config: [(String, BenchFigure)] {
        [
            ("file", setting.isGenerated ? .null : .text(setting.file)),
            ("fileBytes", .number(fileSize)),
            ("num", .number(setting.num)), ("coreRows", .number(setting.coreRows ?? setting.num)),
            ("runs", .number(setting.runs)),
            ("warmup_ns", .number(setting.warmup.wholeNanoseconds)),
            ("threads", .number(setting.threads)), ("encrypted", .flag(setting.key != nil)),
            ("durability", .text(setting.isDurable ? "full" : "unsafe")),
            ("batch", .number(setting.batch)), ("valueSize", .number(setting.valueSize)),
            ("valueBytes", .number(setting.valueSize)),
            ("seed", .number(Int(clamping: setting.seed))),
            ("cache", .text(setting.isCacheCold ? "cold" : "warm")),
            ("time_ns", .number(setting.time.map { Int(clamping: $0) })),
            ("rate", .decimal(setting.rate, places: 3)),
            ("distribution", .text(setting.distribution.text)),
            ("readers", .number(setting.readers)), ("writers", .number(setting.writers)),
            ("pins", .number(setting.pins)),
        ]
    }

    private func append(_ result: WorkloadResult, to out: inout ByteBuffer) {
        out.append("{\"workload\":")
        out.append(json: result.name)
        if let query = result.query { out.append(member: "query", .text(query)) }
        let interval = result.interval(seed: setting.seed)
        out.append(member: "ops", .decimal(result.throughput, places: 1))
        out.append(
            member: "ci95",
            interval.map { .list([$0.low, $0.high], places: 1) } ?? .null)
        out.append(member: "noise", .decimal(result.noise, places: 4))
        out.append(member: "operations", .number(result.median(\.operations)))
        out.append(member: "elapsed_ns", .number(result.median { Int($0.elapsed) }))
        appendLatencies(result, to: &out)
        appendStorage(result, to: &out)
        out.append(
            member: "kernelBytesWritten", .number(result.knownMedian(\.usage.bytesWritten)))
        for name in ["rssPeakBytes", "rssPeak"] {
            out.append(member: name, .number(result.median(\.peakMemory)))
        }
        out.append(",\"cpu\":")
        out.append(members: [
            ("user_ns", .number(result.median(\.usage.userNanoseconds))),
            ("sys_ns", .number(result.median(\.usage.systemNanoseconds))),
        ])
        out.append(",\"faults\":")
        out.append(members: [
            ("major", .number(result.median(\.usage.majorFaults))),
            ("minor", .number(result.median(\.usage.minorFaults))),
        ])
        out.append(member: "runs", .list(result.throughputs, places: 1))
        appendRuns(result, to: &out)
        if let note = result.note { out.append(member: "note", .text(note)) }
        out.append("}")
    }

    /// The figures a comparison judges, for each run.
    private func appendRuns(_ result: WorkloadResult, to out: inout ByteBuffer) {
        var members: [(String, BenchFigure)] = []
        let p99 = result.runs.compactMap(\.p99)
        if !p99.isEmpty { members.append(("p99_ns", .numbers(p99))) }
        members.append(("cpuPerOp_ns", .list(result.runs.map(\.exactProcessorTime), places: 1)))
        let stored = result.runs.compactMap(\.storage)
        if !stored.isEmpty {
            members.append(("bytesWritten", .numbers(stored.map(\.bytesWritten))))
            members.append(("fsyncs", .numbers(stored.map(\.syncs))))
            for name in ["fileBytes", "size"] {
                members.append((name, .numbers(stored.map(\.sizeAtEnd))))
            }
        }
        out.append(",\"perRun\":")
        out.append(members: members)
    }

    private func appendStorage(_ result: WorkloadResult, to out: inout ByteBuffer) {
        append("work_ns", result.workTimes, to: &out)
        append("sync_ns", result.syncTimes, to: &out)
        out.append(member: "fsyncs", .number(result.storage(\.syncs)))
        out.append(member: "commits", .number(result.storage(\.commits)))
        out.append(member: "bytesWritten", .number(result.storage(\.bytesWritten)))
        out.append(member: "logicalBytes", .number(result.storage(\.logicalBytes)))
        out.append(member: "writeAmp", .decimal(result.writeAmplification, places: 2))
        guard result.writes else { return }
        for name in ["fileBytes", "file"] {
            out.append(",\"\(name)\":")
            out.append(members: [
                ("start", .number(result.storage(\.sizeAtStart))),
                ("end", .number(result.storage(\.sizeAtEnd))),
                ("compacted", .number(result.knownStorage(\.compactedSize))),
                ("live", .number(result.knownStorage(\.liveBytes))),
                ("free", .number(result.storage(\.freeBytes))),
            ])
        }
        out.append(member: "spaceAmp", .decimal(result.spaceAmplification, places: 2))
        out.append(member: "pinnedBytes", .number(result.storage(\.pinnedBytes)))
        out.append(member: "liveVersionsMax", .number(result.storage(\.mostVersions)))
        if let growth = result.runs.last?.storage?.growth {
            out.append(",\"growth\":")
            out.append(members: [
                ("commits", .number(growth.stride)), ("bytes", .numbers(growth.sizes)),
                ("sizes", .numbers(growth.sizes)),
            ])
        }
    }

    /// The percentiles of times, if there are any.
    private func append(
        _ name: String, _ times: LatencyHistogram, to out: inout ByteBuffer
    ) {
        if times.count == 0 { return }
        out.append(",\"")
        out.append(name)
        out.append("\":")
        out.append(
            members: Self.percentiles.map {
                ($0.name, .number(Int(clamping: times.value(atShare: $0.share))))
            })
    }

    /// `null` for workloads whose single operations are not timed.
    private func appendLatencies(_ result: WorkloadResult, to out: inout ByteBuffer) {
        out.append(",\"latency_ns\":")
        guard result.latencies.count > 0 else { return out.append("null") }
        out.append(
            members: Self.percentiles.map {
                ($0.name, .number(result.latency($0.share)))
            })
        guard result.isPaced else { return }
        append("service_ns", result.services, to: &out)
        append("lag_ns", result.lags, to: &out)
        out.append(member: "late", .number(setting.lateAfter == nil ? nil : result.late))
    }
}

/// A value in a report for programs.
enum BenchFigure {
    case null
    case number(Int?)
    /// Rounded to that many places.
    case decimal(Double?, places: Int)
    case flag(Bool)
    case text(String)
    case list([Double], places: Int)
    case numbers([Int])

    var isNull: Bool {
        switch self {
        case .null, .number(nil), .decimal(nil, _): true
        default: false
        }
    }
}

extension ByteBuffer {
    mutating func append(figure: BenchFigure) {
        switch figure {
        case .null: append("null")
        case .number(nil), .decimal(nil, _): append("null")
        case .number(let number?): append(number: number)
        case .decimal(let number?, let places): append(decimal: number, places: places)
        case .flag(let flag): append(flag)
        case .text(let text): append(json: text)
        case .list(let numbers, let places):
            append("[")
            for (i, number) in numbers.enumerated() {
                if i > 0 { append(",") }
                append(decimal: number, places: places)
            }
            append("]")
        case .numbers(let numbers):
            append("[")
            for (i, number) in numbers.enumerated() {
                if i > 0 { append(",") }
                append(number: number)
            }
            append("]")
        }
    }

    /// A number below 2^50 in size, with exactly that many places.
    mutating func append(decimal number: Double, places: Int) {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let size = min(number.magnitude, 0x1p50 / Double(scale))
        let units = Int((size * Double(scale)).rounded())
        if number < 0, units > 0 { append("-") }
        append(number: units / scale)
        append(".")
        let rest = String(units % scale)
        for _ in rest.utf8.count..<places { append("0") }
        append(rest)
    }

    /// `,"name":value`
    mutating func append(member name: String, _ figure: BenchFigure) {
        append(",")
        append(json: name)
        append(":")
        append(figure: figure)
    }

    /// A JSON object.
    mutating func append(members: [(String, BenchFigure)]) {
        append("{")
        for (i, (name, figure)) in members.enumerated() {
            if i > 0 { append(",") }
            append(json: name)
            append(":")
            append(figure: figure)
        }
        append("}")
    }
}
