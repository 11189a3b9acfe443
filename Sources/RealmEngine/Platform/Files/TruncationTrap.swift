import Glibc
import Synchronization

/// Ends the process with a message if it reads a mapped file that another process has truncated:
/// the bytes that it reads no longer exist.
///
/// This is a handler for `SIGBUS`, installed when the first instance is opened. Signals for other
/// addresses are passed to the earlier handler. A program that has its own `SIGBUS` handler calls
/// `disable`.
package enum TruncationTrap {
    /// Address ranges of the mapped files, each with the file's path as a C string.
    private static let files = AddressTable()
    private static let state = LockedValue(State.none)
    /// The action for `SIGBUS` that was set before this handler was installed.
    nonisolated(unsafe) private static var before = sigaction()

    private enum State { case none, installed, declined }

    /// Keeps this type from installing its handler for `SIGBUS`. Must be called before the first
    /// instance is opened.
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

    /// A mapping that is registered with the handler for `SIGBUS`. If the process reads it after
    /// the file was truncated, the handler reports the file and ends the process. Passed to `end`
    /// to unregister the mapping.
    struct Watch {
        fileprivate let slot: Int
        fileprivate let name: UnsafeMutablePointer<CChar>
    }

    /// Registers a mapping with the handler for `SIGBUS`: reads after a truncation of the file at
    /// `path` end the process with a message. Returns nil if `disable` was called.
    ///
    /// - Parameters:
    ///   - start: address of the mapping.
    ///   - capacity: number of bytes that the mapping may have.
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
            // The signal is for another address. After the earlier action is restored, the
            // instruction faults again.
            sigaction(SIGBUS, &before, nil)
        }
    }

    private static func say(_ text: StaticString) {
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
