import Synchronization

/// Write transactions of an instance (API specification 2.1 and 2.16).
extension Instance {
    public typealias AsyncID = UInt32

    public var isInWriteTransaction: Bool {
        check()
        return transaction != nil
    }

    /// The open write transaction, through which data is changed.
    public var write: WriteTransaction {
        check()
        guard let transaction else {
            Misuse.trap(
                "Can only add, remove, or create objects in a Realm in a write transaction - call "
                    + "beginWrite first.")
        }
        return transaction
    }

    private func checkWritable(_ what: String) {
        check()
        if isFrozen { Misuse.trap("Can't perform transactions on a frozen Realm") }
        if isReadOnly || database.session == nil {
            Misuse.trap("Can't perform transactions on read-only Realms.")
        }
        if isInCompletion {
            Misuse.trap(
                "Can't \(what) a write transaction from inside a commit completion callback.")
        }
    }

    private func queue() throws(RealmError) -> CommitQueue {
        if let ownQueue { return ownQueue }
        let queue = try CommitQueue.queue(of: database, configuration.patience)
        ownQueue = queue
        return queue
    }

    private func session() throws(RealmError) -> WriteSession {
        if let ownSession { return ownSession }
        var options = WriteSession.Options()
        options.isDurable = configuration.isDurable
        options.key = configuration.key
        let session = try WriteSession(on: database, options: options)
        ownSession = session
        return session
    }

    // MARK: Synchronous

