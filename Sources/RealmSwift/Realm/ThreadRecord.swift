import Foundation
import RealmEngine

/// State of one thread: whether it is the initial thread, and the realms that it keeps alive.
final class ThreadRecord {
    /// Whether this is the thread with which the process began.
    let isInitial = Thread.isMainThread
    /// Realms opened inside `autoreleasepool` calls, a dictionary for each call. The innermost call
    /// is the last.
    private var pools: [[ObjectIdentifier: RealmInstance]] = []
    /// Realms that have an open write transaction on this plain thread.
    private var writing: [ObjectIdentifier: RealmInstance] = [:]

    /// The key path that key-value access currently follows, for messages; nil otherwise.
    var keyPath: String?

    private static let slot = ThreadSlot()

    /// State of the calling thread, created by the first use on that thread.
    static var current: ThreadRecord {
        if let known = slot.object { return unsafeDowncast(known, to: ThreadRecord.self) }
        let fresh = ThreadRecord()
        slot.object = fresh
        return fresh
    }

    // MARK: Pools

    func openPool() { pools.append([:]) }

    func closePool() {
        // Releasing a realm may run code that changes `pools`. The last pool is therefore removed
        // from the array before its realms are released.
        let last = pools.removeLast()
        withExtendedLifetime(last) {}
    }

    /// Keeps a realm alive until the innermost `autoreleasepool` returns. Returns false outside of
    /// a pool.
    func retainUntilPoolEnds(_ realm: RealmInstance) -> Bool {
        guard let last = pools.indices.last else { return false }
        pools[last][ObjectIdentifier(realm)] = realm
        return true
    }

    // MARK: Writing

    /// Keeps a realm alive until its write transaction ends. Otherwise `try! Realm().beginWrite()`
    /// would release the realm at once, and the transaction could not be committed.
    func keepWriting(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = realm }

    func release(_ realm: RealmInstance) { writing[ObjectIdentifier(realm)] = nil }
}
