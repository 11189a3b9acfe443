/// What something confined stands for, apart from any version. Free to cross threads.
public enum ConfinedTarget: Sendable {
    case table(TableKey)
    /// Objects of a class that are found anew in each version.
    case results(ResultsDefinition)
    case object(ObjectLink)
    /// The list, set or dictionary a property holds.
    case collection(ObjectLink, ColumnKey)
}

/// A table, object or collection of an instance: live like it, or frozen like it.
///
/// Cheap to copy. Confined as its instance is.
public struct Confined {
    public let instance: Instance
    public let target: ConfinedTarget

    /// What `target` stands for in an instance. Call it where the instance belongs.
    public init(_ instance: Instance, _ target: ConfinedTarget) {
        self.instance = instance
        self.target = target
    }

    /// Always safe to ask.
    public var isFrozen: Bool { instance.isFrozen }

    /// The table; nil when it is gone.
    public func table() throws(RealmError) -> Table? {
        let snapshot = instance.snapshot()
        guard let info = snapshot.schema.table(key) else { return nil }
        return snapshot.table(info)
    }

    private var key: TableKey {
        switch target {
        case .table(let key): key
        case .results(let definition): definition.table
        case .object(let link), .collection(let link, _): link.table
        }
    }

    /// The object, or the one that holds the collection; nil when it was deleted.
    public func row() throws(RealmError) -> Row? {
        switch target {
        case .table, .results: return nil
        case .object(let link), .collection(let link, _): return try table()?.row(link.key)
        }
    }

    /// The keys of the objects of a table, or of those a query yields in its order; nil when the table
    /// is gone.
    public func keys() throws(RealmError) -> RowKeys? {
        guard let table = try table() else { return nil }
        switch target {
        case .table: return try ResultsDefinition(table.info.key).keys(in: table.snapshot)
        case .results(let definition): return try definition.keys(in: table.snapshot)
        case .object, .collection: return nil
        }
    }

    /// The collection as a value; nil when it is gone with its object or property.
    public func collection() throws(RealmError) -> Value? {
        guard case .collection(_, let column) = target, let row = try row(),
            let index = row.table.info.columns.firstIndex(where: { $0.key == column })
        else { return nil }
        return try row.value(index)
    }

    /// The thing was deleted, or its instance let go of its version.
    public var isInvalidated: Bool {
        instance.check()
        if !instance.isFrozen, instance.view == nil, instance.transaction == nil { return true }
        switch target {
        case .table, .results: return ((try? table()) ?? nil) == nil
        case .object: return ((try? row()) ?? nil) == nil
        case .collection: return ((try? collection()) ?? nil) == nil
        }
    }

    /// The same thing in this version, which may be used anywhere.
    public func freeze() throws(RealmError) -> Confined {
        Confined(try instance.freeze(), target)
    }

    /// The live thing for the place that asks; nil when it was deleted.
    public func thaw(on confinement: Confinement = .thread) throws(RealmError) -> Confined? {
        let live = Confined(try instance.thaw(on: confinement), target)
        _ = live.instance.snapshot()
        return live.isInvalidated ? nil : live
    }

    /// Checks that the thing may be changed now and returns the transaction to do so.
    public func forWriting() -> WriteTransaction { instance.forWriting() }
}

extension Instance {
    /// The open transaction; trapping where what the instance handed out may not be changed now.
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

    /// Traps where nothing of the instance may be read.
    @inline(__always)
    func checkReadable() {
        if thread.load(ordering: .relaxed) != Threads.current, !isFrozen { check() }
    }

    /// The class called `name`; nil when there is none.
    public func table(named name: String) -> Confined? {
        schema.table(named: name).map { Confined(self, .table($0.key)) }
    }

    /// The objects of the class with `key` that `query` yields, found anew each time they are asked for.
    public func results(_ key: TableKey, _ query: Query) -> Confined {
        handOut(.results(ResultsDefinition(key, query)))
    }

    public func object(_ link: ObjectLink) -> Confined { handOut(.object(link)) }

    public func collection(_ link: ObjectLink, _ column: ColumnKey) -> Confined {
        handOut(.collection(link, column))
    }

    /// What is handed out is part of a version: an instance that shows none yet begins with the
    /// newest, or the thing would count as let go of.
    private func handOut(_ target: ConfinedTarget) -> Confined {
        if view == nil, !isFrozen, transaction == nil { _ = snapshot() }
        return Confined(self, target)
    }
}

/// Carries something confined to another place, once. Keeps its version until resolved or released.
///
/// Free to cross threads.
public final class ThreadSafeHandle: @unchecked Sendable {
    private let target: ConfinedTarget
    private let identity: FileIdentity
    /// What it stands for is found in this version or a newer one.
    private let version: UInt64
    private let monitor = Monitor()
    private var kept: FrozenVersion?
    private var isResolved = false

    /// Throws `misuse` for something that is gone, `incompatible` when the lock file is damaged.
    ///
    /// Made inside a write transaction it keeps the version the transaction began with, and stands
    /// for what the transaction commits: until then it cannot be found elsewhere.
    public init(to value: Confined) throws(RealmError) {
        target = value.target
        identity = value.instance.database.file.identity
        if value.isInvalidated {
            throw .misuse(
                "Cannot construct reference to invalidated object", code: "InvalidatedObject")
        }
        if let frozen = value.instance.frozen {
            kept = frozen
        } else if let view = value.instance.view {
            kept = try FrozenVersion.of(view)
        }
        version = (kept?.version ?? 0) + (value.instance.transaction == nil ? 0 : 1)
        // Whoever resolves it comes after this, whatever way it went.
        monitor.locked {}
    }

    /// True once resolved.
    public var isInvalidated: Bool { monitor.locked { isResolved } }

    /// The thing for another instance; nil when it was deleted meanwhile, or belongs to another file.
    ///
    /// An instance that shows no version yet begins with the handle's, one that is behind it moves on
    /// first. Resolving twice is a mistake that traps.
    public func resolve(in instance: Instance) throws(RealmError) -> Confined? {
        instance.check()
        let (kept, isSecond) = monitor.locked {
            defer {
                isResolved = true
                self.kept = nil
            }
            return (self.kept, isResolved)
        }
        if isSecond { Misuse.trap("Can only resolve a thread safe reference once.") }
        guard instance.database.file.identity == identity else { return nil }
        if let kept, kept.version == version { instance.begin(with: kept) }
        if instance.snapshot().version < version {
            try instance.refresh()
            if let kept { instance.catchUp(with: kept) }
        }
        let value = Confined(instance, target)
        return value.isInvalidated ? nil : value
    }
}
