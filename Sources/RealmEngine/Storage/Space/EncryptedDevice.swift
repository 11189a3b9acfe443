/// The device of a writer in an encrypted file: `write` changes decrypted pages, `flush` and `sync`
/// encrypt them and write them to the file.
///
/// The order of writes makes a crash harmless. An entry keeps the code of the previous write, so a
/// page that is not replaced yet authenticates with the old entry and with the new one. But a page
/// that reaches the disk before its entry is lost, including everything on it except the new nodes.
/// So entries of pages with content are durable before the pages are written, pages before their
/// entries change again, and the header's page comes last. Confined to the writer.
final class EncryptedDevice: StorageDevice {
    private let device: any StorageDevice
    /// Keeps the pages mapped.
    private let file: MappedFile
    private let pages: EncryptedPages
    /// The lock file in which page writes are announced; nil if there are no readers.
    private let lockFile: LockFile?
    /// Pages that were changed and are not written yet.
    private var dirty: Set<Int> = []
    /// Batch with the header's page, which is not written yet although its entry is.
    private var header: EncryptedBatch?
    /// Batches of written pages whose entries still contain the code of the previous write.
    private var unconfirmed: [EncryptedBatch] = []
    private let isDurable: Bool
    /// Whether nothing was written since the last sync.
    private var isSynced = false

    /// Maximum number of unwritten pages. Encrypting them takes as much memory again.
    var maximumDirtyPages = 2048

    /// Writes the database in `file`, which is encrypted, through `device`. Pages that are flushed
    /// early, because there are too many, are synced only if `isDurable`.
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

    /// Makes all pages durable except the header's page, of which only the entry is: afterwards,
    /// writing that one page commits.
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

    /// Flushes pages before the transaction ends. The same pages may be written again later: an
    /// entry has the codes of two writes, so the entries are confirmed before.
    private func flushAhead() throws(RealmError) {
        if isDurable { try syncData() } else { try flushData(isDurable: false) }
        try confirm()
    }

    /// Rewrites the entries of written pages so that both halves have the code of the page in the
    /// file.
    ///
    /// A process of the reference that read a new entry with the old page caches both, and reads
    /// the page again only when its entry changes. So entries change once more before the new
    /// version is announced.
    private func confirm() throws(RealmError) {
        if !unconfirmed.isEmpty { isSynced = false }
        for batch in unconfirmed { try batch.confirm(to: device) }
        unconfirmed = []
    }

    private func flushData(isDurable: Bool) throws(RealmError) {
        if dirty.isEmpty || (header != nil && dirty.count == 1) { return }
        // Confirms before a page of an earlier batch is written again.
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

/// Encrypted pages with their entries. The header's page is written last, separately.
final class EncryptedBatch {
    /// Page indices, ascending.
    private let list: [Int]
    private let pages: EncryptedPages
    private let ciphers: ByteBufferBox
    private let entries: ByteBufferBox
    /// Positions in `list` of pages that were written and not confirmed.
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

    /// Whether pages other than the header's replace content that a crash must not lose.
    var replaces: Bool { data.contains { pages.isWritten(list[$0]) } }

    func writeEntries(to device: any StorageDevice) throws(RealmError) {
        try write(
            list.indices, entries.bytes, EncryptedLayout.entry,
            EncryptedLayout.position(ofEntry:), device)
    }

    /// Writes all pages but the header's.
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
        // The file now holds the pages.
        for i in part {
            pages.markWritten(list[i], entries.bytes.baseAddress! + i * EncryptedLayout.entry)
        }
    }

    /// Rewrites the entries of written pages with the new code in both halves.
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

    /// Writes adjacent bytes of the file with one call.
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
