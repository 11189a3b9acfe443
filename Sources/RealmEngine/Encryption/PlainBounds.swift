import CRealmSystem
import Glibc
import Synchronization

/// Bounds the memory that plain pages of encrypted files take.
///
/// A program may ask for that once, before it opens any. From then on its signal handler stands
/// behind the addresses of pages that were given back: whoever follows a pointer there finds the page
/// decrypted again, at the same place and with the same bytes of every version that is pinned. So
/// pages can be given back at any time, whoever has pointers into them.
public enum PlainMemory {
    private static let most = Atomic<Int>(.max)
    /// Files whose pages are bounded now; they share.
    static let files = Atomic<Int>(0)
    /// Pages of all of them that are there.
    static let held = Atomic<Int>(0)

    /// From now on the plain pages of encrypted files take about `bytes` together.
    ///
    /// Installs a handler for `SIGSEGV`, which hands on what is not its own: for programs that may
    /// decide that, not for libraries.
    public static func limit(to bytes: Int) {
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

/// What it takes to give plain pages of one file back and to put them there again: the place that
/// readers know is closed piece by piece, and a piece is filled again beside it, where nobody can read,
/// before all of its memory moves to its place at once.
///
/// Pages come and go by pieces. Free to cross threads: what is known of a piece is guarded by the mutex
/// of its pages.
final class PlainBounds: @unchecked Sendable {
    let plain: UnsafeMutableRawPointer
    /// Room to fill a piece in for each of the mutexes that pieces are guarded by.
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

    /// Nil when nobody asked for bounds, or the system has no such memory.
    ///
    /// - Parameters:
    ///   - plain: addresses for `capacity` bytes, which are taken over.
    ///   - size: bytes of the database so far.
    init?(_ plain: UnsafeMutableRawPointer, capacity: Int, size: Int) {
        guard PlainMemory.isLimited, Self.canMove else { return nil }
        var shift = Self.smallestShift
        while Self.pieces(size, shift) > Self.mostPieces { shift += 1 }
        let page = AddressSpace.pageSize
        let bytes = (Self.pieces(capacity, shift) + page - 1) / page * page
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let list = mmap(nil, bytes, PROT_NONE, flags, -1, 0)
        guard let list, list != MAP_FAILED else { return nil }
        let room = EncryptedPages.mutexCount << (shift + EncryptedLayout.pageShift)
        guard let work = try? ConfidentialMemory.make(room) else {
            munmap(list, bytes)
            return nil
        }
        self.plain = plain
        self.work = work
        self.capacity = capacity
        self.shift = shift
        closed = ReservedMemory(start: list, capacity: bytes)
        PlainMemory.files.add(1, ordering: .relaxed)
    }

    deinit {
        PlainMemory.files.subtract(1, ordering: .relaxed)
        PlainMemory.held.subtract(held.load(ordering: .relaxed), ordering: .relaxed)
        ConfidentialMemory.free(work, EncryptedPages.mutexCount * pieceSize)
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

    private var pieceSize: Int { EncryptedLayout.page << shift }

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
        PlainMemory.held.add(change, ordering: .relaxed)
    }

    /// There are more pages than there should be, and not because of others.
    @inline(__always)
    var isExceeded: Bool { exceeds(PlainMemory.pages) }

    private func exceeds(_ most: Int) -> Bool {
        PlainMemory.held.load(ordering: .relaxed) > most
            && held.load(ordering: .relaxed) > PlainMemory.share
    }

    /// Calls `body` with pieces one after the other, but for the one with `page`, until there are fewer
    /// pages than there may be. Nothing while another thread does that.
    func closeSome(of size: Int, butFor page: Int, _ body: (_ piece: Int) -> Void) {
        let isWatched = watching.load(ordering: .relaxed) >= 0
        guard isWatched, !turn.exchange(true, ordering: .acquiring) else { return }
        defer { turn.store(false, ordering: .releasing) }
        let pieces = Self.pieces(size, shift)
        let wanted = PlainMemory.pages / 16 * 15
        for _ in 0..<pieces where exceeds(wanted) {
            // Towards those who read on: in their direction, whoever reads all of it again and again
            // would find each piece just given back.
            hand = (hand > 0 ? hand : pieces) - 1
            if hand != page >> shift { body(hand) }
        }
    }

    // MARK: One piece, with its mutex held

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

    /// Where page 0 would be if the piece with `page` were where it is filled.
    func room(for page: Int) -> UnsafeMutableRawPointer {
        let piece = page >> shift
        return work + (piece % EncryptedPages.mutexCount - piece) * pieceSize
    }

    /// Gives the memory of `pages`, those of a piece, back. False when the system refuses.
    func close(_ pages: Range<Int>) -> Bool {
        let start = plain + pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard mprotect(start, count, PROT_NONE) == 0 else { return false }
        piece(pages.lowerBound).pointee = true
        madvise(start, count, MADV_DONTNEED)
        return true
    }

    /// Shows `pages`, those of a piece, to readers again, as they were filled. False when the system
    /// refuses.
    func open(_ pages: Range<Int>) -> Bool {
        let offset = pages.lowerBound * EncryptedLayout.page
        let count = pages.count * EncryptedLayout.page
        guard realm_memory_move(room(for: pages.lowerBound) + offset, count, plain + offset) == 0
        else { return false }
        piece(pages.lowerBound).pointee = false
        return true
    }
}
