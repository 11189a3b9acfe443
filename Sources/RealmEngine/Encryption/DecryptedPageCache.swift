import CRealmSystem
import Glibc
import Synchronization

/// Limits the memory for decrypted pages of encrypted files.
///
/// A program may set a limit once, before it opens any encrypted file. After that, decrypted pages
/// can be freed at any time, even while threads have pointers into them. Accessing a freed page
/// raises `SIGSEGV`. The signal handler then decrypts the page again at the same address; all bytes
/// that a pinned version can reach are the same as before.
package enum DecryptedMemoryLimit {
    private static let most = Atomic<Int>(.max)
    /// Number of open encrypted files, which share the memory limit for decrypted pages.
    static let files = Atomic<Int>(0)
    /// Number of decrypted pages in memory, of all files together.
    static let held = Atomic<Int>(0)
    /// Number of times that pages were decrypted again after their memory had been freed.
    static let restored = Atomic<Int>(0)

    /// Limits the memory for decrypted pages of all files to about `bytes`.
    ///
    /// Installs a signal handler for `SIGSEGV`. For addresses outside of decrypted pages, the
    /// previous handler runs. A library must not call this function, because the handler belongs to
    /// the program.
    package static func limit(to bytes: Int) {
        most.store(max(least, bytes), ordering: .relaxed)
        PageFaults.install()
    }

    static var isLimited: Bool { most.load(ordering: .relaxed) < .max }

    /// The limit for decrypted pages in memory, in pages, for all files together.
    static var pages: Int { most.load(ordering: .relaxed) / EncryptedLayout.page }

    /// Number of decrypted pages of one file that stay in memory even if the memory limit is
    /// exceeded.
    static var share: Int { pages / 2 / max(1, files.load(ordering: .relaxed)) }

    /// Minimum of the memory limit for decrypted pages, in bytes. It has room for the few adjacent
    /// pages that each thread restores at once.
    private static let least = 2 << 20
}

/// Frees decrypted pages of one file, and provides memory for decrypting them again.
///
/// Pages are freed by making their addresses inaccessible ("closed"), piece by piece. A piece is a
/// range of 4 adjacent pages, more in files over 256 MiB. Four adjacent pieces are a group. A
/// closed piece is decrypted in separate memory (work memory), where no reader can see incomplete
/// bytes, and then moved to its address with one system call.
///
/// If a file is read sequentially, several pieces of a group are restored together. Pages are freed
/// in whole groups, since a system call takes as long as decrypting a page. Free to cross threads:
/// the mutex in `EncryptedPages` that protects a page also protects the state of its piece.
final class DecryptedPageCache: @unchecked Sendable {
    let plain: UnsafeMutableRawPointer
    /// Memory in which freed pages are decrypted again. It has room for four pieces (ranges of `1
    /// << shift` adjacent pages) for each mutex of `EncryptedPages`.
    private let work: UnsafeMutableRawPointer
    /// Number of adjacent pages in a piece, as a power of 2. A piece is freed, and restored, as a
    /// whole.
    let shift: Int
    private let capacity: Int
    /// Number of decrypted pages of this file in memory.
    private let held = Atomic<Int>(0)
    /// One byte for each piece (a range of `1 << shift` adjacent pages): 1 if the piece was freed
    /// and cannot be accessed.
    private var closed: ReservedMemory
    private let watching = Atomic<Int>(-1)
    /// Whether a thread is freeing pages. Only one thread does so at a time.
    private let turn = Atomic<Bool>(false)
    private var hand = 0

    /// Maximum number of pieces (ranges of `1 << shift` adjacent pages) in a file. Where a freed
    /// piece adjoins a piece in memory, the kernel divides the mapping. The kernel permits only
    /// some ten thousand mappings per process.
    private static let maximumPieceCount = 1 << 14
    /// Minimum of `shift`, the number of pages in a piece as a power of 2. A random access usually
    /// needs no other pages nearby, so pieces are small. Freeing and restoring a piece takes
    /// several system calls, so pieces are not smaller.
    private static let smallestShift = 2
    /// Number of pieces in a group, as a power of 2. A piece is a range of `1 << shift` adjacent
    /// pages.
    private static let groupShift = 2

    /// Returns nil if the program set no memory limit, or if the system cannot move memory to
    /// another address.
    ///
    /// - Parameters:
    ///   - plain: start of the `capacity` bytes of addresses that are reserved for decrypted pages.
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

    /// Returns an upper bound of the number of pieces (ranges of `1 << shift` pages) in `size`
    /// bytes.
    private static func pieces(_ size: Int, _ shift: Int) -> Int {
        ((size / EncryptedLayout.page) >> shift) + 1
    }

    /// Whether the system can move memory to another address and keep the old address mapped. Linux
    /// can since 2020.
    private static let canMove: Bool = {
        let page = AddressSpace.pageSize
        guard let memory = try? ConfidentialMemory.make(2 * page) else { return false }
        defer { ConfidentialMemory.free(memory, 2 * page) }
        memory.storeBytes(of: 1, as: UInt8.self)
        return realm_memory_move(memory, page, memory + page) == 0
            && memory.load(as: UInt8.self) == 0 && (memory + page).load(as: UInt8.self) == 1
    }()

    /// Number of adjacent pages that are freed together, as a power of 2. They are four pieces of
    /// `1 << shift` pages each.
    var groupShift: Int { shift + Self.groupShift }

    private var groupSize: Int { EncryptedLayout.page << groupShift }

