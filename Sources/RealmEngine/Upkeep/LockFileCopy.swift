/// The lock file of a database at one moment, read without taking part (storage format 6.2).
struct LockFileCopy {
    let facts: Inspection.Lock
    /// The newest version of the live session; nil where there is none, or no readable one.
    let newest: Inspection.LiveVersion?
    /// The versions that can be read, newest first; empty where there is no live session.
    let versions: [Inspection.LiveVersion]

    /// Reads the lock file at `path`; nil when there is none.
    init?(_ path: String) {
        let isInUse = LockFileMemory.isLocked(path)
        let memory: LockFileMemory?
        do throws(RealmError) {
            memory = try LockFileMemory.copy(of: path, atLeast: LockFile.headerSize)
            if memory == nil { return nil }
        } catch {
            facts = Inspection.Lock(
                isInUse: isInUse, layout: nil, isKnown: false, participants: 0, durability: 0)
            newest = nil
            versions = []
            return
        }
        let file = LockFile(memory: memory!)
        let isKnown = file.isInitialized && file.foreignLayout == nil
        facts = Inspection.Lock(
            isInUse: isInUse, layout: file.layoutNumber, isKnown: isKnown,
            participants: Int(file.participants), durability: Int(file.durability))
        guard isInUse, isKnown, file.participants > 0, let newest = Self.newest(of: file) else {
            newest = nil
            versions = []
            return
        }
        versions = Self.reachable(in: file, newest: newest)
        self.newest = versions.first
    }

    private static func entries(of file: LockFile) -> [VersionEntry] {
        let room = (file.memory.size - LockFile.headerSize) / LockFile.entrySize
        return (0..<min(room, file.entryCount)).map { file.entry($0) }
    }

    private static func newest(of file: LockFile) -> VersionEntry? {
        let entries = entries(of: file)
        let index = file.newest
        guard index < entries.count, entries[Int(index)].version != 0 else { return nil }
        return entries[Int(index)]
    }

    /// What the next commit will find readable: pinned versions and the newest.
    private static func reachable(
        in file: LockFile, newest: VersionEntry
    ) -> [Inspection.LiveVersion] {
        let used = entries(of: file).filter { $0.version != 0 && $0.version <= newest.version }
        let full = used.filter { $0.full > 0 }.map(\.version).min() ?? .max
        return used.filter {
            $0.live > 0 || $0.frozen > 0 || $0.version >= full || $0.version == newest.version
        }.sorted { $0.version > $1.version }.map { entry in
            Inspection.LiveVersion(
                version: entry.version, behind: newest.version - entry.version,
                live: Int(entry.live), frozen: Int(entry.frozen), full: Int(entry.full),
                top: entry.top, logicalBytes: entry.fileSize)
        }
    }
}
