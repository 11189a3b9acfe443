import CRealmSystem

/// Makes the processor load memory that will be read soon.
///
/// Leaves are scattered over the file. So at the start of each leaf, the processor would wait: for
/// the address translation of the page, and for the first cache lines until it detects sequential
/// reads.
enum Prefetch {
    private static let lineSize = 64

    /// Prefetches the cache line at `address`.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { realm_prefetch(address) }

    /// Prefetches the cache lines of the `count` bytes at `start`.
    @inline(__always)
    static func bytes(_ start: UnsafeRawPointer, _ count: Int) {
        var at = 0
        while at < count {
            realm_prefetch(start + at)
            at &+= lineSize
        }
    }

    /// Prefetches the elements of a node.
    @inline(__always)
    static func elements(_ node: NodeView) {
        bytes(node.payload, NodeView.payloadSize(flags: node.flags, count: node.count))
    }
}
