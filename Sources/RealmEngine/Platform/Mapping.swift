import Glibc
import Synchronization

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
    var mapped: Int { mappedSize.load(ordering: .acquiring) }
    private let mappedSize = Atomic<Int>(0)
    /// Where the reservation begins; below `base` only for bytes in memory.
    private let start: UnsafeMutableRawPointer
    /// Pages hold what a file holds, so that they can be given back.
    private let isOfFile: Bool

    /// Address space asked for first; halved until the system agrees.
    static let preferredReservation = 1 << 40

    /// More than any address space can map.
    private static let largestSize = 1 << 56

    /// Maps the first `size` bytes of the file, lazily and read-only.
    init(_ descriptor: Int32, size: Int, path: String) throws(RealmError) {
        guard size <= Self.largestSize else { throw systemError("mmap", path, errno: EFBIG) }
        let page = Self.pageSize
        let needed = (size + page - 1) / page * page
        // The second half is the slab's: what is written there must never be the file.
        let least = max(2 * needed, 2 * page)
        var length = AddressSpace.reservation(Self.preferredReservation, least: least)
        var address: UnsafeMutableRawPointer?
        while true {
            address = mmap(
                nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            if address != MAP_FAILED { break }
            guard length / 2 >= least else {
                throw systemError("mmap", path, errno: errno)
            }
            length /= 2
        }
        start = address!
        base = UnsafeRawPointer(start)
        reserved = length
        isOfFile = true
        guard needed > 0 else { return }
        let placed = mmap(
            address, needed, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0)
        // Everything is initialised here: a throw runs `deinit`, which gives the addresses back.
        guard placed != MAP_FAILED else { throw systemError("mmap", path, errno: errno) }
        mappedSize.store(size, ordering: .releasing)
    }

    /// Maps the file up to `size` bytes; what is mapped already stays where and as it is.
    ///
    /// Only the owner of the file calls this, never two threads at once.
    func extend(_ descriptor: Int32, to size: Int, path: String) throws(RealmError) {
        let page = Self.pageSize
        let from = (mapped + page - 1) / page * page
        let end = (size + page - 1) / page * page
        if end > from {
            guard end <= reserved / 2 else { throw systemError("mmap", path, errno: ENOMEM) }
            guard
                mmap(
                    UnsafeMutableRawPointer(mutating: base) + from, end - from, PROT_READ,
                    MAP_SHARED | MAP_FIXED, descriptor, off_t(from)) != MAP_FAILED
            else { throw systemError("mmap", path, errno: errno) }
        }
        mappedSize.store(max(mapped, size), ordering: .releasing)
    }

    /// Holds a copy of `bytes` whose end touches addresses that fault, so that no read past the end
    /// goes unnoticed. The end is rounded up to 8 bytes, and more room is reserved behind it than the
    /// largest node could need.
    init(copying bytes: UnsafeRawBufferPointer) throws(RealmError) {
        let page = Self.pageSize
        let needed = (bytes.count + page - 1) / page * page
        let length = needed + Self.memoryReservation
        let address = mmap(
            nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let address, address != MAP_FAILED else {
            throw systemError("mmap", nil, errno: errno)
        }
        guard mprotect(address, needed, PROT_READ | PROT_WRITE) == 0 else {
            let code = errno
            munmap(address, length)
            throw systemError("mprotect", nil, errno: code)
        }
        start = address
        let first = address + (needed - (bytes.count + 7) & ~7)
        if let source = bytes.baseAddress {
            first.copyMemory(from: source, byteCount: bytes.count)
        }
        mprotect(address, needed, PROT_READ)
        base = UnsafeRawPointer(first)
        reserved = length
        isOfFile = false
        mappedSize.store(bytes.count, ordering: .releasing)
    }

    /// Gives the pages read so far back to the system; they are read again when needed.
    func releasePages() {
        guard isOfFile, mapped > 0 else { return }
        madvise(start, (mapped + Self.pageSize - 1) / Self.pageSize * Self.pageSize, MADV_DONTNEED)
    }

    /// Address space behind the bytes of a mapping in memory.
    private static let memoryReservation = 1 << 30

    deinit { munmap(start, reserved) }

    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
}
