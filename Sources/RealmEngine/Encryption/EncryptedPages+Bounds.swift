import Glibc

/// Plain pages that are given back and come again.
extension EncryptedPages {
    /// Gives pages back that have been there for long, as many as are too many, but not those around
    /// `page`.
    @inline(never)
    func trim(_ bounds: PlainBounds, butFor page: Int) {
        let size = count * EncryptedLayout.page
        bounds.closeSome(of: size, butFor: page) { piece in
            let pages = bounds.pages(of: piece, size)
            guard let first = pages.first else { return }
            withPiece(first) { _ in close(bounds, pages) }
        }
    }

    private func close(_ bounds: PlainBounds, _ pages: Range<Int>) {
        if bounds.isAway(pages.lowerBound) { return }
        var there = 0
        for page in pages {
            let mark = marks[page].load(ordering: .relaxed)
            // A writer's pages are nowhere else.
            if mark == Self.staged { return }
            if mark > 0 { there += 1 }
        }
        guard there > 0 else { return }
        // From now on nobody reads a page without asking for it, but for those who asked before: they
        // come by `fault`.
        for page in pages where marks[page].load(ordering: .relaxed) > 0 {
            marks[page].store(Self.away, ordering: .releasing)
        }
        if bounds.close(pages) {
            bounds.count(-there)
        } else {
            for page in pages where marks[page].load(ordering: .relaxed) > 0 {
                marks[page].store(Self.stale, ordering: .releasing)
            }
        }
    }

    /// Somebody reads at `offset`, where pages were given back. False when none were.
    func fault(_ bounds: PlainBounds, _ offset: Int) -> Bool {
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
    func restore(_ bounds: PlainBounds, _ page: Int, _ scratch: Scratch) {
        let pages = bounds.pages(of: page >> bounds.shift, count * EncryptedLayout.page)
        var (there, page) = (0, pages.lowerBound)
        while page < pages.upperBound {
            let count = restore(bounds, page, isLast: page + 1 == pages.upperBound, scratch)
            there += count
            page += max(1, count)
        }
        bounds.count(there)
        if !bounds.open(pages) { Self.end() }
    }

    /// Puts a page back if it was there, and the next one with it if that is as simple. Returns how
    /// many that were.
    private func restore(
        _ bounds: PlainBounds, _ page: Int, isLast: Bool, _ scratch: Scratch
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

    private func decryptAgain(_ bounds: PlainBounds, _ page: Int, _ scratch: Scratch) {
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
    private static let isInstalled = Guarded(false)
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
