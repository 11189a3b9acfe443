/// Slots of the root of a version (storage format section 4). If a root has fewer slots, the last
/// ones are missing. Only `TopArray` reads and writes roots.
enum RootShape {
    /// Ref of an array with the names of the tables, each padded to the same width.
    static let names = 0
    /// Ref of an array with the refs of the tables. The element of a removed table is a tagged
    /// number, which becomes part of the key of the next table that is stored there.
    static let tables = 1
    /// Tagged number: size in bytes of the file up to the end of the version.
    static let logicalSize = 2
    /// Refs of the three arrays of the free list: offsets and lengths of extents in bytes, and the
    /// versions whose commits released them.
    static let freePositions = 3
    static let freeLengths = 4
    static let freeVersions = 5
    /// Tagged number of the version.
    static let version = 6
    /// Tagged number: type of the history.
    static let historyType = 7
    /// Ref of a B+tree of changesets; 0 in files that never had a history.
    static let history = 8
    /// Tagged number: format of the changesets.
    static let historySchema = 9
    /// Tagged number; 0 in files that are not synchronised.
    static let syncFileID = 10
    /// State of an online compaction: the ref of an array of at least two numbers; a tagged number
    /// if there is none.
    static let evacuation = 11

    /// Possible numbers of slots of a root: writers of different versions have stored these.
    static let validCounts = [3, 5, 7, 9, 10, 11, 12]
    static let minimumCount = 3

    static let freeLists = [freePositions, freeLengths, freeVersions]
}
