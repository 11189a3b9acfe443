/// Operations that only one participant of the session may call at a time: the one with the
/// writer's turn, or the first one while it begins the session.
extension EncryptedPages {
    /// Element of `marks` for a page that the writer has changed in memory and not yet written to
    /// the file.
    static let staged = UInt64.max

    /// Prepares a page for changes: decrypts it, or fills it with zeros if it was never written.
    /// Until `markWritten` or `forget`, the page is not compared with the file. If `isWhole`, all
    /// bytes will be overwritten, so the page in the file need not be valid.
    func stage(_ page: Int, isWhole: Bool) throws(RealmError) {
        try withPage(page) { (scratch) throws(RealmError) in
            if marks[page].load(ordering: .relaxed) == Self.staged { return }
            try refresh(page, scratch, isWhole ? .replacing : .writing)
            marks[page].store(Self.staged, ordering: .releasing)
        }
    }

    /// Encrypts changed pages to `ciphers`, one after the other. Stores their new entries (the
    /// counters and authentication codes of the last two writes) in `entries`.
    func encrypt(
        _ list: [Int], to ciphers: UnsafeMutableRawPointer, entries: UnsafeMutableRawPointer
    ) {
        let half = EncryptedLayout.half
        for (i, page) in list.enumerated() {
            let entry = entries + i * EncryptedLayout.entry
            let known = halves + page * half
            entry.copyMemory(from: known, byteCount: half)
            (entry + half).copyMemory(from: known, byteCount: half)
        }
        encryptNext(list[...], to: ciphers, entries: entries)
        for (i, page) in list.enumerated() {
            let entry = entries + i * EncryptedLayout.entry
            while EncryptionKey.isSameCode(entry + 4, entry + half + 4) {
                encryptNext(
                    [page], to: ciphers + i * EncryptedLayout.page, entries: entry)
            }
        }
    }

    /// Encrypts pages to `ciphers`, one after the other, and stores the counter and code of each in
    /// the first half of the page's entry in `entries`. The counter of a page is one greater than
    /// the counter that this half contained before.
    private func encryptNext(
        _ list: ArraySlice<Int>, to ciphers: UnsafeMutableRawPointer,
        entries: UnsafeMutableRawPointer
    ) {
        let pages = list.enumerated().map { (i, page) in
            let entry = entries + i * EncryptedLayout.entry
            // Like the reference engine, does not use the counter of an interrupted write again.
            let counter = entry.load(as: UInt32.self)
            entry.storeBytes(of: Self.counter(after: counter), as: UInt32.self)
            let position = page * EncryptedLayout.page
            return EncryptionKey.Message(
                bytes: UnsafeRawPointer(plain + position), position: position,
                counter: entry.load(as: UInt32.self))
        }
        key.encrypt(pages, EncryptedLayout.page, to: ciphers)
        for i in stride(from: 0, to: pages.count, by: 2) {
            let (cipher, entry) = (
                ciphers + i * EncryptedLayout.page, entries + i * EncryptedLayout.entry
            )
            if i + 1 < pages.count {
                key.authenticate(
                    cipher, cipher + EncryptedLayout.page, EncryptedLayout.page, into: entry + 4,
                    entry + EncryptedLayout.entry + 4)
            } else {
                key.authenticate(cipher, EncryptedLayout.page, into: entry + 4)
            }
        }
    }

    /// Whether the file contains the page, so that a crash must not lose it while it is
    /// overwritten.
    func isWritten(_ page: Int) -> Bool {
        (halves + page * EncryptedLayout.half).load(as: UInt32.self) != 0
    }

    /// Records that the page, as it is in memory, has been written to the file. `entry` is the
    /// page's entry in the file, with the counter and authentication code of this write.
    func markWritten(_ page: Int, _ entry: UnsafeRawPointer) {
        (halves + page * EncryptedLayout.half).copyMemory(
            from: entry, byteCount: EncryptedLayout.half)
        marks[page].store(moment.load(ordering: .acquiring), ordering: .releasing)
    }

    /// Discards the changes of a page. The content of the file is unknown, so the page is decrypted
    /// again before its next use.
    func forget(_ page: Int) {
        (halves + page * EncryptedLayout.half).initializeMemory(
            as: UInt8.self, repeating: 0, count: EncryptedLayout.half)
        marks[page].store(Self.stale, ordering: .releasing)
    }
}
