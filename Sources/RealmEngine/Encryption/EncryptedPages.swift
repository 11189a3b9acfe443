import Glibc
import Synchronization

/// The decrypted pages of an encrypted file. They are in private memory, not in the file's mapping;
/// a page is decrypted there before it is read for the first time (storage format 8).
///
/// A later version may have changed a page that is already decrypted. Therefore `moment` is
/// incremented each time a newer version is opened. Each page has a *mark*: the value of `moment`
/// when the page was last compared with its entry in the file. A reader of a version compares each
/// page with a lower mark again. If a page has been written since, only the words that changed are
/// stored in memory. Bytes that a pinned version can reach do not change, so pointers to them stay
/// valid.
///
/// Free to cross threads. One of 16 mutexes is held while a page is decrypted; its mark is stored
/// last and makes it visible to readers.
final class EncryptedPages: @unchecked Sendable {
    let key: EncryptionKey
    /// Mapping of the encrypted file.
    let cipher: Mapping
    private let path: String
    /// Address of the decrypted pages. Pages that were freed may be accessed only in `withPage`,
    /// unless the signal handler restores them.
    let plain: UnsafeMutableRawPointer
    /// Frees pages if the memory limit is exceeded; nil if there is no limit.
    let bounds: DecryptedPageCache?
    /// Reserved addresses for the memory in which pages are decrypted (`Scratch`), and for `marks`
    /// and `halves` of all pages of the largest possible file. Only the memory for pages of the
    /// current file can be accessed.
    private let memory: UnsafeMutableRawPointer
    private let memorySize: Int
    private var markMemory: ReservedMemory
    private var halfMemory: ReservedMemory
    /// For each page, the value of the counter `moment` when the page was last compared with the
    /// file. Special values: 0 (never read), `stale` (must be compared again), `away` (freed) and
    /// `staged` (changed by the writer).
    let marks: Marks
    /// For each page, the counter and the authentication code with which the bytes in memory were
    /// read or written. This is one half of the page's entry in the file.
    let halves: UnsafeMutableRawPointer
    let moment = Atomic<UInt64>(firstMoment)
    private let mutexes: [LockedValue<Void>]
    /// Number of adjacent pages that share a mutex, as a power of 2.
    private let shift: Int
    /// Number of times that a page could not be authenticated.
    private let failures = Atomic<Int>(0)

    typealias Marks = UnsafeMutablePointer<Atomic<UInt64>>

    static let mutexCount = 16
    /// Number of adjacent pages that share a mutex if there is no memory limit, as a power of 2.
    private static let usualShift = 4
    /// Maximum number of pages that are decrypted ahead of reads at once.
    private static let together = 4

    /// First value of the counter `moment`. Smaller elements of `marks` are special: 0 means that
    /// the page was never read, `stale` that the page is decrypted but must be compared with the
    /// file, and `away` that the page was freed.
    static let firstMoment: UInt64 = 3
    static let stale: UInt64 = 1
    static let away: UInt64 = 2

    /// Prepares pages of the file that `cipher` maps, at the reserved address `start` with room for
    /// `capacity` bytes. Decrypts nothing.
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
        // All properties are initialised here. If this throws, `deinit` unmaps the addresses.
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

    /// Makes the memory for a database of `size` bytes accessible. Only the owner of the file calls
    /// this, and never on two threads at once.
    func extend(from: Int = 0, to size: Int) throws(RealmError) {
        let pages = (size + EncryptedLayout.page - 1) / EncryptedLayout.page
        try markMemory.ensure(pages * MemoryLayout<UInt64>.size)
        try halfMemory.ensure(pages * EncryptedLayout.half)
        let (count, access) = (Self.wholePages(size) - from, PROT_READ | PROT_WRITE)
        var isUsable = count == 0 || mprotect(plain + from, count, access) == 0
        if let bounds, isUsable { isUsable = bounds.extend(from: from, count) }
        guard isUsable else { throw systemError("mprotect", path, errno: errno) }
    }

    /// Number of database pages in the file.
    var count: Int { EncryptedLayout.databaseSize(of: cipher.mapped) / EncryptedLayout.page }

