/// Where a writer's bytes go in an encrypted file: into the plain pages, and with `flush` or `sync`
/// from there, encrypted, into the file.
///
/// The order is what makes a crash harmless. An entry keeps the code of the write before, so a page
/// that was not replaced yet is good whether its entry was or not; but a page that reached the disk
/// before its entry is lost, with all that lies beside the new nodes. So entries of pages that held
/// something are durable before the pages are written, pages before their entries change again, and
/// the header's page comes last. Confined to the writer.
final class EncryptedDevice: StorageDevice {
    private let device: any StorageDevice
    /// Kept for the addresses the pages are at.
    private let file: MappedFile
    private let pages: EncryptedPages
    /// Told that pages are being written; nil where nobody reads.
    private let lockFile: LockFile?
    /// Pages changed and not written yet.
    private var dirty: Set<Int> = []
    /// The header's page as it is to be written: its entry is in the file already.
    private var header: EncryptedBatch?
    /// With pages in the file whose entries tell what was there before, too.
    private var unconfirmed: [EncryptedBatch] = []
    private let isDurable: Bool
    /// Nothing was written since the last sync.
    private var isSynced = false

    /// Pages that wait to be written, at most: as much memory is taken again to encrypt them.
    var mostDirty = 2048

    /// Writes the database in `file`, which is encrypted, through `device`; what is flushed because it
    /// is too much is synced only if `isDurable`.
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
            if dirty.count >= mostDirty { try flushAhead() }
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

    /// Makes everything durable but the page of the header, of which only the entry: after that one
    /// page decides.
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

    /// What is flushed before its transaction ends may be written once more by it, or by the next one:
    /// an entry tells of two writes, and the last of them must not be the only one on the disk by then.
    private func flushAhead() throws(RealmError) {
        if isDurable { try syncData() } else { try flushData(isDurable: false) }
        try confirm()
    }

    /// Has the entries tell of nothing but the pages in the file.
    ///
    /// A process of the reference that read an entry of ours and then the page as it was keeps both,
    /// and looks at the page again only when the entry has changed. So the entries change once more
    /// before the version is told of.
    private func confirm() throws(RealmError) {
        if !unconfirmed.isEmpty { isSynced = false }
        for batch in unconfirmed { try batch.confirm(to: device) }
        unconfirmed = []
    }

    private func flushData(isDurable: Bool) throws(RealmError) {
        if dirty.isEmpty || (header != nil && dirty.count == 1) { return }
        // Not after a page of those was written again.
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

/// Pages encrypted to be written, and their entries. That of the header is written last, for itself.
final class EncryptedBatch {
    /// In the order of their places.
    private let list: [Int]
    private let pages: EncryptedPages
    private let ciphers: ByteBufferBox
    private let entries: ByteBufferBox
    /// Places in the list of the pages that were written and are not confirmed.
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

    /// Some pages but the header's held something that a crash must not lose.
    var replaces: Bool { data.contains { pages.isWritten(list[$0]) } }

    func writeEntries(to device: any StorageDevice) throws(RealmError) {
        try write(
            list.indices, entries.bytes, EncryptedLayout.entry,
            EncryptedLayout.position(ofEntry:), device)
    }

    /// All but the header's.
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
        // The file holds them now.
        for i in part {
            pages.settle(list[i], entries.bytes.baseAddress! + i * EncryptedLayout.entry)
        }
    }

    /// Writes the entries of pages that are in the file once more: both halves tell of those.
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

    /// What is next to each other in the file with one call.
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
