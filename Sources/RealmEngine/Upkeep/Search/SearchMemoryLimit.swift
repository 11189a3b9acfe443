/// Memory limit of a search through a damaged file. Nodes that exceed the limit are skipped, and
/// their objects are reported as lost.
///
/// A limit of 64 MiB is sufficient for the leaves of 60 million objects. Confined to one thread.
final class SearchMemoryLimit {
    private let limit: Int
    /// Directory for unlinked files.
    private let directory: String
    private var roomForNodes: Int

    /// Memory in bytes for each node of a tree, for its ref, keys and base. Nodes that are
    /// recognised by their first slots (`FoundNodes`) do not count here. Each kind of them, such as
    /// roots, has its own limit, `maximumNodesPerShape`.
    private static let bytesPerNode = 256

    init(limit: Int, spillingInto directory: String) {
        (self.limit, self.directory) = (limit, directory)
        roomForNodes = limit / Self.bytesPerNode
    }

    /// Maximum number of nodes of each kind (roots, tables, specs, inner nodes, lists of names,
    /// cluster leaves) that are recognised by their first slots.
    var maximumNodesPerShape: Int { limit / Self.bytesPerNode }

    /// Maximum number of primary keys that are kept in memory to find equal ones.
    var maximumKeyCount: Int { limit / 128 }

    /// Maximum number of records that are sorted in memory at a time. A record has the values that
    /// an object has in one leaf; older leaves may contain the same object with other values.
    var maximumEntryCount: Int { max(1 << 10, limit / 192) }

    /// Returns the memory limit and temporary directory for sorting records of objects of
    /// `snapshot`.
    func sorting(_ snapshot: Snapshot) -> QueryMemoryLimit {
        var options = QueryOptions()
        options.memoryLimit = limit
        options.spillDirectory = directory
        return QueryMemoryLimit(options, snapshot)
    }

    /// Whether a node was skipped because the memory limit was reached.
    var isReached: Bool { roomForNodes < 0 }

    /// Reserves memory for one node of a tree. Returns false if the limit is reached.
    func reserveNode() -> Bool {
        roomForNodes -= 1
        return roomForNodes >= 0
    }

    /// Makes a map for a file of `bytes` bytes: in memory, or in a temporary file if the map would
    /// take more than an eighth of the limit.
    func extents(of bytes: UInt64) -> ExtentMap {
        guard bytes / 64 > limit / 8 else { return ExtentMap() }
        return ExtentMap(of: bytes, in: directory)
    }

    /// Returns the memory in bytes that the writer of the new file may use while the search uses
    /// `kept` bytes.
    func rest(beside kept: Int) -> Int { max(limit / 4, limit - kept) }
}
