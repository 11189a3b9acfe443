import Glibc
import RealmEngine
import Synchronization

/// A line on standard error about work that tells a meter how far it is, or nobody: what is being done,
/// and how much of it, or for how long already.
///
/// A thread of its own keeps it up to date, where there is a line at all. `finish` ends it.
package final class ActivityReporter: Sendable {
    private let reporter: Mutex<ProgressReporter?>
    private let meter: ProgressCounter?

    /// Ten times per second, as often as a line is renewed.
    private static let pause: UInt32 = 100_000

    /// - Parameters:
    ///   - doing: what is being done: `checking`.
    ///   - meter: told by whoever does it.
    package init(
        _ command: ParsedCommand, file: String, doing: String, meter: ProgressCounter? = nil
    ) {
        self.meter = meter
        var fresh = ProgressReporter(command, file: file, total: 0, unit: .seconds)
        fresh.doing = doing
        reporter = Mutex(fresh.isSilent ? nil : fresh)
        if fresh.isSilent { return }
        _ = Threads.detach { [weak self] in
            while Self.rest(), self?.update() == true {}
        }
    }

    /// Removes the line.
    package func finish() {
        reporter.withLock { reporter in
            reporter?.finish()
            reporter = nil
        }
    }

    deinit { finish() }

    private static func rest() -> Bool {
        usleep(pause)
        return true
    }

    /// False when there is no use in it any more.
    private func update() -> Bool {
        reporter.withLock { reporter in
            reporter?.update(meter)
            return reporter != nil
        }
    }
}
