import Synchronization

/// A participant of a live session: joins in `init`, leaves in `deinit` (storage format section 6).
///
/// The comment of `LockFile` says which locks guard its fields; this object's only mutable state is
/// `isJoined`. Lock order: write mutex, control mutex, version-list mutex. Free to cross threads,
/// except that only the thread that began a write may end it.
final class Session: Sendable {
    let file: LockFile
    /// Nil for a database in memory, which has no companion files and no other participants.
    let resolvedPath: DatabasePath?
    /// Timeout for the version-list mutex, which other participants hold only briefly.
    private let lockTimeout: LockTimeout
    private let notifier: CommitNotifier?
    /// Signallers that wake programs of other engines, which wait at two conditions of the lock
    /// file: for a commit, and for the writer's turn.
    private let commitSignaller: ConditionSignaller
    private let turnSignaller: ConditionSignaller
    /// Receives announcements of commits in `waitForVersion`; nil if the FIFO cannot be used.
    private let commitReader: CommitFIFOReader?
    /// Whether this object is counted as a participant. If joining failed, it must not be
    /// subtracted from the count.
    private let isJoined = Atomic<Bool>(false)
    /// Table of the pins' processes and threads; nil if it cannot be used. Pins work without it.
    let readers: ReaderTable?
    /// Fork generation of the process that joined the session. In a forked process,
    /// `ForkGeneration.current` is higher: that process is no participant.
    private let generation = ForkGeneration.current

    /// State of the file when the session's first participant opens it.
    struct Attachment {
        let version: UInt64
        let top: Ref
        let logicalSize: UInt64
        let historyType: UInt64
    }

    private static let historyType: Int8 = 2
    private static let historySchema: UInt16 = 1
    private static let tries = 10
    /// Timeout in milliseconds for the control mutex in `deinit`. After the timeout, this
    /// participant is not subtracted from the number of participants, as if its process had died.
    private static let leavingTimeout = 1000
    /// Minimum timeout for the version-list mutex in milliseconds.
    private static let listTimeout = 1000

    /// Joins the session of the database at `resolvedPath`, or begins it as the first participant.
    ///
    /// `attach` opens the database file. For the first participant it may create, convert and
    /// resize the file, and returns its state. For other participants it returns nil: the file's
    /// header may select a version that was never published because its writer died. `namesReaders`
    /// creates the reader table if it is missing. Throws `incompatible` if the lock file has
    /// another layout or the session has other settings.
    init(
        joining resolvedPath: DatabasePath, isDurable: Bool, namesReaders: Bool = true,
        _ lockTimeout: LockTimeout = .forever,
        attach: (_ isInitiator: Bool) throws(RealmError) -> Attachment?
    ) throws(RealmError) {
        self.resolvedPath = resolvedPath
        self.lockTimeout = lockTimeout.atLeast(milliseconds: Self.listTimeout)
        try resolvedPath.checkSideFiles()
        notifier = CommitNotifier(resolvedPath)
        commitReader = CommitFIFOReader(resolvedPath)
        file = try Self.open(resolvedPath, isDurable: isDurable, lockTimeout)
        (commitSignaller, turnSignaller) = Self.signallers(file)
        readers = ReaderTable(databasePath: resolvedPath.path, creates: namesReaders)
        let file = file
        let joined: Void? = try file.withControl(lockTimeout) {
            () throws(RealmError) in
            let isInitiator = file.participants == 0
            Failpoint.reach(.attaching)
            let attachment = try attach(isInitiator)
            if isInitiator {
                let attachment = attachment!
                guard attachment.historyType == 0 || attachment.historyType == 2 else {
                    throw Self.synced
                }
                try Self.begin(file, attachment, lockTimeout)
            } else {
                try Self.checkAgreement(file, isDurable: isDurable)
            }
            file.participants += 1
            isJoined.store(true, ordering: .relaxed)
            Failpoint.reach(.joining)
        }
        if joined == nil { throw Self.busy(resolvedPath) }
    }

    /// Begins the session of a database in memory; this process is the only participant.
    init(inMemory attachment: Attachment, isDurable: Bool) throws(RealmError) {
        resolvedPath = nil
        lockTimeout = .forever
        (notifier, commitReader, readers) = (nil, nil, nil)
        let memory = try MappedLockFile(
            copying: [UInt8](repeating: 0, count: LockFile.initialSize))
        LockFile.initialize(
            memory.base, durability: isDurable ? 0 : 2, historyType: Self.historyType,
            historySchema: Self.historySchema)
        file = LockFile(memory: memory)
        (commitSignaller, turnSignaller) = Self.signallers(file)
        try Self.begin(file, attachment, .forever)
        file.participants = 1
    }

