/// Where the bytes of a file are, and what releasing a version would give back (storage format 5.3
/// and 5.4).
extension FileReading {
    /// The free list of the newest version, with the stamps the next commit will find.
    struct FreeList {
        let chunks: [FreeSpace.Chunk]
        /// Readable versions before the newest, in ascending order.
        let older: [FreeSpace.OlderList]
        let newest: UInt64
        /// Bytes of one entry of the list.
        let entryBytes: UInt64

        /// A chunk can be used once every readable version is at least as young as its stamp.
        var oldest: UInt64 { older.first?.version ?? newest }

        var free: UInt64 { chunks.reduce(0) { $0 + ($1.version <= oldest ? $1.count : 0) } }
        var locked: UInt64 { chunks.reduce(0) { $0 + ($1.version > oldest ? $1.count : 0) } }

        /// The youngest readable version that uses `chunk`; nil when the chunk is free.
        func holder(of chunk: FreeSpace.Chunk) -> Int? {
            if chunk.version <= oldest { return nil }
            return older.lastIndex { $0.version < chunk.version }
        }

        /// What becomes usable when `older[index]` is released and a commit drops `history` from the
        /// change log: what the version alone keeps, and the entries of this list that the commit
        /// makes one with their neighbours.
        func released(_ index: Int, _ history: HistoryShare.Freed) -> UInt64 {
            var sum = history.bytes
            var usable = history.nodes
            for chunk in chunks {
                let keeper = keeper(of: chunk)
                if keeper.alone == index { sum += chunk.count }
                if keeper.isFree || keeper.alone == index {
                    usable.append(Extent(start: chunk.start, count: chunk.count))
                }
            }
            let known = usable.count - history.nodes.count
            usable.order { $0.start < $1.start }
            var runs = 0
            for i in usable.indices where i == 0 || usable[i - 1].end != usable[i].start {
                runs += 1
            }
            return sum + UInt64(max(0, known - runs)) * entryBytes
        }

        /// Whether `chunk` is free, and if not, the version whose release alone frees it.
        private func keeper(of chunk: FreeSpace.Chunk) -> (isFree: Bool, alone: Int?) {
            guard let index = holder(of: chunk) else { return (true, nil) }
            // Without this version the ones before it decide.
            let stamp = FreeSpace.backDatedStamp(of: chunk, older[..<index])
            return (false, index == 0 || stamp <= oldest ? index : nil)
        }
    }

    /// Reads the free lists of all readable versions.
    func freeList(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> FreeList {
        var older: [FreeSpace.OlderList] = []
        for version in (lock?.versions ?? []).reversed() where version.version < top.version {
            guard version.top != 0 else {
                older.append(FreeSpace.OlderList(empty: version.version))
                continue
            }
            let root = try TopArray(
                space, Ref(version.top), fileSize: Int(clamping: version.logicalBytes))
            guard root.version == version.version else {
                throw .corrupt(
                    "the root of version \(version.version) says it is version \(root.version)",
                    at: Ref(version.top))
            }
            older.append(try FreeSpace.OlderList(space, root))
        }
        var end: UInt64 = 24
        let chunks = try FreeSpace.chunks(space, top).map { (chunk) throws(RealmError) in
            guard chunk.start >= end, chunk.end <= top.logicalSize else {
                throw .corrupt("free chunks overlap or leave the file", at: Ref(chunk.start))
            }
            end = chunk.end
            var chunk = chunk
            chunk.version = FreeSpace.backDatedStamp(of: chunk, older[...])
            return chunk
        }
        var bits = 0
        for ref in [top.freePositions, top.freeLengths, top.freeVersions] where !ref.isNone {
            bits += try space.integers(ref, "free list").width
        }
        return FreeList(
            chunks: chunks, older: older, newest: top.version, entryBytes: UInt64(bits / 8))
    }

    func describeSpace(
        _ space: NodeSpace, _ top: TopArray, _ header: FileHeader, _ found: inout Inspection
    ) throws(RealmError) {
        let list = try freeList(space, top)
        let end = max(UInt64(size), top.logicalSize)
        // The tables of an encrypted file are live.
        let bytes = max(UInt64(found.bytes), end)
        found.bytes = Int(clamping: bytes)
        // What lies behind the newest version is there for the taking, but for a footer.
        let behind = header.isStreaming ? 0 : end - top.logicalSize
        let (free, pinned) = (list.free + behind, list.locked)
        found.space = Inspection.Space(
            live: bytes - free - pinned, free: free, pinned: pinned, chunks: list.chunks.count)
        let hasOldReaders = found.versions.contains { $0.behind > 0 && $0.pins > 0 }
        let history =
            hasOldReaders && top.historyType == Self.inRealm ? try HistoryShare(space, top) : nil
        for i in found.versions.indices where found.versions[i].behind > 0 {
            let version = found.versions[i]
            let index = list.older.firstIndex { $0.version == version.version }
            let dropped = history?.freed(releasing: version.version, of: found.versions) ?? .init()
            let count = index.map { list.released($0, dropped) } ?? dropped.bytes
            let growth = top.logicalSize - min(top.logicalSize, version.logicalBytes)
            found.versions[i].releases = count
            // The file grew because there was no room; with the room it would have grown less.
            found.versions[i].bytesWithout = bytes - min(count, growth)
        }
    }
}
