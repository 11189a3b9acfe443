import Synchronization

/// An entry of the version list in the lock file (storage format 6.2): the root of a version and
/// its pin counts.
struct VersionEntry {
    private let p: UnsafeMutableRawPointer

    init(_ p: UnsafeMutableRawPointer) { self.p = p }

    private var atomic: UnsafeMutablePointer<Atomic<UInt64>> {
        p.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    var version: UInt64 {
        // The version of the version list's newest entry is also read without the mutex.
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

    /// Whether the version is readable: it has a live or frozen pin, or is not older than `full`,
    /// the oldest version with a full pin.
    func isReachable(_ full: UInt64) -> Bool { live > 0 || frozen > 0 || version >= full }

    func count(_ kind: PinKind) -> UInt32 {
        p.load(fromByteOffset: 24 + 4 * kind.rawValue, as: UInt32.self)
    }

    func setCount(_ kind: PinKind, _ value: UInt32) {
        p.storeBytes(of: value, toByteOffset: 24 + 4 * kind.rawValue, as: UInt32.self)
    }

    func clearCounts() { for kind in PinKind.allCases { setCount(kind, 0) } }
}

/// Kind of a pin (storage format 6.7).
package enum PinKind: Int, CaseIterable, Sendable {
    /// Pin of a reader that may advance to newer versions.
    case live = 0
    /// Pin of a frozen view, which stays at its version.
    case frozen = 1
    /// Pin that keeps its version and all later ones readable.
    case full = 2
}
