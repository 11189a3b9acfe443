import Synchronization

/// Write transactions of an instance (API specification 2.1 and 2.16).
extension Instance {
    public typealias AsyncID = UInt32

    public var isInWriteTransaction: Bool {
        check()
        return transaction != nil
    }

    /// The open write transaction. Traps if there is none.
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
        let queue = try CommitQueue.queue(of: database, configuration.lockTimeout)
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

    /// Runs `body` in a write transaction, then commits the transaction, unless `body` has already
    /// committed or cancelled it. If `body` throws, rolls back and rethrows the error.
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

    /// Waits for the write mutex, moves to the newest version and begins a transaction.
    ///
    /// Throws `busy` if the write mutex is not acquired within `lockTimeout`, and the errors of
    /// opening the database for writing.
    public func beginWrite(
        _ lockTimeout: WriteSession.LockTimeout = .forever
    ) throws(RealmError) {
        checkWritable("begin")
        if transaction == nil, let block = asyncBlock, block.ending == .rolledBack {
            // The block of an asynchronous write has rolled back its transaction and still holds
            // the write mutex.
            transaction = try block.session.begin()
            asyncBlock?.ending = nil
            return
        }
        if transaction != nil || asyncBlock != nil {
            Misuse.trap("The Realm is already in a write transaction")
        }
        try checkVersions()
        // Notify observers before the write mutex is acquired, so that they may write. An initial
        // call that came later would include changes of this transaction.
        deliverPending(isImmediate: true)
        let queue = try queue()
        queue.suspend()
        do throws(RealmError) {
            let begun = try session().begin(lockTimeout)
            advance()
            transaction = begun
        } catch {
            queue.resume()
            throw error
        }
    }

