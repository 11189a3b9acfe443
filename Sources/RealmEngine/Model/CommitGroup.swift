/// Transactions that become durable together: each has its own version, whose nodes are in the file,
/// but the header leads to none of them before the last one's data was synced.
///
/// A crash leaves all or none. In between the versions can be read in this process: the version the
/// group began with stays pinned for as long as one of them is, and so nothing they use is written
/// over. Guarded by the writer's turn.
final class CommitGroup {
    private let database: Database
    /// What the next transaction begins with.
    private(set) var head: VersionState
    /// The last version made; nil before the first.
    private(set) var last: Commit.Stored?
    private(set) var count = 0

    init(_ database: Database) {
        self.database = database
        head = database.newest
    }

    /// Takes in a version whose nodes were written.
    func add(_ stored: Commit.Stored) throws(RealmError) -> UInt64 {
        head = try VersionState.read(
            base: database.file.mapping.base, size: Int(stored.logicalSize), format: 24,
            top: stored.top)
        last = stored
        count += 1
        return stored.version
    }
}
