import RealmEngine
import ToolKit

/// Says what a compaction did, or why it did nothing.
struct CompactAccount {
    private let request: CompactRequest
    private let began = MonotonicClock.nanoseconds()

    init(_ request: CompactRequest) { self.request = request }

    static var synced: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleHistories", reason: "synced",
            "a file with a synchronised history is not copied: two copies would diverge",
            hint: "--local -o NEW makes a local file of it")
    }

    static var syncedFormat: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleHistories", reason: "synced",
            "a file with a synchronised history is not converted: no server would know it",
            hint: "--local -o NEW makes a local file of it")
    }

    /// Whether there is something to do: another key to give, or, as `--if-free` has it, enough to
    /// reclaim.
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
            var line = JSONLine(request)
            line.member("bytes", UInt64(clamping: database.fileBytes))
            line.member("reclaimableBytes", or: "reclaimable", UInt64(clamping: free))
            line.literal("compacted", "false")
            try line.print()
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
            var line = JSONLine(request)
            if let output { line.text("to", output) }
            line.member("bytes", UInt64(clamping: before))
            line.member("newBytes", result.bytes)
            line.literal("compacted", "true")
            line.literal("verified", request.options.verifies ? "true" : "false")
            line.member("enumerated", UInt64(clamping: result.enumerated))
            line.literal("seconds", Quantity.twoDecimals(seconds))
            line.member("milliseconds", UInt64(seconds * 1000))
            line.member("privateMemoryBytes", or: "privateMemory", UInt64(clamping: memory))
            try line.print()
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

/// One line of JSON about a file on standard output, or where `-o` of a report says.
struct JSONLine: ~Copyable {
    private var buffer = ByteBuffer(capacity: 1024)

    init(_ request: CompactRequest) {
        JSONReport.begin("realm-compact", to: &buffer)
        text("file", request.path)
    }

    mutating func text(_ name: StaticString, _ value: String) {
        key(name)
        JSONText.append(value, to: &buffer)
    }

    mutating func member(_ name: StaticString, _ value: UInt64) {
        key(name)
        buffer.append(String(value))
    }

    /// A member under its name and the one it had before.
    mutating func member(_ name: StaticString, or old: StaticString, _ value: UInt64) {
        member(name, value)
        member(old, value)
    }

    mutating func literal(_ name: StaticString, _ value: String) {
        key(name)
        buffer.append(value)
    }

    private mutating func key(_ name: StaticString) {
        buffer.append(",\"")
        buffer.append(name)
        buffer.append("\":")
    }

    /// Ends the line and writes it.
    consuming func print(to path: String? = nil, force: Bool = false) throws(RealmError) {
        buffer.append("}\n")
        let output = try OutputFile(path: path, force: force)
        try output.flush(&buffer)
        try output.commit()
    }
}

/// `-n`: what would come of it, and whether it could run now.
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
            var line = JSONLine(request)
            line.member("bytes", bytes)
            line.member("estimatedBytes", estimate.bytes)
            line.member("reclaimableBytes", or: "reclaimable", reclaimable)
            line.literal("possibleInPlace", isPossible ? "true" : "false")
            line.literal("openers", Self.json(openers))
            if let free { line.member("freeOnDeviceBytes", or: "freeOnDevice", free) }
            return try line.print(to: request.command.outputPath, force: request.mayReplace)
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

    private static func json(_ openers: [FileHolder]) -> String {
        var buffer = ByteBuffer(capacity: 256)
        for (i, opener) in openers.enumerated() {
            buffer.append(i == 0 ? "[{\"pid\":" : ",{\"pid\":")
            buffer.append(String(opener.pid))
            buffer.append(",\"command\":")
            JSONText.append(opener.command, to: &buffer)
            buffer.append("}")
        }
        return openers.isEmpty ? "[]" : buffer.string + "]"
    }
}
