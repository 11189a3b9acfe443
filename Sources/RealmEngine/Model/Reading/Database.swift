import Synchronization

/// An open database file. Free to cross threads; every thread takes its own `Snapshot` from it.
///
/// Opened immutable, it neither opens nor creates a lock file and writes nothing (storage format
/// 6.15). It reads the version that the header selects at the moment of opening; `hasChanged`
/// returns whether there was a commit since, after which the version may have been overwritten.
///
/// Opened shared (`open`), it is a participant of the live session, one per file and process. It
/// keeps its newest version pinned. `refresh` moves it to a newer version for all threads;
/// snapshots do not change. Releasing the last reference leaves the session.
///
/// Mutable state: the newest version and the pinned versions. One mutex guards them; it is held for
/// copying, counting, and pinning in the lock file.
public final class Database: Sendable {
    public let path: String
    /// The header at the time the file was opened.
    package let header: FileHeader
    let file: MappedFile
    let session: Session?
    /// Whether the handle stays at its version, so that `refresh` has no effect.
    private let isFixed: Bool
    /// Whether the version is not pinned, so that it may be overwritten.
    private let isUnguarded: Bool
    /// Whether the version is older than the newest one and not pinned. The next commit may
    /// overwrite it before the header changes.
    private let isPrevious: Bool
    /// Memory for the nodes of write transactions.
    let slab: Slab
    let raw: RawHeader
    let versions: LockedValue<Versions>
    /// Number of the thread whose write transaction is open; 0 without one.
    private let writingThread = Atomic<UInt32>(0)

    struct Versions {
        var newest: VersionPin
        var pins: VersionPins
        var failure: RealmError?
        /// Integer bounds of the version that this process committed last.
        var bounds: IntegerBounds?
        /// Free space of the version that this process committed last; nil once a commit has taken
        /// it.
        var space: CommittedSpace?
    }

