/// Whether a compacted database is the original, node by node: the same trees with the same bytes,
/// but for the places of nodes and the widths of numbers.
///
/// Reads both once, side by side, at the speed of memory. Confined to one thread.
public final class TreeComparison {
    private let source: NodeSpace
    private let copy: NodeSpace
    private let snapshots: (Snapshot, Snapshot)
    private var left: Int
    private var readSinceRelease = 0
    private let releaseStep: Int

    private static let maximumDepth = 2000

    /// Compares `copy` with the version of the original that `source` sees.
    public init(_ source: Snapshot, _ copy: Snapshot, maxMemory: Int = 64 << 20) {
        snapshots = (source, copy)
        self.source = source.lookup
        self.copy = copy.lookup
        left = Int(clamping: copy.state.limit)
        releaseStep = max(1 << 20, maxMemory / 4)
    }

    /// True when both hold the same. `history` is false when the copy was meant to have none. Throws
    /// `corrupt` when a node of either cannot be read.
    public func isSame(history: Bool) throws(RealmError) -> Bool {
        let (a, b) = (snapshots.0.state, snapshots.1.state)
        guard let topA = a.top, let topB = b.top else { return a.top == nil && b.top == nil }
        guard topA.version == topB.version, topA.historyType == topB.historyType,
            topA.historySchema == topB.historySchema, a.format == b.format
        else { return false }
        let hasHistory = history && !topA.history.isNone
        guard topB.history.isNone != hasHistory else { return false }
        if hasHistory, try !isSame(topA.history, topB.history, 0) { return false }
        guard try isSame(topA.names, topB.names, 0) else { return false }
        return try isSame(topA.tables, topB.tables, 0)
    }

    private func isSame(_ a: Ref, _ b: Ref, _ depth: Int) throws(RealmError) -> Bool {
        guard depth < Self.maximumDepth else {
            throw .corrupt("nodes nested more than \(Self.maximumDepth) deep", at: a)
        }
        let nodeA = try source.node(a)
        let nodeB = try copy.node(b)
        try account(nodeB, b)
        guard nodeA.count == nodeB.count, nodeA.flags & 0xF8 == nodeB.flags & 0xF8 else {
            return false
        }
        if !nodeA.hasRefs { return Self.isSame(nodeA, nodeB) }
        for i in 0..<nodeA.count {
            let (slotA, slotB) = (nodeA.slot(i), nodeB.slot(i))
            if let childA = slotA.child {
                guard let childB = slotB.child, try isSame(childA, childB, depth + 1) else {
                    return false
                }
            } else if slotA.raw != slotB.raw {
                return false
            }
        }
        return true
    }

    /// Nodes without references, of the same kind and count.
    private static func isSame(_ a: NodeView, _ b: NodeView) -> Bool {
        if a.flags == b.flags {
            // What follows the last element in its byte may be anything, and was copied with it.
            let size = NodeView.payloadSize(flags: a.flags, count: a.count)
            return ByteView(a.payload, count: size) == ByteView(b.payload, count: size)
        }
        guard a.widthType == 0 else { return false }
        for i in 0..<a.count where a.integer(i) != b.integer(i) { return false }
        return true
    }

    /// A tree has each node once; pages read are given back.
    private func account(_ node: NodeView, _ ref: Ref) throws(RealmError) {
        let size = node.byteSize
        left -= size
        if left < 0 { throw copy.exhausted(ref) }
        readSinceRelease += size
        guard readSinceRelease > releaseStep else { return }
        readSinceRelease = 0
        snapshots.0.database.file.mapping.releasePages()
        snapshots.1.database.file.mapping.releasePages()
    }
}
