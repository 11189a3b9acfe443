/// A database opened for writing as a participant of its session.
///
/// Any number of processes and handles may do so; write transactions take turns. One transaction
/// of a session at a time, begun and ended on one thread. Snapshots of `database` may be used by
/// any thread meanwhile.
public final class WriteSession {
    public let database: Database
    let options: Options
    let device: any StorageDevice
    /// What counts the writes; nil where there are none.
    private let file: FileDevice?
    /// Where a rehearsal keeps what is too much for memory; nil for a session that writes.
    let rehearsalDirectory: String?
    var isRehearsal: Bool { rehearsalDirectory != nil }
    /// The transaction's row in the reader table.
    private var row: Int32?
    /// Versions whose free lists earlier commits have checked.
    let checkedLists = FreeSpace.VerifiedFreeLists()
    /// The group that transactions are part of, while one is open.
    private(set) var group: CommitGroup?
    /// A transaction is open. It is not kept alive: merely dropped it is rolled back.
    private var hasTransaction = false

    public struct Options: Sendable {
        /// Sync data and header so that a commit that returned survives a power failure.
        public var isDurable = true
        /// Create the file when it does not exist; refuse when it does.
        public var creates = false
        var fanout = Fanout()
        /// How long to wait for others that are just joining, leaving or resizing the file.
        public var patience = RealmEngine.LockTimeout.forever
        /// As `Database.Options.allowsOtherNames`.
        package var allowsOtherNames = false
        /// Of an encrypted file, or one to be made so.
        public var key: EncryptionKey?
        /// Take part on its own instead of together with others of this process.
        var isSeparate = false

        public init() {}
    }

    public typealias LockTimeout = RealmEngine.LockTimeout

    /// Opens the file at `path` for writing.
    ///
    /// Throws `incompatible` for formats other than 24, for synchronised files and for sessions
    /// with other settings, and what reading a database throws.
    public convenience init(path: String, options: Options = Options()) throws(RealmError) {
        try self.init(path: path, options: options) { $0 }
    }

    /// As above, writing through what `wrap` makes of the file.
    convenience init(
        path: String, options: Options, wrap: (FileDevice) -> any StorageDevice
    ) throws(RealmError) {
        do throws(RealmError) {
            var opening = Database.Options()
            opening.isDurable = options.isDurable
            opening.creation = options.creates ? .always : .never
            opening.patience = options.patience
            opening.allowsOtherNames = options.allowsOtherNames
            opening.key = options.key
            let database =
                options.isSeparate
                ? try Database(participating: DatabasePath(path), opening)
                : try Database.open(path, opening)
            try self.init(database, options, wrap)
        } catch { throw error.inFile(path) }
    }

    /// Writes to a database that is open already, with settings that agree.
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
        // By the name the session has: the one given may lead elsewhere by now.
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

    /// Rehearses: transactions of the session see the database and their own changes, but take no
    /// lock, write nothing and cannot commit. What takes more memory than a transaction may goes to a
    /// file without a name in `temporaryDirectory`.
    package init(
        rehearsing path: String, temporaryDirectory: String = "/tmp",
        _ patience: LockTimeout = .forever, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try Database.checkWritable(DatabasePath(path), DatabaseKey(key))
            if let live = try Database(joiningLive: path, patience, key: key) {
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

    /// What went to the file through this session, for reports.
    package struct Traffic: Sendable {
        package internal(set) var syncs = 0
        /// Time spent waiting for the syncs.
        package internal(set) var syncNanoseconds = 0
        package internal(set) var bytes = 0

        package init() {}
    }

    /// What went to the file so far.
    package var traffic: Traffic {
        var traffic = Traffic()
        guard let file else { return traffic }
        traffic.syncs = file.syncCount
        traffic.syncNanoseconds = file.syncNanoseconds
        traffic.bytes = file.bytesWritten
        return traffic
    }

    /// Bytes of the file as this session knows it: another may have made it longer. 0 for a rehearsal.
    package var fileSize: Int { file?.size ?? 0 }

    /// Begins a write transaction when it is this session's turn.
    ///
    /// Throws `busy` when `patience` ends first, `misuse` when a transaction of this session is
    /// open, and the first failure after a failed write or sync.
    public func begin(_ patience: LockTimeout = .forever) throws(RealmError) -> WriteTransaction {
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
        try takeTurn(patience)
        do throws(RealmError) {
            let begun = try WriteTransaction(self, base: database.newest)
            hasTransaction = true
            database.setWriting(true)
            return begun
        } catch {
            giveTurn()
            throw error
        }
    }

    /// Takes the writer's turn and makes the newest version of the session the handle's.
    private func takeTurn(_ patience: LockTimeout) throws(RealmError) {
        guard try waitForTurn(patience) != nil else {
            throw RealmError(
                .busy, code: "FileBusy", reason: "writer",
                "\(database.writerName) is writing to the database", file: database.path,
                hint: "wait for it")
        }
        do throws(RealmError) {
            // What is written to a file without its name, or unknown to others, is lost.
            try database.file.checkPlace()
            try database.file.place?.checkLinks()
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

    private func waitForTurn(_ patience: LockTimeout) throws(RealmError) -> SharedMutex.Outcome? {
        switch patience {
        case .none: return try session.tryBeginWrite()
        default: return try session.beginWrite(until: patience.deadline)
        }
    }

    /// To go on from the version that one of them names would lose what the other one has.
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
        giveTurn()
    }

    private func giveTurn() {
        if let row { session.readers?.give(row) }
        row = nil
        device.abandon()
        session.endWrite()
    }

    // MARK: Groups

    /// Takes the writer's turn for a group of transactions, which may be begun on any thread, one
    /// after the other. The group is closed on the thread that opened it.
    func openGroup(_ patience: LockTimeout = .forever) throws(RealmError) {
        if let failure = database.failure { throw failure }
        try takeTurn(patience)
        group = CommitGroup(self)
    }

    /// Makes what the group's transactions committed durable, and the newest version for everybody,
    /// with one pair of syncs. The group goes on from there.
    func flushGroup() throws(RealmError) {
        if let failure = database.failure { throw failure }
        guard let group, group.count > 0 else { return }
        do throws(RealmError) { try group.flush() } catch {
            database.poison(error)
            throw error
        }
        self.group = CommitGroup(self)
    }

    /// The commits of the group take so much memory that it is time for a flush.
    var isGroupLarge: Bool { (group?.usedBytes ?? 0) > 64 << 20 }

    /// Gives the turn up; what was not flushed is forgotten.
    func closeGroup() {
        group = nil
        slab.detach()
        giveTurn()
    }

    /// Which version the header selects is unknown: nobody may go on from either of the two before
    /// a new session has begun with the one it finds.
    func poisonForAll(_ error: RealmError) {
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
