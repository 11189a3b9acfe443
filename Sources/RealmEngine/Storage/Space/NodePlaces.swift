/// Chooses an offset for each node of a commit.
///
/// As few writes as possible, as long as free space is in few pieces: one extent with room for all nodes,
/// behind which the lists go, or a few large ones. Where it is in many, each node goes to an extent
/// that fits it, which is what makes them fewer: the more there are, the larger the part of the nodes.
///
/// A commit of many nodes would be as many writes. It fills a stretch of extents near each other.
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
    /// Whether the commit has more than `manyNodes`: none of them goes to an extent of its own.
    private let isLarge: Bool
    /// Positions of extents to be filled next, in a commit of many nodes.
    private var planned: ArraySlice<Int> = []
    /// Stretches that may still be planned: nodes do not fill extents to the last byte.
    private var plans = 4
    /// Nodes that still go to extents which fit them.
    private var fits: Int
    /// Whether all nodes do that find one, since there is no extent for many.
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
    private static let bytesPerExtent: UInt64 = 4096
    /// Extents that the nodes of a commit are divided among at most, about.
    private static let mostPieces: UInt64 = 8
    /// Lists of more bytes have an extent of their own: between nodes they would leave a gap that only
    /// lists fill.
    private static let shortLists: UInt64 = 2048

    /// Commits of more nodes are large.
    private static let manyNodes: UInt64 = 160
    /// Nodes of more bytes do not end an extent that has no room for them.
    private static let largeNode: UInt64 = 1 << 10

    /// Room for nodes of `need`, and `extra` free bytes for the lists, if any.
    init(_ free: consuming FreeSpace, _ need: NodeWriter.Need, extra: UInt64, page: UInt64) {
        self.free = free
        self.page = page
        used = self.free.logicalSize - self.free.total
        let few = Int(clamping: max(Self.fewExtents, used / Self.bytesPerExtent))
        let excess = self.free.free.count - few
        isLarge = need.nodes > Self.manyNodes
        isWhole = excess <= 0 || isLarge
        fits = isWhole ? 0 : Int(clamping: need.nodes) * min(excess, few) / few + 1
        left = need.bytes
        largest = need.largest
        mean = max(1, need.bytes / max(1, need.nodes))
        if extra <= Self.shortLists || isLarge, isWhole,
            let i = self.free.bestFit(need.bytes + extra, largest: largest)
        {
            reserve = nil
            open(i)
        } else {
            reserve = extra > 0 ? Self.reserve(extra, &self.free, page) : nil
            if let reserve { unused.append(reserve) }
        }
    }

    /// Takes an extent with room for the lists.
    private static func reserve(
        _ bytes: UInt64, _ free: inout FreeSpace, _ page: UInt64
    ) -> Extent {
        while true {
            guard let i = free.bestFit(bytes) else {
                free.grow(by: bytes, page: page)
                continue
            }
            let extent = free.free[i]
            // Most of a large one is left to nodes.
            guard extent.count > 4 * bytes else { return free.take(i) }
            return Extent(start: free.cut(i, bytes), count: bytes)
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
            if let result = append(size) ?? putAside(size) { return result }
            if allFit, let result = fit(size) { return result }
            if let result = openNext(size) { return result }
        }
    }

    /// Puts a node into a free extent that fits it; nil if there is none.
    private mutating func fit(_ size: UInt64) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        if index == nil { index = FreeExtentIndex(free.free) }
        guard let i = index!.takeFit(size, free.free) else { return nil }
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
            _ = free.cut(i, size)
            runs.append(NodeWriter.Run(start: start, room: size))
            return (Ref(start), runs[runs.count - 1].bytes.extend(by: Int(size)))
        }
        return nil
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

    /// Goes on to another extent: the smallest with room for all that is left, else the largest if it
    /// takes a good part, else new space. Where there is enough free space, but only in small extents,
    /// the node, and all after it, go to those that fit them.
    private mutating func openNext(
        _ size: UInt64
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer)? {
        close()
        if openPlanned() { return nil }
        let largest = max(largest, size)
        if let i = free.bestFit(max(left, size), largest: largest) {
            open(i)
            return nil
        }
        if isLarge, plans > 0 {
            plans -= 1
            let need = NodeWriter.Need(
                bytes: max(left, size), nodes: left / mean + 1, largest: largest)
            planned = free.emptiestStretch(need)?[...] ?? []
            if openPlanned() { return nil }
        } else if isEnough {
            if isWhole, let i = free.largest {
                let count = free.free[i].count
                // A section boundary may cost as much as the node.
                if count >= 2 * size, count >= left / Self.mostPieces {
                    open(i)
                    return nil
                }
            }
            if !allFit, !isLarge {
                allFit = true
                if let result = fit(size) { return result }
            }
        }
        // Its last extent becomes larger.
        if let last = free.free.last { index?.remove(free.free.count - 1, last) }
        let (bytes, start) = (max(left, size), free.logicalSize)
        let isOneSection =
            start / NodeWriter.section == (start + bytes - 1) / NodeWriter.section
        free.grow(
            by: isOneSection ? bytes : bytes + largest, page: page, isLarge: isLarge)
        open(free.free.count - 1)
        return nil
    }

    /// Whether the file does not grow: a part of it is free that is worth using first.
    private var isEnough: Bool {
        free.total >= max(2 * left, isWhole ? used / 4 : used / 10)
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

    /// The free space without what was written.
    mutating func finish() -> FreeSpace {
        if let i = current { free.putBack(i, Extent(start: at, count: end - at)) }
        free.giveBack(unused)
        return free
    }
}
