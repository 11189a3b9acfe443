import Glibc
import RealmEngine

/// Shows the progress of a long operation in one line on standard error.
///
/// On a terminal, the line appears after a second and is rewritten at most 10 times per second.
/// Without a terminal, `--progress always` prints a line every 5 seconds. Used by one thread at a
/// time. `update` is fast enough to be called for each leaf.
package struct ProgressReporter {
    package enum Unit: Sendable {
        case bytes
        case objects
        case runs
        /// Only the elapsed time is shown, without numbers of objects or bytes.
        case seconds
    }

    private enum Style {
        case silent
        /// Rewrites one line of the terminal.
        case live
        /// Prints a new line for each update, where the output is no terminal.
        case plain
    }

    private let label: String
    /// Name of the operation, shown after the label of the progress line.
    var doing: String?
    private var total: Int
    private var unit: Unit
    private let style: Style
    private var began: UInt64
    /// Number of the operation's stage, such as searching or copying, to which the shown amounts
    /// belong.
    private var stage = 0
    private var due: UInt64
    private var shownWidth = 0

    package init(
        label: String, total: Int, unit: Unit, when: When, isTerminal: Bool, now: UInt64
    ) {
        self.label = label
        self.total = total
        self.unit = unit
        style =
            switch (when, isTerminal) {
            case (.never, _), (.auto, false): .silent
            case (_, true): .live
            case (.always, false): .plain
            }
        began = now
        due = style == .plain ? now + 5_000_000_000 : now + 1_000_000_000
    }

    /// Shows `done` in the progress line if the line is due for an update.
    package mutating func update(_ done: Int) {
        if style == .silent { return }
        if let text = line(done, now: MonotonicClock.nanoseconds()) { emit(text) }
    }

    /// Shows the state of a progress counter in the progress line, if the line is due for an
    /// update. If the counter is nil, shows the elapsed time only.
    mutating func update(_ meter: ProgressCounter?) {
        if style == .silent { return }
        let now = MonotonicClock.nanoseconds()
        if let text = line(meter?.state, now: now) { emit(text) }
    }

    /// Returns the progress line for a state of a progress counter; nil if the line is not due for
    /// an update. When a new stage begins, the rate is computed anew.
    mutating func line(
        _ state: (stage: ProgressCounter.Stage, done: Int)?, now: UInt64
    ) -> String? {
        guard let state else { return line(0, now: now) }
        if stage != state.stage.number {
            stage = state.stage.number
            total = state.stage.total
            unit = state.stage.unit == .bytes ? .bytes : .objects
            began = now
            if let name = state.stage.name { doing = name }
        }
        return line(state.done, now: now)
    }

    /// Erases the progress line, so that later output on the terminal begins in the first column.
    package mutating func finish() {
        guard shownWidth > 0 else { return }
        emit("\r" + String(repeating: " ", count: shownWidth) + "\r")
        shownWidth = 0
    }

    /// Returns the progress line at time `now`; nil if the line is not due for an update.
    package mutating func line(_ done: Int, now: UInt64) -> String? {
        guard style != .silent, now >= due else { return nil }
        due = now + (style == .plain ? 5_000_000_000 : 100_000_000)
        let text = describe(done, seconds: Double(now - began) / 1e9)
        guard style == .live else { return text + "\n" }
        let padding = max(0, shownWidth - text.count)
        shownWidth = text.count
        return "\r" + text + String(repeating: " ", count: padding)
    }

    /// Whether the reporter never prints anything.
    var isSilent: Bool {
        if case .silent = style { return true }
        return false
    }

    private func describe(_ done: Int, seconds: Double) -> String {
        var parts = [label] + (doing.map { [$0] } ?? [])
        if unit == .seconds {
            parts.append(Quantity.seconds(seconds))
        } else {
            parts += amounts(done, seconds)
        }
        if let memory = Self.privateMemory() {
            parts.append("memory " + Quantity.bytes(memory))
        }
        return parts.joined(separator: "  ")
    }

    private func amounts(_ done: Int, _ seconds: Double) -> [String] {
        let rate = seconds > 0 ? Double(done) / seconds : 0
        let noun =
            switch unit {
            case .bytes, .seconds: ""
            case .objects: " objects"
            case .runs: " runs"
            }
        var parts: [String] = []
        if total > 0 {
            let share = min(1, max(0, Double(done) / Double(total)))
            parts.append("\(Int(share * 100))%")
            parts.append(amount(done) + " of " + amount(total) + noun)
        } else {
            parts.append(amount(done) + noun)
        }
        parts.append(amount(Int(min(rate, 0x1p50))) + "/s")
        if total > done, rate > 0 {
            parts.append("eta " + Quantity.seconds(Double(total - done) / rate))
        }
        return parts
    }

    private func amount(_ count: Int) -> String {
        unit == .bytes ? Quantity.bytes(count) : String(count)
    }

    private func emit(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Private memory of this process in bytes: resident pages without file-backed and shared
    /// pages.
    package static func privateMemory() -> Int? {
        guard let text = SystemText.contents("/proc/self/statm") else { return nil }
        let fields = text.split(separator: " ").map { ValueForms.count($0) }
        guard fields.count > 2, let resident = fields[1], let shared = fields[2] else {
            return nil
        }
        return max(0, resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
