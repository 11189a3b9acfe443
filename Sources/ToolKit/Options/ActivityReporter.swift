import Glibc
import RealmEngine
import Synchronization

/// Shows a line on standard error about an operation: its name, and its progress or the elapsed
/// time.
///
/// If the line is visible, a background thread updates it until `finish` is called or the object is
/// released.
package final class ActivityReporter: Sendable {
    private let reporter: Mutex<ProgressReporter?>
    private let meter: ProgressCounter?

    /// Microseconds between updates of the progress line: ten per second, the rate at which the
    /// line is rewritten.
    private static let pause: UInt32 = 100_000

    /// - Parameters:
    ///   - doing: the operation, such as `checking`.
    ///   - meter: counts the progress of the operation; nil to show the elapsed time only.
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

    /// Ends the updates and erases the progress line.
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

    /// Updates the progress line. Returns false after `finish`.
    private func update() -> Bool {
        reporter.withLock { reporter in
            reporter?.update(meter)
            return reporter != nil
        }
    }
}
