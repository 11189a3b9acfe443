/// What a search through damage may keep in memory. What has no room is left out, and its objects are
/// reported lost.
///
/// A limit of 64 MiB has room for the leaves of 60 million objects. Confined to one thread.
final class SearchMemory {
    private let limit: Int
    /// For files without a name.
    private let directory: String
    private var roomForNodes: Int

    /// Bytes for which one node is kept. Of a tree that is its place, its keys, and where it was met; of
    /// nodes found by their shape there may be as many of each of five kinds.
    private static let bytesPerNode = 256

    init(limit: Int, spillingInto directory: String) {
        (self.limit, self.directory) = (limit, directory)
        roomForNodes = limit / Self.bytesPerNode
    }

    /// Nodes of one kind that are kept where only their shape is known.
    var mostOfAShape: Int { min(1 << 20, limit / Self.bytesPerNode) }

    /// Primary keys that are told apart.
    var mostKeys: Int { limit / 128 }

    /// States of objects that are put in order.
    var mostEntries: Int { limit / 192 }

    /// Asks leave to keep a node of a tree.
    func keepNode() -> Bool {
        roomForNodes -= 1
        return roomForNodes >= 0
    }

    /// A map of `bytes` of a file: in memory, or in a file of its own where it would take too much.
    func extents(of bytes: UInt64) -> ExtentMap {
        guard bytes / 64 > limit / 8 else { return ExtentMap() }
        return ExtentMap(of: bytes, in: directory)
    }

    /// What is left for what is written while `kept` bytes are.
    func rest(beside kept: Int) -> Int { max(limit / 4, limit - kept) }
}
