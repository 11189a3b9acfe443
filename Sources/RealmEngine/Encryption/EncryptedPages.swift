import Glibc
import Synchronization

/// The plain pages of an encrypted file: private memory, filled page by page when somebody is about
/// to read one, outside the file's mapping (storage format 8).
///
/// A page that is already there is compared with its entry in the file again when a newer version is
/// read than the last time, a *moment* later. If somebody wrote the page since, only the words that
/// changed are stored: what a pinned version can reach stays untouched, so pointers into it stay
/// good while the page gets its new nodes.
///
/// Free to cross threads: a page has one of 16 mutexes, held while it is filled; its mark, stored
/// last, tells everybody else that it is there.
final class EncryptedPages: @unchecked Sendable {
    let key: EncryptionKey
    /// The file as it is.
    let cipher: Mapping
    private let path: String
    /// Where the pages are. One that was given back is to be touched in `withPage` only, until it is
    /// there again.
    let plain: UnsafeMutableRawPointer
    /// Gives pages back when they are too many; nil where all of them are kept.
    let bounds: DecryptedPageCache?
    /// Room to work in, and what is known about pages: addresses for all that there may ever be,
    /// usable as far as the file reaches.
    private let memory: UnsafeMutableRawPointer
    private let memorySize: Int
    private var markMemory: ReservedMemory
    private var halfMemory: ReservedMemory
    /// The moment a page was last found to be what the file holds; 0 for one never read.
    let marks: Marks
    /// The halves of entries that pages were read or written by.
    let halves: UnsafeMutableRawPointer
    let moment = Atomic<UInt64>(firstMoment)
    private let mutexes: [LockedValue<Void>]
    /// Pages that share a mutex, as a power of 2.
    private let shift: Int
    /// Pages that could not be read so far.
    private let failures = Atomic<Int>(0)

    typealias Marks = UnsafeMutablePointer<Atomic<UInt64>>

    static let mutexCount = 16
    /// Without bounds.
    private static let usualShift = 4
    /// Pages that are read at once, of one piece.
    private static let together = 4

    /// Marks below that are no moments: of a page never read, of one that is there but has to be
    /// compared with the file, and of one that was there and was given back.
    static let firstMoment: UInt64 = 3
    static let stale: UInt64 = 1
    static let away: UInt64 = 2

