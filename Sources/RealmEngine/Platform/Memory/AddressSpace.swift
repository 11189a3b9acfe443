import Glibc

/// The limit of the process's address space (`ulimit -v`).
///
/// A reservation uses addresses but no memory. Without a limit, addresses are plentiful. With a
/// limit, the heap and the stacks need the addresses that reservations leave.
package enum AddressSpace {
    /// Size of a memory page in bytes.
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// The limit in bytes; nil if the address space is not limited.
    package static let limit: Int? = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == ~0 ? nil : Int(clamping: limit.rlim_cur)
    }()

    /// Returns the number of bytes of addresses to reserve: `preferred`, but at most an eighth of
    /// the process's address-space limit if there is one; never less than `least`.
    static func reservation(_ preferred: Int, least: Int = 0) -> Int {
        guard let limit else { return max(preferred, least) }
        let page = pageSize
        return max(min(preferred, limit / 8 / page * page), least)
    }
}
