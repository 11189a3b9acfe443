import Glibc
import RealmEngine
import Synchronization
import ToolKit

/// Handles SIGINT, SIGTERM and SIGHUP. The process ends when the open transaction was committed or
/// rolled back.
enum Interruption {
    private static let wanted = Atomic<Int32>(0)
    /// Whether no transaction is open, so that a signal may end the process at once.
    private static let isIdle = Atomic<Bool>(false)

    /// Installs signal handlers that record the signal.
    static func install() {
        // Initialises the atomics, because a handler must not do it.
        _ = (wanted.load(ordering: .relaxed), isIdle.load(ordering: .relaxed))
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
                guard Interruption.isIdle.load(ordering: .sequentiallyConsistent) else { return }
                TemporaryFiles.unlinkAll()
                Glibc.raise(number)
            }
            sigaction(number, &action, nil)
        }
    }

    /// Runs a body that may block, while no transaction is open. A signal during `body` ends the
    /// process at once.
    static func atOnce<R>(_ body: () throws(RealmError) -> R) throws(RealmError) -> R {
        isIdle.store(true, ordering: .sequentiallyConsistent)
        defer { isIdle.store(false, ordering: .sequentiallyConsistent) }
        if let signal { raise(signal) }
        return try body()
    }

    /// The signal that was received; nil if none was.
    @inline(__always) static var signal: Int32? {
        let number = wanted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Ends the process by the default action of a signal.
    static func raise(_ number: Int32) -> Never {
        TemporaryFiles.unlinkAll()
        Glibc.signal(number, SIG_DFL)
        Glibc.raise(number)
        _exit(128 + number)
    }
}

extension WriteRequest {
    /// Begins the command's transaction. Waits for the write mutex.
    func begin(_ session: WriteSession) throws(RealmError) -> WriteTransaction {
        let lockTimeout = lockTimeout
        let transaction = try Interruption.atOnce { () throws(RealmError) in
            try session.begin(lockTimeout)
        }
        transaction.memoryLimit = transactionMemory
        return transaction
    }
}
