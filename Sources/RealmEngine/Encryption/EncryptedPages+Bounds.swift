import Glibc

/// Plain pages that are given back and come again.
extension EncryptedPages {
    /// Whether the pages of the file are more than may be in memory.
    var outgrowMemory: Bool {
        bounds != nil
            && count > DecryptedMemoryLimit.pages
                / max(1, DecryptedMemoryLimit.files.load(ordering: .relaxed))
    }

    /// Gives pages back that have been there for long, as many as are too many, but not those around
    /// `page`.
    @inline(never)
    func trim(_ bounds: DecryptedPageCache, butFor page: Int) {
        let size = count * EncryptedLayout.page
        bounds.closeSome(of: size, butFor: page) { group in
            withPiece(group << bounds.groupShift) { _ in
                close(bounds, bounds.group(of: group << bounds.groupShift), size)
            }
        }
    }

    /// Frees neighbouring pieces, in as few calls of the system as possible.
    private func close(_ bounds: DecryptedPageCache, _ pieces: Range<Int>, _ size: Int) {
        var run = 0..<0
        for piece in pieces {
            let pages = bounds.pages(of: piece, size)
            // A writer's pages are nowhere else.
            let isStaged = pages.contains { marks[$0].load(ordering: .relaxed) == Self.staged }
            if isStaged || pages.isEmpty {
                close(bounds, run)
                run = 0..<0
            } else {
                run = (run.isEmpty ? pages.lowerBound : run.lowerBound)..<pages.upperBound
            }
        }
        close(bounds, run)
    }

    private func close(_ bounds: DecryptedPageCache, _ pages: Range<Int>) {
        var there = 0
        for page in pages where isThere(page) { there += 1 }
        guard there > 0 else { return }
        // From now on nobody reads a page without asking for it, but for those who asked before: they
        // come by `fault`.
        for page in pages where marks[page].load(ordering: .relaxed) > 0 {
            marks[page].store(Self.away, ordering: .releasing)
        }
        if bounds.close(pages) {
            bounds.count(-there)
        } else {
            for page in pages where !bounds.isAway(page) {
                guard marks[page].load(ordering: .relaxed) > 0 else { continue }
                marks[page].store(Self.stale, ordering: .releasing)
            }
        }
    }

    /// Whether a page was read and not freed since.
    private func isThere(_ page: Int) -> Bool {
        let mark = marks[page].load(ordering: .relaxed)
        return mark > 0 && mark != Self.away
    }

    /// Somebody reads at `offset`, where pages were given back. False when none were.
    func fault(_ bounds: DecryptedPageCache, _ offset: Int) -> Bool {
        let page = offset / EncryptedLayout.page
        guard page < count else { return false }
        withPiece(page) { scratch in
            // Another thread may have been quicker.
            if bounds.isAway(page) { restore(bounds, page, scratch) }
        }
        if bounds.isExceeded { trim(bounds, butFor: page) }
        return true
    }

    /// Puts the pages around `page` back, with its mutex held: as the file has them now, which for
    /// pinned versions is as they were.
    func restore(_ bounds: DecryptedPageCache, _ page: Int, _ scratch: Scratch) {
        let pages = restorable(bounds, page)
        bounds.prepareRoom(for: pages)
        var (there, page) = (0, pages.lowerBound)
        while page < pages.upperBound {
            let count = restore(bounds, page, isLast: page + 1 == pages.upperBound, scratch)
            there += count
            page += max(1, count)
        }
        bounds.count(there)
        if !bounds.open(pages) { Self.end() }
        DecryptedMemoryLimit.restored.add(1, ordering: .relaxed)
    }

