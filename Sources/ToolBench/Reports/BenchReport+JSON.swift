import RealmEngine
import ToolKit

/// The report as JSON. Times are whole nanoseconds.
extension BenchReport {
    var json: JSONItem { json(nil) }

    func json(_ comparison: Comparison?) -> JSONItem {
        var members = head
        members += [
            ("noisy", .texts(noisy.map(\.name))), ("results", .list(results.map(json))),
        ]
        if let peer {
            members.append(
                (
                    "peer",
                    .object([
                        ("name", .text(peer.name)), ("version", .text(peer.version)),
                        ("settings", .text(peer.settings)),
                    ])
                ))
            members.append(("peerResults", .list(peer.results.map(json))))
        }
        return .object(members + (comparison?.members ?? []))
    }

    /// First members of the report: the conditions of the measurement.
    var head: JSONItem.Members {
        JSONReport.members("realm-bench") + [
            (
                "engine",
                .object([
                    ("version", .text(stamp.version)), ("id", .known(stamp.identity)),
                    ("build", .text(stamp.build)),
                ])
            ),
            (
                "host",
                .object([
                    ("cpu", .text(stamp.processor)), ("cpus", .count(stamp.processorCount)),
                    ("kernel", .text(stamp.kernel)), ("filesystem", .text(stamp.fileSystem)),
                    ("governor", .known(stamp.governor)), ("load", .decimal(stamp.load, places: 2)),
                ])
            ), ("config", .object(config)),
        ]
    }

    private var config: JSONItem.Members {
        [
            ("file", setting.isGenerated ? .null : .text(setting.file)),
            ("fileBytes", .count(fileSize)),
            ("num", .count(setting.num)), ("coreRows", .count(setting.coreRows ?? setting.num)),
            ("runs", .count(setting.runs)),
            ("warmup_ns", .count(setting.warmup.wholeNanoseconds)),
            ("threads", .count(setting.threads)), ("encrypted", .flag(setting.key != nil)),
            ("durability", .text(setting.isDurable ? "full" : "unsafe")),
            ("batch", .count(setting.batch)), ("valueSize", .count(setting.valueSize)),
            ("valueBytes", .count(setting.valueSize)),
            ("seed", .count(Int(clamping: setting.seed))),
            ("cache", .text(setting.isCacheCold ? "cold" : "warm")),
            ("time_ns", .known(setting.time.map { Int(clamping: $0) })),
            ("rate", .decimal(setting.rate, places: 3)),
            ("distribution", .text(setting.distribution.text)),
            ("readers", .count(setting.readers)), ("writers", .count(setting.writers)),
            ("pins", .count(setting.pins)),
        ]
    }

    private func json(_ result: WorkloadResult) -> JSONItem {
        var members: JSONItem.Members = [("workload", .text(result.name))]
        if let query = result.query { members.append(("query", .text(query))) }
        let interval = result.interval(seed: setting.seed)
        members += [
            ("ops", .decimal(result.throughput, places: 1)),
            ("ci95", interval.map { .decimals([$0.low, $0.high], places: 1) } ?? .null),
            ("noise", .decimal(result.noise, places: 4)),
            ("operations", .count(result.median(\.operations))),
            ("elapsed_ns", .count(result.median { Int($0.elapsed) })),
        ]
        members += latencies(result) + storage(result)
        members += [
            ("kernelBytesWritten", .known(result.knownMedian(\.usage.bytesWritten))),
            ("rssPeakBytes", .count(result.median(\.peakMemory))),
            ("rssPeak", .count(result.median(\.peakMemory))),
            (
                "cpu",
                .object([
                    ("user_ns", .count(result.median(\.usage.userNanoseconds))),
                    ("sys_ns", .count(result.median(\.usage.systemNanoseconds))),
                ])
            ),
            (
                "faults",
                .object([
                    ("major", .count(result.median(\.usage.majorFaults))),
                    ("minor", .count(result.median(\.usage.minorFaults))),
                ])
            ), ("runs", .decimals(result.throughputs, places: 1)),
            ("perRun", .object(runs(result))),
        ]
        if let note = result.note { members.append(("note", .text(note))) }
        return .object(members)
    }