    /// Increments the counter `moment` and returns it; called before a newer version is read. Pages
    /// that were last compared with the file at a lower value may be out of date for that version.
    func nextMoment() -> UInt64 { moment.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// Decrypts the pages of `count` bytes at `offset`, unless they are up to date. A page is up to
    /// date if it was compared with the file when the counter `EncryptedPages.moment` had the value
    /// `moment` or a higher one. The bytes must be inside the database.
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

    /// Decrypts one page, or compares a decrypted page with the file and updates it. Does nothing
    /// if the mark of the page is at least `wanted`: the page was then compared when the counter
    /// `moment` had at least this value. The slow path of `prepare`.
    @inline(never)
    func load(_ page: Int, _ wanted: UInt64) throws(RealmError) {
        try withPage(page) { (scratch) throws(RealmError) in
            if isUnread(page) { readAhead(page, scratch) }
            if !isFresh(page, wanted) { try refresh(page, scratch) }
        }
        if let bounds, bounds.isExceeded { trim(bounds, butFor: page) }
    }

    /// Calls `body` while holding the mutex of the page. Restores the page first if it was freed.
    func withPage<R>(
        _ page: Int, _ body: (Scratch) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        try withPiece(page) { (scratch) throws(RealmError) in
            if let bounds, bounds.isPieceClosed(page) { restore(bounds, page, scratch) }
            return try body(scratch)
        }
    }

    /// Calls `body` while holding the mutex of the page. A freed page is not restored.
    func withPiece<R, E>(_ page: Int, _ body: (Scratch) throws(E) -> R) throws(E) -> R {
        let i = (page >> shift) % Self.mutexCount
        return try mutexes[i].withLock { _ throws(E) in
            try body(Scratch(start: memory + 2 * i * Scratch.size))
        }
    }

    /// Reads the file's current header.
    func header() throws(RealmError) -> RawHeader {
        try withPage(0) { (scratch) throws(RealmError) in
            try refresh(0, scratch)
            return RawHeader(plain)
        }
    }

    // MARK: One page, with its mutex held

    /// Decrypts the page, or compares it with the file and updates it. `use` determines which
    /// states of the page in the file are accepted.
    func refresh(_ page: Int, _ scratch: Scratch, _ use: Use = .reading) throws(RealmError) {
        if marks[page].load(ordering: .relaxed) == Self.staged { return }
        let now = moment.load(ordering: .acquiring)
        guard page < count else { throw .corrupt("the file ends before page \(page)", in: "file") }
        let half = halves + page * EncryptedLayout.half
        let entry = cipher.base + EncryptedLayout.position(ofEntry: page)
        let isKnown = marks[page].load(ordering: .relaxed) > 0
        if !isKnown || memcmp(half, entry, EncryptedLayout.half) != 0 {
            // Readers access a page only after its element of `marks` is set. So a page that is
            // read for the first time is decrypted directly to its address.
            let target = plain + page * EncryptedLayout.page
            let room = isKnown ? scratch.plain : target
            if let counter = try authenticated(page, scratch, use) {
                key.decrypt(
                    scratch.cipher, to: room, EncryptedLayout.page,
                    position: page * EncryptedLayout.page, counter: counter)
            } else {
                memset(room, 0, EncryptedLayout.page)
                // Keeps the counter from the page's entry, although the page has no content: the
                // next write of the page must use the counter after it.
                scratch.used.copyMemory(from: scratch.entry, byteCount: EncryptedLayout.half)
            }
            if isKnown { store(room, target) }
            half.copyMemory(from: scratch.used, byteCount: EncryptedLayout.half)
        }
        if !isKnown { bounds?.count(1) }
        marks[page].store(now, ordering: .releasing)
    }

    /// If the file is read sequentially, also decrypts the pages around `page` that were never
    /// read. Authenticating two pages together takes little longer than one. Skips pages that do
    /// not authenticate.
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

    /// Whether the file is probably being read sequentially at these pages: the two pages before
    /// `first`, or the two pages from `end` on, were read.
    private func isReadTowards(_ first: Int, _ end: Int) -> Bool {
        (first > 1 && !isUnread(first - 1) && !isUnread(first - 2))
            || (end + 1 < count && !isUnread(end) && !isUnread(end + 1))
    }

    private func isUnread(_ page: Int) -> Bool { marks[page].load(ordering: .relaxed) == 0 }

    /// Decrypts the bytes in `scratch` to the place of `page` in the memory that begins at `start`.
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

    /// Copies the words of `page` that differ from `target` to `target`. Words that are equal are
    /// not stored, because other threads may be reading them.
    private func store(_ page: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer) {
        let old = target.assumingMemoryBound(to: UInt64.self)
        let new = page.assumingMemoryBound(to: UInt64.self)
        for i in 0..<EncryptedLayout.page / 8 where old[i] != new[i] { old[i] = new[i] }
    }
}

extension EncryptedPages {
    /// Work memory for decrypting a page. It contains the page's entry, the encrypted and decrypted
    /// page, and the computed authentication code. `other` and `otherCode` are for the page
    /// encrypted with another counter (see `isCounted`). `beside` is the work memory for a second
    /// page.
    struct Scratch {
        let start: UnsafeMutableRawPointer

        static let size = 4 * EncryptedLayout.page

