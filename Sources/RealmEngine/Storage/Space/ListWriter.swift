/// Places the free lists and the root, whose own space changes the lists (storage format 5.5).
///
/// One free chunk large enough for the longest possible lists is chosen: what was kept for them, or the
/// space behind the commit's other nodes. Lists and root go to its start and its rest stays one free chunk,
/// so the number of entries is known before they are written.
struct ListWriter {
    let space: FreeSpace
    /// Extents the commit freed, ascending, neighbours joined.
    let released: [Extent]
    let version: UInt64
    let page: UInt64
    /// Free space that was kept for the lists.
    let reserve: Extent?
    /// Where the commit's last nodes went: lists that come right behind them are one write with them.
    let last: NodeWriter.Run?
    /// The root, still without its free lists.
    let root: TopArray.Content

    struct Result {
        /// Nil when everything went into the last run of nodes.
        let run: NodeWriter.Run?
        let top: Ref
        let logicalSize: UInt64
    }

    /// Bytes that the lists and the root take at most.
    func bound(_ space: FreeSpace) -> UInt64 { Self.bound(space, released, version) }

    static func bound(
        _ space: FreeSpace, _ released: [Extent], _ version: UInt64
    ) -> UInt64 {
        // Three headers, the entries, the root, padding.
        let entries = UInt64(space.mostChunks(released)) * entrySize(space, version)
        return (entries + fixedSize + 7) & ~7
    }

    private static let fixedSize: UInt64 = 3 * 16 + 8 + 12 * 8 + 16

    private static func entrySize(_ space: FreeSpace, _ version: UInt64) -> UInt64 {
        // The lists themselves may make the file larger.
        let width: UInt64 = space.logicalSize < 1 << 30 ? 4 : 8
        return 2 * width + 1 << UInt64(versionCode(version) - 4)
    }

    private static func versionCode(_ version: UInt64) -> UInt8 {
        NodeEncoder.widthCode(magnitude: Int64(clamping: version) | 1 << 6, isNegative: false)
    }

    /// Leaves the smallest chunks out where there are more than lists of `limit` bytes can hold. Their space
    /// is lost until the file is compacted, but commits go on.
    static func shorten(
        _ space: inout FreeSpace, _ released: inout [Extent], _ version: UInt64,
        limit: UInt64 = NodeWriter.section
    ) {
        guard bound(space, released, version) > limit else { return }
        let most = (limit - fixedSize) / entrySize(space, version)
        space.loseSmallest(&released, keeping: Int(most))
    }

    func run() throws(RealmError) -> Result {
        var space = space
        let bound = bound(space)
        let start = place(bound, &space)
        let code: UInt8 = space.logicalSize < 1 << 31 ? 6 : 7
        var chunks = try space.chunks(adding: released, version: version)
        let index = chunks.partitionPoint { $0.end > start }
        guard index < chunks.count, chunks[index].start <= start,
            start + bound <= chunks[index].end, chunks[index].version == 0
        else { throw FreeSpace.brokenReserve }
        if chunks[index].start < start {
            // The part before a section boundary stays free on its own.
            let before = FreeSpace.Chunk(
                start: chunks[index].start, count: start - chunks[index].start, version: 0)
            chunks.insert(before, at: index)
            return try emit(&chunks, reserve: index + 1, start, code, space.logicalSize)
        }
        return try emit(&chunks, reserve: index, start, code, space.logicalSize)
    }

    /// Start of `bound` free bytes within one section, growing the space when there are none.
    private func place(_ bound: UInt64, _ space: inout FreeSpace) -> UInt64 {
        if let reserve, let rest = space.extent(from: reserve.start),
            let start = Self.start(in: rest, bound)
        {
            return start
        }
        if let last, let behind = space.extent(from: last.end),
            Self.start(in: behind, bound) == last.end
        {
            return last.end
        }
        var best: (start: UInt64, count: UInt64)?
        for extent in space.free where extent.count < best?.count ?? .max {
            if let start = Self.start(in: extent, bound) { best = (start, extent.count) }
        }
        if let best { return best.start }
        while true {
            space.extend(by: bound, page: page)
            if let start = Self.start(in: space.free.last!, bound) { return start }
        }
    }

