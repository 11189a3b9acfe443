import Glibc

/// Prints messages to people according to the options of the command.
extension Diagnostics {
    package init(_ command: ParsedCommand) {
        self.init(
            tool: command.table.name, asJSON: command.wantsJSONErrors, isQuiet: command.isQuiet,
            verbosity: command.verbosity)
    }
}

extension ProgressReporter {
    /// - Parameter total: value of `done` in the last call of `update`; 0 if unknown.
    package init(_ command: ParsedCommand, file: String, total: Int, unit: Unit) {
        self.init(
            label: "\(command.table.name): \(file)", total: total, unit: unit,
            when: command.isQuiet ? .never : command.progress,
            isTerminal: Terminal.isTerminal(STDERR_FILENO) && !Terminal.isDumb,
            now: MonotonicClock.nanoseconds())
    }
}
