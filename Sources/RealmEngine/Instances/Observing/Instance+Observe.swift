/// Observation of an instance, an object, a collection or results (API specification 2.12).
///
/// Blocks are called in the instance's context after the instance has moved to another version. One
/// call may report several commits. Commits of the instance itself are reported later: in the next
/// turn of its context, or when it is refreshed or begins to write. Assigning an equal value counts
/// as a change.
extension Instance {
    private func checkObservable() {
        check()
        if isFrozen {
            Misuse.trap("Frozen Realms do not change and do not have change notifications.")
        }
        if isReadOnly || database.session == nil {
            Misuse.trap("Read-only Realms do not change and do not have change notifications.")
        }
        if !confinement.isDeliverable {
            Misuse.trap(
                "Can only add notification blocks from within runloops." + Confinement.taskHint)
        }
        if let transaction, transaction.hasChanges {
            Misuse.trap(
                "Cannot create asynchronous query after making changes in a write transaction.")
        }
        _ = snapshot()
        observers.ending = ending
    }

    /// Closure that removes observers whose observation ended. In the instance's context it removes
    /// them at once; elsewhere it sends the work to that context.
    private var ending: @Sendable () -> Void {
        let (instance, place) = (weakBox, confinement)
        return {
            if place.isSurelyHere {
                instance.object?.observers.removeEnded()
            } else {
                _ = place.post { instance.object?.observers.removeEnded() }
            }
        }
    }

    /// Calls `block` after the instance has moved to a newer version, and when it could move but
    /// `autorefresh` is false. The calls are synchronous, even inside a commit.
    public func observe(_ block: @escaping (InstanceNotice) -> Void) -> ObservationToken {
        checkObservable()
        return observers.add(block)
    }

    /// Observes an object.
    ///
    /// - Parameter filter: nil for the object's own properties.
    package func observe(
        object: ObjectLink, _ filter: ChangeFilter? = nil,
        _ block: @escaping (ObjectNotice) -> Void
    ) -> ObservationToken {
        checkObservable()
        let observer = ObjectObserver(object, filter ?? .own(object.table), block)
        return observers.add(observer, knowing: view)
    }

    /// Observes the objects of a class, or the results of a query. The first call of `block` is
    /// asynchronous and passes `initial`; a background thread has then evaluated the results.
    ///
    /// - Parameter filter: nil for changes of the objects and of objects up to four links away.
    package func observe(
        table: TableKey, _ query: Query? = nil, _ filter: ChangeFilter? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        checkObservable()
        if let query, let view, let info = view.schema.table(table) {
            _ = try query.bound(to: view.table(info))
        }
        let definition = query.map { ResultsDefinition(table, $0) } ?? ResultsDefinition(table)
        return try observe(results: definition, filter, block)
    }

    /// Observes results; see `observe(table:_:_:_:)`.
    package func observe(
        results definition: ResultsDefinition, _ filter: ChangeFilter? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        try observe(results: definition, filter, showing: nil, block)
    }

    /// Observes the objects of `definition`; see `observe(table:_:_:_:)`.
    ///
    /// - Parameter shown: results of this instance with the same definition. The objects that the
    ///   observer finds are stored in these results, so that they need no evaluation of their own.
    func observe(
        results definition: ResultsDefinition, _ filter: ChangeFilter?,
        showing shown: ObjectResults?, _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        checkObservable()
        return try add(.results(definition), filter ?? .linked(definition.table), shown, block)
    }

    /// Observes a list, set or dictionary; see `observe(table:_:_:_:)`.
    ///
    /// - Parameter steps: steps to a nested collection. An index in them is not adjusted when elements
    ///   of the outer list are inserted or deleted; a collection that is given by its key is found.
    package func observe(
        collection object: ObjectLink, _ column: ColumnKey,
        at steps: [CollectionLocation.Step] = [], _ filter: ChangeFilter? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        checkObservable()
        let info = schema.table(object.table)?.columns.first { $0.key == column }
        let links = info.flatMap { $0.type == .link ? ChangeFilter.linked($0.target) : nil }
        return try add(.collection(object, column, steps), filter ?? links, nil, block)
    }

    private func add(
        _ subject: CollectionObserver.Subject, _ filter: ChangeFilter?, _ shown: ObjectResults?,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        let observer = CollectionObserver(subject, filter, showing: shown, block)
        let token = observers.add(observer, knowing: nil)
        guard let view else { return token }
        let (version, place) = (try FrozenVersion.of(view), confinement)
        let (instance, target) = (weakBox, Weak(observer))
        observers.evaluate {
            let found = CollectionObserver.evaluate(subject, version.snapshot())
            _ = place.post {
                target.object?.take(found)
                instance.object?.beginPending()
            }
        }
        return token
    }

    /// Notifies each observer whose initial content was computed in the background, for the first
    /// time.
    private func beginPending() {
        if isClosed || transaction != nil { return }
        _ = snapshot()
        deliverPending()
    }

    /// Handles a commit of another instance or process. Called in the instance's context.
    func handleCommit() {
        if isClosed || transaction != nil || isFrozen { return }
        if autorefresh {
            if !observers.isWatching || !refreshLater() { _ = try? refresh(isImmediate: false) }
        } else if let view, database.session?.newestVersion != view.version {
            observers.notify(.refreshRequired)
        }
    }

    /// Prepares the notifications on a background thread, and moves to the newest version
    /// afterwards. Returns false if there is nothing to prepare.
    private func refreshLater() -> Bool {
        // A comparison is running in the background. After it, `arrive` handles the commits made
        // since.
        if isPreparing { return true }
        guard (try? database.refresh()) != nil, database.failure == nil, !isNotifying,
            let view, !view.isBorrowed
        else { return false }
        let newest = database.snapshot()
        guard newest.version > view.version else { return false }
        isPreparing = observers.prepare(self, for: newest) { $0.arrive(at: $1) }
        return isPreparing
    }

    private func arrive(at version: FrozenVersion) {
        isPreparing = false
        if isClosed || transaction != nil || isNotifying { return }
        if let view, view.version < version.version {
            let isNewest = database.version == version.version
            move(to: isNewest ? database.snapshot() : version.snapshot())
        }
        if let view, let session = database.session, session.newestVersion > view.version {
            handleCommit()
        }
    }
}
