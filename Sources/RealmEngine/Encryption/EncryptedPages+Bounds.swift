import Glibc

/// Frees and restores decrypted pages, if there is a memory limit.
extension EncryptedPages {
    /// Whether the file has more pages than the memory limit permits.
    var outgrowMemory: Bool {
        bounds != nil
            && count > DecryptedMemoryLimit.pages
                / max(1, DecryptedMemoryLimit.files.load(ordering: .relaxed))
    }

    /// Frees decrypted pages, except the pages near `page`, until the memory limit is respected.
    @inline(never)
    func trim(_ bounds: DecryptedPageCache, butFor page: Int) {
        let size = count * EncryptedLayout.page
        bounds.closeSome(of: size, butFor: page) { group in
            withPiece(group << bounds.groupShift) { _ in
                close(bounds, bounds.group(of: group << bounds.groupShift), size)
            }
        }
    }

    /// Frees the memory of the pages in `pieces`; a piece is a range of a few adjacent pages.
    /// Adjacent pieces are freed with one system call.
    private func close(_ bounds: DecryptedPageCache, _ pieces: Range<Int>, _ size: Int) {
        var run = 0..<0
        for piece in pieces {
            let pages = bounds.pages(of: piece, size)
            // A page that the writer has changed exists only in memory, so it is not freed.
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
        for page in pages where isDecrypted(page) { there += 1 }
        guard there > 0 else { return }
        // From now on, readers find that the page must be decrypted before it is accessed. A reader
        // that has found it decrypted before gets a page fault, which restores the page.
        for page in pages where marks[page].load(ordering: .relaxed) > 0 {
            marks[page].store(Self.away, ordering: .releasing)
        }
        if bounds.close(pages) {
            bounds.count(-there)
        } else {
            for page in pages where !bounds.isPieceClosed(page) {
                guard marks[page].load(ordering: .relaxed) > 0 else { continue }
                marks[page].store(Self.stale, ordering: .releasing)
            }
        }
    }

    /// Whether a page is decrypted in memory.
    private func isDecrypted(_ page: Int) -> Bool {
        let mark = marks[page].load(ordering: .relaxed)
        return mark > 0 && mark != Self.away
    }

    /// Restores freed pages after a page fault at `offset`. Returns false if `offset` is after the
    /// end of the file.
    func fault(_ bounds: DecryptedPageCache, _ offset: Int) -> Bool {
        let page = offset / EncryptedLayout.page
        guard page < count else { return false }
        withPiece(page) { scratch in
            // Another thread may have restored the page meanwhile.
            if bounds.isPieceClosed(page) { restore(bounds, page, scratch) }
        }
        if bounds.isExceeded { trim(bounds, butFor: page) }
        return true
    }

    /// Restores the freed pages near `page`. The caller holds the mutex that protects these pages.
    /// The pages are decrypted from the current file, in which all bytes that pinned versions can
    /// reach are unchanged.
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

    /// Returns the pages to restore together with `page`: all pages of its piece, a few adjacent
    /// pages. If the two preceding or the two following pieces are in memory, the file is probably
    /// read sequentially. In that case, also returns the freed pieces that come next in the
    /// reader's direction, up to the end of the group of four pieces.
    private func restorable(_ bounds: DecryptedPageCache, _ page: Int) -> Range<Int> {
        let size = count * EncryptedLayout.page
        let (piece, group) = (page >> bounds.shift, bounds.group(of: page))
        let pages = bounds.pages(of: piece, size)
        func isRead(_ piece: Int) -> Bool {
            let first = piece << bounds.shift
            return first >= 0 && first < count && isDecrypted(first)
        }
        func isPieceClosed(_ piece: Int) -> Bool {
            let pages = bounds.pages(of: piece, size)
            return !pages.isEmpty && bounds.isPieceClosed(pages.lowerBound)
        }
        if isRead(piece - 1), isRead(piece - 2) {
            var last = piece
            while last + 1 < group.upperBound, isPieceClosed(last + 1) { last += 1 }
            return pages.lowerBound..<bounds.pages(of: last, size).upperBound
        }
        if isRead(piece + 1), isRead(piece + 2) {
            var first = piece
            while first > group.lowerBound, isPieceClosed(first - 1) { first -= 1 }
            return bounds.pages(of: first, size).lowerBound..<pages.upperBound
        }
        return pages
    }

    /// Decrypts `page` again, in memory that readers do not access, or returns 0 if the page had
    /// not been decrypted before its piece (a few adjacent pages) was freed. Also decrypts the next
    /// page if that page had been decrypted, too, and if both pages authenticate when read once.
    /// Returns the number of pages decrypted, 0 to 2.
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
            // The page can no longer be decrypted, and a reader may have a pointer to its bytes.
            if hadBytes { Self.end() }
            memset(half, 0, EncryptedLayout.half)
            return
        }
        fill(page, scratch, counter, in: bounds.room(for: page))
    }

    /// Ends the process with `SIGBUS`, as accessing a truncated unencrypted file does.
    private static func end() -> Never {
        raise(SIGBUS)
        _exit(1)
    }
}

/// The signal handler for `SIGSEGV`, which restores freed pages.
enum PageFaults {
    /// The address ranges of decrypted pages, each with the `EncryptedPages` that restores them.
    private static let files = AddressTable()
    private static let isInstalled = LockedValue(false)
    /// The action for `SIGSEGV` that was set before this handler was installed.
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

    /// Registers a range of addresses and returns its slot in `files`. Returns -1 if no slot is
    /// free; pages must then not be freed.
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
        // The address belongs to no decrypted page. The instruction is executed and faults again,
        // and the previous action handles the fault.
        sigaction(SIGSEGV, &before, nil)
    }
}
