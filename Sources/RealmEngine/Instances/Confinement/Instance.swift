import Synchronization

/// A database as one thread, serial queue or actor uses it. It shows one version until it moves to
/// a newer version.
///
/// Confined: using an instance, or an object it returned, in another context traps with a message
/// that names both contexts. There is one instance per database and context, so that all code in a
/// context reads the same version. A frozen instance always shows its version and may be used on
/// any thread. Reading takes no lock; moving to a newer version writes once to the pins in the lock
/// file.
public final class Instance {
    public let database: Database
    public let confinement: Confinement
    /// Whether the instance moves to newer versions automatically. Only possible in contexts to
    /// which work can be sent.
    public var autorefresh: Bool {
        didSet { if isFrozen { Misuse.trap("Auto-refresh cannot be enabled for frozen Realms.") } }
    }
    let configuration: Configuration
    let kind: Kind
    /// Number of a frozen instance's version, otherwise 0. Faster to read than `kind`, which
    /// requires reference counting.
    private let frozenToken: UInt64
    /// The snapshot of the current version; nil before the first read and after `invalidate`.
    var view: Snapshot? {
        didSet {
            showOther()
            (frozenView, frozenCompanion) = (nil, nil)
        }
    }
    /// Frozen form of the current version. All frozen instances made from this version share it. It
    /// has the same pin as `view`. Nil if no frozen instance was made from this version.
    var frozenView: FrozenVersion?
    /// Object of a higher layer that belongs to `frozenView`; both are released together. Must not
    /// reference this instance.
    package var frozenCompanion: AnyObject?
    /// Access to the nodes of `view`.
    private var currentSpace: NodeSpace?
    /// Cached locations of nodes are valid as long as this number does not change. 0 while a write
    /// transaction is open, because its nodes move.
    @exclusivity(unchecked) @usableFromInline private(set) var generation = 1
    /// Source of new values of `generation`: incremented whenever `view` or `transaction` changes.
    @exclusivity(unchecked) private(set) var lastGeneration = 1
    /// Number given to the last `CollectionEdit` that an `ElementReader` opened. An `ElementReader`
    /// stores the number of its edit. If the transaction's open edit has another number, the edit
    /// belongs to another collection.
    @exclusivity(unchecked) var lastEditNumber = 0
    var isClosed = false
    var transaction: WriteTransaction? { didSet { showOther() } }
    /// The running block of an asynchronous write. The transaction of the block is `transaction`,
    /// until the block ends it.
    var asyncBlock: AsyncBlock?
    var isInCompletion = false
    var isNotifying = false
    /// Whether a background thread is comparing versions to prepare notifications of observers.
    var isPreparing = false
    var ownSession: WriteSession?
    var ownQueue: CommitQueue?
    /// The thread that is always in the context; 0 if there is none, and when the instance is
    /// closed. Each check first compares this number.
    let thread: Atomic<UInt>
    let pendingCount = Atomic<Int>(0)
    let weakBox = WeakBox<Instance>()
    let observers = ObserverList()

    enum Kind {
        /// The instance moves to newer versions and may write.
        case live
        /// The instance always shows the same version, never writes and has no observers.
        case readOnly
        /// The instance always shows this version and may be used on any thread.
        case frozen(FrozenVersion)
    }

    struct AsyncBlock {
        /// The session that holds the write mutex while the block runs.
        let session: WriteSession
        /// Ending of the transaction in the block: committed or rolled back; nil while the
        /// transaction is open.
        var ending: CommitSchedule.Ending?
    }

    /// Options for opening a database and for its instances.
    public struct Configuration: Sendable {
        /// Path of the file; name of an in-memory database.
        var path: String
        /// Whether the database is in memory, without any file. All instances with the same name in
        /// this process share it; it is freed with the last of them.
        var isInMemory = false
        public var isDurable = true
        public var creation = Database.Creation.never
        /// Key of an encrypted file; a new file is encrypted with it. All instances of a file in
        /// one process must use the same key.
        public var key: EncryptionKey?
        /// Maximum number of live versions. If there are more, the next write transaction traps.
        /// Nil for no limit.
        public var maximumNumberOfActiveVersions: Int?
        /// Whether the instance moves to the newest version when it is notified of a commit. This
        /// needs a context to which work can be sent. If false, or in another context, the instance
        /// moves in `refresh` and when it begins to write.
        public var autorefresh = true
        /// Whether opening the database again in the same context returns the same instance.
        package var isShared = true
        /// Maximum time for which asynchronous writes wait for the write mutex; after that they
        /// fail with `busy`. The first instance of a database that writes asynchronously determines
        /// the value.
        public var lockTimeout = WriteSession.LockTimeout.forever

