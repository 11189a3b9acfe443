extension WriteSession {
    /// Use of a database's file, for reports.
    package struct Space: Sendable {
        /// End of the newest version's space, in bytes.
        var logicalSize = 0
        /// Bytes that the next commit may reuse.
        package var freeBytes = 0
        /// Bytes that the newest version does not use but readers of older versions do.
        package var pinnedBytes = 0
    }

    /// Number of live versions, including the newest, as counted by the last commit of any process.
    package var liveVersions: Int { Int(clamping: database.session?.file.versionCount ?? 1) }

    /// Returns the newest version's use of the file. Takes the write mutex for a moment, to find
    /// out which versions are no longer pinned.
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