    /// Will put pages of the file behind `cipher` at `start`, where addresses for `capacity` bytes are.
    init(
        _ cipher: Mapping, _ key: EncryptionKey, at start: UnsafeMutableRawPointer, capacity: Int,
        path: String
    ) throws(RealmError) {
        self.cipher = cipher
        self.key = key
        self.path = path
        bounds = DecryptedPageCache(
            start, capacity: capacity,
            size: EncryptedLayout.databaseSize(of: cipher.mapped))
        plain = start
        shift = bounds?.groupShift ?? Self.usualShift
        mutexes = (0..<Self.mutexCount).map { _ in LockedValue(()) }
        let pages = capacity / EncryptedLayout.page
        let room = Self.wholePages(2 * Self.mutexCount * Scratch.size)
        let markSize = Self.wholePages(pages * MemoryLayout<UInt64>.size)
        let halfSize = Self.wholePages(pages * EncryptedLayout.half)
        memorySize = room + markSize + halfSize
        let address = mmap(
            nil, memorySize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let address, address != MAP_FAILED else {
            throw systemError("mmap", path, errno: errno)
        }
        madvise(address, memorySize, Mapping.noDump)
        memory = address
        markMemory = ReservedMemory(start: memory + room, capacity: markSize)
        halfMemory = ReservedMemory(start: memory + room + markSize, capacity: halfSize)
        marks = markMemory.start.bindMemory(to: Atomic<UInt64>.self, capacity: pages)
        halves = halfMemory.start
        // Everything is initialised here: a throw runs `deinit`, which gives the addresses back.
        guard mprotect(memory, room, PROT_READ | PROT_WRITE) == 0 else {
            throw systemError("mprotect", path, errno: errno)
        }
        bounds?.watch(self)
    }

    deinit {
        bounds?.close()
        munmap(memory, memorySize)
    }

    private static func wholePages(_ count: Int) -> Int {
        (count + AddressSpace.pageSize - 1) / AddressSpace.pageSize * AddressSpace.pageSize
    }

    /// Has room to know about the pages of a database of `size` bytes, and makes them usable. Only
    /// the owner of the file calls this, never two threads at once.
    func extend(from: Int = 0, to size: Int) throws(RealmError) {
        let pages = (size + EncryptedLayout.page - 1) / EncryptedLayout.page
        try markMemory.ensure(pages * MemoryLayout<UInt64>.size)
        try halfMemory.ensure(pages * EncryptedLayout.half)
        let (count, access) = (Self.wholePages(size) - from, PROT_READ | PROT_WRITE)
        var isUsable = count == 0 || mprotect(plain + from, count, access) == 0
        if let bounds, isUsable { isUsable = bounds.extend(from: from, count) }
        guard isUsable else { throw systemError("mprotect", path, errno: errno) }
    }

    /// Pages of the database that the file has room for.
    var count: Int { EncryptedLayout.databaseSize(of: cipher.mapped) / EncryptedLayout.page }

    /// A newer version is about to be read: what was found in pages before does not tell about it.
    func nextMoment() -> UInt64 { moment.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// Has the pages of `count` bytes at `offset`, which lie inside the database, as they were at
    /// `moment` or later.
    func prepare(_ offset: Int, _ count: Int, _ moment: UInt64) throws(RealmError) {
        var page = offset / EncryptedLayout.page
        let last = (offset &+ count &- 1) / EncryptedLayout.page
        while page <= last {
            if !isFresh(page, moment) { try load(page, moment) }
            page &+= 1
        }
    }

    private func isFresh(_ page: Int, _ moment: UInt64) -> Bool {
        marks[page].load(ordering: .acquiring) >= moment
    }

    /// As above for one page, which was not found to be there.
    @inline(never)
    func load(_ page: Int, _ wanted: UInt64) throws(RealmError) {
        try withPage(page) { (scratch) throws(RealmError) in
            if isUnread(page) { readAhead(page, scratch) }
            if !isFresh(page, wanted) { try refresh(page, scratch) }
        }
        if let bounds, bounds.isExceeded { trim(bounds, butFor: page) }
    }

    /// Runs `body` while nobody else fills or looks at the page, which is there if it ever was.
    func withPage<R>(
        _ page: Int, _ body: (Scratch) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        try withPiece(page) { (scratch) throws(RealmError) in
            if let bounds, bounds.isAway(page) { restore(bounds, page, scratch) }
            return try body(scratch)
        }
    }

    /// As above, but a page that was given back stays away.
    func withPiece<R, E>(_ page: Int, _ body: (Scratch) throws(E) -> R) throws(E) -> R {
        let i = (page >> shift) % Self.mutexCount
        return try mutexes[i].withLock { _ throws(E) in
            try body(Scratch(start: memory + 2 * i * Scratch.size))
        }
    }

    /// The header as it is now.
    func header() throws(RealmError) -> RawHeader {
        try withPage(0) { (scratch) throws(RealmError) in
            try refresh(0, scratch)
            return RawHeader(plain)
        }
    }

    // MARK: One page, with its mutex held

    /// Has the page hold what the file does; what that must be depends on `use`.
    func refresh(_ page: Int, _ scratch: Scratch, _ use: Use = .reading) throws(RealmError) {
        if marks[page].load(ordering: .relaxed) == Self.staged { return }
        let now = moment.load(ordering: .acquiring)
        guard page < count else { throw .corrupt("the file ends before page \(page)", in: "file") }
        let half = halves + page * EncryptedLayout.half
        let entry = cipher.base + EncryptedLayout.position(ofEntry: page)
        let isKnown = marks[page].load(ordering: .relaxed) > 0
        if !isKnown || memcmp(half, entry, EncryptedLayout.half) != 0 {
            // Nobody reads a page for the first time before its mark says that it is there.
            let target = plain + page * EncryptedLayout.page
            let room = isKnown ? scratch.plain : target
            if let counter = try authenticated(page, scratch, use) {
                key.decrypt(
                    scratch.cipher, to: room, EncryptedLayout.page,
                    position: page * EncryptedLayout.page, counter: counter)
            } else {
                memset(room, 0, EncryptedLayout.page)
                // The counter goes on.
                scratch.used.copyMemory(from: scratch.entry, byteCount: EncryptedLayout.half)
            }
            if isKnown { store(room, target) }
            half.copyMemory(from: scratch.used, byteCount: EncryptedLayout.half)
        }
        if !isKnown { bounds?.count(1) }
        marks[page].store(now, ordering: .releasing)
    }

    /// Reads the pages around one for the first time, if somebody reads towards them: two pages
    /// authenticate in little more time than one. What is not as it should be is left alone.
    private func readAhead(_ page: Int, _ scratch: Scratch) {
        var next = page / Self.together * Self.together
        let end = min(next + Self.together, count)
        guard isReadTowards(next, end) else { return }
        let now = moment.load(ordering: .acquiring)
        while next + 1 < end {
            guard isUnread(next), isUnread(next + 1) else {
                next += 1
                continue
            }
            if let counters = authenticatedPair(next, scratch) {
                fill(next, scratch, counters.0, in: plain)
                fill(next + 1, scratch.beside, counters.1, in: plain)
                bounds?.count(2)
                marks[next].store(now, ordering: .releasing)
                marks[next + 1].store(now, ordering: .releasing)
            }
            next += 2
        }
    }

    /// The pages on one side of those from `first` to `end` were read.
    private func isReadTowards(_ first: Int, _ end: Int) -> Bool {
        (first > 1 && !isUnread(first - 1) && !isUnread(first - 2))
            || (end + 1 < count && !isUnread(end) && !isUnread(end + 1))
    }

    private func isUnread(_ page: Int) -> Bool { marks[page].load(ordering: .relaxed) == 0 }

    /// Decrypts what was read into `scratch` to its place from `start` on.
    func fill(
        _ page: Int, _ scratch: Scratch, _ counter: UInt32, in start: UnsafeMutableRawPointer
    ) {
        let position = page * EncryptedLayout.page
        key.decrypt(
            scratch.cipher, to: start + position, EncryptedLayout.page, position: position,
            counter: counter)
        (halves + page * EncryptedLayout.half).copyMemory(
            from: scratch.used, byteCount: EncryptedLayout.half)
    }

    /// Only what changed: others read the rest.
    private func store(_ page: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer) {
        let old = target.assumingMemoryBound(to: UInt64.self)
        let new = page.assumingMemoryBound(to: UInt64.self)
        for i in 0..<EncryptedLayout.page / 8 where old[i] != new[i] { old[i] = new[i] }
    }
}

extension EncryptedPages {
    /// Room to work on one page: its entry, its bytes, what they mean, and a code; and for what else
    /// might have been written. There is as much again `beside`.
    struct Scratch {
        let start: UnsafeMutableRawPointer

        static let size = 4 * EncryptedLayout.page

        var cipher: UnsafeMutableRawPointer { start }
        var plain: UnsafeMutableRawPointer { start + EncryptedLayout.page }
        var entry: UnsafeMutableRawPointer { start + 2 * EncryptedLayout.page }
        var code: UnsafeMutableRawPointer { entry + EncryptedLayout.entry }
        /// The half of the entry that tells what the bytes are.
        var used: UnsafeMutableRawPointer { code + EncryptedLayout.entry }
        var other: UnsafeMutableRawPointer { start + 3 * EncryptedLayout.page }
        var otherCode: UnsafeMutableRawPointer { used + EncryptedLayout.entry }
        var beside: Scratch { Scratch(start: start + Self.size) }
    }

    /// What a page is wanted for.
    enum Use {
        case reading
        /// To be judged: what was never written is no fault of it.
        case checking
        /// Part of it will be written: where nothing is, zeros will do.
        case writing
        /// All of it will be written, whatever is there.
        case replacing
    }

    /// What was found at a page's place.
    enum Found {
        case written(counter: UInt32)
        /// Nothing was ever put there, or not since the file was last cut.
        case nothing
        /// The first write was interrupted.
        case begun
        case damage

        fileprivate func permits(_ use: Use) -> Bool {
            switch self {
            case .written: true
            case .nothing: use != .reading
            case .begun: use == .writing || use == .replacing
            case .damage: use == .replacing
            }
        }
    }

    /// Reads a page of the file into `scratch` and returns the counter of the write that made it; nil
    /// where `use` does with nothing.
    ///
    /// The writer of a page puts its entry down first and then the page, and does not keep others
    /// from reading meanwhile: what does not fit is looked at again, until it stays as it is.
    func authenticated(
        _ page: Int, _ scratch: Scratch, _ use: Use
    ) throws(RealmError) -> UInt32? {
        var tries = 0
        while true {
            let hadEntry = tries > 0 ? scratch.entry.load(as: UInt64.self) : 0
            read(page, scratch)
            let found = judge(page, scratch)
            if case .written(let counter) = found { return counter }
            if found.permits(use) { return nil }
            if tries > 0, hadEntry != scratch.entry.load(as: UInt64.self), tries < 1000 {
                tries = 1
            }
            tries += 1
            if tries > 5 {
                failures.wrappingAdd(1, ordering: .relaxed)
                throw error(found, page)
            }
            // A damaged file is not waited for at each of its pages.
            if failures.load(ordering: .relaxed) < 16 { usleep(200) } else { sched_yield() }
        }
    }

    /// As above for a page and the next one; nil unless somebody wrote both.
    func authenticatedPair(_ page: Int, _ scratch: Scratch) -> (UInt32, UInt32)? {
        read(page, scratch)
        read(page + 1, scratch.beside)
        key.authenticate(
            scratch.cipher, scratch.beside.cipher, EncryptedLayout.page, into: scratch.code,
            scratch.beside.code)
        guard case .written(let first) = judgeCode(page, scratch),
            case .written(let second) = judgeCode(page + 1, scratch.beside)
        else { return nil }
        return (first, second)
    }

    private func read(_ page: Int, _ scratch: Scratch) {
        scratch.entry.copyMemory(
            from: cipher.base + EncryptedLayout.position(ofEntry: page),
            byteCount: EncryptedLayout.entry)
        scratch.cipher.copyMemory(
            from: cipher.base + EncryptedLayout.position(ofPage: page),
            byteCount: EncryptedLayout.page)
    }

    private func judge(_ page: Int, _ scratch: Scratch) -> Found {
        if scratch.entry.load(as: UInt32.self) == 0 { return .nothing }
        key.authenticate(scratch.cipher, EncryptedLayout.page, into: scratch.code)
        return judgeCode(page, scratch)
    }

    /// As above when the code of the bytes is known.
    private func judgeCode(_ page: Int, _ scratch: Scratch) -> Found {
        let half = EncryptedLayout.half
        let latest = scratch.entry.load(as: UInt32.self)
        if latest == 0 { return .nothing }
        // The second half is that of the write before, when the last one was interrupted.
        for used in [scratch.entry, scratch.entry + half]
        where EncryptionKey.isSameCode(used + 4, scratch.code) {
            let counter = used.load(as: UInt32.self)
            guard counter != 0, isCounted(page, scratch) else { continue }
            scratch.used.copyMemory(from: used, byteCount: half)
            return .written(counter: counter)
        }
        let before = scratch.entry.load(fromByteOffset: half, as: UInt32.self)
        let words = scratch.cipher.assumingMemoryBound(to: UInt64.self)
        if (0..<EncryptedLayout.page / 8).allSatisfy({ words[$0] == 0 }) { return .nothing }
        return latest == 1 && before == 0 ? .begun : .damage
    }

    /// Whether the counters of an entry that knows the bytes fit each other. No code covers them, but a
    /// wrong one would spoil the beginning of the page.
    ///
    /// Each write counts one more than the one before, and is told of twice when it is complete. It counts
    /// two more where one more would have made the very bytes that are to be replaced: that is so when
    /// the page differs from what it was by nothing but what the counters differ by, in its first bytes.
    private func isCounted(_ page: Int, _ scratch: Scratch) -> Bool {
        let (latest, before) = (scratch.entry, scratch.entry + EncryptedLayout.half)
        let (counter, last) = (latest.load(as: UInt32.self), before.load(as: UInt32.self))
        if counter == last { return true }
        let between = Self.counter(after: last)
        if counter == between { return !EncryptionKey.isSameCode(latest + 4, before + 4) }
        guard counter == Self.counter(after: between) else { return false }
        // What the page was to be, from whichever of both is there; and then the other one.
        let hasLatest = EncryptionKey.isSameCode(latest + 4, scratch.code)
        let position = page * EncryptedLayout.page
        key.decrypt(
            scratch.cipher, to: scratch.plain, EncryptedLayout.page, position: position,
            counter: hasLatest ? counter : between)
        key.encrypt(
            scratch.plain, to: scratch.other, EncryptedLayout.page, position: position,
            counter: hasLatest ? between : counter)
        key.authenticate(scratch.other, EncryptedLayout.page, into: scratch.otherCode)
        return EncryptionKey.isSameCode((hasLatest ? before : latest) + 4, scratch.otherCode)
    }

    /// The counter of the write after one.
    static func counter(after counter: UInt32) -> UInt32 { counter == .max ? 1 : counter + 1 }

    private func error(_ found: Found, _ page: Int) -> RealmError {
        let offset = EncryptedLayout.position(ofPage: page)
        var what = "does not authenticate"
        if case .nothing = found { what = "was never written" }
        return RealmError(
            .key, code: "DecryptionFailed", reason: "block-damaged",
            "damaged: block \(page) of the encrypted file, at offset \(offset), \(what)",
            file: path, hint: RealmError.damageHint)
    }
}

extension EncryptedPages {
    /// What is wrong with the block that holds a page, looked at in the file; nil when it
    /// authenticates, as those did that were read, or was never written.
    func problem(inPage page: Int) -> String? {
        let result: RealmError? = {
            do throws(RealmError) {
                try withPiece(page) { (scratch) throws(RealmError) in
                    if marks[page].load(ordering: .relaxed) > 0 { return }
                    if cipher.base.load(
                        fromByteOffset: EncryptedLayout.position(ofEntry: page), as: UInt32.self)
                        == 0
                    {
                        return
                    }
                    _ = try authenticated(page, scratch, .checking)
                }
                return nil
            } catch { return error }
        }()
        return result?.message
    }

    /// Throws unless the key is the file's: the block with the header authenticates.
    func checkKey() throws(RealmError) {
        do throws(RealmError) { _ = try header() } catch {
            guard error.reason == "block-damaged" else { throw error }
            // With a wrong key no block does.
            if anotherAuthenticates() { throw error }
            throw EncryptedForm.begins(cipher.base, size: cipher.mapped)
                ? Self.wrongKey(path) : Self.notRealm(path)
        }
    }

    private func anotherAuthenticates() -> Bool {
        (1..<min(256, max(1, count))).contains { page in
            let found = try? withPiece(page) { (scratch) throws(RealmError) in
                read(page, scratch)
                return judge(page, scratch)
            }
            if case .written? = found { return true }
            return false
        }
    }

    static func wrongKey(_ path: String) -> RealmError {
        RealmError(
            .key, code: "DecryptionFailed", reason: "wrong-key",
            "wrong encryption key (block 0 does not authenticate)", file: path)
    }

    static func notRealm(_ path: String) -> RealmError {
        RealmError(
            .input, code: "InvalidDatabase", reason: "not-a-realm",
            "not a Realm file, with this or any key: it does not begin like an encrypted one",
            file: path)
    }

    static func noKey(_ path: String) -> RealmError {
        RealmError(
            .key, code: "DecryptionFailed", reason: "no-key", "the file is encrypted", file: path,
            hint: "it needs its key")
    }

    static func notEncrypted(_ path: String) -> RealmError {
        RealmError(
            .key, code: "DecryptionFailed", reason: "not-encrypted",
            "a key was given, but the file is not encrypted", file: path)
    }
}
