import Glibc
import Synchronization

/// A stretch of reserved addresses with a file mapped at its start.
///
/// The reservation is made once and is far larger than the file, so growing the file extends the
/// mapping in place and no pointer into it ever moves. Reserved but unmapped addresses fault.
/// Of an encrypted file private memory stands in its place, which `pages` fills when it is needed:
/// sizes are those of the database then.
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
    /// What puts the pages of an encrypted file here; nil where pages are the file's own.
    let pages: EncryptedPages?
    /// Nil where there is no file that could be cut off, or nobody to be told.
    private let watch: TruncationTrap.Watch?

    private let takenParts = LockedValue<UInt8>(0)

    /// Address space asked for first; halved until the system agrees.
    static let preferredReservation = 1 << 40

    /// More than any address space can map.
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
        // Everything is initialised here: a throw runs `deinit`, which gives the addresses back.
        guard placed != MAP_FAILED else { throw systemError("mmap", path, errno: errno) }
        mappedSize.store(size, ordering: .releasing)
    }

    /// Addresses for `needed` bytes of a file, and as many behind them.
    private static func reserve(
        _ needed: Int, _ path: String
    ) throws(RealmError) -> (UnsafeMutableRawPointer, Int) {
        // The second half is the slab's: what is written there must never be the file.
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

    /// Addresses for the database in the encrypted file that `cipher` maps. No core dump shows what
    /// will be there.
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

    /// Maps the file up to `size` bytes; what is mapped already stays where and as it is.
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

    /// The addresses that no file reaches, for what is kept beside it: whole pages, from `base` on.
    var behindFile: Range<Int> {
        let page = AddressSpace.pageSize
        // Bytes in memory begin anywhere in a page.
        let shift = -Int(bitPattern: base) & (page - 1)
        return reserved / 2 / page * page + shift..<UnsafeRawPointer(start) + reserved - base
    }

    /// Takes one of the parts that `behindFile` has for readers; nil when all are taken.
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

    fileprivate func giveBack(part i: Int) { takenParts.withLock { $0 &= ~(1 << i) } }

    /// A newer version is about to be read; what its pages are to be asked for with.
    func nextMoment() -> UInt64 { pages?.nextMoment() ?? 0 }

    /// Has `count` bytes at `offset`, which are mapped, ready to be read.
    func prepare(_ offset: Int, _ count: Int) throws(RealmError) {
        if let pages, count > 0 { try pages.prepare(offset, count, pages.nextMoment()) }
    }

    /// Holds a copy of `bytes` whose end touches addresses that fault, so that no read past the end
    /// goes unnoticed. The end is rounded up to 8 bytes, and more room is reserved behind it than the
    /// largest node could need.
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

    /// Gives the pages read so far back to the system; they are read again when needed.
    func releasePages() {
        guard isOfFile, mapped > 0 else { return }
        let page = AddressSpace.pageSize
        madvise(start, (mapped + page - 1) / page * page, MADV_DONTNEED)
    }

    /// Address space behind the bytes of a mapping in memory.
    private static let memoryReservation = 1 << 30

    deinit {
        if let watch { TruncationTrap.end(watch) }
        munmap(start, reserved)
    }
}

/// A part of the addresses behind a mapped file that one version of an older format has to itself, in a
/// database that nobody writes.
final class MappingPart: Sendable {
    let mapping: Mapping
    let range: Range<Int>
    private let index: Int

    /// Versions that are read at once.
    fileprivate static let count = 4

    fileprivate init(_ mapping: Mapping, _ index: Int, _ range: Range<Int>) {
        (self.mapping, self.index, self.range) = (mapping, index, range)
    }

    deinit { mapping.giveBack(part: index) }
}
