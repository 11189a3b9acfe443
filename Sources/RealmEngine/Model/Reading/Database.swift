import Synchronization

/// An open database file. Free to cross threads; each thread makes its own `Snapshot` of it.
///
/// A database opened with `init(immutable:)` neither opens nor creates a lock file and writes
/// nothing (storage format 6.15). It reads the version that the header selected when it was opened,
/// which a later commit may overwrite; `hasChanged` returns whether there was a commit since.
///
/// A database opened with `open` is a participant of the live session; each process has one for
/// each file. It keeps its newest version pinned. `refresh` moves it to a newer version for all
/// threads, but does not change existing snapshots. Releasing the last reference leaves the
/// session.
///
/// The newest version and the pinned versions are mutable. One mutex protects them; it is held
/// while they are copied or counted, and while a version is pinned in the lock file.
public final class Database: Sendable {
    public let path: String
    /// The header when the file was opened.
    package let header: FileHeader
    let file: MappedFile
    let session: Session?
    /// Whether this database handle always reads the same version, so that `refresh` does nothing.
    private let isFixed: Bool
    /// Whether the version is not pinned, so that a commit may overwrite it.
    private let isUnguarded: Bool
    /// Whether the version is not pinned and older than the newest one. The next commit may
    /// overwrite it before it changes the header.
    private let isPrevious: Bool
    /// Memory in which write transactions create nodes.
    let slab: Slab
    let raw: RawHeader
    let versions: LockedValue<Versions>
    /// Number of the thread with an open write transaction; 0 if there is none.
    private let writingThread = Atomic<UInt32>(0)

    struct Versions {
        var newest: VersionPin
        var pins: VersionPins
        var failure: RealmError?
        /// Upper bounds of the integers in the indexes of the version that this process committed
        /// last.
        var bounds: IntegerBounds?
        /// Free space of the version that this process committed last; nil once a commit uses it.
        var space: CommittedSpace?
    }

