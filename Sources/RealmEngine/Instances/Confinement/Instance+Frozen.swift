import Synchronization

/// A version that is pinned as long as this object is referenced. Frozen instances of the version
/// share it. Free to cross threads.
package final class FrozenVersion: Sendable {
    let database: Database
    let state: VersionState
    /// Number that is unique among all frozen versions of the process.
    let number: UInt64
    private let pin: VersionPin
    private let weakBox = WeakBox<FrozenVersion>()

    private struct Key: Hashable {
        let database: ObjectIdentifier
        let version: UInt64
    }

    private static let known = LockedValue<[Key: WeakBox<FrozenVersion>]>([:])
    private static let count = Atomic<UInt64>(0)

    private init(_ database: Database, _ state: VersionState, _ pin: VersionPin) {
        self.database = database
        self.state = state
        self.pin = pin
        number = Self.count.add(1, ordering: .relaxed).newValue
        weakBox.begin(self)
    }

    deinit {
        weakBox.end()
        let key = Key(database: ObjectIdentifier(database), version: state.version)
        Self.known.withLock { if $0[key] === weakBox { $0[key] = nil } }
        database.unpin(pin)
    }

    /// Returns the frozen version of `snapshot`. There is one instance of `FrozenVersion` per
    /// version.
    static func of(_ snapshot: Snapshot) throws(RealmError) -> FrozenVersion {
        let (database, state) = (snapshot.database, snapshot.state)
        let key = Key(database: ObjectIdentifier(database), version: state.version)
        if let found = known.withLock({ $0[key]?.object }), found.state === state { return found }
        let pin = try database.pin(.frozen, of: snapshot.pin)
        let fresh = FrozenVersion(database, state, pin)
        known.withLock { $0[key] = fresh.weakBox }
        return fresh
    }

    var version: UInt64 { state.version }

    /// Makes a read context for use by one thread.
    func makeMemory() -> ReadContext { Snapshot.memory(database, state) }

    /// Makes a snapshot for use by the calling thread.
    func snapshot() -> Snapshot { Snapshot(database, state, keptBy: self) }
}

extension Instance {
    /// Returns an instance that always shows this version and may be used on any thread.
    ///
    /// The cost is one pin, whatever the size of the database. All frozen instances of a version
    /// share the pin. The pin ends when the last of these instances is released and this instance
    /// has moved to another version.
    ///
    /// - Parameter asOfStart: whether a write transaction may be open; the version at which it
    ///   began is then frozen. If false, traps in a write transaction.
    ///
    /// Throws `incompatible` if the lock file is damaged.
    public func freeze(asOfStart: Bool = false) throws(RealmError) -> Instance {
        if isFrozen { return self }
        checkFreezing(asOfStart: asOfStart)
        let snapshot = view ?? snapshot()
        if let frozenView { return Instance.frozen(frozenView, configuration) }
        let version = try FrozenVersion.of(snapshot)
        frozenView = version
        return Instance.frozen(version, configuration)
    }

    /// Traps in the cases in which `freeze` traps.
    package func checkFreezing(asOfStart: Bool) {
        check()
        if transaction != nil, !asOfStart || view == nil {
            Misuse.trap("Cannot freeze a Realm in a write transaction.")
        }
    }

    /// Number of a frozen instance's version, unique in the process; nil for a live instance.
    package var frozenNumber: UInt64? { frozen?.number }

    /// Returns the live instance for a context. If this instance is live, returns this instance.
    public func thaw(on confinement: Confinement = .thread) throws(RealmError) -> Instance {
        if !isFrozen {
            check()
            return self
        }
        return try Instance.open(configuration, on: confinement)
    }
}
