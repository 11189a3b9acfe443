import Synchronization

/// One participant's membership in a live session: joined when opened, left when released
/// (storage format section 6).
///
/// Who may touch what: the fields of the lock file are guarded as `LockFile` says; this object has
/// no mutable state of its own but the flag that it left. Lock order: write mutex, control mutex,
/// version-list mutex. Free to cross threads, but the write mutex belongs to the thread that began
/// the write.
final class Session: Sendable {
    let file: LockFile
    let databasePath: String
    private let notifier: CommitNotifier
    /// Counted among the participants: a session whose join failed must not leave.
    private let isJoined = Atomic<Bool>(false)
    /// Nil where there is no such table; nothing depends on it.
    let readers: ReaderTable?
    /// A forked copy of the process is no participant.
    private let generation = ForkGeneration.current

    /// What the file says when the session's first participant attaches it.
    struct Attachment {
        let version: UInt64
        let top: Ref
        let logicalSize: UInt64
        let historyType: UInt64
    }

    private static let historyType: Int8 = 2
    private static let historySchema: UInt16 = 1
    private static let tries = 10

    /// Joins the session of the database at `path`, starting it when nobody is there.
    ///
    /// `attach` opens the database file: told whether this is the first participant, it may then
    /// create, convert and resize the file, and returns what it found. `namesReaders` makes the
    /// table of readers where there is none. Throws `incompatible` when
    /// the lock file has another layout or the session other settings.
    init(
        joining path: String, isDurable: Bool, namesReaders: Bool = true,
        _ patience: Patience = .forever,
        attach: (_ isInitiator: Bool) throws(RealmError) -> Attachment
    ) throws(RealmError) {
        databasePath = path
        notifier = CommitNotifier(databasePath: path)
        file = try Self.open(path, isDurable: isDurable)
        readers = ReaderTable(databasePath: path, creates: namesReaders)
        let file = file
        let joined: Void? = try file.controlMutex.withLock(until: patience.deadline) {
            () throws(RealmError) in
            let isInitiator = file.participants == 0
            PausePoint.reach(.attaching)
            let attachment = try attach(isInitiator)
            if isInitiator {
                guard attachment.historyType == 0 || attachment.historyType == 2 else {
                    throw Self.synced
                }
                try Self.begin(file, attachment)
            } else {
                try Self.checkAgreement(file, isDurable: isDurable)
            }
            file.participants += 1
            isJoined.store(true, ordering: .relaxed)
            PausePoint.reach(.joining)
        }
        if joined == nil { throw Self.busy(path) }
    }

    /// Joins a session that is under way as a reader; nil when there is none, or one that cannot be
    /// joined from here. The settings of the session are taken as they are.
    init?(
        readingLive path: String, _ patience: Patience = .forever
    ) throws(RealmError) {
        guard LockFileMemory.isLocked(path + ".lock"),
            case .open(let memory)? = try LockFileMemory.join(
                path + ".lock", size: LockFile.initialSize)
        else { return nil }
        databasePath = path
        notifier = CommitNotifier(databasePath: path)
        file = LockFile(memory: memory)
        readers = ReaderTable(databasePath: path, creates: false)
        let file = file
        guard file.isInitialized, file.foreignLayout == nil else { return nil }
        let joined = try file.controlMutex.withLock(until: patience.deadline) {
            () throws(RealmError) -> Bool in
            guard file.participants > 0, file.newest != LockFile.noEntry else { return false }
            file.participants += 1
            return true
        }
        guard let joined else { throw Self.busy(path) }
        if !joined { return nil }
        isJoined.store(true, ordering: .relaxed)
    }

    deinit {
        if isOwnProcess { leave() }
    }

    private var isOwnProcess: Bool { generation == ForkGeneration.current }

    /// What a forked copy did to the session's counts and locks would be laid at the door of the
    /// process that joined.
    private func checkProcess() throws(RealmError) {
        guard isOwnProcess else {
            throw .misuse(
                "the database was opened before this process was forked", code: "WrongThread",
                reason: "forked", hint: "open it again in the new process")
        }
    }

    /// Throws when the session's settings are not those of a handle that is to write.
    func checkAgreement(isDurable: Bool) throws(RealmError) {
        try checkProcess()
        try Self.checkAgreement(file, isDurable: isDurable)
    }

