/// Preparation of a file by the first participant of a session, before any other access (storage
/// format 1.3 to 1.5). Writes the header and root of a new file, converts a streamed file, and
/// corrects the size of the file.
struct FilePreparation {
    private let file: FileDevice
    private let key: DatabaseKey
    /// Whether to create a database in an empty file.
    private let createsDatabases: Bool
    private static let page = 4096
    /// Size of a new encrypted file. A new plain file is smaller: one page.
    private static let encryptedSize = EncryptedLayout.fileSize(of: page)

    init(_ file: FileDevice, _ key: DatabaseKey = .none, createsDatabases: Bool = false) {
        self.file = file
        self.key = key
        self.createsDatabases = createsDatabases
    }

    /// Creates the first version in an empty file if `createsDatabases` is true. Then converts a
    /// streamed file, writes a root if there is none, and corrects the size of the file.
    ///
    /// - Parameter known: a mapping of the file; nil to map it.
    /// - Returns: the mapping; nil if the file has changed and must be mapped again.
    func run(_ known: MappedFile? = nil) throws(RealmError) -> MappedFile? {
        if try isUnfinished(known) {
            guard createsDatabases else { throw MappedFile.empty(file.path) }
            try initialize()
        }
        let mapped = if let known { known } else { try MappedFile(file, key) }
        try prepare(mapped)
        return try mapped.isStill(file) ? mapped : nil
    }

    private func isUnfinished(_ known: MappedFile?) throws(RealmError) -> Bool {
        if file.size == 0 { return true }
        guard createsDatabases, known == nil, file.size <= Self.encryptedSize else {
            return false
        }
        return Self.isUnfinished(try MappedFile(file, .unknown), key)
    }

    private func prepare(_ mapped: MappedFile) throws(RealmError) {
        let header = try mapped.header()
        // A file of another format is not changed.
        guard header.format == FileFormat.current || (header.format == 0 && header.top.isNone)
        else { return }
        let state = try VersionState.read(
            mapped.mapping, size: mapped.size, format: header.format, top: header.top)
        if let type = state.top?.historyType, type != 0, type != 2 { return }
        let device = device(mapped)
        if header.isStreaming { try convert(header, device) }
        if header.top.isNone { return try giveRoot(mapped, device) }
        try resize(mapped, header, logical: Int(state.limit))
    }

    /// Device for writing to the file. It encrypts the written bytes if the file is encrypted.
    private func device(_ mapped: MappedFile) -> any StorageDevice {
        mapped.mapping.pages == nil ? file : EncryptedDevice(file, mapped, nil)
    }

    private func initialize() throws(RealmError) {
        // First makes the file's name durable by a sync of its directory. Commits to a file that
        // has a header are reported as durable, so the name must be durable before the header.
        if let path = file.resolvedPath?.path { try syncDirectory(of: path, for: file.path) }
        var device: any StorageDevice = file
        if case .given = key {
            try file.grow(to: EncryptedLayout.fileSize(of: Self.page))
            // Clears the entry of page 0, which an interrupted creation may have written: the page
            // does not exist, but the entry would describe it.
            try write([UInt8](repeating: 0, count: EncryptedLayout.entry), at: 0, file)
            device = self.device(try MappedFile(file, key, isNew: true))
        }
        // Writes the header first. Another process that opens the file now, or after this process
        // has died, finds either an empty file or one with a header.
        try write(FirstVersion.bytes(slot: 0), at: 0, device)
        try device.grow(to: Self.page)
        try device.sync()
    }

    /// Writes a root to an empty database that another engine created.
    ///
    /// Throws `corrupt` if the header selects no root although the file contains nodes.
    private func giveRoot(
        _ mapped: MappedFile, _ device: any StorageDevice
    ) throws(RealmError) {
        let raw = try mapped.rawHeader()
        try LostHeader(mapped.mapping, raw, size: mapped.size).check()
        try device.grow(to: Self.page)
        try write(FirstVersion.bytes(slot: raw.selected, top0: raw.top0), at: 0, device)
        try device.sync()
    }

    /// Converts a streamed file: copies the ref of the root from the footer to header slot 1, then
    /// sets the select bit.
    private func convert(
        _ header: FileHeader, _ device: any StorageDevice
    ) throws(RealmError) {
        var top = header.top.raw
        let result = withUnsafeBytes(of: &top) { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try device.write(bytes, at: RawHeader.topOffset(1)) }
        }
        try result.get()
        try write([UInt8(header.format)], at: RawHeader.formatOffset(1), device)
        try device.sync()
        try write([1], at: RawHeader.flagsOffset, device)
        try device.sync()
    }

    private func resize(
        _ mapped: MappedFile, _ header: FileHeader, logical: Int
    ) throws(RealmError) {
        let aligned = (logical + Self.page - 1) / Self.page * Self.page
        let isEncrypted = mapped.mapping.pages != nil
        let wanted = isEncrypted ? EncryptedLayout.fileSize(of: aligned) : aligned
        if file.size == wanted { return }
        if file.size > wanted {
            try file.truncate(to: wanted)
        } else {
            try file.grow(to: wanted)
        }
        try file.sync()
    }

    private func write(
        _ bytes: [UInt8], at offset: Int, _ device: any StorageDevice
    ) throws(RealmError) {
        let result = bytes.withUnsafeBytes { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try device.write(bytes, at: offset) }
        }
        try result.get()
    }
}

extension FilePreparation {
    /// Whether the creation of the database was interrupted before its header was in the file.
    ///
    /// Such a file is no larger than a new one. It contains either only zeros (after the entry of
    /// page 0, if the file is to be encrypted), or only a part of the first version's bytes.
    static func isUnfinished(_ resolvedPath: DatabasePath, _ key: DatabaseKey) -> Bool {
        guard let raw = try? MappedFile(resolvedPath, .unknown) else { return false }
        return isUnfinished(raw, key)
    }

    /// - Parameter raw: a mapping of the file without decryption.
    private static func isUnfinished(_ raw: MappedFile, _ key: DatabaseKey) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: raw.mapping.base, count: raw.size)
        if case .given = key {
            let start = raw.size > EncryptedLayout.entry ? EncryptedLayout.entry : 0
            return raw.size <= encryptedSize && isZero(bytes.dropFirst(start))
        }
        return raw.size <= page && isZero(bytes[...]) || FirstVersion.isPartial(bytes)
    }

    private static func isZero(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        bytes.allSatisfy { $0 == 0 }
    }
}
