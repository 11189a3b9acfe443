import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as a wish to end: work in hand is finished or rolled back first.
enum Interruption {
    private static let wanted = Atomic<Int32>(0)

    /// From now on those signals only leave a note.
    static func install() {
        _ = wanted.load(ordering: .relaxed)  // exists before a handler asks
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            sigaction(number, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            if handler == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
            action = sigaction()
            // A second signal ends the process at once.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            action.__sigaction_handler.sa_handler = { number in
                Interruption.wanted.store(number, ordering: .sequentiallyConsistent)
            }
            sigaction(number, &action, nil)
        }
    }

    /// The signal that came; nil as long as none did.
    @inline(__always) static var signal: Int32? {
        let number = wanted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Ends the process by the signal, as if it had not been caught.
    static func raise(_ number: Int32) -> Never {
        TemporaryFiles.unlinkAll()
        Glibc.signal(number, SIG_DFL)
        Glibc.raise(number)
        _exit(128 + number)
    }
}