    private static func open(_ path: String, isDurable: Bool) throws(RealmError) -> LockFile {
        var left = tries
        while true {
            if left < tries {
                Deadline.sleep(milliseconds: Int.random(in: 0..<((tries - left) * 10)))
            }
            let opening = try LockFileMemory.open(
                path + ".lock", size: LockFile.initialSize,
                FilePermissions(of: path) ?? .ofNewDatabase
            ) {
                LockFile.initialize(
                    $0, durability: isDurable ? 0 : 2, historyType: historyType,
                    historySchema: historySchema)
            }
            guard case .open(let memory) = opening else {
                if case .tooSmall = opening { left -= 1 }
                if left < 0 { throw incompatible("the file is too small", path) }
                continue
            }
            let file = LockFile(memory: memory)
            if !file.isInitialized { continue }
            guard let difference = file.foreignLayout else { return file }
            left -= 1
            if left < 0 { throw incompatible(difference, path) }
        }
    }

    private static func begin(_ file: LockFile, _ attachment: Attachment) throws(RealmError) {
        file.initiatorPID = 0
        file.format = 24
        file.versionCount = 1
        file.newestVersion = attachment.version
        try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).reset(
                version: attachment.version, top: attachment.top, fileSize: attachment.logicalSize)
        }
    }

    private static func checkAgreement(_ file: LockFile, isDurable: Bool) throws(RealmError) {
        guard file.format == 24 else {
            throw RealmError(
                .incompatible, code: "IncompatibleLockFile", reason: "format",
                "the session upgrades the file to format \(file.format)")
        }
        guard file.historyType == historyType, file.historySchema == historySchema else {
            throw file.historyType > 2 ? synced : disagreement("another kind of history")
        }
        guard file.durability == (isDurable ? 0 : 2) else {
            throw disagreement("another durability")
        }
    }

    private static func disagreement(_ what: String) -> RealmError {
        RealmError(
            .incompatible, code: "IncompatibleSession", reason: "session",
            "the programs that have the database open use \(what)",
            hint: "use the same setting, or wait until they end")
    }

    static var synced: RealmError {
        RealmError(
            .incompatible, code: "IncompatibleHistories", reason: "synced",
            "a file with a synchronised history is never written: it would diverge from its server",
            hint: "export it and import into a new file")
    }

    /// Others hold the control mutex for long only while they compact the file, or are stopped.
    private static func busy(_ path: String) -> RealmError {
        let openers = Openers.names(participating: path)
        let names = openers.isEmpty ? "another program" : openers.joined(separator: ", ")
        return RealmError(
            .busy, code: "FileBusy", reason: "joining",
            "\(names) keeps others from joining the session", file: path,
            hint: "wait for it: --wait")
    }

    private static func incompatible(_ what: String, _ path: String) -> RealmError {
        RealmError(
            .incompatible, code: "IncompatibleLockFile", reason: "lock-layout",
            "the lock file of a live session has an unknown form: \(what)", file: path,
            hint: "read it with --access immutable, or wait until the other programs end")
    }

    private func leave() {
        guard isJoined.load(ordering: .relaxed) else { return }
        guard (try? file.controlMutex.lock()) != nil else { return }
        if file.participants > 0 { file.participants -= 1 }
        PausePoint.reach(.leaving)
        file.controlMutex.unlock()
    }

    // MARK: Reading

    /// Pins the newest version.
    func pinNewest(_ kind: PinKind = .live) throws(RealmError) -> VersionList.Pin {
        try checkProcess()
        let file = file
        return try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).pinNewest(kind)
        }
    }

    /// Pins the version with this number; nil when nobody keeps it.
    func pin(version: UInt64, _ kind: PinKind = .live) throws(RealmError) -> VersionList.Pin? {
        let file = file
        return try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).pin(version: version, kind)
        }
    }

    /// Numbers of the versions that somebody keeps, the newest among them.
    func heldVersions() throws(RealmError) -> [UInt64] {
        let file = file
        return try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).held()
        }
    }

    /// Pins a version once more that the caller keeps pinned.
    func pin(
        again pin: VersionList.Pin, _ kind: PinKind
    ) throws(RealmError) -> VersionList.Pin {
        try checkProcess()
        let file = file
        return try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).pin(again: pin, kind)
        }
    }

    func release(_ pin: VersionList.Pin) {
        guard isOwnProcess, (try? file.versionMutex.lock()) != nil else { return }
        VersionList(file: file).release(pin)
        file.versionMutex.unlock()
    }

    /// Number of the newest version, without a lock.
    var newestVersion: UInt64 {
        let i = Int(file.newest)
        // Peers may have made the list longer than is mapped here.
        guard LockFile.size(entries: i + 1) <= file.memory.mappedSize else {
            return file.newestVersion
        }
        return file.entry(i).version
    }

    /// Waits until a version newer than `version` exists, at most until `deadline`.
    ///
    /// Looks again and again instead of waiting at the condition for new commits: whoever is killed
    /// while waiting there stops, for ever, the next one that signals.
    func waitForVersion(after version: UInt64, until deadline: Deadline) throws(RealmError) -> Bool
    {
        try checkProcess()
        while newestVersion <= version {
            if deadline.hasPassed { return false }
            Deadline.sleep(milliseconds: 5)
        }
        return true
    }

    // MARK: Writing

    /// Takes the writer's turn; nil when `deadline` passed first.
    ///
    /// Writers are served in the order of their tickets; one that does not take its turn within
    /// half a second is passed over.
    func beginWrite(until deadline: Deadline? = nil) throws(RealmError) -> SharedMutex.Outcome? {
        try checkProcess()
        let ticket: UInt32
        var outcome: SharedMutex.Outcome
        if let deadline {
            // Whoever may give up draws late: a ticket nobody serves holds up all behind it.
            guard let locked = try file.writeMutex.lock(until: deadline) else { return nil }
            outcome = locked
            ticket = file.takeTicket()
        } else {
            ticket = file.takeTicket()
            outcome = try file.writeMutex.lock()
        }
        // Polite for half a second: for the same reason not at the condition that others wait at.
        let patience = Deadline.after(milliseconds: 500)
        while Int32(bitPattern: ticket &- file.nextServed) > 0, !patience.hasPassed {
            file.writeMutex.unlock()
            Deadline.sleep(milliseconds: 1)
            if try file.writeMutex.lock() == .ownerDied { outcome = .ownerDied }
        }
        file.nextServed = ticket
        PausePoint.reach(.turn)
        try checkCritical()
        return outcome
    }

    /// Takes the writer's turn only if nobody has it.
    func tryBeginWrite() throws(RealmError) -> SharedMutex.Outcome? {
        try checkProcess()
        guard let outcome = try file.writeMutex.tryLock() else { return nil }
        try checkCritical()
        return outcome
    }

    private func checkCritical() throws(RealmError) {
        if file.isCritical {
            endWrite()
            throw RealmError(
                .busy, code: "SessionRestartRequired", reason: "critical",
                "a program died while it published a version; this session can only be read",
                hint: "end all programs that have the database open, then try again")
        }
    }

    func endWrite() {
        file.nextServed &+= 1
        // Others than this engine's wait at the condition, with tickets yet to be served.
        if file.nextTicket != file.nextServed { file.nextWriter.broadcast() }
        file.writeMutex.unlock()
    }

    /// Drops versions nobody pins and tells which remain. The caller writes and pins the newest.
    func purge() throws(RealmError) -> VersionList.Reachable {
        let file = file
        return try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).purge()
        }
    }

    /// Makes a committed version the newest and wakes everybody who waits for one.
    func publish(
        version: UInt64, top: Ref, logicalSize: UInt64, reachable: UInt64
    ) throws(RealmError) {
        let file = file
        file.isCritical = true
        PausePoint.reach(.critical)
        try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).add(version: version, top: top, fileSize: logicalSize)
        }
        file.isCritical = false
        PausePoint.reach(.published)
        try file.controlMutex.withLock { () throws(RealmError) in
            file.versionCount = reachable + 1
            file.newestVersion = version
            PausePoint.reach(.signalling)
            file.newCommit.broadcast()
        }
        notifier.notify()
        PausePoint.reach(.ending)
    }
}
