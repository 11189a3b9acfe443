/// Observing an instance, an object, a collection or the objects a query yields (API specification
/// 2.12). Blocks are called where the instance belongs, after it moved to another version; several
/// commits may come as one. Storing the value a property has already is no change.
extension Instance {
    private func checkObservable() {
        check()
        if isFrozen {
            Misuse.trap("Frozen Realms do not change and do not have change notifications.")
        }
        if database.session == nil {
            Misuse.trap("Read-only Realms do not change and do not have change notifications.")
        }
        if !confinement.isDeliverable {
            Misuse.trap("Can only add notification blocks from within runloops.")
        }
        if transaction != nil {
            Misuse.trap(
                "Cannot create asynchronous query after making changes in a write transaction.")
        }
        _ = snapshot()
    }

    /// `block` is called when the instance shows a newer version, or could.
    public func observe(_ block: @escaping (InstanceNotice) -> Void) -> ObservationToken {
        checkObservable()
        return observers.add(InstanceObserver(block))
    }

    /// - Parameter filter: nil for the object's own properties.
    public func observe(
        object: ObjectLink, _ filter: ChangeFilter? = nil,
        _ block: @escaping (ObjectNotice) -> Void
    ) -> ObservationToken {
        checkObservable()
        return observers.add(ObjectObserver(object, filter ?? .own(object.table), block))
    }

    /// Observes the objects of a class, or those a query yields, in its order. `block` is first called
    /// with `initial`.
    ///
    /// - Parameter filter: nil for the objects and what they link to.
    public func observe(
        table: TableKey, _ query: Query? = nil, _ filter: ChangeFilter? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        checkObservable()
        return try add(.query(table, query), filter ?? .linked(table), block)
    }

    /// Observes a list, set or dictionary.
    public func observe(
        collection object: ObjectLink, _ column: ColumnKey, _ filter: ChangeFilter? = nil,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        checkObservable()
        let info = schema.table(object.table)?.columns.first { $0.key == column }
        let links = info.flatMap { $0.type == .link ? ChangeFilter.linked($0.target) : nil }
        return try add(.collection(object, column), filter ?? links, block)
    }

    private func add(
        _ subject: CollectionObserver.Subject, _ filter: ChangeFilter?,
        _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        let observer = try CollectionObserver(subject, filter, snapshot(), block)
        let token = observers.add(observer)
        let box = Unchecked((observer, { [weak token] in token?.isActive == true }))
        _ = confinement.post {
            if box.value.1() { box.value.0.begin() }
        }
        return token
    }

    /// A commit of somebody was seen; called where the instance belongs.
    func noticeCommit() {
        if isClosed || transaction != nil || isFrozen { return }
        if autorefresh {
            _ = try? refresh()
        } else if let view, database.session?.newestVersion != view.version {
            observers.tellRefreshRequired()
        }
    }
}
