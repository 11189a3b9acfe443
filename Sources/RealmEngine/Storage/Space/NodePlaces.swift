/// Chooses an offset for each node of a commit.
///
/// The lists have space of their own (`FreeSpace.takeListSpace`), unless they are short and one extent has
/// room for them and all nodes. Nodes go to the smallest extent with room for all of them, else to the
/// extents of the emptiest stretch of the file, and the file grows where no stretch is a sixth free,
/// or where a stretch takes many writes and the file has little free space.
///
/// While there are more free extents than a file of that size may have, a part of the nodes goes to extents
/// that fit them, which is what makes them fewer: the more there are, the larger the part. A commit of many
/// nodes would be as many writes. It leaves the small extents to others.
struct NodePlaces {
    /// The version's free space. What is taken of it has no bytes there meanwhile.
    private var free: FreeSpace
    private let page: UInt64
    /// Bytes that are used before this commit.
    private let used: UInt64
    /// Whether the free extents are no more than a file of that size may have.
    private let isWhole: Bool
    /// Free extents by size, once single nodes have used them.
    private var index: FreeExtentIndex?
    /// Positions of extents to be filled next.
    private var planned: ArraySlice<Int> = []
    /// Stretches that may still be planned: nodes do not fill extents to the last byte.
    private var plans = 4
    /// Nodes that still go to extents which fit them.
    private var fits: Int
    /// Whether the commit has so few nodes that each may be a write.
    private let hasFewNodes: Bool
    /// Whether all nodes go to extents that fit them, as far as there are any, since no stretch has room.
    private var allFit = false
    /// Bytes still to be placed, about.
    private var left: UInt64
    private let largest: UInt64
    private let mean: UInt64
    private(set) var runs: [NodeWriter.Run] = []
    private var unused: [Extent] = []
    /// Kept for the lists; nil where they go behind the nodes.
    let reserve: Extent?

    /// Position in the free space of the extent that is filled; nil before the first.
    private var current: Int?
    /// Offsets of its first unused byte and of its end, and the end of what the fast path may use.
    private var at: UInt64 = 0
    private var end: UInt64 = 0
    private var limit: UInt64 = 0
    /// Position in `runs` of its last run; nil as long as nothing is there.
    private var run: Int?
    /// The run's, which keeps it: a commit places thousands of nodes.
    private var buffer: Unmanaged<ByteBufferBox>?

    /// Free extents that are always few.
    private static let fewExtents: UInt64 = 32
    /// Bytes in use for each further one.
    private static let bytesPerExtent: UInt64 = 6144
    /// Lists of more bytes have space of their own: between nodes they would leave a gap that only lists
    /// fill.
    private static let shortLists: UInt64 = 2048
    /// Nodes of a commit of which each may be a write of its own.
    private static let fewNodes: UInt64 = 160
    /// Extents of a stretch that is filled even in a file with little free space.
    private static let fewWrites = 8
    /// A file has little free space with less than one free byte for as many in use: it grows rather than
    /// taking many writes for each commit.
    private static let spare: UInt64 = 4
    /// Nodes of more bytes do not end an extent that has no room for them.
    private static let largeNode: UInt64 = 1 << 10

    /// Room for nodes of `need`, and `extra` free bytes for the lists, if any.
    init(_ free: consuming FreeSpace, _ need: NodeWriter.Need, extra: UInt64, page: UInt64) {
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

    /// Where the next `size` bytes go, and memory for them, valid until the next call.
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

    /// Puts a node into a free extent that fits it; nil if there is none.
    private mutating func fit(
        _ size: UInt64, isTight: Bool = false
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        if index == nil { index = FreeExtentIndex(free.free) }
        guard let i = index!.takeFit(size, free.free, isTight: isTight) else { return nil }
        let start = free.cut(i, size)
        index!.insert(i, free.free[i])
        if let last = runs.indices.last, last != run, runs[last].end == start {
            return (Ref(start), runs[last].bytes.extend(by: Int(size)))
        }
        runs.append(NodeWriter.Run(start: start, room: size))
        return (Ref(start), runs[runs.count - 1].bytes.extend(by: Int(size)))
    }

    /// Puts a node into the extent that is filled, behind the boundary of a section if it would straddle
    /// it; nil if it has no room.
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
        // Nodes that look for extents that fit them do not come here first.
        let section = (start / NodeWriter.section + 1) * NodeWriter.section
        limit = fits > 0 ? 0 : min(end, section)
        return (Ref(start), box.extend(by: Int(size)))
    }

    /// Puts a large node into a planned extent, and leaves the one that is filled to smaller nodes; nil if
    /// that one has no use any more, or no planned extent has room.
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

    /// Puts a large node that no planned extent has room for into another free extent, or into new space, so
    /// that the planned ones are not passed over for its sake; nil if they are used up.
    private mutating func fitLarge(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        guard size > Self.largeNode, !planned.isEmpty,
            !planned.contains(where: { free.free[$0].count >= size })
        else { return nil }
        if let result = fit(size, isTight: true) { return result }
        extend(by: NodeWriter.Need(bytes: size, nodes: 1, largest: size))
        index?.insert(free.free.count - 1, free.free[free.free.count - 1])
        return fit(size, isTight: true)
    }

    /// Opens the next planned extent; false if there is none.
    private mutating func openPlanned() -> Bool {
        while let i = planned.popFirst() {
            guard free.free[i].count > 0 else { continue }
            open(i)
            return true
        }
        return false
    }

    /// Goes on to another extent: the smallest with room for all that is left, else the first of a
    /// stretch, else new space. Few nodes go to extents that fit them, if enough is free.
    private mutating func openNext(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        close()
        if openPlanned() { return nil }
        let bytes = max(left, size)
        let need = NodeWriter.Need(
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

    /// Makes the file longer and opens the new space.
    private mutating func grow(_ need: NodeWriter.Need) {
        extend(by: need)
        open(free.free.count - 1)
    }

    /// Makes the file longer.
    private mutating func extend(by need: NodeWriter.Need) {
        // Its last extent becomes larger.
        if let last = free.free.last { index?.remove(free.free.count - 1, last) }
        let start = free.logicalSize
        let isOneSection =
            start / NodeWriter.section == (start + need.bytes - 1) / NodeWriter.section
        free.grow(by: isOneSection ? need.bytes : need.bytes + need.largest, page: page)
    }

    /// Whether a part of the file is free that is worth using before the file grows.
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
        free.putBack(i, rest)
        index?.insert(i, rest)
        (current, at, end, limit, run, buffer) = (nil, 0, 0, 0, nil, nil)
    }

    /// Run that the lists can be added to, where they go behind the nodes.
    var lastRun: NodeWriter.Run? {
        reserve == nil ? run.map { runs[$0] } : nil
    }

    /// The free space without what was written. Nothing can be placed after that.
    mutating func finish() -> FreeSpace {
        if let i = current { free.putBack(i, Extent(start: at, count: end - at)) }
        free.giveBack(unused)
        // The caller changes it: no second reference may stay here.
        var rest = FreeSpace(logicalSize: 0)
        swap(&rest, &free)
        return rest
    }
}
