import Synchronization

/// An open database file. Free to cross threads; every thread takes its own `Snapshot` from it.
///
/// Opened immutable: no lock file is opened or created, nothing is written (storage format 6.15).
/// The snapshot read is the one the header selects at the moment of opening; `hasChanged` tells
/// whether a commit landed since, after which what was read may have been overwritten.
///
/// Opened shared (`open`): a participant of the live session, one for all who open the file in this
/// process. It keeps its newest version pinned; `refresh` moves it forward for everybody, and what a
/// snapshot reads never changes. With the last reference the participant leaves.
///
/// Mutable state: the newest version and the versions held, guarded by one mutex, held to copy, to
/// count, and to pin in the lock file.
public final class Database: Sendable {
    public let path: String
    /// The header as it was when the file was opened.
    package let header: FileHeader
    let file: MappedFile
    let session: Session?
    /// The version stays what it is: the handle was made for it.
    private let isFixed: Bool
    /// Nothing keeps others from overwriting what is read.
    private let isUnguarded: Bool
    /// Not even the next commit waits: its nodes may take the version's place before it lands.
    private let isPrevious: Bool
    /// Where write transactions keep what they make.
    let slab: Slab
    let raw: RawHeader
    let versions: LockedValue<Versions>
    /// Number of the thread whose write transaction is open; 0 without one.
    private let writingThread = Atomic<UInt32>(0)

    struct Versions {
        var newest: VersionPin
        var held: HeldVersions
        var failure: RealmError?
        /// Of the version that this process committed last.
        var bounds: IntegerBounds?
        /// Free space of the version that this process committed last; nil once a commit has taken it.
        var space: CommittedSpace?
    }

