import RealmEngine
import ToolKit

/// Reports the result of a compaction, or why the file was not compacted.
struct CompactAccount {
    private let request: CompactRequest
    private let began = MonotonicClock.nanoseconds()

    init(_ request: CompactRequest) { self.request = request }

    static var synced: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleHistories", reason: "synced",
            "a file with a synchronised history cannot be copied: two copies that synchronise "
                + "would diverge",
            hint: "--local -o NEW makes a local file")
    }

    static var syncedFormat: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleHistories", reason: "synced",
            "a file with a synchronised history is not converted: no server would recognise it",
            hint: "--local -o NEW makes a local file")
    }

    /// Whether the compaction is worthwhile: the key changes, or the space that it frees reaches
    /// the minimum of `--if-free`.
    func isWorthIt(_ database: Database) -> Bool {
        if request.changesKey { return true }
        if request.action == .inPlace, database.top == nil { return false }
        guard let threshold = request.threshold else { return true }
        return threshold.isMet(
            reclaimable: Int(clamping: database.reclaimableBytes),
            of: Int(clamping: database.fileBytes))
    }

    func reportNotNeeded(_ database: Database) throws(RealmError) -> ExitCode {
        let free = Int(clamping: database.reclaimableBytes)
        if request.format == .json || request.format == .ndjson {
            try request.print([
                ("bytes", .number(UInt64(clamping: database.fileBytes))),
                ("reclaimableBytes", .count(free)), ("reclaimable", .count(free)),
                ("compacted", .flag(false)),
            ])
        } else {
            Diagnostics(request.command).summary(
                "\(request.path): not needed, \(Quantity.bytes(free)) of "
                    + "\(Quantity.bytes(Int(clamping: database.fileBytes))) can be reclaimed")
        }
        return .ok
    }

    func report(
        _ result: Compactor.Result, _ database: Database, output: String?
    ) throws(RealmError) -> ExitCode {
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        let memory = ProgressReporter.privateMemory() ?? 0
        let before = database.fileBytes
        if request.format == .json || request.format == .ndjson {
            let target: JSONItem.Members = output.map { [("to", .text($0))] } ?? []
            try request.print(
                target + [
                    ("bytes", .number(UInt64(clamping: before))),
                    ("newBytes", .number(result.bytes)), ("compacted", .flag(true)),
                    ("verified", .flag(request.options.verifies)),
                    ("enumerated", .number(UInt64(clamping: result.enumerated))),
                    ("seconds", .literal(Quantity.twoDecimals(seconds))),
                    ("milliseconds", .number(UInt64(seconds * 1000))),
                    ("privateMemoryBytes", .count(memory)), ("privateMemory", .count(memory)),
                ])
            return .ok
        }
        let after = Int(clamping: result.bytes)
        let ratio = Double(before) / Double(max(1, after))
        let name = output.map { "\(request.path) -> \($0)" } ?? request.path
        Diagnostics(request.command).summary(
            "\(name): \(Quantity.bytes(Int(clamping: before))) -> \(Quantity.bytes(after)) "
                + "(\(Quantity.oneDecimal(ratio))x smaller) in \(Quantity.seconds(seconds)), "
                + "\(Quantity.bytes(memory)) memory")
        return .ok
    }
}

extension CompactRequest {
    /// Prints a line of JSON about the file. The line goes to standard output, or to a file if
    /// `path` is given.
    func print(
        _ members: JSONItem.Members, to path: String? = nil, force: Bool = false
    ) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 1024)
        JSONReport.object("realm-compact", [("file", .text(self.path))] + members)
            .appendLine(to: &buffer)
        let output = try OutputFile(path: path, force: force)
        try output.flush(&buffer)
        try output.commit()
    }
}

/// `-n`: reports the expected result of a compaction, and whether the compaction could run now.
struct EstimateRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        try CompactSource(request: request).read { (database) throws(RealmError) in
            var options = request.options
            options.key = try request.outputKey(database.encryptionKey)
            let estimate = try Compactor.estimate(database.snapshot(), options: options)
            try report(database, estimate)
            return .ok
        }
    }

    private func report(
        _ database: Database, _ estimate: Compactor.Result
    ) throws(RealmError) {
        let openers = FileHolders.participants(of: request.path)
        let format = database.header.format
        let hasOtherNames = DatabasePath(request.path).hasOtherNames
        let isSynced = (database.top?.historyType ?? 0) > 2
        let isPossible =
            openers.isEmpty && (format == 24 || format == 0) && !isSynced
            && (!hasOtherNames || request.mayReplace)
        let bytes = UInt64(clamping: database.fileBytes)
        let reclaimable = bytes > estimate.bytes ? bytes - estimate.bytes : 0
        let free = CompactOutput.freeSpace(beside: request.path)
        if request.format == .json || request.format == .ndjson {
            let device: JSONItem.Members =
                free.map { [("freeOnDeviceBytes", .number($0)), ("freeOnDevice", .number($0))] }
                ?? []
            let holders = openers.map {
                JSONItem.object([("pid", .count(Int($0.pid))), ("command", .text($0.command))])
            }
            return try request.print(
                [
                    ("bytes", .number(bytes)), ("estimatedBytes", .number(estimate.bytes)),
                    ("reclaimableBytes", .number(reclaimable)),
                    ("reclaimable", .number(reclaimable)), ("possibleInPlace", .flag(isPossible)),
                    ("openers", .list(holders)),
                ] + device, to: request.command.outputPath, force: request.mayReplace)
        }
        var buffer = ByteBuffer(capacity: 512)
        ErrorText.appendPrintable(request.path, to: &buffer)
        let sizes = [bytes, estimate.bytes, reclaimable].map { Quantity.bytes(Int(clamping: $0)) }
        buffer.append(": \(sizes[0]) -> \(sizes[1]), \(sizes[2]) can be reclaimed\n")
        if openers.isEmpty {
            buffer.append(isPossible ? "possible in place\n" : "possible with -o only\n")
        } else {
            let names = openers.map { "\($0.pid) (\($0.command))" }.joined(separator: ", ")
            buffer.append("in use by ")
            ErrorText.appendPrintable(names, to: &buffer)
            buffer.append(": possible with -o only\n")
        }
        if let free { buffer.append("\(Quantity.bytes(Int(clamping: free))) free on the device\n") }
        let output = try OutputFile(
            path: request.command.outputPath, force: request.mayReplace)
        try output.flush(&buffer)
        try output.commit()
    }
}
