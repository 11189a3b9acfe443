/// Chooses an offset for each node of a commit.
///
/// Free lists have reserved space (`FreeSpace.takeListSpace`), unless they are short and one extent
/// has room for them and all nodes. Nodes are placed in the smallest extent with room for all of
/// them, or else in the extents of the emptiest stretch of the file. The file grows if no stretch
/// is a sixth free, or if a stretch takes many writes and the file has little free space.
///
/// While there are more free extents than a file of that size may have, some of the nodes are
/// placed in extents that fit them, which reduces the number of extents; the larger the excess, the
/// more nodes. A commit of many nodes does not do that, since it would take as many writes.
struct NodePlacement {
    /// The version's free space. Extents taken from it are empty meanwhile.
    private var free: FreeSpace
    private let page: UInt64
    /// Number of bytes in use before this commit.
    private let used: UInt64
    /// Whether there are no more free extents than a file of that size may have.
    private let isWhole: Bool
    /// Free extents by size; nil until a node is placed in an extent that fits it.
    private var index: FreeExtentIndex?
    /// Indices of extents to be filled next.
    private var planned: ArraySlice<Int> = []
    /// Number of stretches that may still be planned; nodes do not fill extents completely.
    private var plans = 4
    /// Number of nodes that are still placed in extents that fit them.
    private var fits: Int
    /// Whether the commit has so few nodes that each may be a separate write.
    private let hasFewNodes: Bool
    /// Whether all remaining nodes are placed in extents that fit them, because no stretch has
    /// room.
    private var allFit = false
    /// Approximate number of bytes still to be placed.
    private var left: UInt64
    private let largest: UInt64
    private let mean: UInt64
    private(set) var runs: [NodeWriter.Run] = []
    private var unused: [Extent] = []
    /// Space reserved for the lists; nil if they are placed after the nodes.
    let reserve: Extent?

    /// Index of the extent that is being filled; nil before the first.
    private var current: Int?
    /// Offsets of its first unused byte, of its end, and of the end of the part that `place` fills
    /// directly.
    private var at: UInt64 = 0
    private var end: UInt64 = 0
    private var limit: UInt64 = 0
    /// Index in `runs` of the extent's last run; nil as long as it has none.
    private var run: Int?
    /// Buffer of that run, unretained since a commit places thousands of nodes; `runs` keeps it
    /// alive.
    private var buffer: Unmanaged<ByteBufferBox>?

    /// A number of free extents that is never too many.
    private static let fewExtents: UInt64 = 32
    /// Number of used bytes that permit one more free extent.
    private static let bytesPerExtent: UInt64 = 6144
    /// Maximum size of lists without reserved space: between nodes, longer lists would leave a gap
    /// that only lists fill.
    private static let shortLists: UInt64 = 2048
    /// Maximum number of nodes of which each may be a separate write.
    private static let fewNodes: UInt64 = 160
    /// Maximum number of extents of a stretch that is filled even if the file has little free
    /// space.
    private static let fewWrites = 8
    /// A file has little free space with less than one free byte per this number of used bytes.
    /// Then it grows, instead of taking many writes for each commit.
    private static let spare: UInt64 = 4
    /// Nodes of more bytes do not close an extent that has no room for them.
    private static let largeNode: UInt64 = 1 << 10

    /// Prepares to place nodes of `need`; reserves `extra` free bytes for the lists, if any.
    init(_ free: consuming FreeSpace, _ need: NodeWriter.SpaceEstimate, extra: UInt64, page: UInt64)
    {
        self.free = free
        self.page = page
        used = self.free.logicalSize - self.free.total
        let few = Int(clamping: max(Self.fewExtents, used / Self.bytesPerExtent))
        let excess = self.free.free.count - few
        isWhole = excess <= 0
        hasFewNodes = need.nodes <= Self.fewNodes
        fits =
            isWhole || !hasFewNodes
            ? 0 : Int(clamping: need.nodes) * min(excess, few) / few + 1
        left = need.bytes
        largest = need.largest
        mean = max(1, need.bytes / max(1, need.nodes))
        if extra <= Self.shortLists, isWhole,
            let i = self.free.bestFit(need.bytes + extra, largest: largest)
        {
            reserve = nil
            open(i)
        } else if extra > 0 {
            let space = self.free.takeListSpace(extra, page: page)
            reserve = space.reserve
            unused = space.all
        } else {
            reserve = nil
        }
    }

    /// Returns the ref of the next `size` bytes and memory for them, valid until the next call.
    @inline(__always)
    mutating func place(
        _ size: Int
    ) throws(RealmError) -> (ref: Ref, bytes: UnsafeMutableRawPointer) {
        let (start, count) = (at, UInt64(size))
        guard start + count <= limit, let buffer else { return placeElsewhere(count) }
        left -= min(left, count)
        at = start + count
        return (Ref(start), buffer._withUnsafeGuaranteedRef { $0.extend(by: size) })
    }

    @inline(never)
    private mutating func placeElsewhere(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer) {
        defer { left -= min(left, size) }
        if fits > 0, let result = fit(size) {
            fits -= 1
            return result
        }
        while true {
            if let result = append(size) ?? putAside(size) ?? fitLarge(size) { return result }
            if allFit, let result = fit(size) { return result }
            if let result = openNext(size) { return result }
        }
    }

    /// Places a node in a free extent that fits it; returns nil if there is none.
    private mutating func fit(
        _ size: UInt64, isTight: Bool = false
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        if index == nil { index = FreeExtentIndex(free.free) }
        guard let i = index!.takeBestFit(size, free.free, isTight: isTight) else { return nil }
        let start = free.cut(i, size)
        index!.insert(i, free.free[i])
        if let last = runs.indices.last, last != run, runs[last].end == start {
            return (Ref(start), runs[last].bytes.extend(by: Int(size)))
        }
        runs.append(NodeWriter.Run(start: start, room: size))
        return (Ref(start), runs[runs.count - 1].bytes.extend(by: Int(size)))
    }

