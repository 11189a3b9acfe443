import Synchronization

/// A version kept for frozen views, for as long as one refers to it. Free to cross threads.
package final class FrozenVersion: Sendable {
    let database: Database
    let state: VersionState
    /// Tells it from all others there ever were.
    let number: UInt64
    private let pin: VersionPin
    private let whereabouts = WeakBox<FrozenVersion>()

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
        whereabouts.begin(self)
    }

    deinit {
        whereabouts.end()
        let key = Key(database: ObjectIdentifier(database), version: state.version)
        Self.known.withLock { if $0[key] === whereabouts { $0[key] = nil } }
        database.unpin(pin)
    }

    /// The frozen version that `snapshot` shows; one object a version.
    static func of(_ snapshot: Snapshot) throws(RealmError) -> FrozenVersion {
        let (database, state) = (snapshot.database, snapshot.state)
        let key = Key(database: ObjectIdentifier(database), version: state.version)
        if let found = known.withLock({ $0[key]?.object }), found.state === state { return found }
        let pin = try database.pin(.frozen, of: snapshot.pin)
        let fresh = FrozenVersion(database, state, pin)
        known.withLock { $0[key] = fresh.whereabouts }
        return fresh
    }

    var version: UInt64 { state.version }

    /// What one thread reads nodes through.
    func makeMemory() -> ReadContext { Snapshot.memory(database, state) }

    /// A view for the calling thread.
    func snapshot() -> Snapshot { Snapshot(database, state, keptBy: self) }
}

extension Instance {
    /// This version as an instance that never moves and may be used anywhere. Costs nothing but the
    /// pin, whatever the size of the database. All frozen views of a version share it; it ends with the
    /// last of them, as far as this instance has moved on.
    ///
    /// - Parameter asOfStart: inside a write transaction what is frozen is the version that it began
    ///   with, which is a mistake otherwise.
    ///
    /// Throws `incompatible` when the lock file is damaged.
    public func freeze(asOfStart: Bool = false) throws(RealmError) -> Instance {
        if isFrozen { return self }
        checkFreezing(asOfStart: asOfStart)
        let snapshot = view ?? snapshot()
        if let frozenView { return Instance.frozen(frozenView, configuration) }
        let version = try FrozenVersion.of(snapshot)
        frozenView = version
        return Instance.frozen(version, configuration)
    }

    /// Traps where `freeze` does.
    package func checkFreezing(asOfStart: Bool) {
        check()
        if transaction != nil, !asOfStart || view == nil {
            Misuse.trap("Cannot freeze a Realm in a write transaction.")
        }
    }

    /// Tells the version of a frozen instance from all others there ever were; nil for a live one.
    package var frozenNumber: UInt64? { frozen?.number }

    /// The live instance of the place that asks. A live one is its own.
    public func thaw(on confinement: Confinement = .thread) throws(RealmError) -> Instance {
        if !isFrozen {
            check()
            return self
        }
        return try Instance.open(configuration, on: confinement)
    }
}
