/// Reads the free list of a version, once per commit.
extension FreeSpace {
    /// The three arrays of a stored free list, decoded to 64-bit integers. A commit loops over
    /// thousands of chunks, which is several times faster over plain memory than over packed
    /// arrays.
    final class StoredList {
        let count: Int
        fileprivate let starts: UnsafeMutablePointer<Int64>
        fileprivate let lengths: UnsafeMutablePointer<Int64>
        fileprivate let versions: UnsafeMutablePointer<Int64>

        /// Decodes the free list of the version with root `top`. Returns nil if the version has
        /// none. Throws if a chunk (free range of bytes) is not between offset 0 and the end of the
        /// version.
        init?(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
            if top.freePositions.isNone { return nil }
            let positions = try space.integers(top.freePositions, "free positions")
            let lengths = try space.integers(top.freeLengths, "free lengths")
            // Files that were never written in a session have no array of versions.
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
            // The sign bit of `wrong` is set if any value is out of range.
            var wrong: Int64 = 0
            var bits: Int64 = 0
            var i = 0
            while i < count {
                let (start, length) = (starts[i], lengths[i])
                // The parentheses are necessary: in Swift, `|` and `&-` have equal precedence.
                wrong |= (start &- Int64(RawHeader.size)) | (length &- 1) | versions[i]
                wrong |= (size &- start) | (size &- length)
                bits |= start | length
                i &+= 1
            }
            return wrong >= 0 && bits & 7 == 0
        }

        /// Whether each chunk begins at or after the end of the chunk before, and the last chunk
        /// ends within `size`.
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

        /// Divides the chunks of this free list in two groups. Writes the chunks that no readable
        /// version uses to `free`, joining adjacent ones, and appends the others to `locked`.
        ///
        /// - Parameter oldest: the oldest readable version. Chunks that were released up to that
        ///   version are free.
        /// - Returns: the number of extents in `free`.
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

    /// Returns nil if no readable version uses the bytes of `chunk`, so that they are free.
    /// Otherwise returns `chunk` with the lowest possible `version`: the earliest version from
    /// which on no readable version uses the bytes. `oldest` is the oldest readable version.
    @inline(never)
    static func locked(
        _ chunk: Chunk, _ oldest: UInt64, _ older: PreviousFreeLists
    ) -> Chunk? {
        var chunk = chunk
        chunk.version = older.stamp(of: chunk)
        return chunk.version > oldest ? chunk : nil
    }

    /// Reads the chunks of a version's free list. Adjacent chunks are not merged.
    static func chunks(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> [Chunk] {
        guard let stored = try StoredList(space, top) else { return [] }
        var chunks: [Chunk] = []
        chunks.reserveCapacity(stored.count)
        for i in 0..<stored.count { chunks.append(stored[i]) }
        return chunks
    }
}
