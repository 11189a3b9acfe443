import CRealmSystem
import Glibc
import Synchronization

/// Limits the memory for decrypted pages of encrypted files.
///
/// A program may set the limit once, before it opens any encrypted file. From then on, pages can be
/// freed at any time, even if threads have pointers into them: accessing a freed page raises
/// `SIGSEGV`, and the signal handler decrypts the page again, at the same address and with the same
/// bytes of every pinned version.
package enum DecryptedMemoryLimit {
    private static let most = Atomic<Int>(.max)
    /// Number of open files under the limit; they share it.
    static let files = Atomic<Int>(0)
    /// Number of pages in memory, of all files.
    static let held = Atomic<Int>(0)
    /// Number of pieces that were decrypted again so far.
    static let restored = Atomic<Int>(0)

    /// Limits the decrypted pages of all files to about `bytes`.
    ///
    /// Installs a handler for `SIGSEGV`, which passes signals for other addresses on. So only a
    /// program may call this, not a library.
    package static func limit(to bytes: Int) {
        most.store(max(least, bytes), ordering: .relaxed)
        PageFaults.install()
    }

    static var isLimited: Bool { most.load(ordering: .relaxed) < .max }

    /// The limit in pages, for all files together.
    static var pages: Int { most.load(ordering: .relaxed) / EncryptedLayout.page }

    /// Number of pages that a file may keep although the limit is exceeded.
    static var share: Int { pages / 2 / max(1, files.load(ordering: .relaxed)) }

    /// Smallest limit: a few pieces for each thread.
    private static let least = 2 << 20
}

/// Frees decrypted pages of one file and restores them. Freeing closes addresses that readers use,
/// a piece at a time. A closed piece is decrypted in work memory, whose address no reader has, and
/// then moved to its place at once.
///
/// Pages are restored in pieces, several pieces of a group at once when the file is read
/// sequentially. They are freed in groups, since each system call costs as much as decrypting a
/// page. Free to cross threads: the state of a piece is guarded by the mutex of its pages.
final class DecryptedPageCache: @unchecked Sendable {
    let plain: UnsafeMutableRawPointer
    /// Work memory: a group for each of the mutexes that guard pieces.
    private let work: UnsafeMutableRawPointer
    /// Pages of a piece, as a power of 2.
    let shift: Int
    private let capacity: Int
    /// Number of pages of this file in memory.
    private let held = Atomic<Int>(0)
    /// One byte for each piece: whether the piece is closed.
    private var closed: ReservedMemory
    private let watching = Atomic<Int>(-1)
    /// Whether a thread is freeing pages; only one does at a time.
    private let turn = Atomic<Bool>(false)
    private var hand = 0

    /// Maximum number of pieces. Adjacent pieces that differ in being closed are separate mappings,
    /// of which the system permits some ten thousand.
    private static let maximumPieceCount = 1 << 14
    /// Pages of the smallest pieces, as a power of 2. Small, because a random access needs little
    /// else near its page; not smaller, because freeing and restoring a piece takes several system
    /// calls.
    private static let smallestShift = 2
    /// Pieces of a group, as a power of 2.
    private static let groupShift = 2

    /// Returns nil without a limit, or if the system cannot move memory.
    ///
    /// - Parameters:
    ///   - plain: reserved addresses for `capacity` bytes, whose ownership passes to this object.
    ///   - size: current size of the database in bytes.
    init?(_ plain: UnsafeMutableRawPointer, capacity: Int, size: Int) {
        guard DecryptedMemoryLimit.isLimited, Self.canMove else { return nil }
        var shift = Self.smallestShift
        while Self.pieces(size, shift) > Self.maximumPieceCount { shift += 1 }
        let page = AddressSpace.pageSize
        let bytes = (Self.pieces(capacity, shift) + page - 1) / page * page
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let list = mmap(nil, bytes, PROT_NONE, flags, -1, 0)
        guard let list, list != MAP_FAILED else { return nil }
        let room =
            EncryptedPages.mutexCount << (shift + Self.groupShift + EncryptedLayout.pageShift)
        guard let work = try? ConfidentialMemory.make(room) else {
            munmap(list, bytes)
            return nil
        }
        self.plain = plain
        self.work = work
        self.capacity = capacity
        self.shift = shift
        closed = ReservedMemory(start: list, capacity: bytes)
        DecryptedMemoryLimit.files.add(1, ordering: .relaxed)
    }

    deinit {
        DecryptedMemoryLimit.files.subtract(1, ordering: .relaxed)
        DecryptedMemoryLimit.held.subtract(held.load(ordering: .relaxed), ordering: .relaxed)
        ConfidentialMemory.free(work, EncryptedPages.mutexCount * groupSize)
        munmap(closed.start, closed.capacity)
    }

    /// Returns an upper bound of the number of pieces of `size` bytes.
    private static func pieces(_ size: Int, _ shift: Int) -> Int {
        ((size / EncryptedLayout.page) >> shift) + 1
    }