    /// Opens the file at `path` without joining a session.
    ///
    /// Throws `input` if the file cannot be read or is no Realm file, `key` if the key is missing
    /// or wrong or the file is not encrypted, `corrupt`, and `incompatible` for formats other than
    /// 2 to 11 and 20 to 24.
    public convenience init(
        immutable path: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path, DatabaseKey(key)))
        } catch { throw error.inFile(path) }
    }

    /// Copies standard input to an unlinked temporary file in `directory` and opens that file.
    package convenience init(
        standardInputInto directory: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            let spooled = try File.spooled(from: 0, directory: directory)
            try self.init(MappedFile(spooled, nil, DatabaseKey(key)))
        } catch { throw error.inFile("-") }
    }

    /// Joins the live session of the database at `path` as a reader. Returns nil if no process has
    /// it open, or if its session cannot be joined.
    ///
    /// Throws `busy` if other processes delay joining for longer than `lockTimeout`.
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

    /// Opens a file without a session. Reads the version that the header selects, or the one in the
    /// header slot that `slot` returns.
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

    /// Opens a file as a participant of a session, at the newest version of the session.
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

    /// Makes a database handle that always reads one version of a file that is already open.
    ///
    /// - Parameters:
    ///   - pin: pin of the version, which this handle now owns. Nil if the version is not pinned;
    ///     `hasChanged` then returns whether the version may have been overwritten.
    ///   - raw: the header when the version was selected.
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
    /// - Parameter earlier: an earlier version that has been pinned since it was read; its
    ///   unchanged tables are reused.
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

    /// Returns the error to throw if a pinned version cannot be read: `error` if the file is
    /// damaged, or another one if the version list is damaged.
    private static func cause(
        of error: RealmError, _ file: MappedFile, _ pin: VersionList.Pin
    ) -> RealmError {
        do throws(RealmError) {
            try file.checkPath()
            let size = min(Int(pin.fileSize), file.mapping.mapped)
            let memory = ReadContext(file.mapping, limit: UInt64(size))
            defer { withExtendedLifetime(memory) {} }
            let top = try? TopArray(memory.lookup, pin.top, fileSize: size)
            // The version list agrees with the root, so the damage is below the root.
            if let top, top.version == pin.version, top.logicalSize == pin.fileSize {
                return error
            }
            // If the version that the header selects can be read, the version list is damaged.
            _ = try Session.Attachment(file)
            return MappedLockFile.damaged
        } catch let other { return other.reason == "replaced" ? other : error }
    }

    /// Pins the newest version of the session. If it has no root but the header selects one,
    /// retries: the first commit may be between changing the header and publishing its version.
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

    /// Number of the version that this database handle currently reads.
    public var version: UInt64 { newest.version }
    /// Tables of the version that this database handle currently reads.
    public var schema: Schema { newest.schema }
    /// Root of the current version, for reports; nil for a database without commits.
    package var top: TopArrayFacts? { newest.top.map { TopArrayFacts($0) } }

    /// Moves to the newest version of the session. Returns false if there is no newer one.
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
                // Pins the newer version before unpinning the older one. Otherwise a writer could
                // free the history between the two.
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

    /// Pins the version that this database handle currently reads, until `unpin`.
    func pinNewest(_ label: ReaderLabel = .none) -> VersionPin {
        versions.withLock { versions in
            // This object itself has pinned the version, so the result is never nil.
            versions.pins.addHolder(versions.newest, label)!
        }
    }

    /// Adds a pin of `kind` to the version of `pin`. If `pin` is nil, adds it to the version that
    /// this handle currently reads. The caller must not unpin `pin` during the call. `kind` must
    /// not be `full`.
    ///
    /// Throws `incompatible` if the lock file is damaged, `misuse` in a forked process.
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

    /// Numbers of the versions that this database handle or its snapshots pin, ascending.
    var pinnedVersions: [UInt64] { versions.withLock { $0.pins.versions } }

    /// Whether the file is encrypted.
    public var isEncrypted: Bool { encryptionKey != nil }
    /// Whether the decrypted pages exceed `DecryptedMemoryLimit`, so that pages are freed and
    /// decrypted again later. Random reads are then slow.
    package var outgrowsPlainMemory: Bool { file.mapping.pages?.outgrowMemory ?? false }

    /// Key of an encrypted file; nil for others.
    package var encryptionKey: EncryptionKey? { file.mapping.pages?.key }

    /// Whether this database handle is a participant of a live session, so that its version is not
    /// overwritten.
    package var isShared: Bool { session != nil }

    /// Whether the version may have been overwritten: it is not pinned, and there was a commit
    /// since it was opened.
    package var hasChanged: Bool {
        if !isUnguarded { return false }
        // Looks for an active writer before reading the header. If no writer is active now, an
        // earlier writer has already changed the header.
        if isPrevious, isBeingWritten { return true }
        guard let now = try? file.rawHeader() else { return true }
        return now != raw
    }

    /// Whether any process participates in the file's session, and so may write.
    var isInUse: Bool {
        if session != nil { return true }
        return file.resolvedPath.map { MappedLockFile.isLocked($0.lock) } ?? false
    }

    /// Whether the lock file's write mutex is held.
    var isBeingWritten: Bool {
        if let session { return session.file.writeMutex.isHeld }
        guard let lock = file.resolvedPath?.lock, MappedLockFile.isLocked(lock),
            let bytes = CompanionFile.beginning(of: lock, limit: LockFile.initialSize),
            bytes.count == LockFile.initialSize, let copy = try? MappedLockFile(copying: bytes)
        else { return false }
        return LockFile(memory: copy).writeMutex.isHeld
    }

    /// Makes a snapshot of the current version for the calling thread.
    public func snapshot() -> Snapshot { Snapshot(self, pinNewest()) }
}

extension Database {
    /// Error of the first failed write, after which this database handle writes nothing; nil if
    /// there was none.
    var failure: RealmError? { versions.withLock { $0.failure } }

    /// Records a failed write or sync. The content of the file is then unknown, so nothing more is
    /// written.
    func poison(_ error: RealmError) {
        versions.withLock { if $0.failure == nil { $0.failure = error } }
    }

    /// Returns upper bounds of the integers in indexes of `version`; empty if they are unknown.
    func bounds(version: UInt64) -> [IntegerBounds.Column: Int64] {
        versions.withLock { $0.bounds?.version == version ? $0.bounds!.largest : [:] }
    }

    func remember(_ bounds: IntegerBounds) { versions.withLock { $0.bounds = bounds } }

    /// Caches the free space of a committed version for the next commit, if it uses little memory.
    func remember(_ space: CommittedSpace) {
        versions.withLock { $0.space = space.isSmall ? space : nil }
    }

    /// Removes and returns the cached free space of the version with root `top`. Nil if the cache
    /// does not belong to that version, because another process made it. Also nil if the free space
    /// was too large to cache, or if a later commit of this process took the cache and then failed.
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

    /// Whether the calling thread has an open write transaction. Beginning another one would
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

    /// Hint in errors about files of a format that is read but not written.
    static let convertHint = "convert it first"

    /// Makes the error for a use that formats 2 to 9 do not support.
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