        var cipher: UnsafeMutableRawPointer { start }
        var plain: UnsafeMutableRawPointer { start + EncryptedLayout.page }
        var entry: UnsafeMutableRawPointer { start + 2 * EncryptedLayout.page }
        var code: UnsafeMutableRawPointer { entry + EncryptedLayout.entry }
        /// The half of the page's entry whose authentication code matches the encrypted page. An
        /// entry contains the counter and code of the last two writes, one write in each half.
        var used: UnsafeMutableRawPointer { code + EncryptedLayout.entry }
        var other: UnsafeMutableRawPointer { start + 3 * EncryptedLayout.page }
        var otherCode: UnsafeMutableRawPointer { used + EncryptedLayout.entry }
        var beside: Scratch { Scratch(start: start + Self.size) }
    }

    /// Purpose for which a page is read.
    enum Use {
        case reading
        /// The page is verified by an integrity check. A page that was never written is accepted.
        case checking
        /// A part of the page will be overwritten. If the page was never written, it is filled with
        /// zeros.
        case writing
        /// The whole page will be overwritten. Its state in the file does not matter.
        case replacing
    }

    /// State of an encrypted page in the file, found by authentication.
    enum Found {
        case written(counter: UInt32)
        /// The page was never written, or not since the file was truncated.
        case nothing
        /// The page was never written completely: its first write was interrupted.
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

    /// Reads a page and its entry from the file into `scratch` until the page authenticates.
    /// Returns the counter of the page's last write. Returns nil if the page has no content that
    /// authenticates, and `use` permits that.
    ///
    /// A writer stores the entry first and then the page, and does not lock out readers. Therefore
    /// a page that does not authenticate is read again. Throws when `ReadAttempts` ends.
    func authenticated(
        _ page: Int, _ scratch: Scratch, _ use: Use
    ) throws(RealmError) -> UInt32? {
        var attempts = ReadAttempts()
        while true {
            read(page, scratch)
            let found = judge(page, scratch)
            if case .written(let counter) = found { return counter }
            if found.permits(use) { return nil }
            attempts.add(entry: scratch.entry.load(as: UInt64.self))
            if attempts.isOver {
                failures.wrappingAdd(1, ordering: .relaxed)
                throw error(found, page)
            }
            // After many failures, the file is probably damaged, and sleeping would only delay the
            // error.
            if failures.load(ordering: .relaxed) < 16 { usleep(200) } else { sched_yield() }
        }
    }

    /// Reads `page` and the next page from the file into `scratch`. If both pages authenticate,
    /// returns the write counters from their entries, which decryption needs; otherwise returns
    /// nil.
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

    /// Returns the state of a page by comparing its authentication code, which is in
    /// `scratch.code`, with the codes of the page's last two writes, which its entry has.
    private func judgeCode(_ page: Int, _ scratch: Scratch) -> Found {
        let half = EncryptedLayout.half
        let latest = scratch.entry.load(as: UInt32.self)
        if latest == 0 { return .nothing }
        // If the last write of the page was interrupted, the page in the file still matches the
        // second half, which describes the previous write.
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

    /// Whether the two counters in the entry of a page are plausible, given that one of the entry's
    /// authentication codes matches the page.
    ///
    /// The codes do not protect the counters, and a wrong counter would decrypt the first bytes of
    /// the page wrongly. The first half of an entry describes the latest write, the second half the
    /// write before. Three differences between the two counters are possible:
    ///
    /// - 0: the latest write was completed by copying the first half to the second.
    /// - 1: a write increments the counter by one.
    /// - 2: a write skips one counter if encrypting with it would produce the same bytes as are in
    ///   the file. In this case, encrypts the page with the other counter and compares the
    ///   authentication code.
    private func isCounted(_ page: Int, _ scratch: Scratch) -> Bool {
        let (latest, before) = (scratch.entry, scratch.entry + EncryptedLayout.half)
        let (counter, last) = (latest.load(as: UInt32.self), before.load(as: UInt32.self))
        if counter == last { return true }
        let between = Self.counter(after: last)
        if counter == between { return !EncryptionKey.isSameCode(latest + 4, before + 4) }
        guard counter == Self.counter(after: between) else { return false }
        // The page must have been encrypted with both counters. Decrypts the page with the counter
        // that matches its bytes in the file, encrypts it with the other counter, and compares the
        // authentication code.
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

    /// Returns the next counter. 1 follows the largest one.
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
    /// Describes the damage of a page's block in the file. Returns nil if the block authenticates,
    /// if the page was read before, or if it was never written.
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

    /// Throws if the page with the file header fails its authentication: the key is wrong, or the
    /// page is damaged.
    func checkKey() throws(RealmError) {
        do throws(RealmError) { _ = try header() } catch {
            guard error.reason == "block-damaged" else { throw error }
            // With a wrong key, no page authenticates. If another page authenticates, the key is
            // right and page 0 is damaged.
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
