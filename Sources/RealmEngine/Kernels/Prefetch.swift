import CRealmSystem

/// Memory that is going to be read soon, for the processor to fetch while it works on something else.
///
/// Leaves lie apart, so that at the beginning of each it would wait: for the page's address, and for
/// the first lines until it notices that more are read.
enum Prefetch {
    private static let lineSize = 64

    /// The line at `address`.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { realm_prefetch(address) }

    /// The lines of `count` bytes at `start`.
    @inline(__always)
    static func bytes(_ start: UnsafeRawPointer, _ count: Int) {
        var at = 0
        while at < count {
            realm_prefetch(start + at)
            at &+= lineSize
        }
    }

    /// The elements of a node.
    @inline(__always)
    static func elements(_ node: NodeView) {
        bytes(node.payload, NodeView.payloadSize(flags: node.flags, count: node.count))
    }
}
