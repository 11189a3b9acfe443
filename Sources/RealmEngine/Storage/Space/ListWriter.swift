/// Places the free lists and the root of a new version. Their own space changes the lists (storage
/// format 5.5).
///
/// Chooses one free extent that is large enough for the longest possible free lists: the extent
/// reserved for them, or the space after the commit's other nodes. Lists and root are written at
/// the start of that extent, and the rest of the extent remains one free extent. So the number of
/// list entries is known in advance.
struct ListWriter {
    private var space: FreeSpace
    /// Extents that the commit released, ascending, with adjacent ones joined.
    let released: [Extent]
    let version: UInt64
    let page: UInt64
    /// Extent that was reserved for the free lists; nil if none was.
    let reserve: Extent?
    /// The last run of nodes, which fill a range of the file without gaps. Free lists placed
    /// directly after this run are written in the same call.
    let last: NodeWriter.Run?
    /// Content of the new root; the refs of its free lists are set when they are written.
    let root: TopArray.Content

    struct Result {
        /// Run of bytes to write, with the free lists and the root. Nil if the lists and the root
        /// directly follow the commit's other nodes: they were then appended to the last run of
        /// those nodes.
        let run: NodeWriter.Run?
        let top: Ref
        /// The free space of the new version.
        let committed: CommittedSpace
        var logicalSize: UInt64 { committed.logicalSize }
    }

    init(
        space: consuming FreeSpace, released: [Extent], version: UInt64, page: UInt64,
        reserve: Extent?, last: NodeWriter.Run?, root: TopArray.Content
    ) {
        self.space = space
        (self.released, self.version, self.page) = (released, version, page)
        (self.reserve, self.last, self.root) = (reserve, last, root)
    }

    /// Upper bound of the size in bytes of the free lists and the root together.
    static func bound(
        _ space: FreeSpace, _ released: [Extent], _ version: UInt64
    ) -> UInt64 {
        // Size of the chunks in the lists. `fixedSize` is the size of three array headers, the root
        // and padding.
        let entries = UInt64(space.maximumChunkCount(released)) * entrySize(space, version)
        return (entries + fixedSize + 7) & ~7
    }

    private static let fixedSize: UInt64 = 3 * 16 + 8 + 12 * 8 + 16

    private static func entrySize(_ space: FreeSpace, _ version: UInt64) -> UInt64 {
        // Offsets take 4 bytes in files below 2 GiB. Since writing the free lists may extend the
        // file, 8 bytes are assumed from 1 GiB on.
        let width: UInt64 = space.logicalSize < 1 << 30 ? 4 : 8
        return 2 * width + 1 << UInt64(versionCode(version) - 4)
    }

    private static func versionCode(_ version: UInt64) -> UInt8 {
        NodeEncoder.widthCode(magnitude: Int64(clamping: version) | 1 << 6, isNegative: false)
    }

    /// Removes the smallest extents from the free lists if the lists would exceed `limit` bytes.
    /// The space of these extents is lost until the file is compacted, but commits continue to
    /// work.
    static func shorten(
        _ space: inout FreeSpace, _ released: inout [Extent], _ version: UInt64,
        limit: UInt64 = NodeWriter.section
    ) {
        guard bound(space, released, version) > limit else { return }
        let most = (limit - fixedSize) / entrySize(space, version)
        space.loseSmallest(&released, keeping: Int(most))
    }

    mutating func run() throws(RealmError) -> Result {
        let bound = Self.bound(space, released, version)
        let start = place(bound)
        guard let i = space.position(around: Extent(start: start, count: bound)) else {
            throw FreeSpace.brokenReserve
        }
        // If the free lists begin inside the extent, at a boundary of the 64 MiB sections, the part
        // of the extent before the boundary remains free.
        let before = space.free[i].start < start ? 1 : 0
        let count = space.free.count + before + space.locked.count + released.count
        let layout = Layout(
            start, count: count, code: space.logicalSize < 1 << 31 ? 6 : 7,
            versionCode: Self.versionCode(version))
        var root = root
        (root.freePositions, root.freeLengths, root.freeVersions) = (
            Ref(start), layout.lengths, layout.versions
        )
        let slots = root.slots(logicalSize: space.logicalSize)
        let end = layout.root.raw + Self.rootSize(slots)
        space.remove(Extent(start: start, count: end - start), of: i)
        guard space.free.count + space.locked.count + released.count == count else {
            throw FreeSpace.brokenReserve
        }
        return try emit(layout, slots, end)
    }

