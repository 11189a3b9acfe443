/// An open file, mapped completely. Free to cross threads.
final class MappedFile: Sendable {
    /// The file's name in messages.
    let path: String
    /// Nil for a file without a name.
    let resolvedPath: DatabasePath?
    /// Number of bytes mapped when the file was opened; a writer maps more as the file grows. For
    /// an encrypted file, all offsets and sizes refer to the database in it.
    let size: Int
    /// Device and inode, equal for all names of the file.
    let identity: FileIdentity
    let mapping: Mapping
    /// Nil for a database held in memory.
    private let descriptor: OwnedDescriptor?
    /// Locked while more of the file is mapped.
    private let extending = LockedValue(())

    /// Opens and maps the file at `path`.
    convenience init(path: String, _ key: DatabaseKey = .none) throws(RealmError) {
        try self.init(DatabasePath(path), key)
    }

    convenience init(_ resolvedPath: DatabasePath, _ key: DatabaseKey = .none) throws(RealmError) {
        try self.init(File(reading: resolvedPath.path, as: resolvedPath.name), resolvedPath, key)
    }

    /// - Parameter resolvedPath: path of the file; nil for a file without a name.
    init(
        _ file: borrowing File, _ resolvedPath: DatabasePath? = nil, _ key: DatabaseKey = .none
    ) throws(RealmError) {
        let path = file.path
        let status = try file.status()
        try File.checkRegular(status, path)
        guard status.size > 0 else { throw Self.empty(path) }
        self.path = path
        self.resolvedPath = resolvedPath
        identity = status.identity
        let mapping = try Mapping(file.descriptor, size: status.size, path: path)
        self.mapping = try key.opened(mapping, path)
        size = self.mapping.mapped
        descriptor = try OwnedDescriptor(duplicating: file.descriptor, path: path)
    }

    /// Maps a file that is open for writing; its size must not be zero.
    ///
    /// - Parameter isNew: whether the file is still empty.
    init(
        _ device: FileDevice, _ key: DatabaseKey = .none, isNew: Bool = false
    ) throws(RealmError) {
        path = device.path
        resolvedPath = device.resolvedPath
        identity = device.identity
        let mapping = try Mapping(device.descriptor, size: device.size, path: device.path)
        self.mapping = try key.opened(mapping, device.path, isNew: isNew)
        size = self.mapping.mapped
        descriptor = try OwnedDescriptor(duplicating: device.descriptor, path: device.path)
    }

    /// Opens the file for writing; returns nil for a copy in memory.
    func device() throws(RealmError) -> FileDevice? {
        if let resolvedPath { return try FileDevice(resolvedPath) }
        return try descriptor.map { (open) throws(RealmError) in try FileDevice(open, path: path) }
    }

    /// Whether `device` is this file, still has the size it was mapped with, and is not encrypted:
    /// pages decrypted from an earlier state of the file cannot be kept.
    func isStill(_ device: FileDevice) throws(RealmError) -> Bool {
        guard mapping.pages == nil, size == device.size else { return false }
        return identity == device.identity
    }

    /// Maps the file up to `size` bytes if a version needs more than is mapped. Throws `corrupt` if
    /// the file is shorter.
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

    /// A database in memory: a copy of `bytes`, followed by addresses that fault. `path` is only
    /// for messages.
    init(
        copying bytes: UnsafeRawBufferPointer, path: String, _ key: DatabaseKey = .none
    ) throws(RealmError) {
        self.path = path
        resolvedPath = nil
        identity = FileIdentity(device: 0, inode: 0)
        let mapping = try Mapping(copying: bytes)
        self.mapping = try key.opened(mapping, path)
        size = self.mapping.mapped
        descriptor = nil
    }

    /// Throws `busy` if the file no longer has its name: what is written to it would be lost when
    /// it is closed, and other programs open another file by that name.
    func checkPath() throws(RealmError) {
        guard let resolvedPath, !resolvedPath.holds(identity) else { return }
        throw RealmError(
            .busy, code: "FileBusy", reason: "replaced",
            "the file was replaced or removed while this program had it open", file: path,
            hint: "open it again")
    }

    /// Calls `checkPath` if the file has no name left; costs a third of it. Does not detect a file
    /// that was renamed.
    func checkHasName() throws(RealmError) {
        guard resolvedPath != nil, let descriptor else { return }
        if try FileStatus(descriptor.number, path).names == 0 { try checkPath() }
    }

    /// Reads the file's current header. If two results are equal, no commit was made in between.
    func rawHeader() throws(RealmError) -> RawHeader {
        guard size >= RawHeader.size else {
            throw RealmError(
                .input, code: "InvalidDatabase", reason: "not-a-realm",
                "not a Realm file: it has only \(size) bytes", file: path)
        }
        return try mapping.pages?.header() ?? RawHeader(mapping.base, size: mapping.mapped)
    }

    /// Returns the checked header of the first `size` bytes.
    ///
    /// - Parameter slot: the header slot to use; nil for the selected one.
    func header(
        _ raw: RawHeader, size: Int, slot: Int? = nil
    ) throws(RealmError) -> FileHeader {
        let footer = FileHeader.footerSize
        if raw.top0 == FileHeader.streamingMark, size >= footer {
            try mapping.prepare(size - footer, footer)
        }
        return try FileHeader(raw, base: mapping.base, size: size, slot: slot)
    }

    /// Reads and checks the current header, for the size the file had when it was opened.
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

    /// Maps the file up to its current end and returns its size. A version selected by a header
    /// read before ends within that size.
    func extendToEnd() throws(RealmError) -> Int {
        if let descriptor { try extend(to: databaseSize(descriptor)) }
        return mapping.mapped
    }

    private func databaseSize(_ descriptor: OwnedDescriptor) throws(RealmError) -> Int {
        let size = try descriptor.size(path: path)
        return mapping.pages == nil ? size : EncryptedLayout.databaseSize(of: size)
    }

    /// Number of mapped bytes of the file itself, encrypted or not.
    var fileSize: Int { mapping.pages?.cipher.mapped ?? mapping.mapped }

    /// Calls `body` with the header and the number of mapped bytes, and returns its result if no
    /// commit has changed the header meanwhile, since a commit may reuse space that the header
    /// referenced. Retries a few times, then throws `busy`.
    ///
    /// - Parameter slot: chooses the header slot to use; nil for the selected one.
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
                // Bytes that are overwritten while they are read look like damage.
                if attempt == 16 { throw Self.changing(path) }
            }
            attempt += 1
        }
    }
}
