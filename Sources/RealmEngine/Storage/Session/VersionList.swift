/// The list of readable versions in the lock file (storage format 6.6).
///
/// Every method requires the version-list mutex to be held.
struct VersionList {
    let file: LockFile

    /// A pin: index and version of the pinned entry in the version list, and the location of the
    /// version in the file.
    struct Pin: Sendable {
        let index: Int
        let version: UInt64
        let top: Ref
        let fileSize: UInt64
        let kind: PinKind
    }

    /// Replaces all entries of the version list by one for `version`. The caller must be the only
    /// participant.
    func reset(version: UInt64, top: Ref, fileSize: UInt64) throws(RealmError) {
        try cover()
        file.newest = LockFile.noEntry
        file.allocating = 0
        for i in 0..<file.entryCount {
            file.entry(i).version = 0
            file.entry(i).clearCounts()
        }
        try add(version: version, top: top, fileSize: fileSize)
    }

    /// Maps the whole version list, which other participants may have extended.
    func cover() throws(RealmError) {
        let count = file.entryCount
        guard count >= LockFile.initialEntries, count < Self.maximumEntryCount else {
            throw Self.damaged
        }
        try file.memory.extend(to: LockFile.size(entries: count))
    }

    /// Adds an entry for a version to the version list and makes it the newest entry.
    func add(version: UInt64, top: Ref, fileSize: UInt64) throws(RealmError) {
        try cover()
        var i = Int(file.allocating)
        if file.allocating == file.newest || i >= file.entryCount {
            i = try freeIndex()
            file.allocating = UInt32(i)
            Failpoint.reach(.listAllocating)
        }
        let entry = file.entry(i)
        entry.clearCounts()
        entry.top = top.raw
        entry.fileSize = fileSize
        Failpoint.reach(.listRoot)
        entry.version = version
        Failpoint.reach(.listVersion)
        file.newest = UInt32(i)
        Failpoint.reach(.listNewest)
    }

    private func freeIndex() throws(RealmError) -> Int {
        let count = file.entryCount
        for i in 0..<count where file.entry(i).version == 0 { return i }
        let wanted = count + LockFile.initialEntries
        try file.memory.grow(to: LockFile.size(entries: wanted))
        for i in count..<wanted {
            file.entry(i).version = 0
            file.entry(i).clearCounts()
        }
        file.setEntryCount(wanted)
        return count
    }

    /// The readable versions, which have entries in the version list after `purge`.
    struct Reachable {
        var oldest = UInt64.max
        var oldestLive = UInt64.max
        var count: UInt64 = 0
        /// All readable versions but the newest, in ascending order.
        var older: [OlderVersion] = []
        /// The oldest version that `purge` removed from the version list and that is newer than a
        /// readable version; nil if there is none. Bytes that were released by later commits may
        /// have become free through the removal.
        var oldestDropped: UInt64?

        struct OlderVersion {
            let version: UInt64
            let top: Ref
            let fileSize: UInt64
        }
    }

    /// Removes the entries of unpinned versions from the version list. The caller must have pinned
    /// the newest version.
    func purge() throws(RealmError) -> Reachable {
        try cover()
        if file.allocating != file.newest, Int(file.allocating) < file.entryCount {
            // A writer died while it added this entry to the version list. The version was not yet
            // published, so it cannot be pinned.
            guard !file.entry(Int(file.allocating)).isPinned else { throw Self.damaged }
            file.entry(Int(file.allocating)).version = 0
            file.entry(Int(file.allocating)).clearCounts()
        }
        let full = oldestFull()
        var reachable = self.reachable(full)
        for i in 0..<file.entryCount {
            let entry = file.entry(i)
            let version = entry.version
            if version == 0 || entry.isReachable(full) { continue }
            if version > reachable.oldest {
                reachable.oldestDropped = min(version, reachable.oldestDropped ?? .max)
            }
            // Clears the version before the root, so that an entry with a version is always
            // complete, even if this writer dies in between.
            entry.version = 0
            Failpoint.reach(.listPurging)
            entry.fileSize = .max
            entry.top = .max
            entry.clearCounts()
        }
        return reachable
    }

    /// Returns the oldest version with a `full` pin, the maximum of `UInt64` if there is none. That
    /// version and all later ones stay readable.
    private func oldestFull() -> UInt64 {
        var oldest = UInt64.max
        for i in 0..<file.entryCount where file.entry(i).full > 0 {
            let version = file.entry(i).version
            if version != 0 { oldest = min(oldest, version) }
        }
        return oldest
    }

