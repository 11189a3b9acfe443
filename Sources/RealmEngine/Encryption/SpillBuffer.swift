import Glibc

/// A buffer to which bytes can be added, and whose bytes never move, so that pointers to them stay
/// valid. The last few MiB are in memory; earlier bytes are moved to a temporary file without a
/// name, mapped at the same addresses.
///
/// Not thread-safe.
package final class SpillBuffer {
    private let directory: String
    private let isConfidential: Bool
    private var memory: ReservedMemory
    private var file: PageFile?
    /// Number of bytes added to the buffer so far.
    package private(set) var count = 0
    /// Number of bytes at the start of the buffer that were moved to the temporary file.
    private var moved = 0

    /// Number of addresses that are reserved. They take no memory.
    private static let reservation = AddressSpace.reservation(1 << 38)
    /// Number of bytes in memory above which the buffer moves its older bytes to the temporary
    /// file.
    private static let most = 4 << 20

    /// - Parameters:
    ///   - directory: directory in which the file is created when it is needed.
    ///   - isConfidential: whether all bytes must stay in memory, which is then left out of core
    ///     dumps.
    /// - Throws: `internal` if the system has no addresses left.
    package init(directory: String, isConfidential: Bool = false) throws(RealmError) {
        self.isConfidential = isConfidential
        self.directory = directory
        let address = mmap(
            nil, Self.reservation, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let address, address != MAP_FAILED else {
            throw systemError("mmap", nil, errno: errno)
        }
        if isConfidential { madvise(address, Self.reservation, Mapping.noDump) }
        memory = ReservedMemory(start: address, capacity: Self.reservation)
    }

    deinit { munmap(memory.start, memory.capacity) }

    /// Address of the first byte of the buffer.
    package var base: UnsafeMutableRawPointer { memory.start }

    /// Appends a copy of `size` bytes without alignment. The buffer stays in memory: unlike `add`,
    /// never moves earlier bytes to the temporary file.
    func append(_ bytes: UnsafeRawPointer, _ size: Int) throws(RealmError) {
        try memory.ensure(count + size)
        (memory.start + count).copyMemory(from: bytes, byteCount: size)
        count += size
    }

    /// Appends `size` uninitialised bytes, aligned to 8, and returns their address.
    ///
    /// Throws `output` if the disk is full, `internal` if out of memory.
    package func add(_ size: Int) throws(RealmError) -> UnsafeMutableRawPointer {
        if count - moved > Self.most, !isConfidential { try move() }
        let at = (count + 7) & ~7
        try memory.ensure(at + size)
        count = at + size
        return memory.start + at
    }

    /// Appends a copy of the bytes of `view`. Eight more bytes after the copy can be read.
    package func add(_ view: ByteView) throws(RealmError) -> ByteView {
        let copy = try add(view.count + 8)
        copy.copyMemory(from: view.base, byteCount: view.count)
        return ByteView(copy, count: view.count)
    }

    private func move() throws(RealmError) {
        if file == nil { file = try PageFile(in: directory) }
        let end = count & ~(AddressSpace.pageSize - 1)
        try file?.take(memory.start + moved, end - moved)
        moved = end
    }
}
