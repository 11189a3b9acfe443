/// Identifies a table, query, object or collection of an instance, independent of versions. Free to
/// cross threads.
public enum ConfinedTarget: Sendable {
    case table(TableKey)
    /// Results of a query, which are evaluated anew in each version.
    case results(ResultsDefinition)
    case object(ObjectLink)
    /// List, set or dictionary in a property of an object. With steps, the collection nested in it
    /// at the end of these steps.
    case collection(ObjectLink, ColumnKey, [CollectionLocation.Step] = [])
}

/// Reference to a table, object, collection or query results of an instance. Live or frozen like
/// the instance.
///
/// Cheap to copy. Confined to the context of the instance.
public struct Confined {
    public let instance: Instance
    public let target: ConfinedTarget

    /// Makes a reference to `target` in an instance. Call it in the instance's context.
    public init(_ instance: Instance, _ target: ConfinedTarget) {
        self.instance = instance
        self.target = target
    }

    /// Whether the instance is frozen. Safe on any thread.
    public var isFrozen: Bool { instance.isFrozen }

    /// Returns the table; nil if its class was removed.
    public func table() throws(RealmError) -> Table? {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(key) else { return nil }
        return snapshot.table(info)
    }

    private var key: TableKey {
        switch target {
        case .table(let key): key
        case .results(let definition): definition.table
        case .object(let link), .collection(let link, _, _): link.table
        }
    }

    /// Returns the referenced object or, for a collection, the object that has the collection. Nil
    /// if that object was deleted, and for a table or results.
    public func row() throws(RealmError) -> Row? {
        switch target {
        case .table, .results: return nil
        case .object(let link), .collection(let link, _, _): return try table()?.row(link.key)
        }
    }

    /// Returns the keys of a table's objects, or of results in their order. Nil if the class was
    /// removed, and for an object or a collection.
    public func keys() throws(RealmError) -> RowKeys? {
        guard let table = try table() else { return nil }
        switch target {
        case .table: return try ResultsDefinition(table.info.key).keys(in: table.snapshot)
        case .results(let definition): return try definition.keys(in: table.snapshot)
        case .object, .collection: return nil
        }
    }

    /// Returns the collection as a value. Nil if its object or property was removed, or if a nested
    /// collection no longer exists.
    public func collection() throws(RealmError) -> Value? {
        guard case .collection(_, let column, let steps) = target, let row = try row(),
            let index = row.table.info.columns.firstIndex(where: { $0.key == column })
        else { return nil }
        return try CollectionHandle.value(
            along: steps, in: try row.value(index), row.table.snapshot.lookup)
    }

    /// Whether the referenced object, class, results or collection was deleted, or the instance was
    /// invalidated.
    public var isInvalidated: Bool {
        instance.check()
        if !instance.isFrozen, instance.view == nil, instance.transaction == nil { return true }
        switch target {
        case .table, .results: return ((try? table()) ?? nil) == nil
        case .object: return ((try? row()) ?? nil) == nil
        case .collection: return ((try? collection()) ?? nil) == nil
        }
    }

    /// Returns a reference to the same object, class, results or collection in the instance's
    /// current version, for use on any thread.
    public func freeze() throws(RealmError) -> Confined {
        Confined(try instance.freeze(), target)
    }

    /// Returns a live reference to the same object, class, results or collection for a context; nil
    /// if it was deleted.
    public func thaw(on confinement: Confinement = .thread) throws(RealmError) -> Confined? {
        let live = Confined(try instance.thaw(on: confinement), target)
        _ = live.instance.snapshot()
        return live.isInvalidated ? nil : live
    }

    /// Returns the open transaction. Traps if the instance is frozen or has no open transaction, or
    /// if the caller is in another context.
    public func forWriting() -> WriteTransaction { instance.forWriting() }
}

extension Instance {
    /// Returns the open transaction. Traps if the instance is frozen or has no open transaction, or
    /// if the caller is in another context.
    @inline(__always)
    package func forWriting() -> WriteTransaction {
        if thread.load(ordering: .relaxed) == Threads.current, let transaction {
            return transaction
        }
        return checkedForWriting()
    }