    /// Makes room for one byte per piece (a few adjacent pages), before the file grows by `count`
    /// bytes at offset `from`. Returns false if out of memory.
    func extend(from: Int, _ count: Int) -> Bool {
        (try? closed.ensure(Self.pieces(from + count, shift))) != nil
    }

    /// Registers the addresses of this file's decrypted pages with the `SIGSEGV` handler. After a
    /// page fault, the handler restores the page with `pages`.
    func watch(_ pages: EncryptedPages) {
        watching.store(PageFaults.add(pages, plain, capacity), ordering: .relaxed)
    }

    /// Unregisters the addresses of this file's decrypted pages. Page faults at these addresses are
    /// no longer handled.
    func close() { PageFaults.remove(watching.load(ordering: .relaxed)) }

    /// Adds `change` to the number of decrypted pages in memory.
    func count(_ change: Int) {
        held.add(change, ordering: .relaxed)
        DecryptedMemoryLimit.held.add(change, ordering: .relaxed)
    }

    /// Whether pages of this file should be freed: the memory limit is exceeded, and this file has
    /// more pages in memory than its share of the limit.
    @inline(__always)
    var isExceeded: Bool { exceeds(DecryptedMemoryLimit.pages) }

    private func exceeds(_ most: Int) -> Bool {
        DecryptedMemoryLimit.held.load(ordering: .relaxed) > most
            && held.load(ordering: .relaxed) > DecryptedMemoryLimit.share
    }

    /// Calls `body` with the index of each group of pages to free (`1 << groupShift` adjacent
    /// pages), until the pages in memory take at most 15/16 of the memory limit. Skips the group
    /// that contains `page`. Does nothing if another thread is freeing pages.
    func closeSome(of size: Int, butFor page: Int, _ body: (_ group: Int) -> Void) {
        let isWatched = watching.load(ordering: .relaxed) >= 0
        guard isWatched, !turn.exchange(true, ordering: .acquiring) else { return }
        defer { turn.store(false, ordering: .releasing) }
        let groups = Self.pieces(size, groupShift)
        let wanted = DecryptedMemoryLimit.pages / 16 * 15
        for _ in 0..<groups where exceeds(wanted) {
            // Goes through the file backwards. In the direction of most reads, it would free the
            // pages that a repeated scan reads next.
            hand = (hand > 0 ? hand : groups) - 1
            if hand != page >> groupShift { body(hand) }
        }
    }

    // MARK: One group, with its mutex held

    private func piece(_ page: Int) -> UnsafeMutablePointer<Bool> {
        (closed.start + (page >> shift)).assumingMemoryBound(to: Bool.self)
    }

    /// Whether the piece that contains `page` was freed, so that its pages cannot be accessed. A
    /// piece is a range of `1 << shift` adjacent pages.
    func isPieceClosed(_ page: Int) -> Bool { piece(page).pointee }

    /// Returns the pages of the piece with index `piece`, a range of `1 << shift` adjacent pages.
    /// Pages after the end of a database of `size` bytes are left out.
    func pages(of piece: Int, _ size: Int) -> Range<Int> {
        let first = piece << shift
        return first..<max(first, min(first + (1 << shift), size / EncryptedLayout.page))
    }

    /// Returns the indexes of the four pieces in the group that contains `page`. A piece is a range
    /// of `1 << shift` adjacent pages.
    func group(of page: Int) -> Range<Int> {
        let first = (page >> groupShift) << Self.groupShift
        return first..<(first + 1 << Self.groupShift)
    }

    /// Returns an address with which pages are found in the memory for decrypting freed pages: the
    /// address plus the offset of a page in the database. Valid for the pages of the group (four
    /// adjacent pieces) that contains `page`.
    func room(for page: Int) -> UnsafeMutableRawPointer {
        let group = page >> groupShift
        return work + (group % EncryptedPages.mutexCount - group) * groupSize
    }

    /// Allocates the memory in which the freed `pages` are decrypted again, at once; otherwise each
    /// page would cost a page fault. `pages` consists of one to four adjacent pieces of one group;
    /// a piece is a range of `1 << shift` adjacent pages.
    func prepareRoom(for pages: Range<Int>) {
        madvise(
            room(for: pages.lowerBound) + pages.lowerBound * EncryptedLayout.page,
            pages.count * EncryptedLayout.page, Self.populateWrite)
    }

    /// `MADV_POPULATE_WRITE`. Systems without this advice ignore it and allocate page by page.
    private static let populateWrite: Int32 = 23

    private func mark(_ pages: Range<Int>, isClosed: Bool) {
        for page in stride(from: pages.lowerBound, to: pages.upperBound, by: 1 << shift) {
            piece(page).pointee = isClosed
        }
    }

    /// Frees the memory of `pages` and makes their addresses inaccessible. `pages` consists of one
    /// to four adjacent pieces of one group; a piece is a range of `1 << shift` adjacent pages.
    /// Returns false on failure.
    func close(_ pages: Range<Int>) -> Bool {
        let start = plain + pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard mprotect(start, count, PROT_NONE) == 0 else { return false }
        mark(pages, isClosed: true)
        madvise(start, count, MADV_DONTNEED)
        return true
    }

    /// Moves the decrypted `pages` from the work memory, in which they were decrypted, to the
    /// addresses that readers use, and makes these addresses accessible. `pages` consists of one to
    /// four adjacent pieces of one group; a piece is a range of `1 << shift` adjacent pages.
    /// Returns false on failure.
    func open(_ pages: Range<Int>) -> Bool {
        let offset = pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard realm_memory_move(room(for: pages.lowerBound) + offset, count, plain + offset) == 0
        else { return false }
        mark(pages, isClosed: false)
        return true
    }
}
