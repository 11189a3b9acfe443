/// A database that is open for writing; a participant of its session.
///
/// Several processes and handles may write to a database; the write mutex serialises their
/// transactions. A write session has at most one transaction, which begins and ends on one thread.
/// Meanwhile, other threads may use snapshots of `database`.
public final class WriteSession {
    public let database: Database
    let options: Options
    let device: any StorageDevice
    /// The file as opened for writing, which also counts the writes; nil for a rehearsal, a dry
    /// run.
    private let file: FileDevice?
    /// Directory for the temporary file of a rehearsal, a dry run; nil if the session writes to the
    /// database.
    let rehearsalDirectory: String?
    var isRehearsal: Bool { rehearsalDirectory != nil }
    /// Row of the open transaction in the reader table.
    private var row: Int32?
    /// Versions whose free lists were checked by earlier commits.
    let checkedLists = FreeSpace.VerifiedFreeLists()
    /// The open commit group; nil if there is none.
    private(set) var group: CommitGroup?
    /// Whether a transaction is open. The caller, not this session, retains the transaction;
    /// releasing the transaction rolls it back.
    private var hasTransaction = false

    public struct Options: Sendable {
        /// Whether commits wait until data and header are on disk, so that they survive a power
        /// failure.
        public var isDurable = true
        /// Whether to create the file. An existing file is then an error.
        public var creates = false
        var fanout = Fanout()
        /// Maximum time to wait for other processes that are joining or leaving the session, or
        /// resizing the file.
        public var lockTimeout = RealmEngine.LockTimeout.forever
        /// See `Database.Options.allowsOtherNames`.
        package var allowsOtherNames = false
        /// Key of an encrypted file; a new file is encrypted with it.
        public var key: EncryptionKey?
        /// Whether to join as a separate participant, instead of sharing the participant of this
        /// process.
        var isSeparate = false

        public init() {}
    }

    public typealias LockTimeout = RealmEngine.LockTimeout

    /// Opens the file at `path` for writing.
    ///
    /// Throws `incompatible` for formats other than 24, for synchronised files and for sessions
    /// with other settings, and the errors of reading a database.
    public convenience init(path: String, options: Options = Options()) throws(RealmError) {
        try self.init(path: path, options: options) { $0 }
    }

    /// Opens the file at `path` for writing through the device that `wrap` returns.
    convenience init(
        path: String, options: Options, wrap: (FileDevice) -> any StorageDevice
    ) throws(RealmError) {
        do throws(RealmError) {
            var opening = Database.Options()
            opening.isDurable = options.isDurable
            opening.creation = options.creates ? .always : .never
            opening.lockTimeout = options.lockTimeout
            opening.allowsOtherNames = options.allowsOtherNames
            opening.key = options.key
            let database =
                options.isSeparate
                ? try Database(participating: DatabasePath(path), opening)
                : try Database.open(path, opening)
            try self.init(database, options, wrap)
        } catch { throw error.inFile(path) }
    }

    /// Opens a database for writing that this process has already opened with the same settings.
    convenience init(
        on database: Database, options: Options = Options()
    ) throws(RealmError) {
        do throws(RealmError) {
            guard let session = database.session else { throw Self.readOnly }
            try session.checkAgreement(isDurable: options.isDurable)
            try DatabaseKey(options.key).checkAgreement(database.file)
            try self.init(database, options) { $0 }
        } catch { throw error.inFile(database.path) }
    }

    private static var readOnly: RealmError {
        .misuse("the database was opened to be read", code: "ReadOnly", reason: "read-only")
    }

    private init(
        _ database: Database, _ options: Options, _ wrap: (FileDevice) -> any StorageDevice
    ) throws(RealmError) {
        // Opens the resolved path of the session: the caller's path may be a symbolic link that has
        // changed.
        guard let opened = try database.file.device() else { throw Self.readOnly }
        guard opened.identity == database.file.identity else {
            throw OpenDatabases.replaced(database.path)
        }
        self.database = database
        self.options = options
        file = opened
        let wrapped = wrap(opened)
        device =
            database.isEncrypted
            ? EncryptedDevice(
                wrapped, database.file, database.session?.file, isDurable: options.isDurable)
            : wrapped
        rehearsalDirectory = nil
    }