    @inline(never)
    private func checkedForWriting() -> WriteTransaction {
        if isFrozen {
            Misuse.trap(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        check()
        guard let transaction else {
            Misuse.trap(
                "Attempting to modify object outside of a write transaction - call beginWrite "
                    + "first.")
        }
        return transaction
    }

    /// Traps if the instance may not be read in the caller's context.
    @inline(__always)
    func checkReadable() {
        if thread.load(ordering: .relaxed) != Threads.current, !isFrozen { check() }
    }

    /// Returns the class with `name`; nil if there is none.
    public func table(named name: String) -> Confined? {
        schema.table(named: name).map { Confined(self, .table($0.key)) }
    }

    /// Returns the live results of `query` in the class with `key`.
    public func results(_ key: TableKey, _ query: Query) -> Confined {
        handOut(.results(ResultsDefinition(key, query)))
    }

    public func object(_ link: ObjectLink) -> Confined { handOut(.object(link)) }

    public func collection(_ link: ObjectLink, _ column: ColumnKey) -> Confined {
        handOut(.collection(link, column))
    }

    /// Makes a reference to `target`. A reference counts as invalidated if its instance shows no
    /// version, so if this instance shows none, it first moves to the newest version.
    private func handOut(_ target: ConfinedTarget) -> Confined {
        if view == nil, !isFrozen, transaction == nil { _ = snapshot() }
        return Confined(self, target)
    }
}

/// Reference to an object, class, results or collection of an instance, for use in another context.
/// It can be resolved once, and pins its version until then.
///
/// Free to cross threads.
public final class ThreadSafeHandle: @unchecked Sendable {
    private let target: ConfinedTarget
    private let identity: FileIdentity
    /// Number of the first version that contains the object, class, results or collection.
    private let version: UInt64
    private let monitor = Monitor()
    private var cachedVersion: FrozenVersion?
    private var isResolved = false

    /// Throws `misuse` if `value` is invalidated, and `incompatible` if the lock file is damaged.
    ///
    /// Inside a write transaction, the handle pins the version at which the transaction began, and
    /// refers to the version that the transaction will commit. It can be resolved in other
    /// instances only after that commit.
    public init(to value: Confined) throws(RealmError) {
        target = value.target
        identity = value.instance.database.file.identity
        if value.isInvalidated {
            throw .misuse(
                "Cannot construct reference to invalidated object", code: "InvalidatedObject")
        }
        if let frozen = value.instance.frozen {
            cachedVersion = frozen
        } else if let view = value.instance.view {
            cachedVersion = try FrozenVersion.of(view)
        }
        version = (cachedVersion?.version ?? 0) + (value.instance.transaction == nil ? 0 : 1)
        // Lock and unlock as a memory barrier: the thread that calls `resolve` must see the values
        // stored above.
        monitor.locked {}
    }

    /// Whether the handle has been resolved.
    public var isInvalidated: Bool { monitor.locked { isResolved } }

    /// Returns the object, class, results or collection in another instance. Nil if it was deleted
    /// meanwhile or belongs to another file. Traps when called a second time.
    ///
    /// An instance without a loaded version begins at the handle's version. An instance at an older
    /// version is refreshed first.
    public func resolve(in instance: Instance) throws(RealmError) -> Confined? {
        instance.check()
        let (cachedVersion, isSecond) = monitor.locked {
            defer {
                isResolved = true
                self.cachedVersion = nil
            }
            return (self.cachedVersion, isResolved)
        }
        if isSecond { Misuse.trap("Can only resolve a thread safe reference once.") }
        guard instance.database.file.identity == identity else { return nil }
        if let cachedVersion, cachedVersion.version == version {
            instance.begin(with: cachedVersion)
        }
        if instance.snapshot().version < version {
            try instance.refresh()
            if let cachedVersion { instance.catchUp(with: cachedVersion) }
        }
        let value = Confined(instance, target)
        return value.isInvalidated ? nil : value
    }
}
