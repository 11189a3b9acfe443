import Glibc
import Synchronization

/// A reserved address range with a file mapped at its start.
///
/// The range is far larger than the file, so a growing file is mapped in place and no pointer into
/// it ever moves. Reserved but unmapped addresses fault. For an encrypted file, the range holds
/// private memory with the decrypted database, which `pages` fills on demand; sizes refer to the
/// database.
///
/// Immutable after `init` except through `extend`, which only the owner of the file calls.
final class Mapping: @unchecked Sendable {
    let base: UnsafeRawPointer
    /// Size of the address range in bytes.
    let reserved: Int
    /// Number of mapped bytes.
    var mapped: Int { mappedSize.load(ordering: .acquiring) }
    private let mappedSize = Atomic<Int>(0)
    /// Start of the address range; below `base` only for a copy of bytes.
    private let start: UnsafeMutableRawPointer
    /// Whether a file is mapped, so that the system can free pages and read them again.
    private let isOfFile: Bool
    /// Decrypts the pages of an encrypted file; nil for an unencrypted one.
    let pages: EncryptedPages?
    /// Registration at the truncation trap; nil if there is no file or the trap was declined.
    private let watch: TruncationTrap.Watch?

    private let takenParts = LockedValue<UInt8>(0)

    /// Size of the address range to try first; halved until the system agrees.
    static let preferredReservation = 1 << 40

    /// Larger than any address space can map.
    private static let largestSize = 1 << 56

    /// Maps the first `size` bytes of the file, lazily and read-only.
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
        // All properties are initialised here: after a throw, `deinit` unmaps the addresses.
        guard placed != MAP_FAILED else { throw systemError("mmap", path, errno: errno) }
        mappedSize.store(size, ordering: .releasing)
    }

    /// Reserves addresses for `needed` bytes of a file and as many after it.
    private static func reserve(
        _ needed: Int, _ path: String
    ) throws(RealmError) -> (UnsafeMutableRawPointer, Int) {
        // The second half is for the slab: stores to it must never reach the file.
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

    /// Reserves addresses for the database in the encrypted file that `cipher` maps, excluded from
    /// core dumps.
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

    /// `MADV_DONTDUMP`, hidden from Swift's view of `mman.h`.
    static let noDump: Int32 = 16

    /// Maps the file up to `size` bytes. Bytes that are already mapped keep their address and
    /// content.
    ///
    /// Only the owner of the file calls this, never two threads at once.
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

    /// Offsets from `base` of the whole pages that are reserved after the file, for the slab.
    var behindFile: Range<Int> {
        let page = AddressSpace.pageSize
        // A copy of bytes need not begin at a page boundary.
        let shift = -Int(bitPattern: base) & (page - 1)
        return reserved / 2 / page * page + shift..<UnsafeRawPointer(start) + reserved - base
    }

    /// Claims one of the parts of `behindFile` for a reader; returns nil if all are taken.
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

    /// Begins a new moment for a newer version, to be passed to `EncryptedPages.prepare`; 0 without
    /// encryption.
    func nextMoment() -> UInt64 { pages?.nextMoment() ?? 0 }

    /// Decrypts `count` mapped bytes at `offset` if the file is encrypted.
    func prepare(_ offset: Int, _ count: Int) throws(RealmError) {
        if let pages, count > 0 { try pages.prepare(offset, count, pages.nextMoment()) }
    }

    /// Copies `bytes` so that their end, rounded up to 8 bytes, is followed by addresses that
    /// fault: a read past the end does not go unnoticed. The range after the end is larger than the
    /// largest node.
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

    /// Frees the pages read so far; the system reads them again when needed.
    func releasePages() {
        guard isOfFile, mapped > 0 else { return }
        let page = AddressSpace.pageSize
        madvise(start, (mapped + page - 1) / page * page, MADV_DONTNEED)
    }

    /// Size of the address range after a copy of bytes.
    private static let memoryReservation = 1 << 30

    deinit {
        if let watch { TruncationTrap.end(watch) }
        munmap(start, reserved)
    }
}

/// A part of the address range after a mapped file, for the nodes of one version of an older
/// format, in a database that is opened read-only.
final class MappingPart: Sendable {
    let mapping: Mapping
    let range: Range<Int>
    private let index: Int

    /// Number of parts, hence of such versions that are open at once.
    fileprivate static let count = 4

    fileprivate init(_ mapping: Mapping, _ index: Int, _ range: Range<Int>) {
        (self.mapping, self.index, self.range) = (mapping, index, range)
    }

    deinit { mapping.release(part: index) }
}
