/// Slots of the root of a version (storage format section 4). A shorter root lacks the last ones.
/// Read and written by `TopArray`.
enum RootShape {
    /// Names of the tables, in cells of equal width.
    static let names = 0
    /// Refs of the tables; the reuse tag of the next table in a free slot.
    static let tables = 1
    /// Number: end of the space that the version manages, in bytes.
    static let logicalSize = 2
    /// The parallel arrays of the free list: offsets and lengths in bytes, and the versions that
    /// released the extents.
    static let freePositions = 3
    static let freeLengths = 4
    static let freeVersions = 5
    /// Number of the version.
    static let version = 6
    /// Number: kind of the history.
    static let historyType = 7
    /// B+tree of changesets; none in files that never had a history.
    static let history = 8
    /// Number: format of the changesets.
    static let historySchema = 9
    /// Number: 0 in files that are not synchronised.
    static let syncFileID = 10
    /// State of an online compaction: an array of at least two numbers, or a number for none.
    static let evacuation = 11

    /// Numbers of slots that writers have stored.
    static let validCounts: Set<Int> = [3, 5, 7, 9, 10, 11, 12]
    static let minimumCount = 3

    static let freeLists = [freePositions, freeLengths, freeVersions]
}
