/// Back-dating of free chunks (storage format 5.4). A chunk is a range of bytes that the newest
/// version does not use; its stamp is the version whose commit released it. A chunk whose stamp is
/// later than the oldest readable version gets an earlier stamp if no readable version uses the
/// chunk, so that it can be reused.
extension FreeSpace {
    /// The stored free list of a readable version that is not the newest.
    ///
    /// Valid as long as the `NodeSpace` in which it was opened.
    struct PreviousFreeList {
        let version: UInt64
        private let logicalSize: UInt64
        /// The stored arrays of the free list; nil for a version without a free list.
        private let arrays: Arrays?

        private struct Arrays {
            let positions: NodeView
            let lengths: NodeView
            /// Stamps: for each chunk (free extent), the version whose commit released it. Nil if
            /// the file has no array of stamps; then all stamps are 0.
            let versions: NodeView?

            func start(_ i: Int) -> UInt64 { UInt64(bitPattern: positions.integer(i)) }
            func end(_ i: Int) -> UInt64 { start(i) &+ UInt64(bitPattern: lengths.integer(i)) }
            func version(_ i: Int) -> UInt64 {
                versions.map { UInt64(bitPattern: $0.integer(i)) } ?? 0
            }
        }

        /// Opens the arrays of the version's free list without reading their elements.
        init(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
            version = top.version
            logicalSize = top.logicalSize
            guard !top.freePositions.isNone else {
                arrays = nil
                return
            }
            let arrays = Arrays(
                positions: try space.integers(top.freePositions, "free positions"),
                lengths: try space.integers(top.freeLengths, "free lengths"),
                versions: top.freeVersions.isNone
                    ? nil : try space.integers(top.freeVersions, "free versions"))
            let count = arrays.positions.count
            guard arrays.lengths.count == count, arrays.versions?.count ?? count == count else {
                throw .corrupt("free lists of different lengths", at: top.freePositions)
            }
            self.arrays = arrays
        }

        /// Makes the free list of a version that has no root, because the database was still empty.
        /// No extent is in use in such a version.
        init(empty version: UInt64) {
            self.version = version
            logicalSize = RawHeader.end
            arrays = nil
        }

        /// Reads a version's whole free list. Throws `corrupt` unless its chunks ascend without
        /// overlaps.
        static func check(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
            var end = RawHeader.end
            for chunk in try FreeSpace.chunks(space, top) {
                guard chunk.start >= end else {
                    throw .corrupt("free chunks overlap", at: Ref(chunk.start))
                }
                end = chunk.end
            }
        }

        /// Returns the latest stamp of the free extents that cover `start ..< end` in this
        /// version's free list; a stamp is the version whose commit released the extent. Returns
        /// nil if the version uses a part of the range. Space after the end of the version counts
        /// as free, with stamp 0.
        func youngestStamp(covering start: UInt64, _ end: UInt64) -> UInt64? {
            let end = min(end, logicalSize)
            if start >= end { return 0 }
            guard let arrays else { return nil }
            var position = start
            var youngest: UInt64 = 0
            let count = arrays.positions.count
            var index = (0..<count).partitionPoint { arrays.end($0) > start }
            while position < end {
                guard index < count, arrays.start(index) <= position, arrays.end(index) > position
                else { return nil }
                youngest = max(youngest, arrays.version(index))
                position = arrays.end(index)
                index += 1
            }
            return youngest
        }
    }

    /// The free lists of all readable versions except the newest. Each list is opened when it is
    /// first needed.
    ///
    /// Confined to its owner's thread.
    final class PreviousFreeLists {
        /// Readable versions whose free lists this object can open, in ascending order.
        let versions: [UInt64]
        /// Chunks that were released up to this version keep their stamps. Earlier commits have
        /// already tried to give these chunks earlier stamps, with the same readable versions.
        private let judged: UInt64
        private let open: (Int) throws(RealmError) -> PreviousFreeList
        private var lists: [Int: PreviousFreeList] = [:]
        /// Number of free lists opened, for tests.
        var openedCount: Int { lists.count }

        /// Makes an object without free lists, with which no chunk gets an earlier stamp. The stamp
        /// of a chunk is the version whose commit released it.
        static var none: PreviousFreeLists {
            PreviousFreeLists([], judged: .max) { PreviousFreeList(empty: UInt64($0)) }
        }

