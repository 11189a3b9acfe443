/// The device of a writer in an encrypted file: `write` changes decrypted pages, `flush` and `sync`
/// encrypt them and write them to the file.
///
/// Each page has an entry with the authentication codes of its last two writes, so the old page and
/// the new page both authenticate with the new entry. But a new page does not authenticate with the
/// old entry: if a crash keeps the page and loses the entry, all content of the page is lost.
/// Therefore entries of pages with content are made durable before the pages are written. The pages
/// are made durable before their entries change again. Page 0, which contains the file header, is
/// written last. Confined to the writer.
final class EncryptedDevice: StorageDevice {
    private let device: any StorageDevice
    /// The encrypted file, retained to keep the pages mapped.
    private let file: MappedFile
    private let pages: EncryptedPages
    /// Lock file in which page writes are announced to readers; nil if there are no readers.
    private let lockFile: LockFile?
    /// Indices of pages that were changed and not yet written.
    private var dirty: Set<Int> = []
    /// The batch (set of pages written together) that contains page 0, with the file header. Set
    /// after the entry of page 0 (counters and authentication codes) was written, and until page 0
    /// itself is written; nil at all other times.
    private var header: EncryptedBatch?
    /// Batches of pages that were written to the file and that `confirm` has not processed yet. The
    /// entry of a page has the authentication codes of two writes. In these entries, one of them is
    /// still the code of the page's previous content.
    private var unconfirmed: [EncryptedBatch] = []
    private let isDurable: Bool
    /// Whether nothing was written to the file since its last sync.
    private var isSynced = false

    /// Maximum number of changed pages before they are flushed. Encrypting them takes as much
    /// memory again.
    var maximumDirtyPages = 2048

    /// Writes the encrypted database in `file` through `device`. If more pages than
    /// `maximumDirtyPages` are changed, they are flushed early; that flush is synced only if
    /// `isDurable`.
    init(
        _ device: any StorageDevice, _ file: MappedFile, _ lockFile: LockFile?,
        isDurable: Bool = true
    ) {
        self.isDurable = isDurable
        self.device = device
        self.file = file
        self.lockFile = lockFile
        pages = file.mapping.pages!
    }

    deinit { abandon() }

    var size: Int { EncryptedLayout.databaseSize(of: device.size) }

    func grow(to size: Int) throws(RealmError) {
        isSynced = false
        try device.grow(to: EncryptedLayout.fileSize(of: size))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        let size = EncryptedLayout.page
        var done = 0
        while done < bytes.count {
            let page = (offset + done) / size
            let count = min(bytes.count - done, (page + 1) * size - offset - done)
            try pages.stage(page, isWhole: count == size)
            dirty.insert(page)
            if page == 0 { header = nil }
            (pages.plain + offset + done).copyMemory(
                from: bytes.baseAddress! + done, byteCount: count)
            done += count
            if dirty.count >= maximumDirtyPages { try flushAhead() }
        }
    }

    func sync() throws(RealmError) {
        try syncData()
        if dirty.contains(0) {
            try flushHeader()
            try syncFile()
        }
        try confirm()
    }

    /// Makes all changed pages durable except page 0, which contains the file header. Writes the
    /// entry of page 0 (its counters and authentication codes), but not page 0 itself. Afterwards,
    /// the commit only has to write page 0.
    func syncData() throws(RealmError) {
        try flushData(isDurable: true)
        try syncFile()
    }

    private func syncFile() throws(RealmError) {
        if isSynced { return }
        try device.sync()
        isSynced = true
    }

    func flush() throws(RealmError) {
        try flushData(isDurable: false)
        if dirty.contains(0) { try flushHeader() }
        try confirm()
    }

    func abandon() {
        for page in dirty { pages.forget(page) }
        dirty = []
        header = nil
        unconfirmed = []
    }

    /// Flushes pages before the transaction ends. The transaction may change and write these pages
    /// again, but the entry of a page only has room for the authentication codes of two writes.
    /// Therefore stores the code of this write in both halves of the entries.
    private func flushAhead() throws(RealmError) {
        if isDurable { try syncData() } else { try flushData(isDurable: false) }
        try confirm()
    }

    /// Rewrites the entries of pages that were written, so that both halves of each entry contain
    /// the authentication code of the page in the file. Before, the second half still describes the
    /// page's previous content.
    ///
    /// A process that uses the reference engine may have read the new entry of a page together with
    /// the old page. It caches the entry and the page, and reads the page again only when the entry
    /// changes. So each entry must change once more before the new version is announced.
    private func confirm() throws(RealmError) {
        if !unconfirmed.isEmpty { isSynced = false }
        for batch in unconfirmed { try batch.confirm(to: device) }
        unconfirmed = []
    }

