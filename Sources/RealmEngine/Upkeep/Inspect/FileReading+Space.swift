/// Determines the space usage of a file, and the space that releasing a version would free (storage
/// format 5.3 and 5.4).
extension FileReading {
    /// The free list of the newest version. The *stamp* of a chunk is the version whose commit
    /// released it: that version and later ones do not use the chunk. A stamp is replaced by an
    /// older version if no readable version in between uses the chunk. The next commit does the
    /// same.
    struct FreeList {
        let chunks: [FreeSpace.Chunk]
        /// Free lists of the readable versions before the newest, in ascending order of the
        /// versions.
        let older: FreeSpace.PreviousFreeLists
        let newest: UInt64
        /// Number of bytes per entry of the free list.
        let entryBytes: UInt64

        /// Number of the oldest readable version. A chunk is free if its stamp, the version that
        /// released it, is not greater than this number.
        var oldest: UInt64 { older.versions.first ?? newest }

        var free: UInt64 { chunks.reduce(0) { $0 + ($1.version <= oldest ? $1.count : 0) } }
        var locked: UInt64 { chunks.reduce(0) { $0 + ($1.version > oldest ? $1.count : 0) } }

        /// Index in `older` of the newest readable version that uses `chunk`; nil if the chunk is
        /// free.
        func holder(of chunk: FreeSpace.Chunk) -> Int? {
            chunk.version <= oldest ? nil : older.position(before: chunk.version)
        }

        /// Index in `older` of the only readable version that uses `chunk`: its release frees the
        /// chunk. Nil if there is no such version or the chunk is already free.
        fileprivate func onlyHolder(of chunk: FreeSpace.Chunk) throws(RealmError) -> Int? {
            guard let index = holder(of: chunk) else { return nil }
            if index == 0 { return index }
            // Once that version is released, the chunk's stamp depends only on the readable
            // versions before it.
            let stamp = try older.backDatedStamp(of: chunk, among: index)
            return stamp <= oldest ? index : nil
        }
    }

    /// Computes the space that becomes usable when one readable version is released and a commit
    /// then trims the history. The space consists of the chunks that only that version uses, and of
    /// bytes of the free list. The free list becomes shorter because the commit merges the entries
    /// of adjacent chunks.
    struct Releases {
        private let entryBytes: UInt64
        /// For each readable version, the chunks that only this version uses, ascending. The key is
        /// the index of the version in `FreeList.older`.
        private var kept: [Int: [Extent]] = [:]
        /// Chunks that are free, in ascending order.
        private var free: [Extent] = []
        /// Number of free chunks that begin at the end of the previous free chunk.
        private var joined = 0

        init(_ list: FreeList) throws(RealmError) {
            entryBytes = list.entryBytes
            for chunk in list.chunks {
                let extent = Extent(start: chunk.start, count: chunk.count)
                if list.holder(of: chunk) == nil {
                    if free.last?.end == extent.start { joined += 1 }
                    free.append(extent)
                } else if let index = try list.onlyHolder(of: chunk) {
                    kept[index, default: []].append(extent)
                }
            }
        }

        /// Returns the bytes that releasing a version frees.
        ///
        /// - Parameters:
        ///     - index: index of the version in `FreeList.older`; nil if the free lists have no
        ///       data about it.
        ///     - history: history entries that the commit removes.
        func bytes(releasing index: Int?, _ history: HistoryShare.Freed) -> UInt64 {
            guard let index else { return history.bytes }
            let kept = kept[index] ?? []
            let sum = kept.reduce(history.bytes) { $0 + $1.count }
            let released =
                history.nodes.isEmpty
                ? kept : (kept + history.nodes).sorted { $0.start < $1.start }
            var touching = joined
            for (i, extent) in released.enumerated() {
                if i > 0, released[i - 1].end == extent.start { touching += 1 }
                let next = free.partitionPoint { $0.start >= extent.start }
                if next > 0, free[next - 1].end == extent.start { touching += 1 }
                if next < free.count, free[next].start == extent.end { touching += 1 }
            }
            // Do not count merged chunks of history nodes: these nodes have no entries in the free
            // list yet.
            return sum + UInt64(max(0, touching - history.nodes.count)) * entryBytes
        }
    }