    /// Opens the file at `path` without joining a session.
    ///
    /// Throws `input` when the file cannot be read or is no Realm file, `key` when `key` is not what
    /// it needs, `corrupt`, and `incompatible` for formats other than 2 to 11 and 20 to 24.
    public convenience init(
        immutable path: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path, DatabaseKey(key)))
        } catch { throw error.inFile(path) }
    }

    /// Reads all of standard input into an unlinked temporary file and opens that.
    package convenience init(
        standardInputInto directory: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            let spooled = try File.spooled(from: 0, directory: directory)
            try self.init(MappedFile(spooled, nil, DatabaseKey(key)))
        } catch { throw error.inFile("-") }
    }

    /// Joins the live session of the database at `path` as a reader; nil when nobody has it open or
    /// its session cannot be joined from here.
    ///
    /// Throws `busy` when others keep it from joining for longer than `patience`.
    public convenience init?(
        joiningLive path: String, _ patience: LockTimeout = .forever, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            let place = DatabasePath(path)
            guard let session = try Session(readingLive: place, patience) else { return nil }
            try self.init(MappedFile(place, DatabaseKey(key)), session: session)
        } catch {
            // What a lock file says wrongly does not keep anybody from reading the database.
            if error.code == "IncompatibleLockFile" { return nil }
            throw error.inFile(path)
        }
    }

    /// Without a session: the version the header selects, or the one in a slot of the caller's choice.
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
        var held = HeldVersions(nil)
        let newest = held.adopt(state, nil, .none)
        versions = LockedValue(Versions(newest: newest, held: held))
    }

    /// As a participant: the newest version of the session, whatever the header says.
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
            var held = HeldVersions(session)
            let newest = held.adopt(try Self.state(file, pin), pin, .none)
            versions = LockedValue(Versions(newest: newest, held: held))
        } catch {
            session.release(pin)
            throw error
        }
    }

    /// Another version of the same open file, at which the handle stays.
    ///
    /// - Parameters:
    ///   - pin: what keeps the version; taken over. Without one, `hasChanged` tells whether what was
    ///     read can be trusted.
    ///   - raw: the header that named the version.
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
        var held = HeldVersions(session)
        let newest = held.adopt(state, pin, .none)
        versions = LockedValue(Versions(newest: newest, held: held))
    }

    deinit {
        if session != nil { OpenDatabases.remove(ObjectIdentifier(self)) }
        versions.withLock { $0.held.letGoOfAll() }
    }

    /// Reads the version a pin is for.
    ///
    /// - Parameter earlier: a version that was pinned all the time since it was read.
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

    /// Which of the two is wrong where the session's version list and the file contradict each other.
    private static func cause(
        of error: RealmError, _ file: MappedFile, _ pin: VersionList.Pin
    ) -> RealmError {
        do throws(RealmError) {
            try file.checkPlace()
            let size = min(Int(pin.fileSize), file.mapping.mapped)
            let memory = ReadContext(file.mapping, limit: UInt64(size))
            defer { withExtendedLifetime(memory) {} }
            let top = try? TopArray(memory.lookup, pin.top, fileSize: size)
            // The list is right: what is wrong lies behind the root.
            if let top, top.version == pin.version, top.logicalSize == pin.fileSize {
                return error
            }
            // Damaged is the database only if the version its header selects is.
            _ = try Session.Attachment(file)
            return LockFileMemory.damaged
        } catch let other { return other.reason == "replaced" ? other : error }
    }

    /// Pins the newest version of the session. That it is one without a root is believed only when
    /// the header agrees; between the two, a first commit is about to be published.
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
        throw LockFileMemory.damaged
    }

    var newest: VersionState { versions.withLock { $0.newest.state } }

    /// Number of the newest version this handle knows.
    public var version: UInt64 { newest.version }
    /// Tables of the newest version this handle knows.
    public var schema: Schema { newest.schema }
    /// What the newest version's root says; nil for a database nothing was ever committed to.
    package var top: TopArrayFacts? { newest.top.map { TopArrayFacts($0) } }

    /// Moves to the newest version of the session; false when there was nothing newer.
    @discardableResult
    public func refresh() throws(RealmError) -> Bool {
        guard let session, !isFixed, session.newestVersion != version else { return false }
        let file = file
        return try versions.withLock { versions throws(RealmError) in
            let pin = try session.pinNewest()
            if versions.held.isHeldLive(pin.version) {
                session.release(pin)
                return false
            }
            do throws(RealmError) {
                let state = try Self.state(file, pin, after: versions.newest.state)
                // The newer one first: what lies between is only kept while the older is.
                let newest = versions.held.adopt(state, pin, .none)
                versions.held.letGo(versions.newest)
                versions.newest = newest
            } catch {
                session.release(pin)
                throw error
            }
            return true
        }
    }

    /// The newest version this handle knows, which stays readable until `unpin`.
    func pinNewest(_ label: ReaderLabel = .none) -> VersionPin {
        versions.withLock { versions in
            // The handle itself holds it.
            versions.held.hold(live: versions.newest.version, label)!
        }
    }

    /// The version that `pin` keeps, or else the newest this handle knows, kept as `kind` too; the
    /// caller keeps `pin` meanwhile. Full pins are never taken.
    ///
    /// Throws `incompatible` when the lock file is damaged, `misuse` in a forked process.
    func pin(
        _ kind: PinKind, of pin: VersionPin? = nil, label: ReaderLabel = .none
    ) throws(RealmError) -> VersionPin {
        precondition(kind != .full)
        return try versions.withLock { versions throws(RealmError) in
            try versions.held.hold((pin ?? versions.newest).version, kind, label)
        }
    }

    func unpin(_ pin: VersionPin) {
        versions.withLock { $0.held.letGo(pin) }
    }

    /// Versions of this handle that snapshots, or the handle itself, keep readable.
    var pinnedVersions: [UInt64] { versions.withLock { $0.held.versions } }

    /// Whether its file is encrypted.
    public var isEncrypted: Bool { encryptionKey != nil }
    /// Whether decrypted pages of its file are freed and decrypted again, because all of them take more
    /// memory than `DecryptedMemoryLimit` allows: reading at random is slow then.
    package var outgrowsPlainMemory: Bool { file.mapping.pages?.outgrowMemory ?? false }

    /// What it was opened with, where it is encrypted.
    package var encryptionKey: EncryptionKey? { file.mapping.pages?.key }

    /// Whether the handle is a participant of a live session, which keeps what it reads intact.
    package var isShared: Bool { session != nil }

    /// True when a commit landed since the version was opened without a pin, so that what is read
    /// may have been overwritten.
    package var hasChanged: Bool {
        if !isUnguarded { return false }
        // First of all: a writer seen here no more has changed the header.
        if isPrevious, isBeingWritten { return true }
        guard let now = try? file.rawHeader() else { return true }
        return now != raw
    }

    /// Somebody takes part in the file's session, who may write.
    var isInUse: Bool {
        if session != nil { return true }
        return file.place.map { LockFileMemory.isLocked($0.lock) } ?? false
    }

    /// Somebody is writing now, as far as the lock file tells.
    var isBeingWritten: Bool {
        if let session { return session.file.writeMutex.isHeld }
        guard let lock = file.place?.lock, LockFileMemory.isLocked(lock),
            let bytes = CompanionFile.beginning(of: lock, limit: LockFile.initialSize),
            bytes.count == LockFile.initialSize, let copy = try? LockFileMemory(copying: bytes)
        else { return false }
        return LockFile(memory: copy).writeMutex.isHeld
    }

    /// A view of this version for the calling thread.
    public func snapshot() -> Snapshot { Snapshot(self, pinNewest()) }
}