    /// Joins a live session as a reader with the session's settings; returns nil if there is no
    /// session or it cannot be joined.
    init?(
        readingLive resolvedPath: DatabasePath, _ lockTimeout: LockTimeout = .forever
    ) throws(RealmError) {
        guard resolvedPath.hasOneSession, MappedLockFile.isLocked(resolvedPath.lock),
            case .open(let memory)? = try MappedLockFile.join(
                resolvedPath.lock, size: LockFile.initialSize)
        else { return nil }
        self.resolvedPath = resolvedPath
        self.lockTimeout = lockTimeout.atLeast(milliseconds: Self.listTimeout)
        notifier = CommitNotifier(resolvedPath)
        commitReader = CommitFIFOReader(resolvedPath)
        file = LockFile(memory: memory)
        (commitSignaller, turnSignaller) = Self.signallers(file)
        readers = ReaderTable(databasePath: resolvedPath.path, creates: false)
        let file = file
        guard file.isInitialized, file.foreignLayout == nil else { return nil }
        let joined = try file.withControl(lockTimeout) {
            () throws(RealmError) -> Bool in
            guard file.participants > 0, file.newest != LockFile.noEntry else { return false }
            file.participants += 1
            return true
        }
        guard let joined else { throw Self.busy(resolvedPath) }
        if !joined { return nil }
        isJoined.store(true, ordering: .relaxed)
    }

    private static func signallers(
        _ file: LockFile
    ) -> (commit: ConditionSignaller, turn: ConditionSignaller) {
        (ConditionSignaller(file) { $0.newCommit }, ConditionSignaller(file) { $0.nextWriter })
    }

    deinit {
        if isOwnProcess { leave() }
    }

    private var isOwnProcess: Bool { generation == ForkGeneration.current }

    /// Throws in a forked process, whose changes to counts and locks of the session would be
    /// attributed to its parent.
    private func checkProcess() throws(RealmError) {
        guard isOwnProcess else {
            throw .misuse(
                "the database was opened before this process was forked", code: "WrongThread",
                reason: "forked", hint: "open it again in the new process")
        }
    }

    /// Throws unless the session has the settings of this instance, which is about to write.
    func checkAgreement(isDurable: Bool) throws(RealmError) {
        try checkProcess()
        try Self.checkAgreement(file, isDurable: isDurable)
    }

    /// Opens the lock file and waits until it is initialised; another process may be initialising
    /// it. If the lock file has another layout than this engine uses, retries a few times: the
    /// programs that use that layout may be about to close the database.
    private static func open(
        _ resolvedPath: DatabasePath, isDurable: Bool, _ lockTimeout: LockTimeout
    ) throws(RealmError) -> LockFile {
        let deadline = lockTimeout.deadline
        let permissions = { FilePermissions(of: resolvedPath.path) ?? .ofNewDatabase }
        var left = tries
        while true {
            let opening = try MappedLockFile.open(
                resolvedPath.lock, size: LockFile.initialSize, permissions
            ) {
                LockFile.initialize(
                    $0, durability: isDurable ? 0 : 2, historyType: historyType,
                    historySchema: historySchema)
            }
            var difference: String?
            switch opening {
            case .open(let memory):
                let file = LockFile(memory: memory)
                if file.isInitialized {
                    difference = file.foreignLayout
                    if difference == nil { return file }
                }
            case .tooSmall: difference = "the file is too small"
            case .notReady: break
            }
            if let difference {
                left -= 1
                if left < 0 { throw incompatible(difference, resolvedPath) }
                Deadline.sleep(milliseconds: Int.random(in: 0..<((tries - left) * 10)))
            } else {
                if deadline?.hasPassed == true { throw unready(resolvedPath) }
                Deadline.sleep(milliseconds: 1)
            }
        }
    }

