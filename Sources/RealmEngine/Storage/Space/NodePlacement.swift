/// Chooses an offset for each node of a commit.
///
/// If the free lists are short and one extent has room for them and all nodes, everything is
/// written there. Otherwise the lists have reserved space (`FreeSpace.takeListSpace`). Nodes are
/// placed in the smallest extent with room for all of them, or else in the extents of the emptiest
/// stretch of the file. The file grows if even the emptiest stretch is more than six times as long
/// as the nodes, or if filling it takes many writes and the file has little free space.
///
/// Many small free extents make long free lists. If their number exceeds a limit that depends on
/// the size of the file, some nodes are placed in the extents that fit them best. Extents that are
/// used up leave the free lists. The larger the excess, the more nodes are placed like this. A
/// commit of many nodes does not do so, since each such node is a separate write.
struct NodePlacement {
    /// Free space of the version. While an extent is being filled, its size in this list is 0;
    /// `setRest` later stores the unused rest.
    private var free: FreeSpace
    private let page: UInt64
    /// Number of bytes that are in use before this commit.
    private let used: UInt64
    /// Whether the file has so few free extents for its size that their number need not be reduced
    /// (see `fewExtents` and `bytesPerExtent`).
    private let isWhole: Bool
    /// Index of free extents by size; nil until a node is first placed in the extent that fits it
    /// best.
    private var index: FreeExtentIndex?
    /// Indices of the free extents that will be filled next, in this order. Empty if none were
    /// chosen.
    private var planned: ArraySlice<Int> = []
    /// Number of times that this commit may still search the emptiest stretch, a sequence of
    /// neighbouring free extents, and plan to fill it. The nodes of one commit may need several
    /// stretches, because nodes do not fill extents completely.
    private var plans = 4
    /// Number of nodes that are still to be placed in the extents that fit them best, to reduce the
    /// number of free extents. 0 if the file has few free extents or the commit has many nodes.
    private var fits: Int
    /// Whether the commit has few nodes, so that each may be a separate write.
    private let hasFewNodes: Bool
    /// Whether all remaining nodes are placed in the extents that fit them best, because no
    /// sequence of neighbouring extents (stretch) has room for them.
    private var allFit = false
    /// Approximate number of bytes that are still to be placed.
    private var left: UInt64
    private let largest: UInt64
    private let mean: UInt64
    private(set) var runs: [NodeWriter.Run] = []
    private var unused: [Extent] = []
    /// Extent reserved for the free lists; nil if they are placed after the nodes.
    let reserve: Extent?

    /// Index of the extent that is being filled, the current extent; nil if there is none.
    private var current: Int?
    /// Offsets in the current extent: of its first unused byte, of its end, and of the end of the
    /// part that `place` may fill directly.
    private var at: UInt64 = 0
    private var end: UInt64 = 0
    private var limit: UInt64 = 0
    /// Index in `runs` of the last run in the current extent; nil if no node was placed in that
    /// extent. A run is a sequence of nodes without gaps.
    private var run: Int?
    /// Buffer of the last run (sequence of nodes without gaps) in the current extent. Unretained,
    /// since a commit places thousands of nodes; `runs` keeps the buffer alive.
    private var buffer: Unmanaged<ByteBufferBox>?

    /// Number of free extents that a file of any size may have before commits place nodes in
    /// extents that fit them best, to reduce the number of extents.
    private static let fewExtents: UInt64 = 32
    /// Number of bytes in use for each free extent that a file may have: `1 << 20` bytes in use
    /// permit 170 free extents. With more free extents (and more than `fewExtents`), commits place
    /// some nodes in the extents that fit them best, to reduce the number of extents.
    private static let bytesPerExtent: UInt64 = 6144
    /// Maximum size in bytes of free lists that are placed after the nodes of their commit. Longer
    /// lists get reserved space. Otherwise each commit, which replaces the lists, would leave the
    /// space of the old lists as a gap between nodes that only other free lists fill.
    private static let shortLists: UInt64 = 2048
    /// Maximum number of nodes of a commit for which each node may be a separate write.
    private static let fewNodes: UInt64 = 160
    /// Maximum number of extents in a stretch (a sequence of neighbouring free extents) that is
    /// filled even if the file has little free space. Each extent costs one write.
    private static let fewWrites = 8
    /// Divisor: a file has little free space if its free bytes are fewer than the bytes in use
    /// divided by this. A commit then extends the file instead of filling many small extents.
    private static let spare: UInt64 = 4
    /// Size in bytes above which a node counts as large. If the current extent has no room for a
    /// large node, the node is placed elsewhere, and the current extent is then filled further.
    private static let largeNode: UInt64 = 1 << 10

