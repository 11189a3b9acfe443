import Glibc
import RealmEngine
import ToolKit

/// `realm-versions`: reports facts about files and about the processes that have them open. Never
/// joins a session.
package struct VersionsTool {
    private let request: VersionsRequest
    private let command: ParsedCommand
    private let diagnostics: Diagnostics
    private var code = ExitCode.ok

    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try VersionsRequest(command)
        try request.checkOutputs()
        if request.plotPath != nil, !request.isWatch { return try WatchLog.draw(request) }
        var tool = VersionsTool(request: request, command: command)
        return try tool.run()
    }

    private init(request: VersionsRequest, command: ParsedCommand) {
        self.request = request
        self.command = command
        diagnostics = Diagnostics(command)
    }

    private mutating func run() throws(RealmError) -> ExitCode {
        _ = try command.readKey()
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        if request.isWatch {
            var watch = try VersionsWatch(request, output)
            try watch.run()
        } else if request.showsHistory {
            try printHistory(output)
        } else {
            try printFacts(output)
        }
        return code
    }

    /// Reports an error about one of several files. Combines its exit code with the earlier exit
    /// codes.
    private mutating func fail(_ error: RealmError) {
        code = code.combined(with: diagnostics.report(error))
    }

    // MARK: Facts

    private mutating func printFacts(_ output: OutputFile) throws(RealmError) {
        var reports: [FileReport] = []
        for path in request.paths {
            do throws(RealmError) {
                let report = try FileReport(path, request)
                if let damage = report.facts.inspection.damage { fail(damage) }
                check(report.facts)
                reports.append(report)
            } catch {
                if request.paths.count == 1 { throw error }
                fail(error)
            }
        }
        var buffer = ByteBuffer(capacity: 4096)
        if !request.keys.isEmpty {
            appendValues(reports, to: &buffer)
        } else if request.wantsReport {
            FileReports(reports: reports, isSingle: request.paths.count == 1)
                .append(request.format, style, to: &buffer)
        }
        try output.flush(&buffer)
        try output.commit()
        if let path = request.mapPath { try drawMap(path) }
    }

    private mutating func check(_ facts: FileFacts) {
        for expectation in request.expectations
        where !expectation.holds(facts.value(expectation.key)) {
            diagnostics.notice("\(facts.inspection.path): \(expectation.complaint(facts))")
            code = code.combined(with: .no)
        }
    }

    private mutating func appendValues(_ reports: [FileReport], to buffer: inout ByteBuffer) {
        for report in reports {
            for key in request.keys {
                let value = report.facts.value(key)
                if value == nil {
                    let path = report.facts.inspection.path
                    diagnostics.notice("\(path): \(key.rawValue) is not known")
                    code = code.combined(with: .no)
                }
                buffer.append(value?.plain ?? "")
                buffer.append("\n")
            }
        }
    }

    /// Style of tables in text.
    private var style: RecordStyle {
        var style = RecordStyle(TableForm.self)
        let descriptor = command.outputPath == nil ? STDOUT_FILENO : -1
        style.isColored = Terminal.usesColor(command.color, descriptor)
        return style
    }

    private func drawMap(_ path: String) throws(RealmError) {
        let file = request.paths[0]
        let meter = ProgressCounter()
        let activity = ActivityReporter(command, file: file, doing: "mapping", meter: meter)
        defer { activity.finish() }
        guard
            let map = try request.inspector(file).map(
                cells: SpacePicture.cellCount, meter: meter)
        else {
            throw VersionsRequest.encrypted(file)
        }
        let output = try OutputFile(path: path, force: command.mayReplaceOutput)
        var buffer = SpacePicture(file: file, map).drawing()
        try output.flush(&buffer)
        try output.commit()
    }

    // MARK: History

    private func printHistory(_ output: OutputFile) throws(RealmError) {
        let path = request.paths[0]
        let count = command[VersionsOption.history] ?? .max
        guard let changes = try request.inspector(path).changes(last: count) else {
            let found = try request.inspector(path).inspect()
            if found.isEncrypted { throw VersionsRequest.encrypted(path) }
            throw RealmError(
                .incompatible, code: "IncompatibleHistories", reason: "history-type",
                "its history is of the type \(found.history?.name ?? "unknown")", file: path,
                hint: "only the history of local files can be listed")
        }
        var buffer = ByteBuffer(capacity: 1 << 14)
        for change in changes {
            change.json.appendLine(to: &buffer)
            try output.write(&buffer)
        }
        try output.flush(&buffer)
        try output.commit()
    }
}

extension VersionsRequest {
    func inspector(_ path: String) throws(RealmError) -> Inspector {
        Inspector(
            path: path, readsLockFile: command.access != .immutable, key: try command.readKey())
    }

    static func encrypted(_ path: String) -> RealmError {
        RealmError(
            .key, code: "DecryptionFailed", reason: "no-key", "the file is encrypted", file: path,
            hint: "-K FILE names the file with its key; without a key only the size and the "
                + "openers are printed")
    }

    /// Reads the facts about one file.
    ///
    /// - Parameter late: returns whether a process opened the file when a version was no longer the
    ///   newest. The process then cannot pin that version.
    func facts(
        _ path: String, late: (FileHolder, UInt64) -> Bool = { _, _ in false }
    ) throws(RealmError) -> FileFacts {
        var retries = RetryPolicy(command.wait)
        while true {
            do throws(RealmError) {
                let found = try inspector(path).inspect()
                return FileFacts(
                    found, looksForOpeners ? FileHolders.list(database: path) : nil,
                    ReaderTable.read(path), late: late)
            } catch {
                guard error.kind == .busy, retries.mayRepeat() else {
                    throw command.explaining(error)
                }
            }
        }
    }
}