        /// - Parameters:
        ///   - versions: readable versions except the newest, in ascending order.
        ///   - judged: chunks that were released up to this version keep their stamps. Earlier
        ///     commits have already tried to give these chunks earlier stamps, with the same
        ///     readable versions.
        ///   - open: opens the free list of the version at an index of `versions`.
        init(
            _ versions: [UInt64], judged: UInt64 = 0,
            open: @escaping (Int) throws(RealmError) -> PreviousFreeList
        ) {
            self.versions = versions
            self.judged = judged
            self.open = open
        }

        /// Prepares to open the free lists of the `reachable` versions in `file`. A chunk that none
        /// of these versions uses gets an earlier stamp (back-dating). Opens no list unless a
        /// version newer than some readable version was removed from the version list: without such
        /// a removal, no chunk can get an earlier stamp.
        ///
        /// - Parameter checked: versions whose free lists were verified before.
        convenience init(
            _ file: MappedFile, _ reachable: VersionList.Reachable, _ checked: VerifiedFreeLists
        ) {
            guard let dropped = reachable.oldestDropped else {
                self.init([], judged: .max) { PreviousFreeList(empty: UInt64($0)) }
                return
            }
            let older = reachable.older
            checked.retainReadable(older)
            var memories: [ReadContext] = []
            self.init(older.map(\.version), judged: dropped) { (i) throws(RealmError) in
                if older[i].top.isNone { return PreviousFreeList(empty: older[i].version) }
                let size = Int(clamping: older[i].fileSize)
                try file.extend(to: size)
                let memory = ReadContext(file.mapping, limit: older[i].fileSize)
                memories.append(memory)
                let top = try TopArray(memory.lookup, older[i].top, fileSize: size)
                guard top.version == older[i].version else {
                    throw .corrupt("a root of another version", at: older[i].top)
                }
                try checked.check(older[i], memory.lookup, top)
                return try PreviousFreeList(memory.lookup, top)
            }
        }

        private func list(_ i: Int) throws(RealmError) -> PreviousFreeList {
            if let list = lists[i] { return list }
            let list = try open(i)
            lists[i] = list
            return list
        }

        /// Returns the index in `versions` of the latest version that is less than `stamp`; nil if
        /// there is none.
        func position(before stamp: UInt64) -> Int? {
            let count = versions.partitionPoint { $0 >= stamp }
            return count == 0 ? nil : count - 1
        }

        /// Returns the lowest stamp that `chunk` may get. A chunk can be reused when no readable
        /// version is older than its stamp. So the stamp must be greater than each readable version
        /// that uses bytes of the chunk. Only the first `count` of `versions` and the newest
        /// version count as readable.
        func backDatedStamp(of chunk: Chunk, among count: Int) throws(RealmError) -> UInt64 {
            var stamp = chunk.version
            var count = count
            while true {
                // The commit numbered `stamp` released the chunk, so that version and later ones do
                // not use it.
                count = min(count, position(before: stamp).map { $0 + 1 } ?? 0)
                guard count > 0 else { return stamp }
                let lower = try list(count - 1).youngestStamp(covering: chunk.start, chunk.end)
                guard let lower, lower < stamp else { return stamp }
                stamp = lower
                count -= 1
            }
        }

        /// Returns the stamp that `chunk` gets in the free list of the next version. The stamp is
        /// the version from which on no readable version uses the chunk; it is initially the
        /// version whose commit released the chunk. If an older version's free list cannot be read,
        /// the chunk keeps its stamp; the commit then has less free space but does not fail.
        func stamp(of chunk: Chunk) -> UInt64 {
            if chunk.version <= judged { return chunk.version }
            return (try? backDatedStamp(of: chunk, among: versions.count)) ?? chunk.version
        }
    }

    /// The readable versions whose free lists this process has already checked for overlaps, each
    /// with its root.
    final class VerifiedFreeLists {
        private var tops: [UInt64: Ref] = [:]

        /// Removes from `tops` the versions that are no longer readable. `older` contains all
        /// readable versions except the newest.
        fileprivate func retainReadable(_ older: [VersionList.Reachable.OlderVersion]) {
            if tops.count <= older.count { return }
            let readable = Set(older.map(\.version))
            tops = tops.filter { readable.contains($0.key) }
        }

        fileprivate func check(
            _ older: VersionList.Reachable.OlderVersion, _ space: NodeSpace, _ top: TopArray
        ) throws(RealmError) {
            if tops[older.version] == older.top { return }
            try PreviousFreeList.check(space, top)
            tops[older.version] = older.top
        }
    }
}
