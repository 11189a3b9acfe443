/// A consistent copy of a database's lock file, for reports.
struct LockFileCopy {
    let facts: Inspection.Lock
    /// The newest version of the live session; nil if no session is live or no version is readable.
    let newest: Inspection.LiveVersion?
    /// Versions that the next commit must keep readable, newest first: the newest version and
    /// pinned ones. Empty if no session is live.
    let versions: [Inspection.LiveVersion]

    /// Reads the lock file of the database at `path`; nil if there is no lock file.
    init?(databasePath path: String) {
        guard let found = Self.steady(path) else {
            // If the lock file may not be read, it can still be determined whether it is in use.
            guard MappedLockFile.isLocked(DatabasePath(path).lock) else { return nil }
            facts = Inspection.Lock(
                isInUse: true, layout: nil, isKnown: false, participants: 0, durability: 0)
            newest = nil
            versions = []
            return
        }
        facts = Inspection.Lock(
            isInUse: found.isInUse, layout: found.layout, isKnown: found.session != nil,
            participants: found.session?.participants ?? 0,
            durability: found.session?.durability ?? 0)
        guard found.isInUse, let session = found.session, session.participants > 0,
            let newest = session.versions.last, DatabasePath(path).hasOneSession
        else {
            self.newest = nil
            versions = []
            return
        }
        versions = session.versions.reversed().map { version in
            Inspection.LiveVersion(
                version: version.version, behind: newest.version - version.version,
                live: version.live, frozen: version.frozen, full: version.full,
                top: version.top.raw, logicalBytes: version.logicalSize)
        }
        self.newest = versions.first
    }

    /// Makes a copy of `other` that lists no versions. A report with this copy describes the
    /// version that the database's header selects, instead of the newest version in the lock file.
    init(usingHeaderVersion other: LockFileCopy) {
        facts = other.facts
        newest = nil
        versions = []
    }

    /// Reads the lock file until two consecutive readings have equal versions. This shows that both
    /// are consistent.
    @_optimize(size)
    private static func steady(_ path: String) -> LockFileFacts? {
        var found = LockFileFacts(databasePath: path)
        for _ in 0..<16 {
            let again = LockFileFacts(databasePath: path)
            let isSteady = again?.session?.versions == found?.session?.versions
            found = again
            if isSteady { break }
        }
        return found
    }
}
