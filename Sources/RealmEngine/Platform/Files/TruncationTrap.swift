import Glibc
import Synchronization

/// Ends the process with a sentence when a file that is mapped is cut off by somebody else while it is
/// read: the bytes are not there any more, and nothing that was to be read can be.
///
/// Installed when an instance is opened first, as a handler for `SIGBUS` that hands on what is not its
/// own. Programs that have a handler of their own for all of that decline.
package enum TruncationTrap {
    /// The paths of mapped files, as texts that end with a zero.
    private static let files = AddressTable()
    private static let state = LockedValue(State.none)
    /// What happened at a fault before there was a handler.
    nonisolated(unsafe) private static var before = sigaction()

    private enum State { case none, installed, declined }

    /// Leaves the signal alone for good. To be called before an instance is opened.
    package static func decline() { state.withLock { $0 = .declined } }

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

    /// A mapped file as the trap knows it.
    struct Watch {
        fileprivate let slot: Int
        fileprivate let name: UnsafeMutablePointer<CChar>
    }

    /// Nil where the trap was declined.
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
            // Not ours: it happens again, as if nobody had looked.
            sigaction(SIGBUS, &before, nil)
        }
    }

    private static func say(_ text: StaticString) {
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