    private func reachable(_ full: UInt64) -> Reachable {
        var reachable = Reachable()
        for i in 0..<file.entryCount {
            let entry = file.entry(i)
            let version = entry.version
            guard version != 0, entry.isReachable(full) else { continue }
            reachable.count += 1
            reachable.oldest = min(reachable.oldest, version)
            if entry.live > 0 || version >= full {
                reachable.oldestLive = min(reachable.oldestLive, version)
            }
            reachable.older.append(
                Reachable.OlderVersion(
                    version: version, top: Ref(entry.top), fileSize: entry.fileSize))
        }
        if reachable.older.count > 1 { reachable.older.order { $0.version < $1.version } }
        _ = reachable.older.popLast()
        return reachable
    }

    /// Pins the newest version.
    func pinNewest(_ kind: PinKind) throws(RealmError) -> Pin {
        try cover()
        let i = Int(file.newest)
        guard i < file.entryCount else { throw Self.damaged }
        return try pin(i, kind)
    }

    /// Adds a pin for a version that is already pinned, usually by the caller. Throws `busy` if the
    /// version does not accept pins of this kind.
    func pin(again pin: Pin, _ kind: PinKind) throws(RealmError) -> Pin {
        try cover()
        guard file.entry(pin.index).version == pin.version, accepts(kind, pin.index) else {
            throw RealmError(
                .busy, code: "BadVersion", reason: "version-gone",
                "version \(pin.version) is no longer kept by anybody")
        }
        return try self.pin(pin.index, kind)
    }

    /// Pins the version with this number. Returns nil if the version has no entry in the version
    /// list, or does not accept pins of this kind.
    func pin(version: UInt64, _ kind: PinKind) throws(RealmError) -> Pin? {
        try cover()
        for i in 0..<file.entryCount where file.entry(i).version == version {
            guard version != 0, accepts(kind, i) else { return nil }
            return try pin(i, kind)
        }
        return nil
    }

    /// Whether a pin of `kind` may be added to entry `i`. The newest version accepts every pin. An
    /// older version must have a pin that keeps at least as much: once only frozen pins are left,
    /// commits may free the history from this version on, so a live pin is no longer possible.
    private func accepts(_ kind: PinKind, _ i: Int) -> Bool {
        let entry = file.entry(i)
        if i == Int(file.newest) { return true }
        return switch kind {
        case .frozen: entry.isPinned
        case .live: entry.live > 0 || entry.full > 0
        case .full: entry.full > 0
        }
    }

    /// Returns the numbers of all versions to which a frozen pin can be added, ascending: the
    /// pinned versions and the newest one.
    func held() throws(RealmError) -> [UInt64] {
        try cover()
        return (0..<file.entryCount)
            .filter { file.entry($0).version != 0 && accepts(.frozen, $0) }
            .map { file.entry($0).version }.sorted()
    }

    private func pin(_ i: Int, _ kind: PinKind) throws(RealmError) -> Pin {
        let entry = file.entry(i)
        guard entry.version != 0, entry.top & 7 == 0, entry.top < entry.fileSize,
            entry.fileSize < 1 << 48, entry.count(kind) < .max
        else { throw Self.damaged }
        Failpoint.reach(.listPinning)
        entry.setCount(kind, entry.count(kind) + 1)
        Failpoint.reach(.listPinned)
        return Pin(
            index: i, version: entry.version, top: Ref(entry.top), fileSize: entry.fileSize,
            kind: kind)
    }

    /// Releases a pin. If it was the last one, a later commit removes the version.
    func release(_ pin: Pin) {
        guard pin.index < file.entryCount else { return }
        let entry = file.entry(pin.index)
        guard entry.version == pin.version, entry.count(pin.kind) > 0 else { return }
        entry.setCount(pin.kind, entry.count(pin.kind) - 1)
        Failpoint.reach(.listReleasing)
    }

    /// Whether the newest entry of the version list has the highest version number. If not, a
    /// writer died while it published a version.
    func isInOrder() throws(RealmError) -> Bool {
        try cover()
        let newest = Int(file.newest)
        guard newest < file.entryCount else { return false }
        let version = file.entry(newest).version
        return (0..<file.entryCount).allSatisfy { file.entry($0).version <= version }
    }

    /// Whether a version has an entry in the version list, pinned or not.
    func lists(_ version: UInt64) throws(RealmError) -> Bool {
        try cover()
        return (0..<file.entryCount).contains { file.entry($0).version == version }
    }

    /// Whether the version list has an entry of a version with its root at `root`.
    func lists(root: Ref) throws(RealmError) -> Bool {
        try cover()
        return (0..<file.entryCount).contains {
            file.entry($0).version != 0 && file.entry($0).top == root.raw
        }
    }

    private static let maximumEntryCount = 1 << 20

    private static var damaged: RealmError { MappedLockFile.damaged }
}
