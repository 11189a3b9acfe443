import RealmEngine
import ToolKit

/// `--check FILE...`: verifies files without changing them.
struct CheckRun {
    private let request: CompactRequest
    private let level: IntegrityCheck.Level

    init(_ request: CompactRequest) {
        self.request = request
        level = request.command[CompactOption.check] == .quick ? .quick : .full
    }

    func run() throws(RealmError) -> ExitCode {
        let output = try OutputFile(
            path: request.command.outputPath, force: request.mayReplace)
        var buffer = ByteBuffer(capacity: 4096)
        var printer = CheckPrinter(
            request.format, namesFiles: request.paths.count > 1,
            isVerbose: request.command.verbosity > 0)
        printer.begin(to: &buffer)
        var code = ExitCode.ok
        for path in request.paths {
            let began = MonotonicClock.nanoseconds()
            let meter = ProgressCounter()
            let activity = ActivityReporter(
                request.command, file: path, doing: "checking", meter: meter)
            defer { activity.finish() }
            do throws(RealmError) {
                let report = try checkAnything(path, meter)
                activity.finish()
                var checked = CheckedFile(path: path, report: report)
                checked.seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
                if report.errorCount > 0 {
                    checked.filter = path == "-" ? nil : try? TextFilter.find(path: path)
                    checked.previous = previousSlot(path)
                    if checked.filter?.isReversible != true {
                        checked.salvageable = salvageable(path)
                    }
                }
                printer.append(checked, to: &buffer)
                code = code.combined(with: self.code(report))
            } catch {
                activity.finish()
                // An error in one file does not prevent the check of the others.
                if error.kind == .output { throw error }
                let named = error.inFile(path)
                code = code.combined(with: Diagnostics(request.command).report(named))
            }
            try output.flush(&buffer)
        }
        printer.end(to: &buffer)
        try output.flush(&buffer)
        try output.commit()
        return code
    }

    private func code(_ report: IntegrityReport) -> ExitCode {
        if report.errorCount > 0 { return .damaged }
        return request.command[CompactOption.strict] && report.warningCount > 0 ? .no : .ok
    }

    /// Checks a file. If the file has lost its header but still contains objects, returns a report
    /// about the header.
    private func checkAnything(
        _ path: String, _ meter: ProgressCounter
    ) throws(RealmError) -> IntegrityReport {
        do throws(RealmError) { return try check(path, meter) } catch {
            guard path != "-", ["not-a-realm", "block-damaged"].contains(error.reason) else {
                throw error
            }
            let filter = try? TextFilter.find(path: path)
            guard filter != nil || salvageable(path) ?? 0 > 0 else { throw error }
            return IntegrityCheck.headerOnly(error)
        }
    }

    /// Returns the number of objects that a salvage would copy; nil if a salvage is not possible.
    private func salvageable(_ path: String) -> Int? {
        guard path != "-", request.start == .newest else { return nil }
        return try? Salvage.estimate(
            path: path, spillingInto: Terminal.temporaryDirectory,
            maxMemory: request.options.maxMemory, key: request.command.readKey())
    }

    private func check(
        _ path: String, _ meter: ProgressCounter
    ) throws(RealmError) -> IntegrityReport {
        try DatabaseReading(request.command, path: path).checkKey()
        let key = try request.command.readKey()
        // A check needs little memory apart from decrypted pages.
        request.command.limitPlainMemory(rest: 8 << 20)
        if path == "-" {
            return try IntegrityCheck.run(
                standardInputInto: Terminal.temporaryDirectory, level: level, key: key, meter: meter
            )
        }
        if request.start != .newest {
            let found = try IntegrityCheck.runPrevious(path: path, level: level, key: key)
            guard let report = found else {
                // Without a previous version, opening it throws an error with the reason.
                return IntegrityCheck(try Database(previous: path, key: key), level: level).run()
            }
            return report
        }
        let access = request.command.access
        let lockTimeout = request.command.wait.lockTimeout
        if access != .immutable, let live = try Database(joiningLive: path, lockTimeout, key: key) {
            let check = IntegrityCheck(live, level: level)
            check.meter = meter
            return check.run()
        }
        guard access != .shared else {
            throw RealmError(
                .incompatible, code: "IncompatibleLockFile", reason: "no-session",
                "--access shared: there is no session to join, as no program with a known lock "
                    + "file has the file open",
                hint: "--access immutable reads the file without a session")
        }
        return try checkQuiet(path, key, meter)
    }