    /// Prepares to place nodes of the estimated size `need`. Reserves space for free lists of
    /// `extra` bytes, if `extra` is not 0.
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

    /// Places the next node of `size` bytes. Returns its ref and memory for its bytes, which is
    /// valid until the next call.
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

    /// Places a node in the free extent that fits it best; returns nil if there is none.
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

    /// Places a node in the current extent, the one that is being filled. If the node would cross a
    /// boundary of the 64 MiB sections, places it after the boundary. Returns nil if the extent has
    /// no room.
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
        // A limit of 0 disables the direct path of `place` while some nodes are to be placed in the
        // extents that fit them best.
        let section = (start / NodeWriter.section + 1) * NodeWriter.section
        limit = fits > 0 ? 0 : min(end, section)
        return (Ref(start), box.extend(by: Int(size)))
    }

    /// Places a large node in one of the extents that will be filled later (`planned`). The current
    /// extent stays open for smaller nodes. Returns nil if the node is small, if little of the
    /// current extent is left, or if no extent in `planned` has room.
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

    /// Places a large node for which no extent in `planned`, the extents to fill next, has room.
    /// The node gets another free extent, or new space at the end of the file. So the extents in
    /// `planned` can still be filled with smaller nodes. Returns nil if the node is small or an
    /// extent in `planned` has room.
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

    /// Makes the next extent in `planned` that is not empty the current extent, in which nodes are
    /// placed. Returns false if there is none.
    private mutating func openPlanned() -> Bool {
        while let i = planned.popFirst() {
            guard free.free[i].count > 0 else { continue }
            open(i)
            return true
        }
        return false
    }

    /// Closes the current extent and chooses the next one, the first of these that exists:
    ///
    /// 1. the next extent in `planned`;
    /// 2. the smallest extent with room for all remaining nodes;
    /// 3. the first extent of the emptiest stretch of the file, a sequence of neighbouring extents,
    ///    which becomes `planned`;
    /// 4. new space at the end of the file.
    ///
    /// Returns nil. Exception: if step 3 fails in a commit of few nodes although enough space is
    /// free, places this node in its best-fitting extent and returns its ref and memory.
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

    /// Extends the file. The new space becomes the current extent, the one that is filled next.
    private mutating func grow(_ need: NodeWriter.SpaceEstimate) {
        extend(by: need)
        open(free.free.count - 1)
    }

    /// Extends the file by at least the space that `need` estimates.
    private mutating func extend(by need: NodeWriter.SpaceEstimate) {
        // The new space may be joined to the last extent, which then has another size.
        if let last = free.free.last { index?.remove(free.free.count - 1, last) }
        let start = free.logicalSize
        let isOneSection =
            start / NodeWriter.section == (start + need.bytes - 1) / NodeWriter.section
        free.grow(by: isOneSection ? need.bytes : need.bytes + need.largest, page: page)
    }

    /// Whether the file has so much free space that the remaining nodes are placed in the extents
    /// that fit them best, instead of growing the file.
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

    /// Last run, a range of the file filled with nodes without gaps. The free lists and the root
    /// can be appended to it. Nil if space is reserved for them.
    var lastRun: NodeWriter.Run? {
        reserve == nil ? run.map { runs[$0] } : nil
    }

    /// Returns the free space that is left. No node can be placed afterwards.
    mutating func finish() -> FreeSpace {
        if let i = current { free.setRest(i, Extent(start: at, count: end - at)) }
        free.addUnused(unused)
        // Moves the value out of `free`: a second reference to its arrays would make the caller's
        // first change copy them.
        var rest = FreeSpace(logicalSize: 0)
        swap(&rest, &free)
        return rest
    }
}
