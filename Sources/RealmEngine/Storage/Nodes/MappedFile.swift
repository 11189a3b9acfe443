/// A file opened and mapped whole. Free to cross threads.
final class MappedFile: Sendable {
    /// For messages.
    let path: String
    /// Nil for what has no name.
    let place: DatabasePath?
    /// Bytes mapped when the file was opened; a writer maps more as the file grows. Like all offsets
    /// and sizes those of the database, where the file is encrypted.
    let size: Int
    /// What all names of the file share.
    let identity: FileIdentity
    let mapping: Mapping
    /// Nil for a database held in memory.
    private let descriptor: OwnedDescriptor?
    /// Held to map more of the file.
    private let extending = LockedValue(())

    /// Opens and maps the file at `path`.
    convenience init(path: String, _ key: DatabaseKey = .none) throws(RealmError) {
        try self.init(DatabasePath(path), key)
    }

    convenience init(_ place: DatabasePath, _ key: DatabaseKey = .none) throws(RealmError) {
        try self.init(File(reading: place.path, as: place.name), place, key)
    }

    /// - Parameter place: where the file is; nil for one without a name.
    init(
        _ file: borrowing File, _ place: DatabasePath? = nil, _ key: DatabaseKey = .none
    ) throws(RealmError) {
        let path = file.path
        let status = try file.status()
        try File.checkRegular(status, path)
        guard status.size > 0 else { throw Self.empty(path) }
        self.path = path
        self.place = place
        identity = status.identity
        let mapping = try Mapping(file.descriptor, size: status.size, path: path)
        self.mapping = try key.opened(mapping, path)
        size = self.mapping.mapped
        descriptor = try OwnedDescriptor(duplicating: file.descriptor, path: path)
    }

    /// Maps a file that is open for writing; its size must not be zero.
    ///
    /// - Parameter isNew: nothing is in it yet.
    init(
        _ device: FileDevice, _ key: DatabaseKey = .none, isNew: Bool = false
    ) throws(RealmError) {
        path = device.path
        place = device.place
        identity = device.identity
        let mapping = try Mapping(device.descriptor, size: device.size, path: device.path)
        self.mapping = try key.opened(mapping, device.path, isNew: isNew)
        size = self.mapping.mapped
        descriptor = try OwnedDescriptor(duplicating: device.descriptor, path: device.path)
    }

    /// The file, open to be written; nil for a copy in memory.
    func device() throws(RealmError) -> FileDevice? {
        if let place { return try FileDevice(place) }
        return try descriptor.map { (open) throws(RealmError) in try FileDevice(open, path: path) }
    }

    /// Whether `device` is this file, of the size it was mapped with and in the clear: what was
    /// decrypted of another state of it is not kept.
    func isStill(_ device: FileDevice) throws(RealmError) -> Bool {
        guard mapping.pages == nil, size == device.size else { return false }
        return identity == device.identity
    }

    /// Maps the file as far as `size` bytes, when a version needs more than is mapped.
    func extend(to size: Int) throws(RealmError) {
        guard let descriptor else { return }
        try extending.withLock { _ throws(RealmError) in
            if size <= mapping.mapped { return }
            guard try databaseSize(descriptor) >= size else {
                throw .corrupt(
                    "a version reaches to \(size) bytes, beyond the end of the file", in: "file")
            }
            try mapping.extend(descriptor.number, to: size, path: path)
        }
    }

    /// A database held in memory instead of a file: a copy of `bytes`, closed off by addresses that
    /// fault. `path` only names it in messages.
    init(
        copying bytes: UnsafeRawBufferPointer, path: String, _ key: DatabaseKey = .none
    ) throws(RealmError) {
        self.path = path
        place = nil
        identity = FileIdentity(device: 0, inode: 0)
        let mapping = try Mapping(copying: bytes)
        self.mapping = try key.opened(mapping, path)
        size = self.mapping.mapped
        descriptor = nil
    }