    /// Checks a file without joining its session. If a commit happens meanwhile, repeats the check,
    /// because changed bytes look like damage.
    private func checkQuiet(
        _ path: String, _ key: EncryptionKey?, _ meter: ProgressCounter
    ) throws(RealmError) -> IntegrityReport {
        var retry = RetryPolicy(request.command.wait)
        repeat {
            let before = try? Database(immutable: path, key: key)
            let report = try IntegrityCheck.run(
                path: path, level: level, key: key, meter: meter)
            guard let before, before.hasChanged else { return report }
        } while retry.mayRepeat()
        throw DatabaseChange.error
    }

    /// Returns whether the version before the newest could replace a damaged newest version: `ok`,
    /// `damaged`, or `none` if it was not checked.
    private func previousSlot(_ path: String) -> String {
        guard path != "-", request.start == .newest,
            let report = try? IntegrityCheck.runPrevious(
                path: path, level: level, key: request.command.readKey())
        else { return "none" }
        return report.errorCount == 0 ? "ok" : "damaged"
    }
}

/// Result of the check of one file.
struct CheckedFile {
    let path: String
    let report: IntegrityReport
    var seconds = 0.0
    /// State of the version before the newest: `ok`, `damaged`, `none`; nil if it was not checked.
    var previous: String?
    /// Estimated number of objects that a salvage would copy; nil if it was not estimated.
    var salvageable: Int?
    /// The filter for text files that has changed the file, such as a conversion of line ends; nil
    /// if there is none.
    var filter: TextFilter?

    /// Command line that the user can run to recover the data; nil if there are no errors.
    var advice: String? {
        guard report.errorCount > 0, path != "-" else { return nil }
        return previous == "ok" && filter == nil
            ? "realm-compact --at previous -o recovered.realm \(path)"
            : "realm-compact --salvage -o rescued.realm \(path)"
    }
}

/// Prints the results file by file, in the requested format.
struct CheckPrinter {
    private let format: OutputFormat
    private let namesFiles: Bool
    /// Maximum number of findings (errors and warnings of the check) that the text format prints
    /// for a file.
    private let most: Int
    private var isFirst = true

    init(_ format: OutputFormat, namesFiles: Bool, isVerbose: Bool) {
        self.format = format
        self.namesFiles = namesFiles
        most = isVerbose ? .max : 20
    }

    /// Begins a JSON object. Its last member is the list of files.
    func begin(to buffer: inout ByteBuffer) {
        guard format == .json else { return }
        JSONReport.object("realm-compact", [("files", .list([]))]).append(to: &buffer)
        buffer.truncate(to: buffer.count - 2)
    }

    func end(to buffer: inout ByteBuffer) {
        if format == .json { buffer.append("\n]}\n") }
    }

    mutating func append(_ checked: CheckedFile, to buffer: inout ByteBuffer) {
        if format == .json { buffer.append(isFirst ? "\n" : ",\n") }
        isFirst = false
        let document = CheckDocument(checked: checked, namesFile: namesFiles, most: most)
        if format == .json {
            document.json.append(to: &buffer)
        } else {
            document.append(format, to: &buffer)
        }
    }
}

/// The result of the check of one file, as a report.
private struct CheckDocument: ReportDocument {
    let checked: CheckedFile
    /// Whether each line about a finding (an error or warning) begins with the name of the file.
    let namesFile: Bool
    /// Maximum number of findings (errors and warnings of the check) that the text format prints.
    let most: Int

    private var file: JSONItem.Members { [("file", .text(checked.path))] }

    var lines: [JSONItem] {
        let head = namesFile ? file : []
        return checked.report.findings.map { .object(head + Self.members($0)) }
            + [.object(head + [("summary", .object(summary))])]
    }

    var json: JSONItem {
        let facts = checked.report.facts
        let counts: JSONItem.Members = [
            ("format", .count(facts.format)), ("version", .number(facts.version)),
            ("objects", .count(facts.tables.reduce(0) { $0 + $1.objects })),
            ("nodes", .count(facts.nodes)),
            ("indexes", .count(facts.tables.reduce(0) { $0 + $1.indexes })),
            ("findings", .list(checked.report.findings.map { .object(Self.members($0)) })),
        ]
        return .object(file + summary + counts)
    }

