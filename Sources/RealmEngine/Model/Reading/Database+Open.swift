extension Database {
    /// How a database is opened as a participant.
    public struct Options: Sendable {
        /// Sync data and header so that a commit that returned survives a power failure. All
        /// participants of a session agree in this.
        public var isDurable = true
        public var creation = Creation.never
        /// How long to wait for others that are just joining, leaving or resizing the file.
        public var patience = LockTimeout.forever
        /// Take part although the file has several hard links: other programs must go by this name.
        var allowsOtherNames = false
        /// Of an encrypted file; a new file is encrypted with it.
        public var key: EncryptionKey?

        public init() {}
    }

    /// Whether opening a database may make its file.
    public enum Creation: Sendable {
        case never
        case ifMissing
        /// Refuses a file that exists.
        case always
    }

    /// Opens the file at `path` as a participant of its session, which begins if nobody has it open
    /// (storage format 6.4): the lock file is made when missing.
    ///
    /// Symbolic links are followed first, so the session is the same by whatever name. Whoever opens
    /// the same file again in this process gets the same object. A file of no bytes is a database
    /// that is missing.
    ///
    /// Throws `incompatible` for formats other than 24, for synchronised files and for sessions with
    /// other settings, `key` when the file, or who has it open here, goes by another, `misuse` for a
    /// file with several hard links, `busy` when another program has
    /// it open by a link of its own or the file was replaced while open here, and what reading a
    /// database throws.
    public static func open(
        _ path: String, _ options: Options = Options()
    ) throws(RealmError) -> Database {
        do throws(RealmError) {
            let place = DatabasePath(path)
            try place.checkLinks()
            if options.creation != .always, let open = try OpenDatabases.find(place) {
                try open.session?.checkAgreement(isDurable: options.isDurable)
                try DatabaseKey(options.key).checkAgreement(open.file)
                return open
            }
            return OpenDatabases.add(try Database(participating: place, options))
        } catch { throw error.inFile(path) }
    }

    /// A participant of its own, known to nobody else.
    convenience init(
        participating place: DatabasePath, _ options: Options
    ) throws(RealmError) {
        let key = DatabaseKey(options.key)
        // Nothing is created, not even a lock file, beside a file that is not there or not ours.
        var known: MappedFile?
        if options.creation == .never
            || (options.creation == .ifMissing && FileIdentity(path: place.path) != nil)
        {
            known = try Self.checkWritable(place, key, makesDatabases: options.creation != .never)
        }
        if !options.allowsOtherNames { try place.checkNames() }
        var mapped: MappedFile?
        let session = try Session(joining: place, isDurable: options.isDurable, options.patience) {
            (isInitiator) throws(RealmError) in
            // Opened here, since it may have been replaced until nobody had it open.
            let file = try FileDevice(place, options.creation.ofFile)
            known = try known?.isStill(file) == true ? known : nil
            if isInitiator {
                known = try FilePreparation(
                    file, key, makesDatabases: options.creation != .never
                ).run(known)
            }
            mapped = if let known { known } else { try MappedFile(file, key) }
            return isInitiator ? try Session.Attachment(mapped!) : nil
        }
        try self.init(mapped!, session: session)
    }

    /// Who has the writer's turn, as far as that can be known.
    var writerName: String {
        let writers = ReaderTable.read(path).filter { $0.kind == .writer && !$0.isStale }
        if let writer = writers.first {
            let isOwn = writer.process == .current
            return isOwn ? "this program" : FileHolders.title(of: writer.process.pid)
        }
        let openers = FileHolders.names(participating: path)
        return openers.isEmpty ? "another program" : openers.joined(separator: ", ")
    }

    /// Throws unless the file may be written and is one that this engine writes. Returns the file as
    /// it was looked at, nil when there is nothing in it.
    ///
    /// - Parameter makesDatabases: a file of no bytes becomes one when the session begins.
    @discardableResult
    static func checkWritable(
        _ place: DatabasePath, _ key: DatabaseKey = .none, makesDatabases: Bool = false
    ) throws(RealmError) -> MappedFile? {
        let mapped: MappedFile
        do throws(RealmError) { mapped = try MappedFile(place, key) } catch {
            if error.reason == "empty", makesDatabases { return nil }
            throw error
        }
        do throws(RealmError) {
            _ = try mapped.whileUnchanged { (header, size) throws(RealmError) in
                try checkWritable(mapped, header, size)
            }
        } catch {
            // The newest version of a session that goes on is in its list of versions.
            guard error.isDamage, LockFileMemory.isLocked(place.lock) else { throw error }
        }
        return mapped
    }

    private static func checkWritable(
        _ mapped: MappedFile, _ header: FileHeader, _ size: Int
    ) throws(RealmError) {
        let format = header.format
        guard format == FileFormat.current || format == 0 else {
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "file format \(format) is read but not written",
                hint: convertHint)
        }
        if header.top.isNone {
            // In a session that goes on, another engine's first commit may be under way.
            if let place = mapped.place, LockFileMemory.isLocked(place.lock) { return }
            if !header.isStreaming {
                try LostHeader(mapped.mapping, mapped.rawHeader(), size: size).check()
            }
            return
        }
        let memory = ReadContext(mapped.mapping, limit: UInt64(size))
        let top = try TopArray(memory.lookup, header.top, fileSize: size)
        guard top.historyType == 0 || top.historyType == 2 else { throw Session.synced }
    }
}

extension Database.Creation {
    var ofFile: FileDevice.Creation {
        switch self {
        case .never: .never
        case .ifMissing: .ifMissing
        case .always: .always
        }
    }
}

extension Session.Attachment {
    /// What the file says as it is.
    init(_ mapped: MappedFile) throws(RealmError) {
        self = try mapped.whileUnchanged { (header, size) throws(RealmError) in
            let state = try VersionState.read(
                mapped.mapping, size: size, format: header.format, top: header.top)
            return Session.Attachment(
                version: state.version, top: header.top, logicalSize: state.limit,
                historyType: state.top?.historyType ?? 0)
        }.result
    }
}
