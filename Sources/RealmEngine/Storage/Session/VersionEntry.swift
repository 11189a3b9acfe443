import Synchronization

/// One version somebody may read (storage format 6.2): where its root is and how many pin it.
struct VersionEntry {
    private let p: UnsafeMutableRawPointer

    init(_ p: UnsafeMutableRawPointer) { self.p = p }

    private var atomic: UnsafeMutablePointer<Atomic<UInt64>> {
        p.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    var version: UInt64 {
        // Others peek at the newest entry's without the mutex.
        get { atomic.pointee.load(ordering: .acquiring) }
        nonmutating set { atomic.pointee.store(newValue, ordering: .releasing) }
    }
    var fileSize: UInt64 {
        get { p.load(fromByteOffset: 8, as: UInt64.self) }
        nonmutating set { p.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self) }
    }
    var top: UInt64 {
        get { p.load(fromByteOffset: 16, as: UInt64.self) }
        nonmutating set { p.storeBytes(of: newValue, toByteOffset: 16, as: UInt64.self) }
    }
    var live: UInt32 { count(.live) }
    var frozen: UInt32 { count(.frozen) }
    var full: UInt32 { count(.full) }
    var isPinned: Bool { live > 0 || frozen > 0 || full > 0 }

    /// Whether somebody can read the version; all from `full` on are kept.
    func isReachable(_ full: UInt64) -> Bool { live > 0 || frozen > 0 || version >= full }

    func count(_ kind: PinKind) -> UInt32 {
        p.load(fromByteOffset: 24 + 4 * kind.rawValue, as: UInt32.self)
    }

    func setCount(_ kind: PinKind, _ value: UInt32) {
        p.storeBytes(of: value, toByteOffset: 24 + 4 * kind.rawValue, as: UInt32.self)
    }

    func clearCounts() { for kind in PinKind.allCases { setCount(kind, 0) } }
}

/// Why a version is kept (storage format 6.7).
package enum PinKind: Int, CaseIterable, Sendable {
    /// An ordinary reader.
    case live = 0
    /// A frozen view.
    case frozen = 1
    /// Keeps every version from this one on.
    case full = 2
}