    /// Reads the free list of the newest version. Replaces the stamp of each chunk (the version
    /// that released it) by an older version if no readable version in between uses the chunk.
    func freeList(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> FreeList {
        let older = try olderLists(space, before: top.version)
        var end = RawHeader.end
        let chunks = try FreeSpace.chunks(space, top).map { (chunk) throws(RealmError) in
            guard chunk.start >= end, chunk.end <= top.logicalSize else {
                throw .corrupt("free chunks overlap or leave the file", at: Ref(chunk.start))
            }
            end = chunk.end
            var chunk = chunk
            chunk.version = try older.backDatedStamp(of: chunk, among: older.versions.count)
            return chunk
        }
        var bits = 0
        for ref in [top.freePositions, top.freeLengths, top.freeVersions] where !ref.isNone {
            bits += try space.integers(ref, "free list").width
        }
        return FreeList(
            chunks: chunks, older: older, newest: top.version, entryBytes: UInt64(bits / 8))
    }

    /// Reads the free lists of the readable versions before `newest`. Throws `corrupt` if the root
    /// of one of these versions has another version number.
    private func olderLists(
        _ space: NodeSpace, before newest: UInt64
    ) throws(RealmError) -> FreeSpace.PreviousFreeLists {
        var lists: [FreeSpace.PreviousFreeList] = []
        for version in (lock?.versions ?? []).reversed() where version.version < newest {
            guard version.top != 0 else {
                lists.append(FreeSpace.PreviousFreeList(empty: version.version))
                continue
            }
            let root = try TopArray(
                space, Ref(version.top), fileSize: Int(clamping: version.logicalBytes))
            guard root.version == version.version else {
                throw .corrupt(
                    "the root of version \(version.version) says it is version \(root.version)",
                    at: Ref(version.top))
            }
            lists.append(try FreeSpace.PreviousFreeList(space, root))
        }
        return FreeSpace.PreviousFreeLists(lists.map(\.version)) { lists[$0] }
    }

    func describeSpace(
        _ space: NodeSpace, _ top: TopArray, _ header: FileHeader, _ found: inout Inspection
    ) throws(RealmError) {
        let list = try freeList(space, top)
        let end = max(UInt64(size), top.logicalSize)
        // The block tables of an encrypted file count as live.
        let bytes = max(UInt64(found.bytes), end)
        found.bytes = Int(clamping: bytes)
        // Bytes after the newest version's end are free, except a footer.
        let behind = header.isStreaming ? 0 : end - top.logicalSize
        let (free, pinned) = (list.free + behind, list.locked)
        found.space = Inspection.Space(
            live: bytes - free - pinned, free: free, pinned: pinned, chunks: list.chunks.count)
        let hasOldReaders = found.versions.contains { $0.behind > 0 && $0.pins > 0 }
        let history =
            hasOldReaders && top.historyType == Self.inRealm
            ? try HistoryShare(space, top, found.versions) : nil
        let releases = try Releases(list)
        for i in found.versions.indices where found.versions[i].behind > 0 {
            let version = found.versions[i]
            let index = list.older.position(before: version.version + 1).flatMap {
                list.older.versions[$0] == version.version ? $0 : nil
            }
            let dropped = history?.freed(releasing: version.version) ?? .init()
            let count = releases.bytes(releasing: index, dropped)
            let growth = top.logicalSize - min(top.logicalSize, version.logicalBytes)
            found.versions[i].releases = count
            // An estimate: the file grew after this version because no space was free. Without this
            // version, it would have grown less, by the space that this version keeps.
            found.versions[i].bytesWithout = bytes - min(count, growth)
        }
    }
}