    /// Places a node in the extent that is being filled, after the next section boundary if the
    /// node would straddle it; returns nil if it has no room.
    private mutating func append(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        let boundary = (at / NodeWriter.section + 1) * NodeWriter.section
        let start = at + size <= boundary ? at : boundary
        guard current != nil, start + size <= end else { return nil }
        if start != at {
            unused.append(Extent(start: at, count: start - at))
            run = nil
        }
        if run == nil {
            run = runs.count
            runs.append(NodeWriter.Run(start: start, room: min(max(left, size), end - start)))
        }
        at = start + size
        let box = runs[run!].bytes
        buffer = .passUnretained(box)
        // If nodes are to be placed in extents that fit them, the direct path of `place` is
        // disabled.
        let section = (start / NodeWriter.section + 1) * NodeWriter.section
        limit = fits > 0 ? 0 : min(end, section)
        return (Ref(start), box.extend(by: Int(size)))
    }

    /// Places a large node in a planned extent and leaves the current extent to smaller nodes.
    /// Returns nil if the current extent has too little room to be useful, or no planned extent has
    /// room.
    private mutating func putAside(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        guard size > Self.largeNode, current != nil, end - at >= mean else { return nil }
        let section = NodeWriter.section
        for i in planned where free.free[i].count >= size {
            let start = free.free[i].start
            guard start / section == (start + size - 1) / section else { continue }
            index?.remove(i, free.free[i])
            _ = free.cut(i, size)
            index?.insert(i, free.free[i])
            runs.append(NodeWriter.Run(start: start, room: size))
            return (Ref(start), runs[runs.count - 1].bytes.extend(by: Int(size)))
        }
        return nil
    }

    /// Places a large node for which no planned extent has room in another free extent or in new
    /// space, so that the planned extents can still be filled; returns nil if they are used up.
    private mutating func fitLarge(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        guard size > Self.largeNode, !planned.isEmpty,
            !planned.contains(where: { free.free[$0].count >= size })
        else { return nil }
        if let result = fit(size, isTight: true) { return result }
        extend(by: NodeWriter.SpaceEstimate(bytes: size, nodes: 1, largest: size))
        index?.insert(free.free.count - 1, free.free[free.free.count - 1])
        return fit(size, isTight: true)
    }

    /// Opens the next planned extent; returns false if there is none.
    private mutating func openPlanned() -> Bool {
        while let i = planned.popFirst() {
            guard free.free[i].count > 0 else { continue }
            open(i)
            return true
        }
        return false
    }

    /// Opens another extent: the smallest with room for everything that is left, or else the first
    /// of a stretch, or else new space. A commit of few nodes places these in extents that fit, if
    /// enough space is free; then returns the node's place, otherwise nil.
    private mutating func openNext(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        close()
        if openPlanned() { return nil }
        let bytes = max(left, size)
        let need = NodeWriter.SpaceEstimate(
            bytes: bytes, nodes: left / mean + 1, largest: max(largest, size))
        if let i = free.bestFit(bytes, largest: need.largest) {
            open(i)
            return nil
        }
        if plans > 0 {
            plans -= 1
            if let plan = free.emptiestStretch(need),
                plan.count <= Self.fewWrites || free.total >= used / Self.spare
            {
                planned = plan[...]
            }
            if openPlanned() { return nil }
        }
        if hasFewNodes, !allFit, isEnough {
            allFit = true
            if let result = fit(size) { return result }
        }
        grow(need)
        return nil
    }

    /// Extends the file and opens the new space.
    private mutating func grow(_ need: NodeWriter.SpaceEstimate) {
        extend(by: need)
        open(free.free.count - 1)
    }

    /// Extends the file.
    private mutating func extend(by need: NodeWriter.SpaceEstimate) {
        // Extending may enlarge the last extent.
        if let last = free.free.last { index?.remove(free.free.count - 1, last) }
        let start = free.logicalSize
        let isOneSection =
            start / NodeWriter.section == (start + need.bytes - 1) / NodeWriter.section
        free.grow(by: isOneSection ? need.bytes : need.bytes + need.largest, page: page)
    }

    /// Whether enough of the file is free to be used before the file grows.
    private var isEnough: Bool {
        free.total >= max(2 * left, isWhole ? used / Self.spare : used / 10)
    }

    private mutating func open(_ i: Int) {
        index?.remove(i, free.free[i])
        let extent = free.take(i)
        (current, at, end, limit, run) = (i, extent.start, extent.end, 0, nil)
    }

    private mutating func close() {
        guard let i = current else { return }
        let rest = Extent(start: at, count: end - at)
        free.setRest(i, rest)
        index?.insert(i, rest)
        (current, at, end, limit, run, buffer) = (nil, 0, 0, 0, nil, nil)
    }

    /// Run to which the lists can be added; nil if they have reserved space.
    var lastRun: NodeWriter.Run? {
        reserve == nil ? run.map { runs[$0] } : nil
    }

    /// Returns the free space without what was written. Nothing can be placed afterwards.
    mutating func finish() -> FreeSpace {
        if let i = current { free.setRest(i, Extent(start: at, count: end - at)) }
        free.addUnused(unused)
        // The caller mutates it, so no second reference may remain here.
        var rest = FreeSpace(logicalSize: 0)
        swap(&rest, &free)
        return rest
    }
}
