import Glibc

/// How many addresses the process may have (`ulimit -v`).
///
/// Reservations cost nothing but addresses, and elsewhere those are plenty. Where they are limited,
/// heap and stacks live off what reservations leave.
package enum AddressSpace {
    /// Bytes of a page of memory.
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Bytes; nil where nothing limits them.
    package static let limit: Int? = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == ~0 ? nil : Int(clamping: limit.rlim_cur)
    }()

    /// What to reserve where `preferred` is wanted and `least` needed.
    static func reservation(_ preferred: Int, least: Int = 0) -> Int {
        guard let limit else { return max(preferred, least) }
        let page = pageSize
        return max(min(preferred, limit / 8 / page * page), least)
    }
}