    private var summary: JSONItem.Members {
        let report = checked.report
        var members: JSONItem.Members = [
            ("errors", .count(report.errorCount)), ("warnings", .count(report.warningCount)),
        ]
        if !report.omitted.isEmpty {
            let omitted = report.omitted.map {
                (name: $0.code.rawValue, value: JSONItem.count($0.count))
            }
            members.append(("omitted", .object(omitted)))
        }
        if let previous = checked.previous { members.append(("previousSlot", .text(previous))) }
        if let filter = checked.filter {
            members.append(("textFilter", .text(filter.change.rawValue)))
        }
        if let count = checked.salvageable { members.append(("salvageable", .count(count))) }
        if let advice = checked.advice { members.append(("advice", .text(advice))) }
        return members
    }

    private static func members(_ finding: IntegrityReport.Finding) -> JSONItem.Members {
        var members: JSONItem.Members = [
            ("severity", .text(finding.severity.rawValue)), ("code", .text(finding.code.rawValue)),
        ]
        if let ref = finding.location.ref { members.append(("offset", .literal("\(ref.raw)"))) }
        if let path = path(finding.location) { members.append(("path", .text(path))) }
        if let key = finding.location.object { members.append(("object", .literal("\(key.raw)"))) }
        members.append(("detail", .text(finding.what)))
        return members
    }

    private static func path(_ location: IntegrityReport.Location) -> String? {
        guard let table = location.table else { return nil }
        let name = table.hasPrefix("class_") ? String(table.dropFirst(6)) : table
        return "tables/" + name + (location.column.map { "/" + $0 } ?? "")
    }

    // MARK: Text

    func appendText(_ style: RecordStyle, to buffer: inout ByteBuffer) {
        let report = checked.report
        let facts = report.facts
        let isSound = report.errorCount == 0
        let time = Quantity.seconds(checked.seconds)
        ErrorText.appendPrintable(checked.path, to: &buffer)
        if isSound {
            let objects = facts.tables.reduce(0) { $0 + $1.objects }
            let indexes = facts.tables.reduce(0) { $0 + $1.indexes }
            let warnings = report.warningCount
            buffer.append(
                ": ok (format \(facts.format), \(objects) objects, \(facts.nodes) nodes, "
                    + "\(indexes) indexes")
            if warnings > 0 { buffer.append(", " + Self.count(warnings, "warning")) }
            buffer.append(") in \(time)\n")
        } else {
            buffer.append(
                ": damaged (\(Self.count(report.errorCount, "error")), "
                    + "\(Self.count(report.warningCount, "warning"))) in \(time)\n")
        }
        // Errors come first: otherwise they could be cut off after many warnings.
        let errors = report.findings.filter { $0.severity == .error }
        let shown = (errors + report.findings.filter { $0.severity != .error }).prefix(most)
        for finding in shown { appendText(finding, to: &buffer) }
        let hidden = report.errorCount + report.warningCount - shown.count
        if hidden > 0 { buffer.append("  and \(hidden) more\n") }
        if let previous = checked.previous {
            buffer.append("  version before: \(previous)\n")
        }
        if let filter = checked.filter {
            buffer.append("  changed by a text filter: \(filter.explanation)\n")
            if filter.isReversible { buffer.append("  --salvage undoes that\n") }
        }
        if let salvageable = checked.salvageable {
            let objects = Self.count(salvageable, "object")
            buffer.append("  --salvage would copy: about \(objects)\n")
        }
        if let advice = checked.advice {
            buffer.append("  try: ")
            ErrorText.appendPrintable(advice, to: &buffer)
            buffer.append("\n")
        }
    }

    private func appendText(_ finding: IntegrityReport.Finding, to buffer: inout ByteBuffer) {
        var words = ["  \(finding.severity.rawValue)", finding.code.rawValue]
        if let path = Self.path(finding.location) { words.append(path) }
        if let key = finding.location.object { words.append("object \(key.raw)") }
        if let ref = finding.location.ref { words.append("at \(ref.raw)") }
        ErrorText.appendPrintable(
            words.joined(separator: " ") + ": " + finding.what, to: &buffer)
        buffer.append("\n")
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