    /// Runs `body` in a write transaction and commits it, unless `body` ended the transaction. What
    /// `body` throws is thrown on, after a rollback.
    public func write<R>(
        withoutNotifying tokens: [ObservationToken] = [],
        _ body: (WriteTransaction) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        try beginWrite()
        let result: R
        do throws(RealmError) { result = try body(write) } catch {
            if transaction != nil { cancelWrite() }
            throw error
        }
        if transaction != nil { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Waits for the writer's turn, moves to the newest version and begins. Throws `busy` when
    /// `patience` ends first, and what writing throws.
    public func beginWrite(
        _ patience: WriteSession.LockTimeout = .forever
    ) throws(RealmError) {
        checkWritable("begin")
        if transaction == nil, let block = asyncBlock, block.ending == .rolledBack {
            // The block of an asynchronous write rolled back and still has the turn.
            transaction = try block.session.begin()
            asyncBlock?.ending = nil
            return
        }
        if transaction != nil || asyncBlock != nil {
            Misuse.trap("The Realm is already in a write transaction")
        }
        try checkVersions()
        // Who is told before the turn is taken may write. Nobody's first call says what is written now.
        deliverPending(isHurried: true)
        let queue = try queue()
        queue.hold()
        do throws(RealmError) {
            let begun = try session().begin(patience)
            advance()
            transaction = begun
        } catch {
            queue.unhold()
            throw error
        }
    }

    /// Begins if that is possible at once.
    public func tryBeginWrite(milliseconds: Int = 0) throws(RealmError) -> Bool {
        do throws(RealmError) {
            try beginWrite(milliseconds > 0 ? .milliseconds(milliseconds) : .none)
            return true
        } catch {
            if error.kind == .busy { return false }
            throw error
        }
    }

    private func checkVersions() throws(RealmError) {
        guard let limit = configuration.maximumNumberOfActiveVersions,
            let session = database.session
        else { return }
        let count = try session.heldVersions().count
        if count > limit {
            Misuse.trap(
                "Number of active versions (\(count)) in the Realm exceeded the limit of \(limit)")
        }
    }

    /// A write begins at the newest version: observers are told what came before it.
    private func advance() {
        guard view?.version != database.version else { return }
        move(to: database.snapshot(), isHurried: true)
    }

    /// Publishes the changes, durable when this returns. Throws `output`.
    ///
    /// - Parameter tokens: of observers of this instance that hear nothing of this commit.
    public func commitWrite(
        withoutNotifying tokens: [ObservationToken] = []
    ) throws(RealmError) {
        checkWritable("commit")
        observers.check(tokens)
        observers.skipped = tokens
        defer { observers.skipped = [] }
        guard let open = transaction else {
            Misuse.trap("Can't commit a non-existing write transaction")
        }
        if asyncBlock != nil {
            // The group's flush cannot be waited for here, where the next block may belong.
            _ = try commitAsyncWrite(allowGrouping: false, nil)
            return
        }
        transaction = nil
        defer { ownQueue?.unhold() }
        _ = try open.commit()
        move(to: database.snapshot(), tellingLater: true)
    }

    /// Forgets the changes.
    public func cancelWrite() {
        checkWritable("cancel")
        guard let open = transaction else {
            Misuse.trap("Can't cancel a non-existing write transaction")
        }
        transaction = nil
        open.rollback()
        if asyncBlock != nil { asyncBlock?.ending = .rolledBack } else { ownQueue?.unhold() }
        observers.deliverLater(self)
    }

    // MARK: Asynchronous

    /// Asynchronous writes of this instance are waiting, running or not durable yet.
    public var isPerformingAsynchronousWriteOperations: Bool {
        pendingCount.load(ordering: .relaxed) > 0
    }

    /// What went to the file for asynchronous writes of this process so far; exact when none is under
    /// way.
    package var asynchronousTraffic: WriteSession.Traffic {
        ownQueue?.traffic ?? WriteSession.Traffic()
    }

    private func checkDeliverable() {
        checkWritable("begin")
        if !confinement.isDeliverable {
            Misuse.trap(
                "Cannot schedule async transaction. Make sure you are running from inside a run loop."
                    + Confinement.taskHint)
        }
    }

    /// Has `block` run here in a write transaction once it is this instance's turn; the turn is waited
    /// for elsewhere. The block must commit: returning without rolls back.
    ///
    /// - Parameter onFailure: is called here in place of the block when there is no turn to be had.
    ///
    /// Throws what opening the database for writing throws.
    @discardableResult
    public func beginAsyncWrite(
        onFailure: ((RealmError) -> Void)? = nil, _ block: @escaping () -> Void
    ) throws(RealmError) -> AsyncID {
        checkDeliverable()
        return try queue().request(self, onFailure: { $0.map { onFailure?($0) } }, block)
    }

    /// In the block of an asynchronous write: forgets the changes and begins again, in the same turn.
    ///
    /// Throws when the transaction cannot begin; then none is open.
    package func restartAsyncWrite() throws(RealmError) {
        checkWritable("restart")
        guard asyncBlock != nil, let open = transaction else {
            Misuse.trap("Can't restart a non-existing asynchronous write transaction")
        }
        transaction = nil
        asyncBlock?.ending = .rolledBack
        open.rollback()
        transaction = try open.session.begin()
        asyncBlock?.ending = nil
    }

    /// Runs `block` in a write transaction later and commits it, unless the block ended the
    /// transaction; `onComplete` is called once, here, when the data is durable or could not be
    /// written.
    @discardableResult
    public func writeAsync(
        allowGrouping: Bool = false, _ block: @escaping (WriteTransaction) -> Void,
        onComplete: ((RealmError?) -> Void)? = nil
    ) throws(RealmError) -> AsyncID {
        checkDeliverable()
        return try queue().request(self, onFailure: onComplete) { [unowned self] in
            block(write)
            guard transaction != nil else { return }
            do throws(RealmError) {
                _ = try commitAsyncWrite(allowGrouping: allowGrouping, onComplete)
            } catch { onComplete?(error) }
        }
    }

    /// Publishes the changes for this instance at once, for everybody and durably later: `onComplete`
    /// is then called here, in the order of the commits. With grouping, transactions that follow may
    /// share the syncs. After `beginWrite` the commit is durable when this returns, and only the
    /// completion comes later.
    ///
    /// Throws when the data cannot be written; `onComplete` is not called then.
    ///
    /// - Parameter isCompletedAnywhere: `onComplete` is called on a thread of the queue's, which is
    ///   sooner, and whoever it tells calls `adoptDurableVersion` here.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, isCompletedAnywhere: Bool = false,
        _ onComplete: ((RealmError?) -> Void)? = nil
    ) throws(RealmError) -> AsyncID {
        checkWritable("commit")
        guard let open = transaction else {
            Misuse.trap("Can't commit a non-existing write transaction")
        }
        let queue = try queue()
        guard asyncBlock != nil else {
            try commitWrite()
            let id = queue.addCompletion(self, isAnywhere: isCompletedAnywhere, onComplete)
            queue.complete(id, nil)
            return id
        }
        transaction = nil
        asyncBlock?.ending = .rolledBack
        let group = open.session.group
        _ = try open.commit()
        let id = queue.addCompletion(self, isAnywhere: isCompletedAnywhere, onComplete)
        asyncBlock?.ending = .committed(id, allowsGrouping: allowGrouping)
        if let group { try advance(to: group) }
        return id
    }

    /// Before its block began: takes back the whole transaction. For a commit: drops its completion.
    /// Otherwise does nothing.
    public func cancelAsyncWrite(_ id: AsyncID) {
        checkWritable("cancel")
        ownQueue?.cancel(id)
    }

    /// Waits until every asynchronous write of this process is done: call it before exiting, and not
    /// where instances with pending writes belong.
    public static func waitForPendingWrites() { CommitQueue.waitForAll() }

    /// Returns when the writer's turn that asynchronous writes of this process took is given up: others
    /// find the database as after a writer that is gone for good. Not to be called with writes pending.
    package func waitForEndOfTurn() {
        check()
        ownQueue?.waitForCommits()
    }

    /// The turn is this instance's: runs the block and tells how it ended.
    ///
    /// Throws when the transaction cannot begin; the block does not run then.
    func runAsyncBlock(
        _ session: WriteSession, _ block: () -> Void
    ) throws(RealmError) -> CommitSchedule.Ending {
        guard !isClosed, transaction == nil, let group = session.group else {
            throw .misuse("Cannot access realm that has been closed.", code: "ClosedRealm")
        }
        asyncBlock = AsyncBlock(session: session)
        defer { asyncBlock = nil }
        // Commits of the group before this one are seen too.
        try advance(to: group)
        transaction = try session.begin()
        block()
        if transaction != nil { cancelWrite() }
        return asyncBlock?.ending ?? .rolledBack
    }

    /// Shows the state after the last commit of a group, which need not be durable yet. Observers that
    /// want to write could not while the turn is this instance's: they are told later.
    private func advance(to group: CommitGroup) throws(RealmError) {
        guard view?.version != group.version else { return }
        let state = try group.head()
        if state.nodes == nil { return move(to: database.snapshot(), tellingLater: true) }
        if let view, observers.isWatching {
            for changeset in group.changesets(after: view.version) { observers.note(changeset) }
        }
        move(
            to: Snapshot(database, state, guardedBy: database.pinNewest()), tellingLater: true)
    }

    /// After a commit became durable: a version that only this process knew gives way to that one.
    package func adoptDurableVersion() {
        if !isClosed, transaction == nil, autorefresh, !isNotifying {
            _ = try? refresh(isHurried: false)
        }
    }

    func runCompletion(_ body: ((RealmError?) -> Void)?, _ error: RealmError?) {
        adoptDurableVersion()
        isInCompletion = true
        body?(error)
        isInCompletion = false
    }
}
