import Glibc
import Synchronization

/// Precautions of a process that has read an encryption key: its temporary files are encrypted, and
/// it leaves no core dump.
package enum Secrecy {
    private static let flag = Atomic<Bool>(false)

    package static var hasReadKey: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag that the process reads an encryption key, and disables core dumps. Must be
    /// called before the key is read.
    static func begin() {
        flag.store(true, ordering: .relaxed)
        // `PR_SET_DUMPABLE` is not used, because it would hide the open files of the process from
        // `realm-versions`.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // The limit is 1 byte: with 0 the kernel would still send a dump to a pipe handler.
        none.rlim_cur = min(1, none.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
