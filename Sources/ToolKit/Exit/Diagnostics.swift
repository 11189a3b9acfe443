import Glibc
import RealmEngine

/// Writes messages for people to standard error, with one `write` call per message.
package struct Diagnostics: Sendable {
    let tool: String
    /// Whether errors are printed as one line of JSON.
    let asJSON: Bool
    package let isQuiet: Bool
    /// Number of `--verbose` options.
    package let verbosity: Int

    package init(tool: String, asJSON: Bool = false, isQuiet: Bool = false, verbosity: Int = 0) {
        self.tool = tool
        self.asJSON = asJSON
        self.isQuiet = isQuiet
        self.verbosity = verbosity
    }

    /// Prints the error and returns its exit code.
    @discardableResult
    package func report(_ error: RealmError) -> ExitCode {
        var buffer = ByteBuffer(capacity: 512)
        ErrorText.append(error, tool: tool, asJSON: asJSON, to: &buffer)
        emit(buffer)
        return ExitCode(error.kind)
    }

    /// Prints `TOOL: warning: MESSAGE`, unless `--quiet` is given.
    package func warn(_ message: String) { notice("warning: " + message) }

    /// Prints `TOOL: MESSAGE`, unless `--quiet` is given.
    package func notice(_ message: String) {
        if !isQuiet { emitLine("\(tool): \(message)") }
    }

    /// Prints a line without the name of the tool, such as the summary of a table, unless `--quiet`
    /// is given.
    package func summary(_ line: String) {
        if !isQuiet { emitLine(line) }
    }

    /// Prints `TOOL: MESSAGE` if `--verbose` is given at least `level` times.
    package func detail(_ message: String, level: Int = 1) {
        if verbosity >= level { emitLine("\(tool): \(message)") }
    }

    private func emitLine(_ line: String) {
        var buffer = ByteBuffer(capacity: 256)
        ErrorText.appendPrintable(line, to: &buffer)
        buffer.append(UInt8(ascii: "\n"))
        emit(buffer)
    }

    /// Writes to standard error. A failure is ignored, since it cannot be reported anywhere.
    private func emit(_ buffer: borrowing ByteBuffer) {
        _ = write(STDERR_FILENO, buffer.bytes.baseAddress, buffer.count)
    }
}
