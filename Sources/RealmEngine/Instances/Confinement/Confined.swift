/// Identity of a confined table, query, object or collection, independent of versions. Free to
/// cross threads.
public enum ConfinedTarget: Sendable {
    case table(TableKey)
    /// Results of a query, evaluated in each version.
    case results(ResultsDefinition)
    case object(ObjectLink)
    /// List, set or dictionary in a property of an object, or the one nested in it at the steps.
    case collection(ObjectLink, ColumnKey, [CollectionLocation.Step] = [])
}

/// A table, object, collection or query results of an instance; live or frozen like the instance.
///
/// Cheap to copy. Confined as its instance is.
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

    /// Returns the object, or the object that has the collection; nil if it was deleted, or for a
    /// table or results.
    public func row() throws(RealmError) -> Row? {
        switch target {
        case .table, .results: return nil
        case .object(let link), .collection(let link, _, _): return try table()?.row(link.key)
        }
    }

    /// Returns the keys of a table's objects, or of results in their order. Nil if the class was
    /// removed, and for objects and collections.
    public func keys() throws(RealmError) -> RowKeys? {
        guard let table = try table() else { return nil }
        switch target {
        case .table: return try ResultsDefinition(table.info.key).keys(in: table.snapshot)
        case .results(let definition): return try definition.keys(in: table.snapshot)
        case .object, .collection: return nil
        }
    }

    /// Returns the collection as a value; nil if its object or property was removed, and for a
    /// nested collection that is no longer there.
    public func collection() throws(RealmError) -> Value? {
        guard case .collection(_, let column, let steps) = target, let row = try row(),
            let index = row.table.info.columns.firstIndex(where: { $0.key == column })
        else { return nil }
        return try CollectionHandle.value(
            along: steps, in: try row.value(index), row.table.snapshot.lookup)
    }

    /// Whether the target was deleted, or the instance was invalidated.
    public var isInvalidated: Bool {
        instance.check()
        if !instance.isFrozen, instance.view == nil, instance.transaction == nil { return true }
        switch target {
        case .table, .results: return ((try? table()) ?? nil) == nil
        case .object: return ((try? row()) ?? nil) == nil
        case .collection: return ((try? collection()) ?? nil) == nil
        }
    }

    /// Returns this reference at the instance's current version, for use on any thread.
    public func freeze() throws(RealmError) -> Confined {
        Confined(try instance.freeze(), target)
    }

    /// Returns the live reference for a context; nil if the target was deleted.
    public func thaw(on confinement: Confinement = .thread) throws(RealmError) -> Confined? {
        let live = Confined(try instance.thaw(on: confinement), target)
        _ = live.instance.snapshot()
        return live.isInvalidated ? nil : live
    }

    /// Returns the open transaction. Traps if the instance may not be changed now.
    public func forWriting() -> WriteTransaction { instance.forWriting() }
}

extension Instance {
    /// Returns the open transaction. Traps if the instance is frozen, has no open transaction or
    /// belongs to another context.
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

    /// Traps if the instance may not be read here.
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

    /// Makes a reference and loads the newest version if none is loaded; without a loaded version
    /// the reference would count as invalidated.
    private func handOut(_ target: ConfinedTarget) -> Confined {
        if view == nil, !isFrozen, transaction == nil { _ = snapshot() }
        return Confined(self, target)
    }
}

/// Reference to a confined target for use in another context, once. Pins its version until resolved
/// or released.
///
/// Free to cross threads.
public final class ThreadSafeHandle: @unchecked Sendable {
    private let target: ConfinedTarget
    private let identity: FileIdentity
    /// First version that contains the target.
    private let version: UInt64
    private let monitor = Monitor()
    private var cachedVersion: FrozenVersion?
    private var isResolved = false

    /// Throws `misuse` for an invalidated target, `incompatible` when the lock file is damaged.
    ///
    /// Inside a write transaction the handle pins the version at which the transaction began, and
    /// refers to the version that the transaction will commit. It cannot be resolved elsewhere
    /// before that commit.
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
        // Lock and unlock as a memory barrier: the thread that calls `resolve` sees the values
        // stored above.
        monitor.locked {}
    }

    /// Whether the handle has been resolved.
    public var isInvalidated: Bool { monitor.locked { isResolved } }

    /// Returns the target in another instance; nil if it was deleted meanwhile or belongs to
    /// another file.
    ///
    /// An instance without a loaded version begins at the handle's version; one at an older version
    /// is refreshed first. Resolving twice traps.
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