    /// Returns the metrics that a comparison judges, each with its value in each run.
    private func runs(_ result: WorkloadResult) -> JSONItem.Members {
        var members: JSONItem.Members = []
        let p99 = result.runs.compactMap(\.p99)
        if !p99.isEmpty { members.append(("p99_ns", .counts(p99))) }
        members.append(("cpuPerOp_ns", .decimals(result.runs.map(\.exactProcessorTime), places: 1)))
        let stored = result.runs.compactMap(\.storage)
        if stored.isEmpty { return members }
        let sizes = JSONItem.counts(stored.map(\.sizeAtEnd))
        return members + [
            ("bytesWritten", .counts(stored.map(\.bytesWritten))),
            ("fsyncs", .counts(stored.map(\.syncs))), ("fileBytes", sizes), ("size", sizes),
        ]
    }

    private func storage(_ result: WorkloadResult) -> JSONItem.Members {
        var members = percentiles("work_ns", result.workTimes)
        members += percentiles("sync_ns", result.syncTimes)
        members += [
            ("fsyncs", .count(result.storage(\.syncs))),
            ("commits", .count(result.storage(\.commits))),
            ("bytesWritten", .count(result.storage(\.bytesWritten))),
            ("logicalBytes", .count(result.storage(\.logicalBytes))),
            ("writeAmp", .decimal(result.writeAmplification, places: 2)),
        ]
        guard result.writes else { return members }
        let file = JSONItem.object([
            ("start", .count(result.storage(\.sizeAtStart))),
            ("end", .count(result.storage(\.sizeAtEnd))),
            ("compacted", .known(result.knownStorage(\.compactedSize))),
            ("live", .known(result.knownStorage(\.liveBytes))),
            ("free", .count(result.storage(\.freeBytes))),
        ])
        members += [
            ("fileBytes", file), ("file", file),
            ("spaceAmp", .decimal(result.spaceAmplification, places: 2)),
            ("pinnedBytes", .count(result.storage(\.pinnedBytes))),
            ("liveVersionsMax", .count(result.storage(\.maximumVersionCount))),
        ]
        if let growth = result.runs.last?.storage?.growth {
            let sizes = JSONItem.counts(growth.sizes)
            members.append(
                (
                    "growth",
                    .object([
                        ("commits", .count(growth.stride)), ("bytes", sizes), ("sizes", sizes),
                    ])
                ))
        }
        return members
    }

    /// Returns a member with the percentiles of times; empty if there are none.
    private func percentiles(_ name: String, _ times: LatencyHistogram) -> JSONItem.Members {
        if times.count == 0 { return [] }
        let values = Self.percentiles.map {
            ($0.name, JSONItem.count(Int(clamping: times.value(atShare: $0.share))))
        }
        return [(name, .object(values))]
    }

    /// Returns the latencies; `null` for workloads whose operations were not timed.
    private func latencies(_ result: WorkloadResult) -> JSONItem.Members {
        guard result.latencies.count > 0 else { return [("latency_ns", .null)] }
        let values = Self.percentiles.map { ($0.name, JSONItem.known(result.latency($0.share))) }
        let members: JSONItem.Members = [("latency_ns", .object(values))]
        guard result.isPaced else { return members }
        return members + percentiles("service_ns", result.services)
            + percentiles("lag_ns", result.lags)
            + [("late", .known(setting.lateThreshold == nil ? nil : result.late))]
    }
}

extension JSONItem {
    /// Returns a number rounded to `places` decimals; null for nil.
    static func decimal(_ number: Double?, places: Int) -> JSONItem {
        guard let number else { return .null }
        var text = ByteBuffer(capacity: 64)
        text.append(decimal: number, places: places)
        return .literal(text.string)
    }

    static func decimals(_ numbers: [Double], places: Int) -> JSONItem {
        .list(numbers.map { .decimal($0, places: places) })
    }
}

extension ByteBuffer {
    /// Appends a number with exactly `places` decimals. Its absolute value must be below 2^50.
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
}
