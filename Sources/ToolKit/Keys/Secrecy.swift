import Glibc
import Synchronization

/// What a program that was given a key owes: nothing of what it works with goes to temporary files as
/// it is, and it leaves no core dump.
package enum Secrecy {
    private static let flag = Atomic<Bool>(false)

    package static var isOwed: Bool { flag.load(ordering: .relaxed) }

    /// A key is about to be read.
    static func begin() {
        flag.store(true, ordering: .relaxed)
        // Not `PR_SET_DUMPABLE`, which would hide what the program has open from `realm-versions`.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // Of 0 bytes a program that takes core dumps through a pipe would get one.
        none.rlim_cur = min(1, none.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
