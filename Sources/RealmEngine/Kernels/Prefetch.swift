import CRealmSystem

/// Prefetches memory that will be read soon.
///
/// Leaves are scattered, so at the beginning of each the processor would wait: for the address of
/// the page, and for the first lines until it detects sequential reading.
enum Prefetch {
    private static let lineSize = 64

    /// Prefetches the line at `address`.
    @inline(__always)
    static func line(_ address: UnsafeRawPointer) { realm_prefetch(address) }

    /// Prefetches the lines of `count` bytes at `start`.
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
