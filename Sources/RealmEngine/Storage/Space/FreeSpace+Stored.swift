/// Reading the free list of a version, which every commit does.
extension FreeSpace {
    /// The three arrays of a free list, each number with 64 bits: a commit goes through thousands, which
    /// a loop over plain memory does several times sooner than one over packed arrays.
    final class StoredList {
        let count: Int
        fileprivate let starts: UnsafeMutablePointer<Int64>
        fileprivate let lengths: UnsafeMutablePointer<Int64>
        fileprivate let versions: UnsafeMutablePointer<Int64>

        /// Nil when the version has no list. Throws where a chunk does not lie in the version.
        init?(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
            if top.freePositions.isNone { return nil }
            let positions = try space.integers(top.freePositions, "free positions")
            let lengths = try space.integers(top.freeLengths, "free lengths")
            // Files that were never shared have no versions there.
            let versions =
                try top.freeVersions.isNone
                ? nil : space.integers(top.freeVersions, "free versions")
            let count = positions.count
            guard lengths.count == count, versions?.count ?? count == count else {
                throw .corrupt("free lists of different lengths", at: top.freePositions)
            }
            self.count = count
            starts = .allocate(capacity: 3 * max(1, count))
            (self.lengths, self.versions) = (starts + count, starts + 2 * count)
            IntegerKernels.decode(positions, first: 0, count: count, into: starts)
            IntegerKernels.decode(lengths, first: 0, count: count, into: self.lengths)
            if let versions {
                IntegerKernels.decode(versions, first: 0, count: count, into: self.versions)
            } else {
                self.versions.initialize(repeating: 0, count: count)
            }
            guard isSound(Int64(clamping: top.logicalSize)) else {
                throw .corrupt("a malformed free chunk", at: top.freePositions)
            }
        }

        deinit { starts.deallocate() }

        private func isSound(_ size: Int64) -> Bool {
            // Negative once anything is too small or too large.
            var wrong: Int64 = 0
            var bits: Int64 = 0
            var i = 0
            while i < count {
                let (start, length) = (starts[i], lengths[i])
                // Swift takes these operators from left to right.
                wrong |= (start &- Int64(RawHeader.size)) | (length &- 1) | versions[i]
                wrong |= (size &- start) | (size &- length)
                bits |= start | length
                i &+= 1
            }
            return wrong >= 0 && bits & 7 == 0
        }

        /// Whether each chunk begins behind the end of the one before, and the last ends inside.
        func ascends(_ size: UInt64) -> Bool {
            var wrong: Int64 = 0
            var end: Int64 = 0
            var i = 0
            while i < count {
                wrong |= starts[i] &- end
                end = starts[i] &+ lengths[i]
                i &+= 1
            }
            return wrong >= 0 && end <= Int64(clamping: size)
        }

        @inline(__always)
        subscript(i: Int) -> Chunk {
            Chunk(
                start: UInt64(bitPattern: starts[i]), count: UInt64(bitPattern: lengths[i]),
                version: UInt64(bitPattern: versions[i]))
        }

        /// Puts the chunks that nobody above `oldest` released into `free`, answers how many extents they
        /// are, and adds the others to `locked`.
        func divide(
            _ oldest: UInt64, _ older: PreviousFreeLists,
            _ free: UnsafeMutableBufferPointer<Extent>,
            _ locked: inout [Chunk]
        ) -> Int {
            var joined = JoinedExtents(free)
            var i = 0
            while i < count {
                let chunk = self[i]
                if chunk.version > oldest, let kept = FreeSpace.locked(chunk, oldest, older) {
                    locked.append(kept)
                } else {
                    joined.append(chunk.start, chunk.count)
                }
                i &+= 1
            }
            return joined.count
        }

    }

    /// The chunk with its stamp judged again; nil if no readable version up to `oldest` uses it.
    @inline(never)
    static func locked(
        _ chunk: Chunk, _ oldest: UInt64, _ older: PreviousFreeLists
    ) -> Chunk? {
        var chunk = chunk
        chunk.version = older.stamp(of: chunk)
        return chunk.version > oldest ? chunk : nil
    }

    /// The free list as stored.
    static func chunks(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> [Chunk] {
        guard let stored = try StoredList(space, top) else { return [] }
        var chunks: [Chunk] = []
        chunks.reserveCapacity(stored.count)
        for i in 0..<stored.count { chunks.append(stored[i]) }
        return chunks
    }
}
