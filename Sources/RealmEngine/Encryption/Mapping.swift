import Glibc
import Synchronization

/// A reserved range of addresses, at whose start a file is mapped.
///
/// The range is far larger than the file. So when the file grows, more of it is mapped at the
/// following addresses, and pointers into the file stay valid. Accessing an unmapped address
/// faults. For an encrypted file, the range contains private memory with the decrypted database,
/// which `pages` decrypts when it is needed; all sizes refer to the database.
///
/// Immutable after `init`, except by `extend`, which only the owner of the file calls.
final class Mapping: @unchecked Sendable {
    let base: UnsafeRawPointer
    /// Size of the reserved address range in bytes.
    let reserved: Int
    /// Number of bytes from `base` on that are mapped.
    var mapped: Int { mappedSize.load(ordering: .acquiring) }
    private let mappedSize = Atomic<Int>(0)
    /// Address at which the reserved range begins. Differs from `base` only for a copy of bytes in
    /// memory.
    private let start: UnsafeMutableRawPointer
    /// Whether a file is mapped directly, so that the system can free pages and read them from the
    /// file again.
    private let isOfFile: Bool
    /// Decrypts the pages of an encrypted file; nil for an unencrypted one.
    let pages: EncryptedPages?
    /// Detects that the file is truncated while it is mapped; nil for encrypted files and copies,
    /// or if detection is not available.
    private let watch: TruncationTrap.Watch?

    private let takenParts = LockedValue<UInt8>(0)

    /// Number of bytes of addresses that are requested first. If the system refuses, the number is
    /// halved until the system agrees.
    static let preferredReservation = 1 << 40

    /// Maximum size of a file, more than an address space can map.
    private static let largestSize = 1 << 56

    /// Maps the first `size` bytes of the file for reading. The system reads pages when they are
    /// accessed.
    init(_ descriptor: Int32, size: Int, path: String) throws(RealmError) {
        guard size <= Self.largestSize else { throw systemError("mmap", path, errno: EFBIG) }
        let page = AddressSpace.pageSize
        let needed = (size + page - 1) / page * page
        (start, reserved) = try Self.reserve(needed, path)
        base = UnsafeRawPointer(start)
        isOfFile = true
        pages = nil
        watch = TruncationTrap.watch(base, reserved / 2, path: path)
        guard needed > 0 else { return }
        let placed = mmap(
            start, needed, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0)
        // All properties are initialised here. If this throws, `deinit` unmaps the addresses.
        guard placed != MAP_FAILED else { throw systemError("mmap", path, errno: errno) }
        mappedSize.store(size, ordering: .releasing)
    }

