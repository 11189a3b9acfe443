import Foundation
import RealmEngine

/// State of one thread: whether it is the initial one, and realms that it keeps alive.
final class ThreadRecord {
    /// Whether the process began with this thread.
    let isInitial = Thread.isMainThread
    /// Realms opened inside each `autoreleasepool`, innermost pool last.
    private var pools: [[ObjectIdentifier: RealmInstance]] = []
    /// Realms with an open write transaction.
    private var writing: [ObjectIdentifier: RealmInstance] = [:]

    /// The key path of key-value access that is being followed; nil outside of one.
    var keyPath: String?

    private static let slot = ThreadSlot()

    /// The record of the calling thread.
    static var current: ThreadRecord {
        if let known = slot.object { return unsafeDowncast(known, to: ThreadRecord.self) }
        let fresh = ThreadRecord()
        slot.object = fresh
        return fresh
    }

    // MARK: Pools

    func openPool() { pools.append([:]) }

    func closePool() {
        // Instances that are released here may use the record.
        let last = pools.removeLast()
        withExtendedLifetime(last) {}
    }

    /// Keeps a realm alive to the end of the innermost pool. Returns false if there is no pool.
    func retainUntilPoolEnds(_ realm: RealmInstance) -> Bool {
        guard let last = pools.indices.last else { return false }
        pools[last][ObjectIdentifier(realm)] = realm
        return true
    }

    // MARK: Writing

    /// Keeps a realm alive until its write transaction ends, so that the transaction of `try!
    /// Realm().beginWrite()` can be ended.
    func keepWriting(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = realm }

    func release(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = nil }
}
