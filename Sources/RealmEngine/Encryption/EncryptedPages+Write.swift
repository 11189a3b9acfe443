/// Operations of the file's one writer, which has the turn to write or is the first participant of
/// a session.
extension EncryptedPages {
    /// Mark of a page that the writer has changed and not yet written.
    static let staged = UInt64.max

    /// Prepares a page for changes: reads it from the file, or fills it with zeros if it was never
    /// written. The page then ignores the file until `markWritten` or `forget`. If `isWhole`, the
    /// old bytes need not be valid.
    func stage(_ page: Int, isWhole: Bool) throws(RealmError) {
        try withPage(page) { (scratch) throws(RealmError) in
            if marks[page].load(ordering: .relaxed) == Self.staged { return }
            try refresh(page, scratch, isWhole ? .replacing : .writing)
            marks[page].store(Self.staged, ordering: .releasing)
        }
    }

    /// Encrypts staged pages to `ciphers`, one after the other, and writes their new entries to
    /// `entries`.
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

    /// Encrypts pages with the counters that follow those in the first halves of their entries.
    private func encryptNext(
        _ list: ArraySlice<Int>, to ciphers: UnsafeMutableRawPointer,
        entries: UnsafeMutableRawPointer
    ) {
        let pages = list.enumerated().map { (i, page) in
            let entry = entries + i * EncryptedLayout.entry
            // As in the reference, the counter of an interrupted write is not used again.
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

    /// Whether the page was ever written, so that a crash while it is replaced must not lose it.
    func isWritten(_ page: Int) -> Bool {
        (halves + page * EncryptedLayout.half).load(as: UInt32.self) != 0
    }

    /// Records that the file holds the page as it is in memory, written with `entry`.
    func markWritten(_ page: Int, _ entry: UnsafeRawPointer) {
        (halves + page * EncryptedLayout.half).copyMemory(
            from: entry, byteCount: EncryptedLayout.half)
        marks[page].store(moment.load(ordering: .acquiring), ordering: .releasing)
    }

    /// Discards a staged page, whose state in the file is unknown; it is read again when needed.
    func forget(_ page: Int) {
        (halves + page * EncryptedLayout.half).initializeMemory(
            as: UInt8.self, repeating: 0, count: EncryptedLayout.half)
        marks[page].store(Self.stale, ordering: .releasing)
    }
}