        public init(path: String) { self.path = path }

        /// Makes the configuration of an in-memory database with the name `identifier`.
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
        weakBox.begin(self)
    }

    deinit {
        weakBox.end()
        cancelNotice()
        guard let transaction else { return }
        // Roll back, to release the write mutex: other writers would otherwise wait for it for
        // ever.
        transaction.rollback()
        if asyncBlock == nil { ownQueue?.resume() }
    }

    private func cancelNotice() {
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

    /// Returns the instance of a database for a context, and opens it if necessary. Call it in that
    /// context.
    ///
    /// Throws the errors of opening a database.
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
            // A new queue or actor may have the address, and thus the identity, of a deallocated
            // one. Therefore check the context, too.
            if let known = live[key]?.object, known.database === database, !known.isClosed,
                known.confinement.isCurrentContext
            {
                return Unchecked(known)
            }
            live[key] = fresh.value.weakBox
            return fresh
        }
        return found.value
    }

    /// Makes an instance for the calling thread that always shows the current version of
    /// `database`. The instance neither joins the processes that share the lock file nor creates a
    /// file, and cannot write. Any number of threads can have such instances of one `database`, and
    /// share the mapping of its file.
    public static func reading(_ database: Database) -> Instance {
        let instance = Instance(
            database, .thread, Configuration(path: database.path), .readOnly)
        instance.view = database.snapshot()
        return instance
    }

    static func frozen(
        _ version: FrozenVersion, _ configuration: Configuration
    ) -> Instance {
        Instance(version.database, .anywhere, configuration, .frozen(version))
    }

    /// Whether the instance is frozen. Safe on any thread.
    public var isFrozen: Bool { frozenToken != 0 }

    /// The version of a frozen instance; nil for an instance that is not frozen.
    var frozen: FrozenVersion? {
        if case .frozen(let version) = kind { version } else { nil }
    }

    var isReadOnly: Bool {
        if case .readOnly = kind { true } else { false }
    }

    // MARK: Reading

    @inline(__always)
    func check() {
        if thread.load(ordering: .relaxed) != Threads.current { checkPath() }
    }

    @inline(never)
    private func checkPath() {
        confinement.check()
        if isClosed { Misuse.trap("Cannot access realm that has been closed.") }
    }

    /// Returns a snapshot of the current version, or of the open transaction. Valid until the
    /// instance moves to another version. For a frozen instance, returns a snapshot for the calling
    /// thread.
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

    /// Updates what depends on `view` and `transaction` after a change of one of them: access to
    /// nodes, and `generation`, which invalidates cached locations of objects.
    private func showOther() {
        currentSpace = view?.lookup
        lastGeneration += 1
        generation = transaction == nil ? lastGeneration : 0
    }

    /// Access to the nodes of the current version. For callers whose cached locations of objects
    /// have the current generation.
    @inline(__always)
    var space: NodeSpace {
        if thread.load(ordering: .relaxed) == Threads.current, let currentSpace {
            return currentSpace
        }
        return sharedSpace
    }

    /// Access to the nodes of the open write transaction if there is one, otherwise of the current
    /// version.
    var readableSpace: NodeSpace { transaction?.context.space ?? space }

    @inline(never)
    private var sharedSpace: NodeSpace {
        if frozenToken != 0, let known = FrozenSpaces.space(numbered: frozenToken) { return known }
        if let frozen { return FrozenSpaces.space(of: frozen) }
        checkPath()
        if let currentSpace { return currentSpace }
        return snapshot().lookup
    }

    public var version: UInt64 { snapshot().version }
    public var schema: Schema { snapshot().schema }

    // MARK: Refreshing

    /// Moves to the newest version and calls all observers with pending changes on the calling
    /// thread.
    ///
    /// Returns false if there is no newer version. Also returns false, without moving, in a write
    /// transaction, inside an observer's block, and if the instance is frozen.
    @discardableResult
    public func refresh() throws(RealmError) -> Bool { try refresh(isImmediate: true) }

    /// - Parameter isImmediate: whether to make the initial calls of observers even if their
    ///   background evaluation is not finished. The calling thread then evaluates their results.
    func refresh(isImmediate: Bool) throws(RealmError) -> Bool {
        check()
        if isFrozen || isReadOnly || transaction != nil || isNotifying { return false }
        try database.refresh()
        if database.failure != nil, view?.isBorrowed == true {
            // The current version belongs to a commit group that failed and never reached the file.
            move(to: database.snapshot(), isImmediate: isImmediate)
            return true
        }
        let known = view?.version
        guard known != database.version else {
            keepByItself()
            deliverPending(isImmediate: isImmediate)
            return false
        }
        // The current version belongs to a commit group that is not durable yet.
        if let known, known > database.version {
            deliverPending(isImmediate: isImmediate)
            return false
        }
        move(to: database.snapshot(), isImmediate: isImmediate)
        return true
    }

    /// Lets the instance read its version from the file, if the instance still reads the version
    /// from the memory of a commit group: several asynchronous commits that become durable
    /// together. The version must be durable now. Frees the memory of the group.
    private func keepByItself() {
        guard let old = view, old.isBorrowed else { return }
        let durable = database.snapshot()
        observers.replace(old, with: durable)
        view = durable
    }

    /// Moves the instance to the version `kept` if no version is loaded yet.
    func begin(with kept: FrozenVersion) {
        if isFrozen || transaction != nil || view != nil || kept.database !== database { return }
        view = kept.snapshot()
    }

    /// Moves the instance to `kept` if `kept` is newer than the current version. `kept` may belong
    /// to a commit group of this process that is not durable yet; `refresh` cannot move to such a
    /// version.
    func catchUp(with kept: FrozenVersion) {
        if isFrozen || isReadOnly || transaction != nil || isNotifying { return }
        if kept.database === database, kept.version > snapshot().version {
            move(to: kept.snapshot())
        }
    }

    /// Moves to `next` and calls the observers with pending changes.
    ///
    /// - Parameter isLater: whether `next` is a commit of this instance. Observers of objects and
    ///   collections are then called in a later turn of the context.
    /// - Parameter isImmediate: see `refresh(isImmediate:)`.
    func move(to next: Snapshot, deliveringLater isLater: Bool = false, isImmediate: Bool = false) {
        let old = view
        view = next
        if let old { observers.moved(from: old.state, to: next.state, isOwn: isLater) }
        if let old, !observers.skipped.isEmpty { observers.leaveOut(from: old, to: next) }
        notifying {
            if let old, old.state !== next.state { observers.notify(.didChange) }
            if !isLater { observers.deliver(self, isImmediate: isImmediate) }
        }
        if isLater { observers.deliverLater(self) }
    }

    /// Notifies observers of pending changes.
    ///
    /// - Parameter isImmediate: see `refresh(isImmediate:)`.
    package func deliverPending(isImmediate: Bool = false) {
        if isClosed || transaction != nil { return }
        notifying { observers.deliver(self, isImmediate: isImmediate) }
    }

    private func notifying(_ body: () -> Void) {
        let isNested = isNotifying
        isNotifying = true
        body()
        isNotifying = isNested
    }

    /// Releases the current version. Objects that the instance returned become invalid. Waits until
    /// asynchronous commits are durable, and rolls back an open write transaction.
    ///
    /// Returns false and does nothing while observers are being notified, and if the instance is
    /// frozen.
    @discardableResult
    public func invalidate() -> Bool {
        check()
        if isNotifying || isFrozen { return false }
        if let queue = ownQueue, isPerformingAsynchronousWriteOperations, asyncBlock == nil {
            queue.suspend()
            queue.waitForCommits()
            queue.resume()
        }
        if transaction != nil { cancelWrite() }
        view = nil
        observers.discardVersions()
        return true
    }

    /// Invalidates the instance and removes its observers. A closed instance cannot be used again.
    public func close() {
        if isFrozen || isClosed { return }
        invalidate()
        observers.removeAll()
        isClosed = true
        thread.store(0, ordering: .relaxed)
        cancelNotice()
    }
}
