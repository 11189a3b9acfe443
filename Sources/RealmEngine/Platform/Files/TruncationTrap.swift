import Glibc
import Synchronization

/// Ends the process with a message when another process truncates a mapped file that is being read:
/// its bytes no longer exist.
///
/// A handler for `SIGBUS`, installed when the first instance is opened; it passes signals for other
/// addresses on. Programs with a `SIGBUS` handler of their own call `disable`.
package enum TruncationTrap {
    /// The mapped files, each with its path as a C string.
    private static let files = AddressTable()
    private static let state = LockedValue(State.none)
    /// The action for `SIGBUS` before the handler was installed.
    nonisolated(unsafe) private static var before = sigaction()

    private enum State { case none, installed, declined }

    /// Never installs the handler. Call before the first instance is opened.
    package static func disable() { state.withLock { $0 = .declined } }

    static func install() {
        state.withLock { state in
            guard state == .none else { return }
            state = .installed
            _ = files
            var action = sigaction()
            action.sa_flags = SA_SIGINFO
            action.__sigaction_handler.sa_sigaction = { _, info, _ in TruncationTrap.handle(info) }
            sigaction(SIGBUS, &action, &before)
        }
    }

    /// A registered mapping.
    struct Watch {
        fileprivate let slot: Int
        fileprivate let name: UnsafeMutablePointer<CChar>
    }

    /// Registers a mapping of the file at `path`; returns nil if the trap was declined.
    static func watch(_ start: UnsafeRawPointer, _ capacity: Int, path: String) -> Watch? {
        guard state.withLock({ $0 }) != .declined, let name = strdup(path) else { return nil }
        return Watch(slot: files.add(start, capacity, name), name: name)
    }

    static func end(_ watch: Watch) {
        files.remove(watch.slot)
        free(watch.name)
    }

    private static func handle(_ info: UnsafeMutablePointer<siginfo_t>?) {
        let address = UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
        if let (name, _) = files.find(address) {
            say("Fatal error: the database was truncated while it was being read: ")
            _ = write(STDERR_FILENO, name, strlen(name.assumingMemoryBound(to: CChar.self)))
            say("\n")
            signal(SIGBUS, SIG_DFL)
        } else {
            // Another address: with the earlier action restored, the instruction faults again.
            sigaction(SIGBUS, &before, nil)
        }
    }

    private static func say(_ text: StaticString) {
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