    private static func begin(
        _ file: LockFile, _ attachment: Attachment, _ lockTimeout: LockTimeout
    ) throws(RealmError) {
        file.initiatorPID = 0
        file.format = UInt8(FileFormat.current)
        file.versionCount = 1
        file.newestVersion = attachment.version
        let done: Void? = try file.versionMutex.withLock(lockTimeout) { () throws(RealmError) in
            try VersionList(file: file).reset(
                version: attachment.version, top: attachment.top, fileSize: attachment.logicalSize)
        }
        if done == nil { throw listBusy }
    }

    private static func checkAgreement(_ file: LockFile, isDurable: Bool) throws(RealmError) {
        guard file.format == FileFormat.current else {
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

    /// The error for a control mutex that stays locked. Programs hold it for long only while they
    /// compact the file or are stopped by a signal.
    private static func busy(_ resolvedPath: DatabasePath) -> RealmError {
        RealmError(
            .busy, code: "FileBusy", reason: "joining",
            "\(holders(resolvedPath)) keeps others from joining the session",
            file: resolvedPath.name,
            hint: "wait for it")
    }

    private static func holders(_ resolvedPath: DatabasePath) -> String {
        let openers = FileHolders.names(participating: resolvedPath.path)
        return openers.isEmpty ? "another program" : openers.joined(separator: ", ")
    }

    /// The error for a lock file that another process holds and never initialises.
    private static func unready(_ resolvedPath: DatabasePath) -> RealmError {
        RealmError(
            .busy, code: "FileBusy", reason: "lock-file",
            "the lock file is held by \(holders(resolvedPath)) and not ready for use",
            file: resolvedPath.name,
            hint: "wait for it, or end that program")
    }

    /// The error for a version list that stays locked. Participants lock it only briefly, so a
    /// program is stopped by a signal, or the lock file is damaged.
    private static var listBusy: RealmError {
        RealmError(
            .busy, code: "FileBusy", reason: "version-list",
            "another program holds the lock on the session's version list",
            hint: "wait for it, or end all programs that have the database open")
    }

    private static func incompatible(_ what: String, _ resolvedPath: DatabasePath) -> RealmError {
        RealmError(
            .incompatible, code: "IncompatibleLockFile", reason: "lock-layout",
            "the lock file of a live session has an unknown form: \(what)", file: resolvedPath.name,
            hint: "read it without its lock file, or wait until the other programs end")
    }

    private func leave() {
        guard isJoined.load(ordering: .relaxed) else { return }
        let lockTimeout = LockTimeout.milliseconds(Self.leavingTimeout)
        guard (try? file.lock(file.controlMutex, until: lockTimeout.deadline)) != nil else {
            return
        }
        if file.participants > 0 { file.participants -= 1 }
        Failpoint.reach(.leaving)
        file.controlMutex.unlock()
    }

    // MARK: Reading

    /// Calls `body` with the version list locked.
    private func withList<R>(
        _ body: (VersionList) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        let list = VersionList(file: file)
        let result = try file.versionMutex.withLock(lockTimeout) { () throws(RealmError) in
            try body(list)
        }
        guard let result else { throw Self.listBusy }
        return result
    }

    /// Pins the newest version.
    func pinNewest(_ kind: PinKind = .live) throws(RealmError) -> VersionList.Pin {
        try checkProcess()
        return try withList { (list) throws(RealmError) in try list.pinNewest(kind) }
    }

    /// Pins the newest version for a new participant. Throws if the newest entry does not have the
    /// highest version number, unless a writer died while it published a version.
    func pinFirst() throws(RealmError) -> VersionList.Pin {
        let file = file
        return try withList { (list) throws(RealmError) in
            let isInOrder = try list.isInOrder()
            guard isInOrder || file.isCritical else { throw MappedLockFile.damaged }
            return try list.pinNewest(.live)
        }
    }

    /// Adds a frozen pin to the version with this number; returns nil if the version is no longer
    /// readable.
    func pin(version: UInt64) throws(RealmError) -> VersionList.Pin? {
        try withList { (list) throws(RealmError) in try list.pin(version: version, .frozen) }
    }

    /// Numbers of the pinned versions and of the newest one, ascending.
    func versionsInUse() throws(RealmError) -> [UInt64] {
        try withList { (list) throws(RealmError) in try list.held() }
    }

    /// Whether the version list of the lock file has an entry of `version`.
    func lists(_ version: UInt64) throws(RealmError) -> Bool {
        try withList { (list) throws(RealmError) in try list.lists(version) }
    }

    /// Whether the version list of the lock file has an entry of a published version whose root is
    /// at `root`.
    func lists(root: Ref) throws(RealmError) -> Bool {
        try withList { (list) throws(RealmError) in try list.lists(root: root) }
    }

    /// Adds a pin for a version that the caller has pinned already.
    func pin(
        again pin: VersionList.Pin, _ kind: PinKind
    ) throws(RealmError) -> VersionList.Pin {
        try checkProcess()
        return try withList { (list) throws(RealmError) in try list.pin(again: pin, kind) }
    }

    func release(_ pin: VersionList.Pin) {
        guard isOwnProcess else { return }
        try? withList { (list) throws(RealmError) in list.release(pin) }
    }

    /// Number of the newest version, read without a lock.
    var newestVersion: UInt64 {
        let i = Int(file.newest)
        // Other participants may have extended the version list beyond what is mapped here.
        guard LockFile.size(entries: i + 1) <= file.memory.visibleSize else {
            return file.newestVersion
        }
        return file.entry(i).version
    }

    /// Waits until there is a version newer than `version`, at most until `deadline`. Returns
    /// whether there is such a version.
    ///
    /// Waits for announcements of commits and polls. Does not wait at the lock file's condition: a
    /// waiter killed there makes the next broadcast hang for ever.
    func waitForVersion(after version: UInt64, until deadline: Deadline) throws(RealmError) -> Bool
    {
        try checkProcess()
        while newestVersion <= version {
            if deadline.hasPassed { return false }
            if let commitReader {
                commitReader.listen(milliseconds: 5)
            } else {
                Deadline.sleep(milliseconds: 1)
            }
        }
        return true
    }

    // MARK: Writing

    /// Takes the writer's turn; returns nil if `deadline` passes first.
    ///
    /// Writers are served in the order of their tickets; a writer that does not take its turn
    /// within half a second is skipped.
    func beginWrite(until deadline: Deadline? = nil) throws(RealmError) -> SharedMutex.Outcome? {
        try checkProcess()
        // A writer with a deadline takes its ticket only after it has the mutex. If its deadline
        // passed afterwards, its ticket would delay all later tickets.
        let early = deadline == nil ? file.takeTicket() : nil
        guard var outcome = try file.lock(file.writeMutex, until: deadline) else { return nil }
        let ticket = early ?? file.takeTicket()
        // Gives writers with earlier tickets half a second to take their turn. Sleeps instead of
        // waiting at the condition, where a waiter that is killed would block others.
        let politeness = Deadline.after(milliseconds: 500)
        while Int32(bitPattern: ticket &- file.nextServed) > 0, !politeness.hasPassed {
            file.writeMutex.unlock()
            Deadline.sleep(milliseconds: 1)
            guard let again = try file.lock(file.writeMutex, until: deadline) else { return nil }
            if again == .ownerDied { outcome = .ownerDied }
        }
        file.nextServed = ticket
        Failpoint.reach(.turn)
        try checkCritical()
        return outcome
    }

    /// Takes the writer's turn if no other writer has the turn; returns nil if one has it.
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
        // Only other engines wait at the condition; each has a ticket that is not yet served.
        let isAwaited = file.nextTicket != file.nextServed
        file.writeMutex.unlock()
        if isAwaited { turnSignaller.signal() }
    }

    /// Removes the versions that no pin keeps and returns the readable ones. The caller has the
    /// writer's turn and has pinned the newest version.
    func purge() throws(RealmError) -> VersionList.Reachable {
        try withList { (list) throws(RealmError) in try list.purge() }
    }

    /// Makes a committed version the newest one and wakes all processes that wait for commits.
    func publish(
        version: UInt64, top: Ref, logicalSize: UInt64, reachable: UInt64
    ) throws(RealmError) {
        let file = file
        file.isCritical = true
        Failpoint.reach(.critical)
        try file.versionMutex.withLock { () throws(RealmError) in
            try VersionList(file: file).add(version: version, top: top, fileSize: logicalSize)
        }
        file.isCritical = false
        Failpoint.reach(.published)
        _ = try file.withControl { () throws(RealmError) in
            file.versionCount = reachable + 1
            file.newestVersion = version
            Failpoint.reach(.signalling)
        }
        commitSignaller.signal()
        if let notifier {
            notifier.notify(participants: file.participants)
        } else {
            CommitListener.wake()
        }
        Failpoint.reach(.ending)
    }
}
