import CRealmSystem
import Glibc
import Synchronization

/// Bounds the memory that plain pages of encrypted files take.
///
/// A program may ask for that once, before it opens any. From then on its signal handler stands
/// behind the addresses of pages that were given back: whoever follows a pointer there finds the page
/// decrypted again, at the same place and with the same bytes of every version that is pinned. So
/// pages can be given back at any time, whoever has pointers into them.
package enum DecryptedMemoryLimit {
    private static let most = Atomic<Int>(.max)
    /// Files whose pages are bounded now; they share.
    static let files = Atomic<Int>(0)
    /// Pages of all of them that are there.
    static let held = Atomic<Int>(0)
    /// Pieces of pages that were decrypted again so far.
    static let restored = Atomic<Int>(0)

    /// From now on the plain pages of encrypted files take about `bytes` together.
    ///
    /// Installs a handler for `SIGSEGV`, which hands on what is not its own: for programs that may
    /// decide that, not for libraries.
    package static func limit(to bytes: Int) {
        most.store(max(least, bytes), ordering: .relaxed)
        PageFaults.install()
    }

    static var isLimited: Bool { most.load(ordering: .relaxed) < .max }

    /// Pages of all files.
    static var pages: Int { most.load(ordering: .relaxed) / EncryptedLayout.page }

    /// Pages that a file may have while others have more than they should.
    static var share: Int { pages / 2 / max(1, files.load(ordering: .relaxed)) }

    /// A few pieces for each thread.
    private static let least = 2 << 20
}

/// Frees decrypted pages of one file and puts them back: the addresses that readers use are closed
/// piece by piece. A closed piece is filled again in memory that no reader has the address of, and then
/// all of its memory moves to its place at once.
///
/// Pages come back by pieces, or by several pieces of a group where they are read one after the other,
/// and go by groups: each call of the system costs as much as decrypting a page. Free to cross threads:
/// what is known of a piece is guarded by the mutex of its pages.
final class DecryptedPageCache: @unchecked Sendable {
    let plain: UnsafeMutableRawPointer
    /// Room to fill a group in for each of the mutexes that pieces are guarded by.
    private let work: UnsafeMutableRawPointer
    /// Pages of a piece, as a power of 2.
    let shift: Int
    private let capacity: Int
    /// Pages that are there.
    private let held = Atomic<Int>(0)
    /// One byte for each piece: whether it is closed.
    private var closed: ReservedMemory
    private let watching = Atomic<Int>(-1)
    /// Held by the one thread that gives pages back.
    private let turn = Atomic<Bool>(false)
    private var hand = 0

    /// Neighbours that are not closed alike are stretches of addresses of their own, of which the
    /// system permits some ten thousand.
    private static let mostPieces = 1 << 14
    /// Whoever comes back for a page needs little else around it; but each piece takes some calls of
    /// the system to come and go.
    private static let smallestShift = 2
    /// Pieces of a group, as a power of 2.
    private static let groupShift = 2