    /// Throws `busy` when the file does not have its name any more: what is written to it is lost
    /// when it is closed, and who opens the name finds another one.
    func checkPlace() throws(RealmError) {
        guard let place, !place.holds(identity) else { return }
        throw RealmError(
            .busy, code: "FileBusy", reason: "replaced",
            "the file was replaced or removed while this program had it open", file: path,
            hint: "open it again")
    }

    /// As `checkPlace`, at a third of its cost, for a file that has no name left. It does not notice
    /// that the file was moved.
    func checkHasName() throws(RealmError) {
        guard place != nil, let descriptor else { return }
        if try FileStatus(descriptor.number, path).names == 0 { try checkPlace() }
    }

    /// The header as it is now; compare two to learn whether a commit landed.
    func rawHeader() throws(RealmError) -> RawHeader {
        guard size >= RawHeader.size else {
            throw RealmError(
                .input, code: "InvalidDatabase", reason: "not-a-realm",
                "not a Realm file: it has only \(size) bytes", file: path)
        }
        return try mapping.pages?.header() ?? RawHeader(mapping.base, size: mapping.mapped)
    }

    /// The header of the first `size` bytes, checked.
    ///
    /// - Parameter slot: the slot to follow; nil for the selected one.
    func header(
        _ raw: RawHeader, size: Int, slot: Int? = nil
    ) throws(RealmError) -> FileHeader {
        let footer = FileHeader.footerSize
        if raw.top0 == FileHeader.streamingMark, size >= footer {
            try mapping.prepare(size - footer, footer)
        }
        return try FileHeader(raw, base: mapping.base, size: size, slot: slot)
    }

    /// The header as the file was opened.
    func header() throws(RealmError) -> FileHeader { try header(try rawHeader(), size: size) }

    static func empty(_ path: String) -> RealmError {
        RealmError(
            .input, code: "InvalidDatabase", reason: "empty", "the file is empty", file: path)
    }

    static func changing(_ path: String) -> RealmError {
        RealmError(
            .busy, code: "DatabaseChanged", reason: "changed-while-reading",
            "the database changes faster than it can be read", file: path, hint: "try again")
    }

    /// Maps the file as far as it reaches by now and returns that. Whatever a header read before
    /// selects lies within.
    func extendToEnd() throws(RealmError) -> Int {
        if let descriptor { try extend(to: databaseSize(descriptor)) }
        return mapping.mapped
    }

    private func databaseSize(_ descriptor: OwnedDescriptor) throws(RealmError) -> Int {
        let size = try descriptor.size(path: path)
        return mapping.pages == nil ? size : EncryptedLayout.databaseSize(of: size)
    }

    /// Bytes of the file itself, as far as it is mapped.
    var fileSize: Int { mapping.pages?.cipher.mapped ?? mapping.mapped }

    /// What `body` makes of the header and `size` mapped bytes, while no commit changes the header
    /// and reuses what it led to before: done again when one did, a few times.
    ///
    /// - Parameter slot: chooses the slot to follow; nil for the selected one.
    func whileUnchanged<R>(
        slot: (RawHeader) throws(RealmError) -> Int? = { _ in nil },
        _ body: (FileHeader, _ size: Int) throws(RealmError) -> R
    ) throws(RealmError) -> (raw: RawHeader, header: FileHeader, result: R) {
        var attempt = 1
        while true {
            let raw = try rawHeader()
            do throws(RealmError) {
                let size = try extendToEnd()
                let header = try header(raw, size: size, slot: slot(raw))
                let result = try body(header, size)
                if try rawHeader() == raw || attempt == 16 { return (raw, header, result) }
            } catch {
                if try rawHeader() == raw { throw error }
                // Bytes overwritten while they were read look like damage.
                if attempt == 16 { throw Self.changing(path) }
            }
            attempt += 1
        }
    }
}