    /// Opens the file at `path` without joining a session.
    ///
    /// Throws `input` when the file cannot be read or is no Realm file, `key` for a missing,
    /// superfluous or wrong key, `corrupt`, and `incompatible` for formats other than 2 to 11 and
    /// 20 to 24.
    public convenience init(
        immutable path: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path, DatabaseKey(key)))
        } catch { throw error.inFile(path) }
    }

    /// Reads standard input to its end into an unlinked temporary file and opens the file.
    package convenience init(
        standardInputInto directory: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            let spooled = try File.spooled(from: 0, directory: directory)
            try self.init(MappedFile(spooled, nil, DatabaseKey(key)))
        } catch { throw error.inFile("-") }
    }

    /// Joins the live session of the database at `path` as a reader. Nil if no process has it open,
    /// or its session cannot be joined from here.
    ///
    /// Throws `busy` when other processes delay joining for longer than `lockTimeout`.
    public convenience init?(
        joiningLive path: String, _ lockTimeout: LockTimeout = .forever, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            let resolvedPath = DatabasePath(path)
            guard let session = try Session(readingLive: resolvedPath, lockTimeout) else {
                return nil
            }
            try self.init(MappedFile(resolvedPath, DatabaseKey(key)), session: session)
        } catch {
            // A damaged lock file does not prevent reading the database without a session.
            if error.code == "IncompatibleLockFile" { return nil }
            throw error.inFile(path)
        }
    }

    /// Opens a file without a session, at the version that the header selects or in the slot that
    /// `slot` returns.
    init(
        _ file: MappedFile, slot: (RawHeader) throws(RealmError) -> Int? = { _ in nil }
    ) throws(RealmError) {
        self.file = file
        path = file.path
        session = nil
        isFixed = true
        isUnguarded = true
        slab = Slab(file.mapping)
        let state: VersionState
        (raw, header, state) = try file.whileUnchanged(slot: slot) {
            (header, size) throws(RealmError) in
            try Self.checkFormat(header)
            return try VersionState.read(
                file.mapping, size: size, format: header.format, top: header.top)
        }
        isPrevious = header.slot != raw.selected
        var pins = VersionPins(nil)
        let newest = pins.adopt(state, nil, .none)
        versions = LockedValue(Versions(newest: newest, pins: pins))
    }

    /// Opens a file as a participant of a session, at the session's newest version.
    init(_ file: MappedFile, session: Session) throws(RealmError) {
        self.file = file
        path = file.path
        self.session = session
        isFixed = false
        isUnguarded = false
        isPrevious = false
        slab = Slab(file.mapping)
        (raw, header, _) = try file.whileUnchanged { (header, _) throws(RealmError) in
            try Self.checkFormat(header)
        }
        let pin = try Self.pinNewest(session, file)
        do throws(RealmError) {
            var pins = VersionPins(session)
            let newest = pins.adopt(try Self.state(file, pin), pin, .none)
            versions = LockedValue(Versions(newest: newest, pins: pins))
        } catch {
            session.release(pin)
            throw error
        }
    }

    /// Makes a handle that stays at another version of the same open file.
    ///
    /// - Parameters:
    ///   - pin: pin of the version, which the handle takes over. Without one, `hasChanged` returns
    ///     whether the version may have been overwritten.
    ///   - raw: the header that selected the version.
    init(
        _ other: Database, at state: VersionState, pin: VersionList.Pin?, raw: RawHeader
    ) throws(RealmError) {
        file = other.file
        path = other.path
        session = other.session
        header = other.header
        isFixed = true
        isUnguarded = pin == nil
        isPrevious = pin == nil && state.version < other.version
        slab = other.slab
        self.raw = raw
        var pins = VersionPins(session)
        let newest = pins.adopt(state, pin, .none)
        versions = LockedValue(Versions(newest: newest, pins: pins))
    }

    deinit {
        if session != nil { OpenDatabases.remove(ObjectIdentifier(self)) }
        versions.withLock { $0.pins.unpinAll() }
    }

    /// Reads a pinned version.
    ///
    /// - Parameter earlier: a version that has been pinned since it was read.
    static func state(
        _ file: MappedFile, _ pin: VersionList.Pin, after earlier: VersionState? = nil
    ) throws(RealmError) -> VersionState {
        do throws(RealmError) { return try read(file, pin, after: earlier) } catch {
            throw error.isDamage ? cause(of: error, file, pin) : error
        }
    }

    private static func read(
        _ file: MappedFile, _ pin: VersionList.Pin, after earlier: VersionState?
    ) throws(RealmError) -> VersionState {
        try file.extend(to: Int(pin.fileSize))
        let state = try VersionState.read(
            file.mapping, size: Int(pin.fileSize), format: FileFormat.current, top: pin.top,
            after: earlier)
        guard state.version == pin.version || pin.top.isNone else {
            throw .corrupt(
                "the root of version \(pin.version) says it is version \(state.version)",
                at: pin.top)
        }
        return state
    }

    /// Determines whether the version list or the file is damaged, if they contradict each other.
    private static func cause(
        of error: RealmError, _ file: MappedFile, _ pin: VersionList.Pin
    ) -> RealmError {
        do throws(RealmError) {
            try file.checkPath()
            let size = min(Int(pin.fileSize), file.mapping.mapped)
            let memory = ReadContext(file.mapping, limit: UInt64(size))
            defer { withExtendedLifetime(memory) {} }
            let top = try? TopArray(memory.lookup, pin.top, fileSize: size)
            // The version list is right: the damage is below the root.
            if let top, top.version == pin.version, top.logicalSize == pin.fileSize {
                return error
            }
            // The file is damaged only if the version that its header selects is.
            _ = try Session.Attachment(file)
            return MappedLockFile.damaged
        } catch let other { return other.reason == "replaced" ? other : error }
    }

    /// Pins the newest version of the session. If that has no root, retries until the header
    /// agrees, because a first commit may be between the header flip and its publication.
    private static func pinNewest(
        _ session: Session, _ file: MappedFile
    ) throws(RealmError) -> VersionList.Pin {
        for attempt in 1... {
            let pin = try session.pinFirst()
            let raw = try file.rawHeader()
            if !pin.top.isNone || raw.top(raw.selected) == 0 { return pin }
            session.release(pin)
            if attempt == 100 { break }
            Deadline.sleep(milliseconds: 1)
        }
        throw MappedLockFile.damaged
    }

    var newest: VersionState { versions.withLock { $0.newest.state } }

    /// Number of the newest version that this handle has loaded.
    public var version: UInt64 { newest.version }
    /// Tables of the newest version that this handle has loaded.
    public var schema: Schema { newest.schema }
    /// Root of the newest version, for reports; nil for a database without commits.
    package var top: TopArrayFacts? { newest.top.map { TopArrayFacts($0) } }

    /// Moves to the newest version of the session; returns false if there is no newer one.
    @discardableResult
    public func refresh() throws(RealmError) -> Bool {
        guard let session, !isFixed, session.newestVersion != version else { return false }
        let file = file
        return try versions.withLock { versions throws(RealmError) in
            let pin = try session.pinNewest()
            if versions.pins.isHeldLive(pin.version) {
                session.release(pin)
                return false
            }
            do throws(RealmError) {
                let state = try Self.state(file, pin, after: versions.newest.state)
                // Pins the newer version first: versions between the two are kept only while the
                // older one is pinned.
                let newest = versions.pins.adopt(state, pin, .none)
                versions.pins.removeHolder(versions.newest)
                versions.newest = newest
            } catch {
                session.release(pin)
                throw error
            }
            return true
        }
    }

    /// Pins the newest version that this handle has loaded, until `unpin`.
    func pinNewest(_ label: ReaderLabel = .none) -> VersionPin {
        versions.withLock { versions in
            // Cannot be nil, because the handle itself pins the version.
            versions.pins.addHolder(versions.newest, label)!
        }
    }

    /// Pins the version of `pin`, or the newest loaded one if nil, as `kind`. The caller must keep
    /// `pin` meanwhile. `kind` must not be `full`.
    ///
    /// Throws `incompatible` when the lock file is damaged, `misuse` in a forked process.
    func pin(
        _ kind: PinKind, of pin: VersionPin? = nil, label: ReaderLabel = .none
    ) throws(RealmError) -> VersionPin {
        precondition(kind != .full)
        return try versions.withLock { versions throws(RealmError) in
            try versions.pins.addHolder((pin ?? versions.newest).version, kind, label)
        }
    }

    func unpin(_ pin: VersionPin) {
        versions.withLock { $0.pins.removeHolder(pin) }
    }

    /// Versions that this handle or its snapshots pin, ascending.
    var pinnedVersions: [UInt64] { versions.withLock { $0.pins.versions } }

    /// Whether the file is encrypted.
    public var isEncrypted: Bool { encryptionKey != nil }
    /// Whether the decrypted pages exceed `DecryptedMemoryLimit`, so that pages are freed and
    /// decrypted again. Random reads are then slow.
    package var outgrowsPlainMemory: Bool { file.mapping.pages?.outgrowMemory ?? false }

    /// Key of an encrypted file; nil for others.
    package var encryptionKey: EncryptionKey? { file.mapping.pages?.key }

    /// Whether the handle is a participant of a live session, which keeps its version from being
    /// overwritten.
    package var isShared: Bool { session != nil }

    /// Whether there was a commit since the version was opened without a pin, so that it may have
    /// been overwritten.
    package var hasChanged: Bool {
        if !isUnguarded { return false }
        // Checked before the header: a writer that is not active here any more has already changed
        // the header.
        if isPrevious, isBeingWritten { return true }
        guard let now = try? file.rawHeader() else { return true }
        return now != raw
    }

    /// Whether a process participates in the file's session and may write.
    var isInUse: Bool {
        if session != nil { return true }
        return file.resolvedPath.map { MappedLockFile.isLocked($0.lock) } ?? false
    }

    /// Whether a writer is active, according to the lock file.
    var isBeingWritten: Bool {
        if let session { return session.file.writeMutex.isHeld }
        guard let lock = file.resolvedPath?.lock, MappedLockFile.isLocked(lock),
            let bytes = CompanionFile.beginning(of: lock, limit: LockFile.initialSize),
            bytes.count == LockFile.initialSize, let copy = try? MappedLockFile(copying: bytes)
        else { return false }
        return LockFile(memory: copy).writeMutex.isHeld
    }

    /// Makes a snapshot of the newest loaded version for the calling thread.
    public func snapshot() -> Snapshot { Snapshot(self, pinNewest()) }
}

