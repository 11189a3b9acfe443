import Glibc

/// Bytes that are added at the end and stay where they are put, so that pointers to them stay valid.
/// The first few MiB are in memory, what is more moves to a temporary file without a name.
///
/// Not thread-safe.
package final class SpillMemory {
    private let directory: String
    private let isConfidential: Bool
    private var memory: ReservedMemory
    private var file: PageFile?
    /// Bytes added so far.
    package private(set) var count = 0
    /// Bytes of them that moved to the file.
    private var moved = 0

    /// Addresses, not memory.
    private static let reservation = AddressSpace.reservation(1 << 38)
    /// Private memory, at most.
    private static let most = 4 << 20

    /// - Parameters:
    ///   - directory: where the file is made once it is needed.
    ///   - isConfidential: everything stays in memory, which no core dump shows.
    /// - Throws: `internal` when the system has no addresses left.
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

    /// Where the bytes begin.
    package var base: UnsafeMutableRawPointer { memory.start }

    /// Adds a copy of `count` bytes right behind the last ones, in memory.
    func append(_ bytes: UnsafeRawPointer, _ size: Int) throws(RealmError) {
        try memory.ensure(count + size)
        (memory.start + count).copyMemory(from: bytes, byteCount: size)
        count += size
    }

    /// Adds `size` bytes, on a multiple of 8, for the caller to fill.
    ///
    /// Throws `output` when the disk is full, `internal` when memory is.
    package func add(_ size: Int) throws(RealmError) -> UnsafeMutableRawPointer {
        if count - moved > Self.most, !isConfidential { try move() }
        let at = (count + 7) & ~7
        try memory.ensure(at + size)
        count = at + size
        return memory.start + at
    }

    /// Adds a copy of the bytes of `view`; up to eight more behind them may be read.
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
