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

    /// Encrypts a staged page to `cipher` and its new entry to `entry`. True when it replaces what
    /// was written there before.
    func encrypt(
        _ page: Int, to cipher: UnsafeMutableRawPointer, entry: UnsafeMutableRawPointer
    ) -> Bool {
        let half = EncryptedLayout.half
        let known = halves + page * half
        // As the reference counts: also a write that was interrupted had this number.
        var counter = known.load(as: UInt32.self)
        (entry + half).copyMemory(from: known, byteCount: half)
        repeat {
            counter = Self.counter(after: counter)
            entry.storeBytes(of: counter, as: UInt32.self)
            key.encrypt(
                plain + page * EncryptedLayout.page, to: cipher, EncryptedLayout.page,
                position: page * EncryptedLayout.page, counter: counter)
            key.authenticate(cipher, EncryptedLayout.page, into: entry + 4)
        } while EncryptionKey.isSameCode(entry + 4, entry + half + 4)
        return known.load(as: UInt32.self) != 0
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