    /// Reserves a range of addresses for a file of `needed` bytes, and at least as many addresses
    /// after the file.
    private static func reserve(
        _ needed: Int, _ path: String
    ) throws(RealmError) -> (UnsafeMutableRawPointer, Int) {
        // The second half of the range is for the slab. A store there must never reach the file.
        let least = max(2 * needed, 2 * AddressSpace.pageSize)
        var length = AddressSpace.reservation(preferredReservation, least: least)
        while true {
            let address = mmap(
                nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            if let address, address != MAP_FAILED { return (address, length) }
            guard length / 2 >= least else {
                throw systemError("mmap", path, errno: errno)
            }
            length /= 2
        }
    }

    /// Reserves a range for the database in the encrypted file that `cipher` maps. The range is
    /// left out of core dumps.
    init(
        decrypting cipher: Mapping, _ key: EncryptionKey, path: String
    ) throws(RealmError) {
        let size = EncryptedLayout.databaseSize(of: cipher.mapped)
        (start, reserved) = try Self.reserve(size, path)
        base = UnsafeRawPointer(start)
        isOfFile = false
        watch = nil
        madvise(start, reserved, Self.noDump)
        do throws(RealmError) {
            pages = try EncryptedPages(
                cipher, key, at: start, capacity: reserved / 2, path: path)
        } catch {
            munmap(start, reserved)
            throw error
        }
        try pages?.extend(to: size)
        mappedSize.store(size, ordering: .releasing)
    }

    /// `MADV_DONTDUMP`, which Swift does not import from `mman.h`.
    static let noDump: Int32 = 16

    /// Maps the file up to `size` bytes. Bytes that are already mapped keep their addresses and
    /// contents.
    ///
    /// Only the owner of the file calls this, and never on two threads at once.
    func extend(_ descriptor: Int32, to size: Int, path: String) throws(RealmError) {
        let page = AddressSpace.pageSize
        let from = (mapped + page - 1) / page * page
        let end = (size + page - 1) / page * page
        if end > from {
            guard end <= reserved / 2 else { throw systemError("mmap", path, errno: ENOMEM) }
            if let pages { return try extend(pages, descriptor, from: from, to: size, path: path) }
            guard
                mmap(
                    UnsafeMutableRawPointer(mutating: base) + from, end - from, PROT_READ,
                    MAP_SHARED | MAP_FIXED, descriptor, off_t(from)) != MAP_FAILED
            else { throw systemError("mmap", path, errno: errno) }
        }
        mappedSize.store(max(mapped, size), ordering: .releasing)
    }

    private func extend(
        _ pages: EncryptedPages, _ descriptor: Int32, from: Int, to size: Int, path: String
    ) throws(RealmError) {
        let page = AddressSpace.pageSize
        let end = (size + page - 1) / page * page
        try pages.cipher.extend(
            descriptor, to: EncryptedLayout.fileSize(of: end), path: path)
        try pages.extend(from: from, to: end)
        mappedSize.store(end, ordering: .releasing)
    }

    /// Range of offsets from `base`, rounded to whole pages, that is reserved for the nodes of
    /// write transactions (`Slab`). It begins after the maximum size of the file.
    var behindFile: Range<Int> {
        let page = AddressSpace.pageSize
        // A copy of bytes in memory need not begin at a page boundary.
        let shift = -Int(bitPattern: base) & (page - 1)
        return reserved / 2 / page * page + shift..<UnsafeRawPointer(start) + reserved - base
    }

    /// Reserves one of the `MappingPart.count` equal parts of the addresses after the file, for a
    /// reader of a file of an older format. Returns nil if all parts are in use.
    func takePart() -> MappingPart? {
        takenParts.withLock { taken in
            guard let i = (0..<MappingPart.count).first(where: { taken & 1 << $0 == 0 }) else {
                return nil
            }
            taken |= 1 << i
            let room = behindFile
            let page = AddressSpace.pageSize
            let size = room.count / MappingPart.count / page * page
            let start = room.lowerBound + i * size
            return MappingPart(self, i, start..<start + size)
        }
    }

    fileprivate func release(part i: Int) { takenParts.withLock { $0 &= ~(1 << i) } }

    /// Increments the counter `EncryptedPages.moment` and returns it, before a newer version is
    /// read. Pages that were last compared with the file at a lower value are then compared again.
    /// Returns 0 for an unencrypted file.
    func nextMoment() -> UInt64 { pages?.nextMoment() ?? 0 }

    /// Decrypts `count` bytes at `offset` if the file is encrypted. The bytes must be mapped.
    func prepare(_ offset: Int, _ count: Int) throws(RealmError) {
        if let pages, count > 0 { try pages.prepare(offset, count, pages.nextMoment()) }
    }

    /// Copies `bytes` to memory. The copy is placed so that the addresses after it, from the next
    /// multiple of 8 on, fault when they are accessed. Reads past the end are thus detected.
    /// `memoryReservation`, the number of these addresses, exceeds the size of the largest node.
    init(copying bytes: UnsafeRawBufferPointer) throws(RealmError) {
        let page = AddressSpace.pageSize
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
        pages = nil
        watch = nil
        mappedSize.store(bytes.count, ordering: .releasing)
    }

    /// Frees the memory of the pages read so far. The system reads them from the file again when
    /// they are accessed.
    func releasePages() {
        guard isOfFile, mapped > 0 else { return }
        let page = AddressSpace.pageSize
        madvise(start, (mapped + page - 1) / page * page, MADV_DONTNEED)
    }

    /// Number of addresses that are reserved after the copy that `init(copying:)` makes. Accessing
    /// them faults.
    private static let memoryReservation = 1 << 30

    deinit {
        if let watch { TruncationTrap.end(watch) }
        munmap(start, reserved)
    }
}

/// One of the parts into which the reserved addresses after a mapped file are divided. Used for a
/// file of an older format that is only read: the part contains the nodes of one version of the
/// database, converted to the current format.
final class MappingPart: Sendable {
    let mapping: Mapping
    let range: Range<Int>
    private let index: Int

    /// Number of parts into which the reserved addresses after a mapped file are divided. In a file
    /// of an older format, each open version uses one part, so this is also the maximum number of
    /// these versions.
    fileprivate static let count = 4

    fileprivate init(_ mapping: Mapping, _ index: Int, _ range: Range<Int>) {
        (self.mapping, self.index, self.range) = (mapping, index, range)
    }

    deinit { mapping.release(part: index) }
}
