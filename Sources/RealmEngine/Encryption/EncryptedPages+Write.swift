/// What the one writer of a file does with its pages. Nobody else writes meanwhile: it has the
/// writer's turn, or is the first of a session.
extension EncryptedPages {
    /// A page that is what its writer made it, whatever the file holds.
    static let staged = UInt64.max

    /// Has the page hold what the file does, to be changed in part: zeros where nothing was ever
    /// written. From now on it does not follow the file, until it is `settled` or `forgotten`.
    func stage(_ page: Int, isWhole: Bool) throws(RealmError) {
        try withPage(page) { (scratch) throws(RealmError) in
            if marks[page].load(ordering: .relaxed) == Self.staged { return }
            try refresh(page, scratch, isWhole ? .replacing : .writing)
            marks[page].store(Self.staged, ordering: .releasing)
        }
    }

    /// Encrypts staged pages to `ciphers`, one behind the other, and their new entries to `entries`.
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

    /// Encrypts pages as the writes after those that the first halves of their entries tell of.
    private func encryptNext(
        _ list: ArraySlice<Int>, to ciphers: UnsafeMutableRawPointer,
        entries: UnsafeMutableRawPointer
    ) {
        let pages = list.enumerated().map { (i, page) in
            let entry = entries + i * EncryptedLayout.entry
            // As the reference counts: also a write that was interrupted had this number.
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

    /// Something is there that a crash must not lose while it is replaced.
    func isWritten(_ page: Int) -> Bool {
        (halves + page * EncryptedLayout.half).load(as: UInt32.self) != 0
    }

    /// The file holds the page as it is here, written with `entry`.
    func settle(_ page: Int, _ entry: UnsafeRawPointer) {
        (halves + page * EncryptedLayout.half).copyMemory(
            from: entry, byteCount: EncryptedLayout.half)
        marks[page].store(moment.load(ordering: .acquiring), ordering: .releasing)
    }

    /// What the file holds of a staged page is not known: it is read when it is needed.
    func forget(_ page: Int) {
        (halves + page * EncryptedLayout.half).initializeMemory(
            as: UInt8.self, repeating: 0, count: EncryptedLayout.half)
        marks[page].store(Self.stale, ordering: .releasing)
    }
}
