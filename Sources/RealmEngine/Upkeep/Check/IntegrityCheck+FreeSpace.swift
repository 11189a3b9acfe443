/// Checks the free list, and reports space that is neither used nor free (storage format 5.3; 9.1,
/// points 11 to 15).
extension IntegrityCheck {
    func checkFreeSpace(_ top: TopArray) {
        guard !top.freePositions.isNone || !top.freeLengths.isNone else {
            // A file written in one pass has neither a free list nor free space.
            checkGaps([])
            return
        }
        checkGaps(readChunks(top) ?? [])
    }

    private func readChunks(_ top: TopArray) -> [Extent]? {
        // Files of formats 2 to 9 that were never shared store no versions in their free list.
        let hasStamps = !isLegacy || !top.freeVersions.isNone
        let refs = [
            top.freePositions, top.freeLengths, hasStamps ? top.freeVersions : top.freeLengths,
        ]
        var arrays: [NodeView] = []
        for ref in refs {
            let array = reading(ref, .freeListShape) { () throws(RealmError) in
                try memory.lookup.integers(ref, "free list")
            }
            guard let array else { return nil }
            arrays.append(array)
        }
        guard arrays[0].count == arrays[1].count, arrays[0].count == arrays[2].count else {
            found(
                .freeListShape, refs[0],
                "free lists of \(arrays.map { "\($0.count)" }.joined(separator: ", ")) elements")
            return nil
        }
        guard spend(arrays[0].count) else { return nil }
        return checkChunks(arrays, refs[0])
    }

    /// Returns the valid free chunks in ascending order of their offsets.
    @_optimize(size)
    private func checkChunks(_ arrays: [NodeView], _ ref: Ref) -> [Extent] {
        var chunks: [Extent] = []
        var isOrdered = true
        for i in 0..<arrays[0].count {
            let (start, count) = (arrays[0].integer(i), arrays[1].integer(i))
            checkStamp(i, arrays[2], ref)
            if count == 0, start >= 0, UInt64(start) <= limit {
                found(.freeChunkEmpty, ref, "free chunk \(i) of no bytes at \(start)")
                continue
            }
            guard start >= RawHeader.end, start & 7 == 0, count > 0, count & 7 == 0,
                UInt64(start) <= limit, UInt64(count) <= limit - UInt64(start)
            else {
                found(.freeChunk, ref, "free chunk \(i) of \(count) bytes at \(start)")
                continue
            }
            let chunk = Extent(start: UInt64(start), count: UInt64(count))
            if let last = chunks.last, last.start >= chunk.start { isOrdered = false }
            chunks.append(chunk)
        }
        if !isOrdered {
            found(.freeListOrder, ref, "free positions that do not ascend")
            chunks.order { $0.start < $1.start }
        }
        report.facts.freeChunks = chunks.count
        return withoutOverlaps(chunks, ref)
    }

    /// Checks the stamp of a free chunk: the version that released it. If the stamp is above the
    /// file's version, the chunk is not reused until the version reaches the stamp. In formats 2 to
    /// 9, each session counted versions from 1, so stamps cannot be compared with the file's
    /// version.
    private func checkStamp(_ i: Int, _ stamps: NodeView, _ ref: Ref) {
        if isLegacy { return }
        let stamp = stamps.integer(i)
        if stamp < 0 || UInt64(stamp) > top?.version ?? 0 {
            found(.freeStamp, ref, "free chunk \(i) was released by version \(stamp)")
        }
    }

    private func withoutOverlaps(_ chunks: [Extent], _ ref: Ref) -> [Extent] {
        var result: [Extent] = []
        var end: UInt64 = 0
        for chunk in chunks {
            if chunk.start < end {
                found(.freeOverlap, ref, "free chunks overlap at \(chunk.start)")
                continue
            }
            end = chunk.end
            report.facts.freeBytes += chunk.count
            if let at = live.first(marked: true, from: chunk.start, before: chunk.end) {
                found(
                    .freeOverlapsLive, Ref(at),
                    "a node inside the free chunk of \(chunk.count) bytes at \(chunk.start)")
            }
            result.append(chunk)
        }
        return result
    }

    private func checkGaps(_ chunks: [Extent]) {
        var position = UInt64(RawHeader.size)
        for chunk in chunks {
            gaps(position, chunk.start)
            position = chunk.end
        }
        gaps(position, limit)
    }

    private func gaps(_ start: UInt64, _ end: UInt64) {
        var position = start
        while let gap = live.first(marked: false, from: position, before: end) {
            let next = live.first(marked: true, from: gap, before: end) ?? end
            report.facts.gapBytes += next - gap
            if isEndOfNode(gap, next) {
                found(
                    .nodeEnd, Ref(gap),
                    "\(next - gap) bytes behind a node that nothing accounts for")
            } else {
                found(.leakedSpace, Ref(gap), "\(next - gap) bytes neither used nor free")
            }
            position = next
        }
    }

    /// Whether bytes that are neither in a node nor free belong to a damaged node: they are the end
    /// of the node before it, whose header now gives too small a size, or the start of the node
    /// after it, whose ref now gives too late a start. In contrast, space that a writer leaked
    /// begins with the header of a node, and contains the whole node or extends to the end of the
    /// version.
    private func isEndOfNode(_ start: UInt64, _ end: UInt64) -> Bool {
        guard end < limit, start > UInt64(RawHeader.size), live.isMarked(start - 8) else {
            return false
        }
        guard (try? space.prepareIfNeeded(Ref(start))) != nil else { return true }
        let header = (base + Int(start)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        if UInt32(truncatingIfNeeded: header) != NodeScan.signature {
            // Old writers stored no signature, so a leaked node may lack it, too.
            guard isLegacy || hasUnsignedNodes, header != 0, NodeSpace.isKnownForm(flags) else {
                return true
            }
        }
        let node = NodeView(
            payload: base + Int(start) + 8, count: Int((header >> 40).byteSwapped >> 40),
            flags: flags)
        return UInt64(node.byteSize) > end - start
    }
}
