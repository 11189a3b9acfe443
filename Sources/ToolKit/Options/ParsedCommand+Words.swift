import Glibc

/// Messages to people as the options of a command request.
extension Diagnostics {
    package init(_ command: ParsedCommand) {
        self.init(
            tool: command.table.name, asJSON: command.wantsJSONErrors, isQuiet: command.isQuiet,
            verbosity: command.verbosity)
    }
}

extension ProgressReporter {
    /// - Parameters:
    ///   - total: value that `update` reaches at the end; 0 if unknown.
    package init(_ command: ParsedCommand, file: String, total: Int, unit: Unit) {
        self.init(
            label: "\(command.table.name): \(file)", total: total, unit: unit,
            when: command.isQuiet ? .never : command.progress,
            isTerminal: Terminal.isTerminal(STDERR_FILENO) && !Terminal.isDumb,
            now: MonotonicClock.nanoseconds())
    }
}