    /// Opens a database for rehearsals: dry runs of transactions, which see the database and their
    /// own changes, but take no lock, write nothing to the database and cannot commit. Nodes that
    /// exceed the memory limit are moved to an unlinked file in `temporaryDirectory`.
    package init(
        rehearsing path: String, temporaryDirectory: String = "/tmp",
        _ lockTimeout: LockTimeout = .forever, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try Database.checkWritable(DatabasePath(path), DatabaseKey(key))
            if let live = try Database(joiningLive: path, lockTimeout, key: key) {
                database = live
            } else {
                database = try Database(immutable: path, key: key)
            }
        } catch { throw error.inFile(path) }
        options = Options()
        device = NoDevice()
        file = nil
        rehearsalDirectory = temporaryDirectory
    }

    private var session: Session { database.session! }
    var slab: Slab { database.slab }

    /// Number and size of this session's writes, for reports.
    package struct WriteStatistics: Sendable {
        package internal(set) var syncs = 0
        /// Total duration of the syncs in nanoseconds.
        package internal(set) var syncNanoseconds = 0
        package internal(set) var bytes = 0

        package init() {}
    }

    /// Writes of this session so far.
    package var writeStatistics: WriteStatistics {
        var writeStatistics = WriteStatistics()
        guard let file else { return writeStatistics }
        writeStatistics.syncs = file.syncCount
        writeStatistics.syncNanoseconds = file.syncNanoseconds
        writeStatistics.bytes = file.bytesWritten
        return writeStatistics
    }

    /// Size of the file in bytes when this session last read it; other processes may have extended
    /// the file since. 0 for a rehearsal, a dry run.
    package var fileSize: Int { file?.size ?? 0 }

    /// Acquires the write mutex and begins a write transaction.
    ///
    /// Throws `busy` if `lockTimeout` passes first, and `misuse` if a transaction of this session
    /// is open. After a failed write or sync, always throws the error of that failure.
    public func begin(_ lockTimeout: LockTimeout = .forever) throws(RealmError) -> WriteTransaction
    {
        if let failure = database.failure { throw failure }
        guard !hasTransaction, isRehearsal || !database.isWritingThread else {
            throw .misuse("a write transaction is open already", code: "WrongTransactionState")
        }
        if isRehearsal {
            let begun = try WriteTransaction(self, base: database.newest)
            hasTransaction = true
            return begun
        }
        if let group {
            let begun = try group.begin()
            hasTransaction = true
            database.setWriting(true)
            return begun
        }
        try acquireWriteMutex(lockTimeout)
        do throws(RealmError) {
            let begun = try WriteTransaction(self, base: database.newest)
            hasTransaction = true
            database.setWriting(true)
            return begun
        } catch {
            releaseWriteMutex()
            throw error
        }
    }

    /// Acquires the write mutex and moves the database to the newest version.
    private func acquireWriteMutex(_ lockTimeout: LockTimeout) throws(RealmError) {
        guard try waitForTurn(lockTimeout) != nil else {
            throw RealmError(
                .busy, code: "FileBusy", reason: "writer",
                "\(database.writerName) is writing to the database", file: database.path,
                hint: "wait for it")
        }
        do throws(RealmError) {
            // After the file was replaced or deleted, commits would be lost. If the file has a
            // second hard link, programs that use the other name would not see the commits.
            try database.file.checkPath()
            try database.file.resolvedPath?.checkLinks()
            try database.refresh()
            if try !HeaderRepair.isNewest(database) {
                try HeaderRepair(self, session).run()
                guard try HeaderRepair.isNewest(database) else { throw Self.contradiction }
            }
            row = session.readers?.take(.writer, version: database.version, label: .none)
        } catch {
            session.endWrite()
            throw error
        }
    }

    private func waitForTurn(_ lockTimeout: LockTimeout) throws(RealmError) -> SharedMutex.Outcome?
    {
        switch lockTimeout {
        case .none: return try session.tryBeginWrite()
        default: return try session.beginWrite(until: lockTimeout.deadline)
        }
    }

    /// The error if header and lock file name different newest versions. Continuing from one of
    /// them would lose the data of the other.
    private static var contradiction: RealmError {
        RealmError(
            .busy, code: "SessionRestartRequired", reason: "contradiction",
            "the file and its lock file name different newest versions; this session can only be "
                + "read", hint: "end all programs that have the database open, then try again")
    }

    func end(isCommitted: Bool = false) {
        hasTransaction = false
        if let group {
            group.ended(isCommitted: isCommitted)
            database.setWriting(false)
            return
        }
        slab.detach()
        if isRehearsal { return }
        database.setWriting(false)
        releaseWriteMutex()
    }

    private func releaseWriteMutex() {
        if let row { session.readers?.give(row) }
        row = nil
        device.abandon()
        session.endWrite()
    }

    // MARK: Groups

    /// Acquires the write mutex for a group of transactions. They may begin on any thread, but only
    /// one after the other. The thread that opens the group must also close it.
    func openGroup(_ lockTimeout: LockTimeout = .forever) throws(RealmError) {
        if let failure = database.failure { throw failure }
        try acquireWriteMutex(lockTimeout)
        group = CommitGroup(self)
    }

    /// Makes all commits of the group durable with one pair of syncs, and publishes them. Then
    /// opens another group.
    func flushGroup() throws(RealmError) {
        if let failure = database.failure { throw failure }
        guard let group, group.count > 0 else { return }
        do throws(RealmError) { try group.flush() } catch {
            database.poison(error)
            throw error
        }
        self.group = CommitGroup(self)
    }

    /// Whether the commits of the group use so much memory that the group should be flushed.
    var isGroupLarge: Bool { (group?.usedBytes ?? 0) > 64 << 20 }

    /// Releases the write mutex and discards commits that were not flushed.
    func closeGroup() {
        group = nil
        slab.detach()
        releaseWriteMutex()
    }

    /// Poisons the database after a failure that may or may not have changed the header. No process
    /// can write until all have closed the database; the next session begins with the version that
    /// the header selects.
    func poisonDatabase(_ error: RealmError) {
        database.poison(error)
        session.file.isCritical = true
    }

    func write<T: BitwiseCopyable>(_ value: T, at offset: Int) throws(RealmError) {
        var value = value
        let result = withUnsafeBytes(of: &value) { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try device.write(bytes, at: offset) }
        }
        try result.get()
    }

    func sync() throws(RealmError) {
        if options.isDurable { try device.sync() } else { try device.flush() }
    }
}