    /// Returns an offset at which `bound` contiguous bytes are free, for the free lists and the
    /// root. The bytes cross no boundary of the 64 MiB sections of a file. Extends the file if
    /// there are none.
    private mutating func place(_ bound: UInt64) -> UInt64 {
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

    /// Returns the lowest offset in `extent` at which `bound` free bytes begin without crossing a
    /// boundary of the 64 MiB sections of a file. Returns nil if there is none.
    static func start(in extent: Extent, _ bound: UInt64) -> UInt64? {
        guard extent.count >= bound else { return nil }
        let boundary = (extent.start / NodeWriter.section + 1) * NodeWriter.section
        if extent.start + bound <= boundary { return extent.start }
        return boundary + bound <= extent.end ? boundary : nil
    }

    /// Offset and sizes of the free list's three arrays, and of the root that follows them.
    private struct Layout {
        let start: UInt64
        let count: Int
        let code: UInt8
        let versionCode: UInt8
        let lengths: Ref
        let versions: Ref
        let root: Ref

        init(_ start: UInt64, count: Int, code: UInt8, versionCode: UInt8) {
            func nodeSize(_ code: UInt8) -> UInt64 {
                8 + (UInt64(count) << UInt64(code - 4) + 7) & ~7
            }
            (self.start, self.count, self.code) = (start, count, code)
            self.versionCode = versionCode
            lengths = Ref(start + nodeSize(code))
            versions = Ref(lengths.raw + nodeSize(code))
            root = Ref(versions.raw + nodeSize(versionCode))
        }
    }

    private static func rootCode(_ slots: [UInt64]) -> UInt8 {
        slots.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: Int64.self) { NodeEncoder.widthCode($0) }
        }
    }

    private static func rootSize(_ slots: [UInt64]) -> UInt64 {
        let payload = NodeView.payloadSize(flags: rootCode(slots), count: slots.count)
        return UInt64(8 + (payload + 7) & ~7)
    }

    private func emit(
        _ layout: Layout, _ slots: [UInt64], _ end: UInt64
    ) throws(RealmError) -> Result {
        let start = layout.start
        let behind = last.flatMap { $0.end == start ? $0 : nil }
        let size = Int(clamping: end - start)
        let box = behind?.bytes ?? ByteBufferBox(capacity: size)
        let p = box.extend(by: size)
        p.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        if layout.code == 6 {
            try fill(p, UInt32.self, layout)
        } else {
            try fill(p, UInt64.self, layout)
        }
        let code = Self.rootCode(slots)
        let q = p + Int(layout.root.raw - start)
        q.storeBytes(
            of: NodeView.header(flags: NodeView.hasRefsFlag | code, count: slots.count),
            as: UInt64.self)
        slots.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: Int64.self) {
                NodeEncoder.pack($0, code, into: q + NodeView.headerSize)
            }
        }
        return Result(
            run: behind != nil ? nil : NodeWriter.Run(start: start, bytes: box),
            top: layout.root,
            committed: CommittedSpace(
                FreeSpace(
                    free: space.free, locked: space.locked, logicalSize: space.logicalSize,
                    lists: Extent(start: start, count: end - start)),
                released, version: version, top: layout.root))
    }

    /// Writes the free list's arrays of starts, lengths and versions to `p`, where the memory is
    /// zero.
    @inline(__always)
    private func fill<T: FixedWidthInteger>(
        _ p: UnsafeMutableRawPointer, _: T.Type, _ layout: Layout
    ) throws(RealmError) {
        let (count, start) = (layout.count, layout.start)
        let starts = p + NodeView.headerSize
        let lengths = p + Int(layout.lengths.raw - start) + NodeView.headerSize
        let versions = p + Int(layout.versions.raw - start) + NodeView.headerSize
        func begin(_ array: UnsafeMutableRawPointer, _ code: UInt8) {
            (array - NodeView.headerSize).storeBytes(
                of: NodeView.header(flags: code, count: count), as: UInt64.self)
        }
        begin(starts, layout.code)
        begin(lengths, layout.code)
        begin(versions, layout.versionCode)
        let (first, second) = (
            starts.assumingMemoryBound(to: T.self), lengths.assumingMemoryBound(to: T.self)
        )
        var i = 0
        try space.visitChunks(adding: released, version: version) { (start, length, stamp) in
            first[i] = T(truncatingIfNeeded: start)
            second[i] = T(truncatingIfNeeded: length)
            if stamp != 0 { Self.store(stamp, i, layout.versionCode, versions) }
            i &+= 1
        }
    }

    /// Stores `value` as element `i` of an array whose elements have 8 bits or more.
    @inline(__always)
    private static func store(
        _ value: UInt64, _ i: Int, _ code: UInt8, _ p: UnsafeMutableRawPointer
    ) {
        switch code {
        case 4: p.assumingMemoryBound(to: UInt8.self)[i] = UInt8(truncatingIfNeeded: value)
        case 5: p.assumingMemoryBound(to: UInt16.self)[i] = UInt16(truncatingIfNeeded: value)
        case 6: p.assumingMemoryBound(to: UInt32.self)[i] = UInt32(truncatingIfNeeded: value)
        default: p.assumingMemoryBound(to: UInt64.self)[i] = value
        }
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