extension Database {
    /// Error of a failed write, after which this handle writes nothing; nil if there was none.
    var failure: RealmError? { versions.withLock { $0.failure } }

    /// Records a failed write or sync: the state of the file is unknown, so that nothing more is
    /// written.
    func poison(_ error: RealmError) {
        versions.withLock { if $0.failure == nil { $0.failure = error } }
    }

    /// Returns the known upper bounds of the integers in indexes of `version`.
    func bounds(version: UInt64) -> [IntegerBounds.Column: Int64] {
        versions.withLock { $0.bounds?.version == version ? $0.bounds!.largest : [:] }
    }

    func remember(_ bounds: IntegerBounds) { versions.withLock { $0.bounds = bounds } }

    /// Stores the free space of the committed version for the next commit, if it takes little
    /// memory.
    func remember(_ space: CommittedSpace) {
        versions.withLock { $0.space = space.isSmall ? space : nil }
    }

    /// Removes and returns the free space of the version with root `top`; nil if this process did
    /// not commit it last. After a failed commit the free space must be read from the file.
    func takeSpace(of top: TopArray) -> CommittedSpace? {
        versions.withLock { versions in
            defer { versions.space = nil }
            guard let space = versions.space, space.version == top.version, space.top == top.ref
            else { return nil }
            return space
        }
    }

    /// Records whether the calling thread has an open write transaction.
    func setWriting(_ isWriting: Bool) {
        writingThread.store(isWriting ? ThreadNumber.current : 0, ordering: .relaxed)
    }

    /// Whether the calling thread has an open write transaction, so that beginning another would
    /// deadlock.
    var isWritingThread: Bool {
        writingThread.load(ordering: .relaxed) == ThreadNumber.current
    }

    /// Throws `incompatible` for file formats that cannot be read.
    static func checkFormat(_ header: FileHeader) throws(RealmError) {
        if FileFormat.isRead(header.format) || header.format == 0 && header.top.isNone { return }
        throw RealmError(
            .incompatible, code: "UnsupportedFileFormatVersion", reason: "unknown-format",
            "file format \(header.format) is unknown (2 to 11 and 20 to 24 are read)",
            hint: "a newer release of this tool may read it")
    }

    /// Hint in errors for files of a format that is not written.
    static let convertHint = "convert it first"

    /// Makes the error for a use that files of formats 2 to 9 do not support.
    static func oldFormat(_ format: Int, notFor use: String) -> RealmError {
        RealmError(
            .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
            "files of format \(format) are read, but not \(use)",
            hint: convertHint)
    }
}

/// Fields of the top array, for reports.
package struct TopArrayFacts: Sendable {
    let logicalSize: UInt64
    package let historyType: UInt64
    let historySchema: UInt64

    init(_ top: TopArray) {
        logicalSize = top.logicalSize
        historyType = top.historyType
        historySchema = top.historySchema
    }
}
