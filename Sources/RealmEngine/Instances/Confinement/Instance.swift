import Synchronization

/// A database as one thread, serial queue or actor sees it: live, at one version until it moves on.
///
/// Confined: using it, or what it hands out, elsewhere traps with a sentence naming both sides. There
/// is one instance for a file and a place, so that all code there sees one version. A frozen instance
/// stays at its version and may be used anywhere. Reading takes no lock; moving to a newer version
/// writes to the shared list of pins once.
public final class Instance {
    public let database: Database
    public let confinement: Confinement
    /// Whether a newer version is moved to by itself, where work can be delivered.
    public var autorefresh: Bool {
        didSet { if isFrozen { Misuse.trap("Auto-refresh cannot be enabled for frozen Realms.") } }
    }
    let configuration: Configuration
    let kind: Kind
    /// Number of the version of a frozen instance, else 0: reading `kind` would count references.
    private let frozenToken: UInt64
    /// The version that is read; nil until the first read, and after `invalidate`.
    var view: Snapshot? {
        didSet {
            showOther()
            (frozenView, frozenCompanion) = (nil, nil)
        }
    }
    /// The same version for frozen views, if there were any. It costs nothing beside the live view.
    var frozenView: FrozenVersion?
    /// What a layer above made of `frozenView`, kept for as long. Must not refer to this instance.
    package var frozenCompanion: AnyObject?
    /// Where nodes of `view` are read.
    private var shown: NodeSpace?
    /// What was found by places in nodes holds while this stays the same; 0 while a write transaction
    /// is open, whose nodes move.
    @exclusivity(unchecked) @usableFromInline private(set) var generation = 1
    /// Grows whenever something else is shown.
    @exclusivity(unchecked) private(set) var lastGeneration = 1
    /// Number of edits of collections that an `ElementReader` uses.
    @exclusivity(unchecked) var lastEditNumber = 0
    var isClosed = false
    /// The open write transaction.
    var transaction: WriteTransaction? { didSet { showOther() } }
    /// The block of an asynchronous write, while it runs. Its transaction is `transaction`, until the block
    /// ends it.
    var asyncBlock: AsyncBlock?
    var isInCompletion = false
    var isNotifying = false
    /// Another thread finds out what observers are to be told of a newer version.
    var isPreparing = false
    var ownSession: WriteSession?
    var ownQueue: CommitQueue?
    /// The thread it is confined to; 0 when it is closed, and where that is not a matter of threads.
    /// Checked with every use: one comparison says that all is well.
    let thread: Atomic<UInt>
    let pendingCount = Atomic<Int>(0)
    let whereabouts = WeakBox<Instance>()
    let observers = ObserverList()

    enum Kind {
        /// Moves to newer versions, and writes.
        case live
        /// Stays at its version, never writes, and has no observers.
        case readOnly
        /// Shows this version on any thread.
        case frozen(FrozenVersion)
    }

    struct AsyncBlock {
        /// The session in whose turn the block runs.
        let session: WriteSession
        /// The end of the transaction by the block; nil while it is open.
        var ending: CommitSchedule.Ending?
    }

    /// How a database is opened, and what holds for its instances.
    public struct Configuration: Sendable {
        /// Of the file; of a database in memory its name.
        var path: String
        /// The database is in memory, shared by all who open one of this name in this process, and
        /// gone with the last of them. No file lies anywhere.
        var isInMemory = false
        public var isDurable = true
        public var creation = Database.Creation.never
        /// Of an encrypted file; a new file is encrypted with it. All who open a file in one process
        /// give the same.
        public var key: EncryptionKey?
        /// More readable versions than this make the next write transaction a mistake.
        public var maximumNumberOfActiveVersions: Int?
        /// Whether an instance where work can be delivered hears of commits: without, it moves on when
        /// it is refreshed and when it writes.
        public var autorefresh = true
        /// All who open the database at one place have one instance; without, this one is nobody else's.
        package var isShared = true
        /// How long asynchronous writes wait for the turn among all writers; what waits then fails
        /// with `busy`. The first instance of a database that writes asynchronously decides.
        public var patience = WriteSession.LockTimeout.forever

        public init(path: String) { self.path = path }

        /// A database in memory, shared by this identifier.
        public init(inMemory identifier: String) {
            path = identifier
            (isInMemory, isDurable, creation) = (true, false, .ifMissing)
        }
    }