    /// The pages of the piece with `page`, and the pages of its group that come next if the two pieces on
    /// the other side are in memory: then they are probably read next.
    private func restorable(_ bounds: DecryptedPageCache, _ page: Int) -> Range<Int> {
        let size = count * EncryptedLayout.page
        let (piece, group) = (page >> bounds.shift, bounds.group(of: page))
        let pages = bounds.pages(of: piece, size)
        func isRead(_ piece: Int) -> Bool {
            let first = piece << bounds.shift
            return first >= 0 && first < count && isThere(first)
        }
        func isAway(_ piece: Int) -> Bool {
            let pages = bounds.pages(of: piece, size)
            return !pages.isEmpty && bounds.isAway(pages.lowerBound)
        }
        if isRead(piece - 1), isRead(piece - 2) {
            var last = piece
            while last + 1 < group.upperBound, isAway(last + 1) { last += 1 }
            return pages.lowerBound..<bounds.pages(of: last, size).upperBound
        }
        if isRead(piece + 1), isRead(piece + 2) {
            var first = piece
            while first > group.lowerBound, isAway(first - 1) { first -= 1 }
            return bounds.pages(of: first, size).lowerBound..<pages.upperBound
        }
        return pages
    }

    /// Puts a page back if it was there, and the next one with it if that is as simple. Returns how
    /// many that were.
    private func restore(
        _ bounds: DecryptedPageCache, _ page: Int, isLast: Bool, _ scratch: Scratch
    ) -> Int {
        guard marks[page].load(ordering: .relaxed) > 0 else { return 0 }
        if !isLast, marks[page + 1].load(ordering: .relaxed) > 0,
            let counters = authenticatedPair(page, scratch)
        {
            fill(page, scratch, counters.0, in: bounds.room(for: page))
            fill(page + 1, scratch.beside, counters.1, in: bounds.room(for: page))
            marks[page + 1].store(Self.stale, ordering: .releasing)
            marks[page].store(Self.stale, ordering: .releasing)
            return 2
        }
        decryptAgain(bounds, page, scratch)
        marks[page].store(Self.stale, ordering: .releasing)
        return 1
    }

    private func decryptAgain(_ bounds: DecryptedPageCache, _ page: Int, _ scratch: Scratch) {
        let half = halves + page * EncryptedLayout.half
        let hadBytes = half.load(as: UInt32.self) != 0
        guard let counter = try? authenticated(page, scratch, hadBytes ? .reading : .replacing)
        else {
            // What somebody may have a pointer to is not in the file any more.
            if hadBytes { Self.end() }
            memset(half, 0, EncryptedLayout.half)
            return
        }
        fill(page, scratch, counter, in: bounds.room(for: page))
    }

    /// Ends the process as it ends when a plain file is cut off while it is read.
    private static func end() -> Never {
        raise(SIGBUS)
        _exit(1)
    }
}

/// Leads faults to the pages they are about.
enum PageFaults {
    /// Where the pages of files are, and what puts them back.
    private static let files = AddressTable()
    private static let isInstalled = LockedValue(false)
    /// What happened at a fault before there was a handler.
    nonisolated(unsafe) private static var before = sigaction()

    static func install() {
        isInstalled.withLock { isInstalled in
            if isInstalled { return }
            isInstalled = true
            _ = files
            var action = sigaction()
            action.sa_flags = SA_SIGINFO
            action.__sigaction_handler.sa_sigaction = { _, info, _ in PageFaults.handle(info) }
            sigaction(SIGSEGV, &action, &before)
        }
    }

    /// Returns the slot; -1 when there is none left, and then pages must not be given back.
    static func add(_ pages: EncryptedPages, _ start: UnsafeRawPointer, _ capacity: Int) -> Int {
        files.add(start, capacity, Unmanaged.passUnretained(pages).toOpaque())
    }

    static func remove(_ slot: Int) { files.remove(slot) }

    private static func handle(_ info: UnsafeMutablePointer<siginfo_t>?) {
        let saved = errno
        defer { errno = saved }
        let address = UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
        if let (meaning, offset) = files.find(address) {
            let pages = Unmanaged<EncryptedPages>.fromOpaque(meaning).takeUnretainedValue()
            if let bounds = pages.bounds, pages.fault(bounds, offset) { return }
        }
        // Not ours: it happens again, as if nobody had looked.
        sigaction(SIGSEGV, &before, nil)
    }
}
