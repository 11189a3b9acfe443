import Glibc

/// How a command's words for people are said.
extension Diagnostics {
    package init(_ command: ParsedCommand) {
        self.init(
            tool: command.table.name, asJSON: command.wantsJSONErrors, isQuiet: command.isQuiet,
            verbosity: command.verbosity)
    }
}

extension ProgressReporter {
    /// - Parameters:
    ///   - total: what `update` will reach at the end; 0 if nobody knows.
    package init(_ command: ParsedCommand, file: String, total: Int, unit: Unit) {
        self.init(
            label: "\(command.table.name): \(file)", total: total, unit: unit,
            when: command.isQuiet ? .never : command.progress,
            isTerminal: Terminal.isTerminal(STDERR_FILENO) && !Terminal.isDumb,
            now: MonotonicClock.nanoseconds())
    }
}
