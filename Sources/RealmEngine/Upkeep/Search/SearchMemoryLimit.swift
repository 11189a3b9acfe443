/// Memory limit of a search through a damaged file. Nodes that exceed the limit are skipped, and
/// their objects are reported as lost.
///
/// A limit of 64 MiB is sufficient for the leaves of 60 million objects. Confined to one thread.
final class SearchMemoryLimit {
    private let limit: Int
    /// Directory for unlinked files.
    private let directory: String
    private var roomForNodes: Int

    /// Memory per node in bytes. A node of a tree needs it for its ref, keys and base. Nodes found
    /// by shape are limited to the same number for each of five kinds.
    private static let bytesPerNode = 256

    init(limit: Int, spillingInto directory: String) {
        (self.limit, self.directory) = (limit, directory)
        roomForNodes = limit / Self.bytesPerNode
    }

    /// Maximum number of nodes per kind that are found by shape.
    var maximumNodesPerShape: Int { limit / Self.bytesPerNode }

    /// Maximum number of primary keys that are kept in memory to find equal ones.
    var maximumKeyCount: Int { limit / 128 }

    /// Maximum number of object states that are sorted in memory at a time.
    var maximumEntryCount: Int { max(1 << 10, limit / 192) }

    /// Returns the memory limit and temporary directory for sorting object states of `snapshot`.
    func sorting(_ snapshot: Snapshot) -> QueryMemoryLimit {
        var options = QueryOptions()
        options.memoryLimit = limit
        options.spillDirectory = directory
        return QueryMemoryLimit(options, snapshot)
    }

    /// Whether there was no room for a node.
    var isReached: Bool { roomForNodes < 0 }

    /// Charges memory for one node of a tree. Returns false if the limit is reached.
    func reserveNode() -> Bool {
        roomForNodes -= 1
        return roomForNodes >= 0
    }

    /// Makes a map for a file of `bytes` bytes, in memory or, if it would be too large, in a
    /// temporary file.
    func extents(of bytes: UInt64) -> ExtentMap {
        guard bytes / 64 > limit / 8 else { return ExtentMap() }
        return ExtentMap(of: bytes, in: directory)
    }

    /// Returns the memory limit in bytes for writing while the search uses `kept` bytes.
    func rest(beside kept: Int) -> Int { max(limit / 4, limit - kept) }
}