    private func flushData(isDurable: Bool) throws(RealmError) {
        if dirty.isEmpty || (header != nil && dirty.count == 1) { return }
        // A page can be written again only after both halves of its entry describe the last write,
        // which `confirm` stores for the earlier batches.
        try confirm()
        let batch = EncryptedBatch(dirty.sorted(), pages)
        isSynced = false
        lockFile?.beginPages(at: dirty.min()! * EncryptedLayout.page)
        defer { lockFile?.endPages() }
        try batch.writeEntries(to: device)
        if isDurable, batch.replaces { try device.sync() }
        try batch.writePages(to: device)
        unconfirmed.append(batch)
        dirty = batch.hasHeader ? [0] : []
        header = batch.hasHeader ? batch : nil
    }

    private func flushHeader() throws(RealmError) {
        guard let header else { return }
        isSynced = false
        lockFile?.beginPages(at: 0)
        defer { lockFile?.endPages() }
        try header.writeHeader(to: device)
        if unconfirmed.last !== header { unconfirmed.append(header) }
        dirty = []
        self.header = nil
    }
}

/// A set of encrypted pages that are written together, each with its entry (counters and
/// authentication codes). Page 0, with the file header, is written separately, after the others.
final class EncryptedBatch {
    /// Indexes of the pages to write, in ascending order.
    private let list: [Int]
    private let pages: EncryptedPages
    private let ciphers: ByteBufferBox
    private let entries: ByteBufferBox
    /// Range of indexes in `list` of pages that were written and not yet confirmed: only one half
    /// of their entries contains the authentication code of the write. `confirm` stores the code in
    /// the other half, too.
    private var written = 0..<0

    init(_ list: [Int], _ pages: EncryptedPages) {
        self.list = list
        self.pages = pages
        let (size, entrySize) = (
            list.count * EncryptedLayout.page, list.count * EncryptedLayout.entry
        )
        ciphers = ByteBufferBox(capacity: size)
        entries = ByteBufferBox(capacity: entrySize)
        pages.encrypt(list, to: ciphers.reserve(size), entries: entries.reserve(entrySize))
        ciphers.advance(by: size)
        entries.advance(by: entrySize)
    }

    var hasHeader: Bool { list.first == 0 }

    private var data: Range<Int> { (hasHeader ? 1 : 0)..<list.count }

    /// Whether any page in `list`, except page 0 with the file header, was written before. After a
    /// crash, the old content of such a page must still be readable.
    var replaces: Bool { data.contains { pages.isWritten(list[$0]) } }

    func writeEntries(to device: any StorageDevice) throws(RealmError) {
        try write(
            list.indices, entries.bytes, EncryptedLayout.entry,
            EncryptedLayout.position(ofEntry:), device)
    }

    /// Writes all pages of the batch, except page 0 with the file header.
    func writePages(to device: any StorageDevice) throws(RealmError) {
        try writePages(data, device)
        written = data
    }

    func writeHeader(to device: any StorageDevice) throws(RealmError) {
        try writePages(0..<1, device)
        written = 0..<max(1, written.upperBound)
    }

    private func writePages(
        _ part: Range<Int>, _ device: any StorageDevice
    ) throws(RealmError) {
        try write(
            part, ciphers.bytes, EncryptedLayout.page, EncryptedLayout.position(ofPage:), device)
        // The file now contains these pages.
        for i in part {
            pages.markWritten(list[i], entries.bytes.baseAddress! + i * EncryptedLayout.entry)
        }
    }

    /// Rewrites the entries of the pages that were written. Copies the first half of each entry,
    /// with the counter and authentication code of the last write, to the second half.
    func confirm(to device: any StorageDevice) throws(RealmError) {
        let confirmed = ByteBufferBox(capacity: entries.count)
        for i in list.indices {
            let latest = entries.bytes.baseAddress! + i * EncryptedLayout.entry
            for _ in 0..<2 { confirmed.append(latest, EncryptedLayout.half) }
        }
        try write(
            written, confirmed.bytes, EncryptedLayout.entry,
            EncryptedLayout.position(ofEntry:), device)
        written = 0..<0
    }

    /// Writes an item of `size` bytes for each page in `list[part]`, at the offset `position(page)`
    /// in the file. Item `i` begins at byte `i * size` of `bytes`. Items that are adjacent in the
    /// file are written with one call.
    private func write(
        _ part: Range<Int>, _ bytes: UnsafeRawBufferPointer, _ size: Int,
        _ position: (Int) -> Int, _ device: any StorageDevice
    ) throws(RealmError) {
        var first = part.lowerBound
        while first < part.upperBound {
            var end = first + 1
            let start = position(list[first])
            while end < part.upperBound, position(list[end]) == start + (end - first) * size {
                end += 1
            }
            try device.write(
                UnsafeRawBufferPointer(rebasing: bytes[(first * size)..<(end * size)]), at: start)
            first = end
        }
    }
}