    /// Whether memory can be moved away from addresses that stay mapped, as Linux can since 2020.
    private static let canMove: Bool = {
        let page = AddressSpace.pageSize
        guard let memory = try? ConfidentialMemory.make(2 * page) else { return false }
        defer { ConfidentialMemory.free(memory, 2 * page) }
        memory.storeBytes(of: 1, as: UInt8.self)
        return realm_memory_move(memory, page, memory + page) == 0
            && memory.load(as: UInt8.self) == 0 && (memory + page).load(as: UInt8.self) == 1
    }()

    /// Pages of a group, as a power of 2.
    var groupShift: Int { shift + Self.groupShift }

    private var groupSize: Int { EncryptedLayout.page << groupShift }

    /// Extends the state by `count` bytes of the file at `from`. Returns false if out of memory.
    func extend(from: Int, _ count: Int) -> Bool {
        (try? closed.ensure(Self.pieces(from + count, shift))) != nil
    }

    /// Registers the addresses, so that faults in them restore pages of `pages`.
    func watch(_ pages: EncryptedPages) {
        watching.store(PageFaults.add(pages, plain, capacity), ordering: .relaxed)
    }

    /// Unregisters the addresses; their faults are no longer handled.
    func close() { PageFaults.remove(watching.load(ordering: .relaxed)) }

    /// Adds `change` to the number of pages in memory.
    func count(_ change: Int) {
        held.add(change, ordering: .relaxed)
        DecryptedMemoryLimit.held.add(change, ordering: .relaxed)
    }

    /// Whether this file should free pages: the limit is exceeded, and this file has more than its
    /// share.
    @inline(__always)
    var isExceeded: Bool { exceeds(DecryptedMemoryLimit.pages) }

    private func exceeds(_ most: Int) -> Bool {
        DecryptedMemoryLimit.held.load(ordering: .relaxed) > most
            && held.load(ordering: .relaxed) > DecryptedMemoryLimit.share
    }

    /// Calls `body` with one group after the other, except the group with `page`, until enough
    /// pages are free. Does nothing if another thread is freeing pages.
    func closeSome(of size: Int, butFor page: Int, _ body: (_ group: Int) -> Void) {
        let isWatched = watching.load(ordering: .relaxed) >= 0
        guard isWatched, !turn.exchange(true, ordering: .acquiring) else { return }
        defer { turn.store(false, ordering: .releasing) }
        let groups = Self.pieces(size, groupShift)
        let wanted = DecryptedMemoryLimit.pages / 16 * 15
        for _ in 0..<groups where exceeds(wanted) {
            // Proceeds against the direction of most reads: a reader that repeatedly scans the file
            // would otherwise find each group just freed.
            hand = (hand > 0 ? hand : groups) - 1
            if hand != page >> groupShift { body(hand) }
        }
    }

    // MARK: One group, with its mutex held

    private func piece(_ page: Int) -> UnsafeMutablePointer<Bool> {
        (closed.start + (page >> shift)).assumingMemoryBound(to: Bool.self)
    }

    /// Whether the piece with `page` is closed.
    func isPieceClosed(_ page: Int) -> Bool { piece(page).pointee }

    /// Returns the pages of a piece that are inside a database of `size` bytes.
    func pages(of piece: Int, _ size: Int) -> Range<Int> {
        let first = piece << shift
        return first..<max(first, min(first + (1 << shift), size / EncryptedLayout.page))
    }

    /// Returns the pieces of the group with `page`.
    func group(of page: Int) -> Range<Int> {
        let first = (page >> groupShift) << Self.groupShift
        return first..<(first + 1 << Self.groupShift)
    }

    /// Returns the address that page 0 would have in the work memory of the group with `page`.
    func room(for page: Int) -> UnsafeMutableRawPointer {
        let group = page >> groupShift
        return work + (group % EncryptedPages.mutexCount - group) * groupSize
    }

    /// Populates the work memory for `pages`, whole pieces of one group, to save a page fault for
    /// each.
    func prepareRoom(for pages: Range<Int>) {
        madvise(
            room(for: pages.lowerBound) + pages.lowerBound * EncryptedLayout.page,
            pages.count * EncryptedLayout.page, Self.populateWrite)
    }

    /// `MADV_POPULATE_WRITE`; older systems refuse it, and pages fault one by one.
    private static let populateWrite: Int32 = 23

    private func mark(_ pages: Range<Int>, isClosed: Bool) {
        for page in stride(from: pages.lowerBound, to: pages.upperBound, by: 1 << shift) {
            piece(page).pointee = isClosed
        }
    }

    /// Frees the memory of `pages`, whole pieces of one group. Returns false on failure.
    func close(_ pages: Range<Int>) -> Bool {
        let start = plain + pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard mprotect(start, count, PROT_NONE) == 0 else { return false }
        mark(pages, isClosed: true)
        madvise(start, count, MADV_DONTNEED)
        return true
    }

    /// Moves `pages`, whole pieces of one group, from work memory to the addresses that readers
    /// use. Returns false on failure.
    func open(_ pages: Range<Int>) -> Bool {
        let offset = pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard realm_memory_move(room(for: pages.lowerBound) + offset, count, plain + offset) == 0
        else { return false }
        mark(pages, isClosed: false)
        return true
    }
}
