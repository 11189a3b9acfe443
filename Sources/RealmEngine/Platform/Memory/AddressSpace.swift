import Glibc

/// The limit of the process's address space (`ulimit -v`).
///
/// A reservation takes only addresses, which are plentiful without a limit. With one, heap and
/// stacks have to do with the addresses that reservations leave.
package enum AddressSpace {
    /// Size of a memory page in bytes.
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// The limit in bytes; nil if there is none.
    package static let limit: Int? = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == ~0 ? nil : Int(clamping: limit.rlim_cur)
    }()

    /// Returns how many bytes to reserve if `preferred` would be best and `least` are needed: with
    /// a limit, at most an eighth of it.
    static func reservation(_ preferred: Int, least: Int = 0) -> Int {
        guard let limit else { return max(preferred, least) }
        let page = pageSize
        return max(min(preferred, limit / 8 / page * page), least)
    }
}
