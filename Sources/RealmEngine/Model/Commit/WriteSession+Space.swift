extension WriteSession {
    /// The use of the file's space by a database, for reports.
    package struct Space: Sendable {
        /// End of the newest version in bytes.
        var logicalSize = 0
        /// Bytes that the next commit may reuse.
        package var freeBytes = 0
        /// Number of bytes that only older versions use, which readers have pinned.
        package var pinnedBytes = 0
    }

    /// Number of live versions, including the newest. The last commit of any process stored it in
    /// the lock file.
    package var liveVersions: Int { Int(clamping: database.session?.file.versionCount ?? 1) }

    /// Returns how the newest version uses the file. Takes the write mutex briefly, to determine
    /// which versions are still pinned.
    ///
    /// Throws `corrupt` for a damaged free list, `misuse` while a transaction is open.
    package func space() throws(RealmError) -> Space {
        let transaction = try begin()
        defer { transaction.rollback() }
        guard let top = transaction.base.top, let session = database.session else {
            return Space()
        }
        let oldest = try session.purge().oldest
        let chunks = try FreeSpace.chunks(transaction.context.space, top)
        var space = Space()
        space.logicalSize = Int(clamping: top.logicalSize)
        for chunk in chunks {
            if chunk.version > oldest {
                space.pinnedBytes += Int(chunk.count)
            } else {
                space.freeBytes += Int(chunk.count)
            }
        }
        return space
    }
}
