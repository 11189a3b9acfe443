extension Database {
    /// Options for opening a database in a session.
    public struct Options: Sendable {
        /// Whether commits wait until data and header are on disk, so that they survive a power
        /// failure. All participants of a session must use the same value.
        public var isDurable = true
        public var creation = Creation.never
        /// Maximum time to wait for other processes that are joining or leaving the session, or
        /// resizing the file.
        public var lockTimeout = LockTimeout.forever
        /// Whether to accept a file with several hard links. All programs must then use the same
        /// one of its names.
        var allowsOtherNames = false
        /// Key of an encrypted file; a new file is encrypted with it.
        public var key: EncryptionKey?

        public init() {}
    }

    /// Whether opening a database creates a missing file.
    public enum Creation: Sendable {
        case never
        case ifMissing
        /// Creates the file; an existing file is an error.
        case always
    }

    /// Opens the file at `path` as a participant of its session. If no process has it open, begins
    /// a session; creates the lock file if it is missing (storage format 6.4).
    ///
    /// Symbolic links are resolved first, so that all paths of a file join the same session.
    /// Opening a file again in the same process returns the same object. An empty file is treated
    /// as a missing database.
    ///
    /// Throws these errors, and the errors of reading a database:
    /// - `incompatible` for formats other than 24, for synchronised files, and for sessions with
    ///   other settings;
    /// - `key` if `key` does not fit the file, or differs from the key with which this process has
    ///   the file open;
    /// - `misuse` for a file with several hard links;
    /// - `busy` if another program has the file open by another hard link, or if the file was
    ///   replaced while this process had it open.
    public static func open(
        _ path: String, _ options: Options = Options()
    ) throws(RealmError) -> Database {
        do throws(RealmError) {
            let resolvedPath = DatabasePath(path)
            try resolvedPath.checkLinks()
            if options.creation != .always, let open = try OpenDatabases.find(resolvedPath) {
                try open.session?.checkAgreement(isDurable: options.isDurable)
                try DatabaseKey(options.key).checkAgreement(open.file)
                return open
            }
            return OpenDatabases.add(try Database(participating: resolvedPath, options))
        } catch { throw error.inFile(path) }
    }

    /// Opens the database for the exclusive use of the caller, as another participant of the
    /// session even if this process already is one. `open` never returns this handle to other
    /// callers.
    convenience init(
        participating resolvedPath: DatabasePath, _ options: Options
    ) throws(RealmError) {
        let key = DatabaseKey(options.key)
        // Checks the database file before any other file is created: if it is missing or cannot be
        // written by this engine, not even a lock file may be created.
        var known: MappedFile?
        if options.creation == .never
            || (options.creation == .ifMissing && FileIdentity(path: resolvedPath.path) != nil)
        {
            known = try Self.checkWritable(
                resolvedPath, key, createsDatabases: options.creation != .never)
        }
        if !options.allowsOtherNames { try resolvedPath.checkNames() }
        var mapped: MappedFile?
        let session = try Session(
            joining: resolvedPath, isDurable: options.isDurable, options.lockTimeout
        ) {
            (isInitiator) throws(RealmError) in
            // The file may have been replaced before this process joined the session. So it is
            // opened again, now as a member.
            let file = try FileDevice(resolvedPath, options.creation.ofFile)
            known = try known?.isStill(file) == true ? known : nil
            if isInitiator {
                known = try FilePreparation(
                    file, key, createsDatabases: options.creation != .never
                ).run(known)
            }
            mapped = if let known { known } else { try MappedFile(file, key) }
            return isInitiator ? try Session.Attachment(mapped!) : nil
        }
        try self.init(mapped!, session: session)
    }

    /// Best-effort description of the program that holds the write mutex.
    var writerName: String {
        let writers = ReaderTable.read(path).filter { $0.kind == .writer && !$0.isStale }
        if let writer = writers.first {
            let isOwn = writer.process == .current
            return isOwn ? "this program" : FileHolders.title(of: writer.process.pid)
        }
        let openers = FileHolders.names(participating: path)
        return openers.isEmpty ? "another program" : openers.joined(separator: ", ")
    }

    /// Throws unless the file may be written and has the format that this engine writes. Returns
    /// the mapped file, nil if the file is empty.
    ///
    /// - Parameter createsDatabases: whether an empty file is accepted, because a database will be
    ///   created in it.
    @discardableResult
    static func checkWritable(
        _ resolvedPath: DatabasePath, _ key: DatabaseKey = .none, createsDatabases: Bool = false
    ) throws(RealmError) -> MappedFile? {
        let mapped: MappedFile
        do throws(RealmError) { mapped = try MappedFile(resolvedPath, key) } catch {
            if error.reason == "empty", createsDatabases { return nil }
            if createsDatabases, isBeingCreated(resolvedPath, key, error) { return nil }
            throw error
        }
        do throws(RealmError) {
            _ = try mapped.whileUnchanged { (header, size) throws(RealmError) in
                try checkWritable(mapped, header, size)
            }
        } catch {
            if createsDatabases, isBeingCreated(resolvedPath, key, error) { return nil }
            // While a session is live, the header may be out of date: the version list selects the
            // newest version.
            guard error.isDamage, MappedLockFile.isLocked(resolvedPath.lock) else { throw error }
        }
        return mapped
    }

    /// Whether `error` means that another process is creating the database, or that its creation
    /// was interrupted.
    private static func isBeingCreated(
        _ resolvedPath: DatabasePath, _ key: DatabaseKey, _ error: RealmError
    ) -> Bool {
        if FilePreparation.isUnfinished(resolvedPath, key) { return true }
        return ["not-a-realm", "wrong-key"].contains(error.reason)
            && MappedLockFile.isLocked(resolvedPath.lock)
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
            // While a session is live, another engine may be making the first commit.
            if let resolvedPath = mapped.resolvedPath, MappedLockFile.isLocked(resolvedPath.lock) {
                return
            }
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
    /// Reads the version that the file's header selects.
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
