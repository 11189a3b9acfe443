import Foundation
import RealmEngine

/// What is kept for a thread as long as it lives: what it is, and realms that nobody else need refer to.
final class ThreadRecord {
    /// The thread that the program began with.
    let isInitial = Thread.isMainThread
    /// Realms that were opened in the pools around, innermost last.
    private var pools: [[ObjectIdentifier: RealmInstance]] = []
    /// Realms that have a write transaction open.
    private var writing: [ObjectIdentifier: RealmInstance] = [:]

    /// The key path of key-value access that is being followed; nil outside of one.
    var keyPath: String?

    private static let slot = ThreadSlot()

    static var current: ThreadRecord {
        if let known = slot.object { return unsafeDowncast(known, to: ThreadRecord.self) }
        let fresh = ThreadRecord()
        slot.object = fresh
        return fresh
    }

    // MARK: Pools

    func openPool() { pools.append([:]) }

    func closePool() {
        // Realms that go may ask for the record.
        let last = pools.removeLast()
        withExtendedLifetime(last) {}
    }

    /// To the end of the pool, if there is one.
    func keep(_ realm: RealmInstance) -> Bool {
        guard let last = pools.indices.last else { return false }
        pools[last][ObjectIdentifier(realm)] = realm
        return true
    }

    // MARK: Writing

    /// Until the write transaction ends: `try! Realm().beginWrite()` is no transaction that nobody can
    /// end.
    func keepWriting(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = realm }

    func letGo(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = nil }
}