    private init(
        _ database: Database, _ confinement: Confinement, _ configuration: Configuration,
        _ kind: Kind = .live
    ) {
        self.database = database
        self.confinement = confinement
        thread = Atomic(confinement.resident)
        self.configuration = configuration
        autorefresh = configuration.autorefresh
        self.kind = kind
        if case .frozen(let version) = kind {
            frozenToken = version.number
        } else {
            frozenToken = 0
        }
        whereabouts.begin(self)
    }

    deinit {
        whereabouts.end()
        forgetNotice()
        guard let transaction else { return }
        // Giving up the turn keeps others from waiting for somebody who is gone (CD-29).
        transaction.rollback()
        if asyncBlock == nil { ownQueue?.unhold() }
    }

    private func forgetNotice() {
        if confinement.isDeliverable {
            CommitNotice.remove(ObjectIdentifier(self), of: database)
        }
    }

    // MARK: Opening

    private struct Key: Hashable {
        let database: ObjectIdentifier
        let place: Confinement.Identity
    }

    private static let live = LockedValue<[Key: WeakBox<Instance>]>([:])

    /// The instance of a database for a place, opened if there is none. Call it at that place.
    ///
    /// Throws what opening a database throws.
    public static func open(
        _ configuration: Configuration, on confinement: Confinement = .thread
    ) throws(RealmError) -> Instance {
        confinement.check()
        TruncationTrap.install()
        var options = Database.Options()
        options.isDurable = configuration.isDurable
        options.creation = configuration.creation
        options.key = configuration.key
        let database =
            configuration.isInMemory
            ? try Database.inMemory(configuration.path)
            : try Database.open(configuration.path, options)
        let instance = open(database, configuration, on: confinement)
        if confinement.isDeliverable, configuration.autorefresh {
            CommitNotice.add(instance, of: database)
        }
        return instance
    }

    private static func open(
        _ database: Database, _ configuration: Configuration, on confinement: Confinement
    ) -> Instance {
        let fresh = Unchecked(Instance(database, confinement, configuration))
        if !configuration.isShared { return fresh.value }
        let key = Key(database: ObjectIdentifier(database), place: confinement.identity)
        let found = live.withLock { live -> Unchecked<Instance> in
            // Where a queue or an actor was, another one may be now.
            if let known = live[key]?.object, known.database === database, !known.isClosed,
                known.confinement.isHere
            {
                return Unchecked(known)
            }
            live[key] = fresh.value.whereabouts
            return fresh
        }
        return found.value
    }

    /// An instance for the calling thread that shows the version `database` is at and stays there.
    /// It takes part in no session that the database is not in already, creates nothing and cannot
    /// write: any number of threads share one mapping that way.
    public static func reading(_ database: Database) -> Instance {
        let instance = Instance(
            database, .thread, Configuration(path: database.path), .readOnly)
        instance.view = database.snapshot()
        return instance
    }

    /// A frozen instance.
    static func frozen(
        _ version: FrozenVersion, _ configuration: Configuration
    ) -> Instance {
        Instance(version.database, .anywhere, configuration, .frozen(version))
    }

    /// Always safe to ask.
    public var isFrozen: Bool { frozenToken != 0 }

    /// The version that a frozen instance shows, else nil.
    var frozen: FrozenVersion? {
        if case .frozen(let version) = kind { version } else { nil }
    }

    var isReadOnly: Bool {
        if case .readOnly = kind { true } else { false }
    }

    // MARK: Reading

    @inline(__always)
    func check() {
        if thread.load(ordering: .relaxed) != Threads.current { checkPlace() }
    }

    @inline(never)
    private func checkPlace() {
        confinement.check()
        if isClosed { Misuse.trap("Cannot access realm that has been closed.") }
    }

    /// What is read: this instance's version, or the open transaction's own state. Valid until the
    /// instance moves on; of a frozen instance a view for the calling thread.
    public func snapshot() -> Snapshot {
        check()
        if let frozen { return frozen.snapshot() }
        if let transaction {
            do throws(RealmError) { return try transaction.snapshot() } catch {
                Misuse.trap("The write transaction cannot be read: \(error.message)")
            }
        }
        if let view { return view }
        if !isReadOnly { _ = try? database.refresh() }
        let fresh = database.snapshot()
        view = fresh
        return fresh
    }

    /// Another version is shown, or none, or what may change at any time.
    private func showOther() {
        shown = view?.lookup
        lastGeneration += 1
        generation = transaction == nil ? lastGeneration : 0
    }

    /// Where nodes of the version shown are read, for who holds something found in this generation.
    @inline(__always)
    var space: NodeSpace {
        if thread.load(ordering: .relaxed) == Threads.current, let shown { return shown }
        return sharedSpace
    }

