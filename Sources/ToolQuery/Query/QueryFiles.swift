import Glibc
import RealmEngine
import ToolKit

/// Executes one request on several files, one after the other. An error in one file does not
/// prevent processing the others.
struct QueryFiles {
    private let command: ParsedCommand
    private let requests: [QueryRequest]
    private let diagnostics: Diagnostics

    /// Returns nil if the command concerns a single file.
    init?(_ command: ParsedCommand) throws(RealmError) {
        guard try Self.areSeveral(command) else { return nil }
        self.command = command
        diagnostics = Diagnostics(command)
        let rest = [command[QueryOption.className], command[QueryOption.predicate]]
        requests = try command.operands.map { (path) throws(RealmError) in
            try QueryRequest(
                command.about([path] + rest.compactMap { $0 }), isOneOfSeveral: true,
                file: command[QueryOption.noFilename] ? nil : path)
        }
        try Self.check(requests[0])
    }

    private static func areSeveral(_ command: ParsedCommand) throws(RealmError) -> Bool {
        if command.isAnyGiven([
            QueryOption.withFilename, QueryOption.noFilename, QueryOption.className,
        ]) {
            return true
        }
        let operands = command.operands
        guard command[QueryOption.all], operands.count > 1, !command.isGiven(QueryOption.diff)
        else {
            guard operands.count > 3 else { return false }
            throw .misuse(
                "unexpected operand '\(operands[3])'", code: "InvalidArgument",
                hint: "--with-filename treats every operand as a FILE")
        }
        // The second operand is a class unless it is an existing file. `--all` permits no class.
        return operands.count > 2 || operands[1] == "-" || access(operands[1], F_OK) == 0
    }

    private static func check(_ request: QueryRequest) throws(RealmError) {
        let format = request.format
        let isPossible: Bool
        switch request.use {
        case .classes, .digests: isPossible = format != .html
        case .schema:
            isPossible = format != .json && format.flatMap(SchemaForms.form) == nil
        case .objects, .everything:
            isPossible =
                (request.isCount || format == nil || format == .ndjson)
                && !request.command[QueryOption.raw]
        default: isPossible = false
        }
        guard isPossible else {
            throw .misuse(
                "that is not printed of several files", code: "InvalidArgument",
                hint: "records, counts, digests and schemas are, as ndjson")
        }
    }

    func run() throws(RealmError) -> ExitCode {
        for request in requests { try OutputFile.check(command.outputPath, against: request.path) }
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let reports = FileReportList(requests[0])
        var failures = ExitCode.ok
        var hasAnswer = false
        for request in requests {
            do throws(RealmError) {
                let code = try DatabaseReading(request.command).read(to: output) {
                    (database) throws(RealmError) in
                    request.values.losses.reset()
                    return try QueryAnswer(request, database, output, reports).print()
                }
                request.values.losses.warn(diagnostics, file: request.path)
                try reports.addReport(request.file, output)
                output.markFinal()
                if code == .ok { hasAnswer = true }
            } catch {
                if error.kind == .output { throw error }
                try output.restart()
                let named = error.inDatabase(request.path)
                failures = failures.combined(with: diagnostics.report(named))
            }
        }
        try reports.finish(output)
        try output.commit()
        return failures == .ok && !hasAnswer ? .no : failures
    }
}

/// Prints reports about several files as one report. In formats such as ndjson, whose records end
/// in a newline or NUL, each report is printed at once. In other formats, all reports are printed
/// at the end.
final class FileReportList {
    /// Report about the current file; nil if there is none.
    var next: Report?
    private var style: RecordStyle
    private var whole: Report?

    init(_ request: QueryRequest) { style = request.recordStyle(request.recordForm) }

    /// Adds the current report with the name of its file.
    func addReport(_ file: String?, _ output: OutputFile) throws(RealmError) {
        guard var report = next else { return }
        next = nil
        if let file { report.insert(.text(file), as: "file") }
        guard style.form.hasTerminators else {
            if whole == nil { whole = report } else { whole?.append(report) }
            return
        }
        try print(report, output)
        (style.hasHeader, style.hasByteOrderMark) = (false, false)
    }

    func finish(_ output: OutputFile) throws(RealmError) {
        if let whole { try print(whole, output) }
    }

    private func print(_ report: Report, _ output: OutputFile) throws(RealmError) {
        var buffer = ByteBuffer()
        report.append(style, to: &buffer)
        try output.flush(&buffer)
    }
}