    /// Begins a write transaction if the write mutex is acquired within `milliseconds`; otherwise
    /// returns false.
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
        let count = try session.versionsInUse().count
        if count > limit {
            Misuse.trap(
                "Number of active versions (\(count)) in the Realm exceeded the limit of \(limit)")
        }
    }

    /// Moves to the newest version, in which the transaction begins. Notifies observers of all
    /// changes up to that version.
    private func advance() {
        guard view?.version != database.version else { return }
        move(to: database.snapshot(), isImmediate: true)
    }

    /// Commits the open transaction. The commit is durable when this function returns. Throws
    /// `output`.
    ///
    /// - Parameter tokens: observers of this instance that are not notified of this commit.
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
            // Do not wait for the flush of the group: that would block this context, in which the
            // next block of the group may have to run.
            _ = try commitAsyncWrite(allowGrouping: false, nil)
            return
        }
        transaction = nil
        defer { ownQueue?.resume() }
        _ = try open.commit()
        move(to: database.snapshot(), deliveringLater: true)
    }

    /// Rolls back the open transaction.
    public func cancelWrite() {
        checkWritable("cancel")
        guard let open = transaction else {
            Misuse.trap("Can't cancel a non-existing write transaction")
        }
        transaction = nil
        open.rollback()
        if asyncBlock != nil { asyncBlock?.ending = .rolledBack } else { ownQueue?.resume() }
        observers.deliverLater(self)
    }

    // MARK: Asynchronous

    /// Whether this instance has asynchronous writes that are waiting, running or not yet durable.
    public var isPerformingAsynchronousWriteOperations: Bool {
        pendingCount.load(ordering: .relaxed) > 0
    }

    /// File traffic of the asynchronous writes of this process so far. Exact only while no
    /// asynchronous write is pending.
    package var asynchronousWriteStatistics: WriteSession.WriteStatistics {
        ownQueue?.writeStatistics ?? WriteSession.WriteStatistics()
    }

    private func checkDeliverable() {
        checkWritable("begin")
        if !confinement.isDeliverable {
            Misuse.trap(
                "Cannot schedule async transaction. Make sure you are running from inside a run loop."
                    + Confinement.taskHint)
        }
    }

    /// Runs `block` in this context in a write transaction, after the thread of the database's
    /// commit queue has acquired the write mutex. If `block` returns without a commit, the
    /// transaction is rolled back.
    ///
    /// - Parameter onFailure: called in this context in place of `block` if the write mutex cannot
    ///   be acquired.
    ///
    /// Throws the errors of opening the database for writing.
    @discardableResult
    public func beginAsyncWrite(
        onFailure: ((RealmError) -> Void)? = nil, _ block: @escaping () -> Void
    ) throws(RealmError) -> AsyncID {
        checkDeliverable()
        return try queue().request(self, onFailure: { $0.map { onFailure?($0) } }, block)
    }

    /// Rolls back the transaction in the block of an asynchronous write and begins another one. The
    /// write mutex remains held.
    ///
    /// Throws if the transaction cannot begin; no transaction is open then.
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

    /// Runs `block` asynchronously in a write transaction, then commits the transaction, unless
    /// `block` has already committed or cancelled it.
    ///
    /// `onComplete` is called once, in this context, when the data is durable or could not be
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

    /// Commits the open transaction.
    ///
    /// In the block of an asynchronous write, the commit is visible to this instance at once. It is
    /// durable, and visible to other instances, after the flush of its group; `onComplete` is then
    /// called in this context, in commit order. With `allowGrouping`, later transactions may share
    /// the flush. In a transaction that `beginWrite` began, the commit is durable when this
    /// function returns, and only the completion is asynchronous.
    ///
    /// Throws if the data cannot be written; `onComplete` is not called then.
    ///
    /// - Parameter isCompletedAnywhere: whether `onComplete` is called on the queue's thread, which
    ///   is sooner. The caller must then arrange a call of `adoptDurableVersion` in this context.
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
            let id = queue.addCompletion(self, isOnQueueThread: isCompletedAnywhere, onComplete)
            queue.complete(id, nil)
            return id
        }
        transaction = nil
        asyncBlock?.ending = .rolledBack
        let group = open.session.group
        _ = try open.commit()
        let id = queue.addCompletion(self, isOnQueueThread: isCompletedAnywhere, onComplete)
        asyncBlock?.ending = .committed(id, allowsGrouping: allowGrouping)
        if let group { try advance(to: group) }
        return id
    }

    /// Cancels an asynchronous write whose block has not begun. If `id` is a commit, discards its
    /// completion. Otherwise does nothing.
    public func cancelAsyncWrite(_ id: AsyncID) {
        checkWritable("cancel")
        ownQueue?.cancel(id)
    }

    /// Waits until every asynchronous write of this process has finished. Call it before the
    /// process exits, but not in the context of an instance with pending writes.
    public static func waitForPendingWrites() { CommitQueue.waitForAll() }

    /// Waits until the queue of this instance has released the write mutex. Other processes then
    /// find the database as if this writer had exited. Must not be called while writes are pending.
    package func waitForEndOfTurn() {
        check()
        ownQueue?.waitForCommits()
    }

    /// Runs the block of an asynchronous write while the queue holds the write mutex. Returns how
    /// the transaction of the block ended.
    ///
    /// Throws if the transaction cannot begin; the block does not run then.
    func runAsyncBlock(
        _ session: WriteSession, _ block: () -> Void
    ) throws(RealmError) -> CommitSchedule.Ending {
        guard !isClosed, transaction == nil, let group = session.group else {
            throw .misuse("Cannot access realm that has been closed.", code: "ClosedRealm")
        }
        asyncBlock = AsyncBlock(session: session)
        defer { asyncBlock = nil }
        // Show the earlier commits of the group to the block, although they are not durable yet.
        try advance(to: group)
        transaction = try session.begin()
        block()
        if transaction != nil { cancelWrite() }
        return asyncBlock?.ending ?? .rolledBack
    }

    /// Moves to the last commit of a group, which may not be durable yet. Observers are notified
    /// later: their blocks may begin a write, but the asynchronous write that runs now holds the
    /// write mutex.
    private func advance(to group: CommitGroup) throws(RealmError) {
        guard view?.version != group.version else { return }
        let state = try group.head()
        if state.nodes == nil { return move(to: database.snapshot(), deliveringLater: true) }
        if let view, observers.isWatching {
            for changeset in group.changesets(after: view.version) { observers.note(changeset) }
        }
        move(
            to: Snapshot(database, state, guardedBy: database.pinNewest()), deliveringLater: true)
    }

    /// Moves from a version of a commit group, which only this process can read, to the newest
    /// durable version.
    package func adoptDurableVersion() {
        if !isClosed, transaction == nil, autorefresh, !isNotifying {
            _ = try? refresh(isImmediate: false)
        }
    }

    func runCompletion(_ body: ((RealmError?) -> Void)?, _ error: RealmError?) {
        adoptDurableVersion()
        isInCompletion = true
        body?(error)
        isInCompletion = false
    }
}