    /// Where nodes of what is shown are read: those of the open write transaction, too.
    var readableSpace: NodeSpace { transaction?.context.space ?? space }

    @inline(never)
    private var sharedSpace: NodeSpace {
        if frozenToken != 0, let known = FrozenSpaces.space(numbered: frozenToken) { return known }
        if let frozen { return FrozenSpaces.space(of: frozen) }
        checkPlace()
        if let shown { return shown }
        return snapshot().lookup
    }

    public var version: UInt64 { snapshot().version }
    public var schema: Schema { snapshot().schema }

    // MARK: Moving on

    /// Moves to the newest version and calls all observers that are behind, on the calling thread; false
    /// when there is nothing newer, in a write transaction, when frozen, and inside an observer's block.
    @discardableResult
    public func refresh() throws(RealmError) -> Bool { try refresh(isHurried: true) }

    /// - Parameter isHurried: whether an observer's first call is delivered even if the background
    ///   evaluation for it has not arrived; the calling thread evaluates it then.
    func refresh(isHurried: Bool) throws(RealmError) -> Bool {
        check()
        if isFrozen || isReadOnly || transaction != nil || isNotifying { return false }
        try database.refresh()
        if database.failure != nil, view?.isBorrowed == true {
            // Its group never reached the file.
            move(to: database.snapshot(), isHurried: isHurried)
            return true
        }
        let known = view?.version
        guard known != database.version else {
            keepByItself()
            deliverPending(isHurried: isHurried)
            return false
        }
        // A version of a group that is not durable yet is newer than the newest for everybody.
        if let known, known > database.version {
            deliverPending(isHurried: isHurried)
            return false
        }
        move(to: database.snapshot(), isHurried: isHurried)
        return true
    }

    /// The version of a group is durable now and can be kept without the group's memory.
    private func keepByItself() {
        guard let old = view, old.isBorrowed else { return }
        let durable = database.snapshot()
        observers.replace(old, with: durable)
        view = durable
    }

    /// Shows `kept` if it shows no version yet.
    func begin(with kept: FrozenVersion) {
        if isFrozen || transaction != nil || view != nil || kept.database !== database { return }
        view = kept.snapshot()
    }

    /// Shows `kept` if that is newer: a version of this process that is not durable yet, to which
    /// `refresh` does not lead.
    func catchUp(with kept: FrozenVersion) {
        if isFrozen || isReadOnly || transaction != nil || isNotifying { return }
        if kept.database === database, kept.version > snapshot().version {
            move(to: kept.snapshot())
        }
    }

    /// Shows `next` from now on and calls the observers that are behind.
    ///
    /// - Parameter isLater: whether observers of objects and collections are called on a later turn: the
    ///   version is a commit of this instance.
    /// - Parameter isHurried: as in `refresh(isHurried:)`.
    func move(to next: Snapshot, tellingLater isLater: Bool = false, isHurried: Bool = false) {
        let old = view
        view = next
        if let old { observers.moved(from: old.state, to: next.state, isOwn: isLater) }
        if let old, !observers.skipped.isEmpty { observers.leaveOut(from: old, to: next) }
        notifying {
            if let old, old.state !== next.state { observers.tell(.didChange) }
            if !isLater { observers.deliver(self, isHurried: isHurried) }
        }
        if isLater { observers.deliverLater(self) }
    }

    /// Tells observers what they were not told yet.
    ///
    /// - Parameter isHurried: those too who were told nothing yet and are being prepared for it.
    func deliverPending(isHurried: Bool = false) {
        if isClosed || transaction != nil { return }
        notifying { observers.deliver(self, isHurried: isHurried) }
    }

    private func notifying(_ body: () -> Void) {
        let isNested = isNotifying
        isNotifying = true
        body()
        isNotifying = isNested
    }

    /// Lets go of the version; what was handed out becomes invalid. Asynchronous commits are durable
    /// when this returns, an open write transaction is rolled back.
    ///
    /// False while observers are being told: nothing happens then.
    @discardableResult
    public func invalidate() -> Bool {
        check()
        if isNotifying { return false }
        if let queue = ownQueue, isPerformingAsynchronousWriteOperations, asyncBlock == nil {
            queue.hold()
            queue.waitForCommits()
            queue.unhold()
        }
        if transaction != nil { cancelWrite() }
        view = nil
        observers.forgetVersions()
        return true
    }

    /// Lets go of everything for good.
    public func close() {
        if isFrozen || isClosed { return }
        invalidate()
        observers.removeAll()
        isClosed = true
        thread.store(0, ordering: .relaxed)
        forgetNotice()
    }
}