    /// Start of `bound` bytes of an extent that are in one section; nil if there are none.
    static func start(in extent: Extent, _ bound: UInt64) -> UInt64? {
        guard extent.count >= bound else { return nil }
        let boundary = (extent.start / NodeWriter.section + 1) * NodeWriter.section
        if extent.start + bound <= boundary { return extent.start }
        return boundary + bound <= extent.end ? boundary : nil
    }

    private func emit(
        _ chunks: inout [FreeSpace.Chunk], reserve: Int, _ start: UInt64, _ code: UInt8,
        _ size: UInt64
    ) throws(RealmError) -> Result {
        let width = UInt64(code == 6 ? 4 : 8)
        let count = UInt64(chunks.count)
        func nodeSize(_ width: UInt64) -> UInt64 { 8 + (count * width + 7) & ~7 }
        let versionCode = Self.versionCode(version)
        let stamps = start + 2 * nodeSize(width)
        let topStart = stamps + nodeSize(1 << UInt64(versionCode - 4))
        var root = root
        root.freePositions = Ref(start)
        root.freeLengths = Ref(start + nodeSize(width))
        root.freeVersions = Ref(stamps)
        let rootSlots = root.slots(logicalSize: size)
        let rootCode = rootSlots.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: Int64.self) { NodeEncoder.widthCode($0) }
        }
        let payload = NodeView.payloadSize(flags: rootCode, count: rootSlots.count)
        let end = topStart + UInt64(8 + (payload + 7) & ~7)
        chunks[reserve].count = chunks[reserve].end - end
        chunks[reserve].start = end
        let behind = last.flatMap { $0.end == start ? $0 : nil }
        let box = behind?.bytes ?? ByteBufferBox(capacity: Int(clamping: end - start))
        let before = UInt64(box.count)
        append(chunks, { $0.start }, code, to: box)
        append(chunks, { $0.count }, code, to: box)
        append(chunks, { $0.version }, versionCode, to: box)
        append(rootSlots, rootCode, to: box)
        guard start + UInt64(box.count) - before == end else { throw FreeSpace.brokenReserve }
        return Result(
            run: behind != nil ? nil : NodeWriter.Run(start: start, bytes: box), top: Ref(topStart),
            logicalSize: size)
    }

    /// - Parameter code: of 8 bits or more.
    @inline(__always)
    private func append(
        _ chunks: [FreeSpace.Chunk], _ number: (FreeSpace.Chunk) -> UInt64, _ code: UInt8,
        to box: ByteBufferBox
    ) {
        let p = append(code, chunks.count, to: box)
        switch code {
        case 4: fill(p, UInt8.self, chunks, number)
        case 5: fill(p, UInt16.self, chunks, number)
        case 6: fill(p, UInt32.self, chunks, number)
        default: fill(p, UInt64.self, chunks, number)
        }
    }

    @inline(__always)
    private func fill<T: FixedWidthInteger>(
        _ p: UnsafeMutableRawPointer, _: T.Type, _ chunks: [FreeSpace.Chunk],
        _ number: (FreeSpace.Chunk) -> UInt64
    ) {
        let place = p.assumingMemoryBound(to: T.self)
        for i in chunks.indices { place[i] = T(truncatingIfNeeded: number(chunks[i])) }
    }

    private func append(_ slots: [UInt64], _ code: UInt8, to box: ByteBufferBox) {
        let p = append(NodeView.hasRefsFlag | code, slots.count, to: box)
        slots.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: Int64.self) { NodeEncoder.pack($0, code, into: p) }
        }
    }

    /// The header and a payload of zeros, which is to be filled.
    private func append(
        _ flags: UInt8, _ count: Int, to box: ByteBufferBox
    ) -> UnsafeMutableRawPointer {
        let size = (NodeView.payloadSize(flags: flags, count: count) + 7) & ~7
        box.append(NodeView.header(flags: flags, count: count))
        let p = box.reserve(size)
        p.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        box.advance(by: size)
        return p
    }
}

extension FreeSpace {
    static var brokenReserve: RealmError {
        RealmError(
            .internal, code: "RuntimeError", reason: "free-list",
            "the space reserved for the free lists does not hold them; nothing was written",
            hint: "please report this with the file")
    }
}
