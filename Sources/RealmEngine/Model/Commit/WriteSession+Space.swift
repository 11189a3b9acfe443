extension WriteSession {
    /// How a database's file is used, for reports.
    package struct Space: Sendable {
        /// End of the space the newest version manages, in bytes.
        var logicalSize = 0
        /// Bytes any commit may use again.
        package var freeBytes = 0
        /// Bytes the newest version does not use, kept for readers of older versions.
        package var pinnedBytes = 0
    }

    /// Versions readers can hold, the newest included, as counted by the last commit of anybody.
    package var liveVersions: Int { Int(clamping: database.session?.file.versionCount ?? 1) }

    /// How the newest version uses the file. Takes the writer's turn for a moment, so that the
    /// versions nobody holds any more are known.
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
