import Glibc

/// Writes an encrypted file from start to end. Divides the bytes of a database into pages, encrypts
/// them, and writes a table of their entries before each group of 64 pages (storage format 8).
///
/// After each `append`, the file contains all appended bytes: the last, incomplete page is padded
/// with zeros, and written again later. Used by one thread at a time.
final class EncryptedSequence {
    private let key: EncryptionKey
    private let descriptor: Int32
    private let path: String
    /// Memory for decrypted and encrypted pages. It is left out of core dumps.
    private let work: UnsafeMutableRawPointer
    /// The page that is being filled with bytes to encrypt.
    private var plain: UnsafeMutableRawPointer { work }
    /// Copy of page 0. `overwrite` changes bytes in this copy, encrypts it again, and writes it to
    /// the file.
    private var first: UnsafeMutableRawPointer { work + EncryptedLayout.page }
    /// The page with the entries (counters and authentication codes) of the group of 64 pages that
    /// is being filled. In the file, it precedes the group.
    private var table: UnsafeMutableRawPointer { first + EncryptedLayout.page }
    /// Copy of the entry (counters and authentication codes) of page 0.
    private var firstEntry: UnsafeMutableRawPointer { table + EncryptedLayout.page }
    /// Encrypted pages of the group that is being filled. A group is 64 consecutive pages of the
    /// database.
    private var ciphers: UnsafeMutableRawPointer { firstEntry + EncryptedLayout.page }
    /// Index of the page that is being filled. `filled` is the number of bytes in it.
    private var page = 0
    private var filled = 0
    /// Index of the first page that is not yet written.
    private var unwritten = 0

    private static let workSize = (4 + EncryptedLayout.group) * EncryptedLayout.page

    /// Prepares to write to the file `descriptor`, which must be empty. Throws `internal` if out of
    /// memory.
    init(_ descriptor: Int32, _ key: EncryptionKey, path: String) throws(RealmError) {
        self.descriptor = descriptor
        self.key = key
        self.path = path
        work = try ConfidentialMemory.make(Self.workSize, path)
    }

    deinit { ConfidentialMemory.free(work, Self.workSize) }

    /// Appends `count` bytes and writes them to the file.
    func append(_ bytes: UnsafeRawPointer, _ count: Int) throws(RealmError) {
        let size = EncryptedLayout.page
        var done = 0
        while done < count {
            let part = min(size - filled, count - done)
            (plain + filled).copyMemory(from: bytes + done, byteCount: part)
            filled += part
            done += part
            if filled == size { try endPage() }
        }
        if filled > 0 {
            memset(plain + filled, 0, size - filled)
            encrypt(plain, page)
        }
        try writeGroup(through: filled > 0 ? page : page - 1)
    }

    private func endPage() throws(RealmError) {
        encrypt(plain, page)
        if page == 0 {
            first.copyMemory(from: plain, byteCount: EncryptedLayout.page)
            firstEntry.copyMemory(from: table, byteCount: EncryptedLayout.entry)
        }
        page += 1
        filled = 0
        guard page % EncryptedLayout.group == 0 else { return }
        try writeGroup(through: page - 1)
        memset(table, 0, EncryptedLayout.page)
    }

    /// Encrypts a page of the group of 64 pages that is being filled, with the page's next counter.
    /// Stores the page's entry (counters and authentication codes) in `table`.
    private func encrypt(_ plain: UnsafeRawPointer, _ page: Int) {
        let place = page % EncryptedLayout.group
        seal(
            plain, page, to: ciphers + place * EncryptedLayout.page,
            table + place * EncryptedLayout.entry)
    }

    private func seal(
        _ plain: UnsafeRawPointer, _ page: Int, to cipher: UnsafeMutableRawPointer,
        _ entry: UnsafeMutableRawPointer
    ) {
        let before = entry + EncryptedLayout.half
        before.copyMemory(from: entry, byteCount: EncryptedLayout.half)
        repeat {
            let counter = EncryptedPages.counter(after: entry.load(as: UInt32.self))
            entry.storeBytes(of: counter, as: UInt32.self)
            key.encrypt(
                plain, to: cipher, EncryptedLayout.page, position: page * EncryptedLayout.page,
                counter: counter)
            key.authenticate(cipher, EncryptedLayout.page, into: entry + 4)
        } while EncryptionKey.isSameCode(entry + 4, before + 4)
    }

    /// Writes the pages from `unwritten` to `last`, which must belong to one group of 64 pages.
    /// Then writes the page with the entries of this group.
    private func writeGroup(through last: Int) throws(RealmError) {
        guard last >= unwritten else { return }
        let place = unwritten % EncryptedLayout.group
        try write(
            ciphers + place * EncryptedLayout.page, (last - unwritten + 1) * EncryptedLayout.page,
            at: EncryptedLayout.position(ofPage: unwritten))
        let group = last - last % EncryptedLayout.group
        try write(
            table, EncryptedLayout.page, at: EncryptedLayout.position(ofEntry: group))
        unwritten = page
    }

    /// Sets the final size of the file, for a database of `size` bytes.
    func finish(size: Int) throws(RealmError) {
        try setSize(descriptor, EncryptedLayout.fileSize(of: size), path: path)
    }

    /// Overwrites bytes of the first page. The whole page must have been appended before.
    func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        precondition(page > 0 && offset + bytes.count <= EncryptedLayout.page)
        (first + offset).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        seal(first, 0, to: ciphers, firstEntry)
        try write(ciphers, EncryptedLayout.page, at: EncryptedLayout.position(ofPage: 0))
        try write(firstEntry, EncryptedLayout.entry, at: EncryptedLayout.position(ofEntry: 0))
    }

    private func write(
        _ bytes: UnsafeRawPointer, _ count: Int, at position: Int
    ) throws(RealmError) {
        let whole = UnsafeRawBufferPointer(start: bytes, count: count)
        try writeWhole(descriptor, whole, at: position, path: path)
    }
}
