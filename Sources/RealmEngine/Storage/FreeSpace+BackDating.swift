/// Finding out that a chunk is free in every version somebody can still read, although its stamp is
/// younger than the oldest of them (storage format 5.4).
extension FreeSpace {
    /// The free list of a version that is still readable, but not the newest.
    struct OlderList {
        let version: UInt64
        private let logicalSize: UInt64
        /// In ascending order, without overlaps.
        private let chunks: [Chunk]

        init(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
            version = top.version
            logicalSize = top.logicalSize
            chunks = try FreeSpace.chunks(space, top)
            var end: UInt64 = 24
            for chunk in chunks {
                guard chunk.start >= end else {
                    throw .corrupt("free chunks overlap", at: Ref(chunk.start))
                }
                end = chunk.end
            }
        }

        /// A version nothing was ever committed to: it uses nothing.
        init(empty version: UInt64) {
            self.version = version
            logicalSize = 24
            chunks = []
        }

        /// The youngest stamp among the chunks that cover `start ..< end` here; nil when some of it
        /// is in use. What lies behind the end of the version is free.
        func youngestStamp(covering start: UInt64, _ end: UInt64) -> UInt64? {
            let end = min(end, logicalSize)
            var position = start
            var youngest: UInt64 = 0
            var index = firstEnding(after: start)
            while position < end {
                guard index < chunks.count, chunks[index].start <= position else { return nil }
                youngest = max(youngest, chunks[index].version)
                position = chunks[index].end
                index += 1
            }
            return youngest
        }

        private func firstEnding(after position: UInt64) -> Int {
            chunks.partitionPoint { $0.end > position }
        }
    }

    /// The free lists a commit looks at before it decides what it can use.
    struct OlderLists {
        /// In ascending order of the versions.
        private let lists: [OlderList]
        /// Stamps up to here were judged before, when the same versions were readable.
        private let judged: UInt64

        static let none = OlderLists(lists: [], judged: .max)

        private init(lists: [OlderList], judged: UInt64) {
            self.lists = lists
            self.judged = judged
        }

        /// Reads what `reachable` lists, from `file`. None when no version was dropped that any of
        /// them might have shared space with.
        init(_ file: MappedFile, _ reachable: VersionList.Reachable) throws(RealmError) {
            guard let dropped = reachable.oldestDropped else {
                self = .none
                return
            }
            do throws(RealmError) {
                lists = try reachable.older.map { (version) throws(RealmError) in
                    try Self.list(file, version)
                }
                judged = dropped
            } catch {
                // What is wrong with an older version, or with what the lock file says of it, is not
                // this commit's: it only has less space to choose from.
                guard error.isDamage else { throw error }
                self = .none
            }
        }

        private static func list(
            _ file: MappedFile, _ older: VersionList.Reachable.Older
        ) throws(RealmError) -> OlderList {
            if older.top.isNone { return OlderList(empty: older.version) }
            let size = Int(clamping: older.fileSize)
            try file.extend(to: size)
            let memory = SpaceMemory(file.mapping, limit: older.fileSize)
            defer { withExtendedLifetime(memory) {} }
            let top = try TopArray(memory.lookup, older.top, fileSize: size)
            guard top.version == older.version else {
                throw .corrupt("a root of another version", at: older.top)
            }
            return try OlderList(memory.lookup, top)
        }

        func stamp(of chunk: Chunk) -> UInt64 {
            chunk.version <= judged
                ? chunk.version : FreeSpace.backDatedStamp(of: chunk, lists[...])
        }
    }

    /// The oldest stamp `chunk` can have when the versions of `older`, in ascending order, and the
    /// newest one are all that can be read.
    static func backDatedStamp(of chunk: Chunk, _ older: ArraySlice<OlderList>) -> UInt64 {
        var stamp = chunk.version
        var older = older
        while let list = older.popLast() {
            // Versions the stamp's commit came before do not use the chunk.
            if list.version >= stamp { continue }
            guard let lower = list.youngestStamp(covering: chunk.start, chunk.end), lower < stamp
            else { return stamp }
            stamp = lower
        }
        return stamp
    }
}
