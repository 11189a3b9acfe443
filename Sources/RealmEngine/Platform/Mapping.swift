import Glibc

/// A stretch of reserved addresses with a file mapped at its start.
///
/// The reservation is made once and is far larger than the file, so growing the file extends the
/// mapping in place and no pointer into it ever moves. Reserved but unmapped addresses fault.
/// Immutable after `init` except through `extend`, which only the owner of the file calls.
final class Mapping: @unchecked Sendable {
    let base: UnsafeRawPointer
    /// Bytes of address space reserved.
    let reserved: Int
    /// Bytes of the file that are mapped.
    private(set) var mapped = 0

    /// Address space asked for first; halved until the system agrees.
    static let preferredReservation = 1 << 40

    /// Maps the first `size` bytes of the file, lazily and read-only.
    init(_ file: borrowing File, size: Int) throws(RealmError) {
        let page = Self.pageSize
        let needed = (size + page - 1) / page * page
        var length = max(Self.preferredReservation, needed)
        var address: UnsafeMutableRawPointer?
        while true {
            address = mmap(
                nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            if address != MAP_FAILED { break }
            guard length / 2 >= needed else {
                throw systemError("mmap", file.path, errno: errno)
            }
            length /= 2
        }
        base = UnsafeRawPointer(address!)
        reserved = length
        guard needed > 0 else { return }
        let placed = mmap(
            address, needed, PROT_READ, MAP_SHARED | MAP_FIXED, file.descriptor, 0)
        guard placed != MAP_FAILED else {
            let code = errno
            munmap(address, length)
            throw systemError("mmap", file.path, errno: code)
        }
        mapped = size
    }

    /// Maps the file up to `size` bytes; what is mapped already stays where and as it is.
    ///
    /// Only the owner of the file calls this, never two threads at once.
    func extend(_ descriptor: Int32, to size: Int, path: String) throws(RealmError) {
        let page = Self.pageSize
        let from = (mapped + page - 1) / page * page
        let end = (size + page - 1) / page * page
        if end > from {
            guard end <= reserved / 2,
                mmap(
                    UnsafeMutableRawPointer(mutating: base) + from, end - from, PROT_READ,
                    MAP_SHARED | MAP_FIXED, descriptor, off_t(from)) != MAP_FAILED
            else { throw systemError("mmap", path, errno: errno) }
        }
        mapped = max(mapped, size)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: base), reserved) }

    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
}
