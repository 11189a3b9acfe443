/// The lock file of a database at one moment, as a report needs it.
struct LockFileCopy {
    let facts: Inspection.Lock
    /// The newest version of the live session; nil where there is none, or no readable one.
    let newest: Inspection.LiveVersion?
    /// The versions the next commit will find readable, newest first: pinned ones and the newest.
    /// Empty where there is no live session.
    let versions: [Inspection.LiveVersion]

    /// Reads the lock file of the database at `path`; nil when there is none.
    init?(databasePath path: String) {
        guard let found = Self.steady(path) else {
            // What may not be read may still be seen to be in use.
            guard LockFileMemory.isLocked(DatabasePath(path).lock) else { return nil }
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

    /// The same without what it says of versions: the header is all there is to go by.
    init(disbelieving other: LockFileCopy) {
        facts = other.facts
        newest = nil
        versions = []
    }

    /// Reads until two readings in a row agree: its numbers then belong together.
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