extension Database {
    /// The cause of a failed write; after it nothing is written through this handle any more.
    var failure: RealmError? { versions.withLock { $0.failure } }

    /// A write or sync failed: what reached the file is unknown, so nothing more is written.
    func poison(_ error: RealmError) {
        versions.withLock { if $0.failure == nil { $0.failure = error } }
    }

    /// What is known of the integers in indexes of `version`.
    func bounds(version: UInt64) -> [IntegerBounds.Place: Int64] {
        versions.withLock { $0.bounds?.version == version ? $0.bounds!.largest : [:] }
    }

    func remember(_ bounds: IntegerBounds) { versions.withLock { $0.bounds = bounds } }

    /// Keeps the free space of the version that was committed for the next commit, if it takes little
    /// memory.
    func remember(_ space: CommittedSpace) {
        versions.withLock { $0.space = space.isSmall ? space : nil }
    }

    /// Removes and returns the free space of the version with root `top`; nil if this process did not
    /// commit it last. A commit that fails has taken it, so the one after it reads the file.
    func takeSpace(of top: TopArray) -> CommittedSpace? {
        versions.withLock { versions in
            defer { versions.space = nil }
            guard let space = versions.space, space.version == top.version, space.top == top.ref
            else { return nil }
            return space
        }
    }

    /// The calling thread has the writer's turn, or has it no longer.
    func setWriting(_ isWriting: Bool) {
        writingThread.store(isWriting ? ThreadNumber.current : 0, ordering: .relaxed)
    }

    /// Whether the calling thread has the writer's turn, which it would wait for without end.
    var isWritingThread: Bool {
        writingThread.load(ordering: .relaxed) == ThreadNumber.current
    }

    /// Throws `incompatible` for file formats that are not read.
    static func checkFormat(_ header: FileHeader) throws(RealmError) {
        if FileFormat.isRead(header.format) || header.format == 0 && header.top.isNone { return }
        throw RealmError(
            .incompatible, code: "UnsupportedFileFormatVersion", reason: "unknown-format",
            "file format \(header.format) is unknown (2 to 11 and 20 to 24 are read)",
            hint: "a newer release of this tool may read it")
    }

    /// The next step with a file of a format that is not written.
    static let convertHint = "convert it first"

    /// What is not done with files of formats 2 to 9, which are read.
    static func oldFormat(_ format: Int, notFor use: String) -> RealmError {
        RealmError(
            .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
            "files of format \(format) are read, but not \(use)",
            hint: convertHint)
    }
}

/// What the top array says, for reports.
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
