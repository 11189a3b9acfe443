/// An open file, mapped completely. Free to cross threads.
final class MappedFile: Sendable {
    /// Name of the file for error messages.
    let path: String
    /// Path of the file; nil for a file without a name.
    let resolvedPath: DatabasePath?
    /// Number of bytes that were mapped when the file was opened; a writer maps more as the file
    /// grows. For an encrypted file, all offsets and sizes refer to the decrypted database.
    let size: Int
    /// Device and inode, equal for all names of the file.
    let identity: FileIdentity
    let mapping: Mapping
    /// The open file; nil for a database in memory.
    private let descriptor: OwnedDescriptor?
    /// Mutex that a thread holds while it maps more of the file.
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
    /// - Parameter isNew: whether nothing has been written to the file yet.
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

    /// Whether `device` is the same file, of the same size, and not encrypted, so that the mapping
    /// can still be used. Decrypted pages may be out of date, so an encrypted file is always mapped
    /// again.
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

    /// Makes a database in memory from a copy of `bytes`. Reading past the copy faults. `path` is
    /// only for error messages.
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

    /// Throws `busy` if the path now names another file or none. Commits to this file would be lost
    /// when it is closed, and other programs would open the other file.
    func checkPath() throws(RealmError) {
        guard let resolvedPath, !resolvedPath.holds(identity) else { return }
        throw RealmError(
            .busy, code: "FileBusy", reason: "replaced",
            "the file was replaced or removed while this program had it open", file: path,
            hint: "open it again")
    }

    /// Calls `checkPath` if the file has no name left; takes a third of the time of `checkPath`.
    /// Does not detect a renamed file.
    func checkHasName() throws(RealmError) {
        guard resolvedPath != nil, let descriptor else { return }
        if try FileStatus(descriptor.number, path).names == 0 { try checkPath() }
    }

    /// Reads the current header of the file. Two equal results prove that no commit was made
    /// between the two calls.
    func rawHeader() throws(RealmError) -> RawHeader {
        guard size >= RawHeader.size else {
            throw RealmError(
                .input, code: "InvalidDatabase", reason: "not-a-realm",
                "not a Realm file: it has only \(size) bytes", file: path)
        }
        return try mapping.pages?.header() ?? RawHeader(mapping.base, size: mapping.mapped)
    }

    /// Checks `raw` as the header of a database of `size` bytes.
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

    /// Reads and checks the current header. The version must end within the size that the file had
    /// when it was opened.
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

    /// Maps the file up to its current end and returns its size in bytes. A version that was
    /// selected by a header read before this call ends within that size.
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

    /// Calls `body` with the header and the number of mapped bytes; returns its result if no commit
    /// has changed the header meanwhile. Otherwise the commit may have reused space of the version
    /// that `body` read. Retries a few times, then throws `busy`.
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
                // If a commit overwrites the bytes that `body` reads, they may look damaged.
                if attempt == 16 { throw Self.changing(path) }
            }
            attempt += 1
        }
    }
}
