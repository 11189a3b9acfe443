@testable import RealmEngine

/// Where every byte of a version is: header, nodes and free chunks must tile the file exactly
/// (storage format 9.1).
struct SpaceAudit {
    /// The first fault; nil when there is none.
    private(set) var fault: String?
    private var extents: [(start: UInt64, end: UInt64, what: String)] = [(0, 24, "header")]
    private let space: NodeSpace

    /// Looks at the newest version `database` knows.
    init(_ database: Database) throws {
        let snapshot = database.snapshot()
        space = snapshot.lookup
        guard let top = snapshot.state.top else { return }
        try visit(top.ref, "top")
        for chunk in try FreeSpace.chunks(space, top) {
            extents.append((chunk.start, chunk.end, "free"))
            if chunk.version > top.version { fault = "a chunk freed by version \(chunk.version)" }
        }
        compare(top.logicalSize)
    }

    private mutating func visit(_ ref: Ref, _ path: String) throws {
        let node = try space.node(ref)
        extents.append((ref.raw, ref.raw + UInt64(node.byteSize), path))
        guard node.hasRefs else { return }
        for i in 0..<node.count {
            if let child = node.slot(i).child { try visit(child, path + ".\(i)") }
        }
    }

    private mutating func compare(_ size: UInt64) {
        extents.sort { $0.start < $1.start }
        extents.append((size, size, "end"))
        for (a, b) in zip(extents, extents.dropFirst()) where a.end != b.start {
            fault =
                "\(a.what) ends at \(a.end), \(b.what) begins at \(b.start): "
                + (a.end < b.start ? "leaked" : "overlapping")
            return
        }
    }
}