    /// Nil when nobody asked for bounds, or the system has no such memory.
    ///
    /// - Parameters:
    ///   - plain: addresses for `capacity` bytes, which are taken over.
    ///   - size: bytes of the database so far.
    init?(_ plain: UnsafeMutableRawPointer, capacity: Int, size: Int) {
        guard DecryptedMemoryLimit.isLimited, Self.canMove else { return nil }
        var shift = Self.smallestShift
        while Self.pieces(size, shift) > Self.mostPieces { shift += 1 }
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

    /// How many pieces `size` bytes have, at most.
    private static func pieces(_ size: Int, _ shift: Int) -> Int {
        ((size / EncryptedLayout.page) >> shift) + 1
    }

    /// Systems from before 2020 cannot move memory away from where there is to be memory again.
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

    /// The file has `count` bytes more at `from`. False when the system refuses.
    func extend(from: Int, _ count: Int) -> Bool {
        (try? closed.ensure(Self.pieces(from + count, shift))) != nil
    }

    /// Has faults in the pages of `pages` lead there.
    func watch(_ pages: EncryptedPages) {
        watching.store(PageFaults.add(pages, plain, capacity), ordering: .relaxed)
    }

    /// No more faults come.
    func close() { PageFaults.remove(watching.load(ordering: .relaxed)) }

    /// Pages came, or went.
    func count(_ change: Int) {
        held.add(change, ordering: .relaxed)
        DecryptedMemoryLimit.held.add(change, ordering: .relaxed)
    }

    /// There are more pages than there should be, and not because of others.
    @inline(__always)
    var isExceeded: Bool { exceeds(DecryptedMemoryLimit.pages) }

    private func exceeds(_ most: Int) -> Bool {
        DecryptedMemoryLimit.held.load(ordering: .relaxed) > most
            && held.load(ordering: .relaxed) > DecryptedMemoryLimit.share
    }

    /// Calls `body` with groups one after the other, but for the one with `page`, until there are fewer
    /// pages than there may be. Nothing while another thread does that.
    func closeSome(of size: Int, butFor page: Int, _ body: (_ group: Int) -> Void) {
        let isWatched = watching.load(ordering: .relaxed) >= 0
        guard isWatched, !turn.exchange(true, ordering: .acquiring) else { return }
        defer { turn.store(false, ordering: .releasing) }
        let groups = Self.pieces(size, groupShift)
        let wanted = DecryptedMemoryLimit.pages / 16 * 15
        for _ in 0..<groups where exceeds(wanted) {
            // Against the direction of most reads: in their direction, a reader that reads all of the
            // file again and again would find each group just freed.
            hand = (hand > 0 ? hand : groups) - 1
            if hand != page >> groupShift { body(hand) }
        }
    }

    // MARK: One group, with its mutex held

    private func piece(_ page: Int) -> UnsafeMutablePointer<Bool> {
        (closed.start + (page >> shift)).assumingMemoryBound(to: Bool.self)
    }

    /// The pages of the piece with `page` were given back.
    func isAway(_ page: Int) -> Bool { piece(page).pointee }

    /// Pages of a piece that lie in a database of `size` bytes.
    func pages(of piece: Int, _ size: Int) -> Range<Int> {
        let first = piece << shift
        return first..<max(first, min(first + (1 << shift), size / EncryptedLayout.page))
    }

    /// The pieces of the group with `page`.
    func group(of page: Int) -> Range<Int> {
        let first = (page >> groupShift) << Self.groupShift
        return first..<(first + 1 << Self.groupShift)
    }

    /// Address of page 0 relative to the memory in which the group with `page` is filled.
    func room(for page: Int) -> UnsafeMutableRawPointer {
        let group = page >> groupShift
        return work + (group % EncryptedPages.mutexCount - group) * groupSize
    }

    /// Populates the memory in which `pages` are filled, whole pieces of one group: one call instead of a
    /// fault for each page.
    func prepareRoom(for pages: Range<Int>) {
        madvise(
            room(for: pages.lowerBound) + pages.lowerBound * EncryptedLayout.page,
            pages.count * EncryptedLayout.page, Self.populateWrite)
    }

    /// `MADV_POPULATE_WRITE`, which older systems refuse: then there is a fault for each page.
    private static let populateWrite: Int32 = 23

    private func mark(_ pages: Range<Int>, isClosed: Bool) {
        for page in stride(from: pages.lowerBound, to: pages.upperBound, by: 1 << shift) {
            piece(page).pointee = isClosed
        }
    }

    /// Frees the memory of `pages`, whole pieces of one group. False when the system refuses.
    func close(_ pages: Range<Int>) -> Bool {
        let start = plain + pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard mprotect(start, count, PROT_NONE) == 0 else { return false }
        mark(pages, isClosed: true)
        madvise(start, count, MADV_DONTNEED)
        return true
    }

    /// Moves filled `pages`, whole pieces of one group, to where readers find them. False when the system
    /// refuses.
    func open(_ pages: Range<Int>) -> Bool {
        let offset = pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard realm_memory_move(room(for: pages.lowerBound) + offset, count, plain + offset) == 0
        else { return false }
        mark(pages, isClosed: false)
        return true
    }
}
