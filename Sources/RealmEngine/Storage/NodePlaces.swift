/// Where the nodes of a commit go: free extents that are filled one after the other.
///
/// A large node that the current extent has no room for goes to the next that has, and what is left here
/// to smaller ones.
struct NodePlaces {
    /// An extent taken, and how far it is filled.
    private struct Piece {
        let end: UInt64
        var at: UInt64
        /// Number of its run; nil as long as nothing is there.
        var run: Int?

        init(_ extent: Extent) { (at, end) = (extent.start, extent.end) }

        /// Where `size` bytes would go, behind the boundary of a section if they would straddle it.
        func start(for size: UInt64) -> UInt64? {
            let boundary = (at / NodeWriter.section + 1) * NodeWriter.section
            let start = at + size <= boundary ? at : boundary
            return start + size <= end ? start : nil
        }
    }

    /// The version's free space, from which more is taken when the first extents do not suffice.
    private var free: FreeSpace
    private let page: UInt64
    private var pieces: [Piece]
    private var current = 0
    /// Where a large node was put last.
    private var roomy = 0
    /// Bytes still to be placed, at most.
    private var left: UInt64
    private let mean: UInt64
    private let largest: UInt64
    private(set) var runs: [NodeWriter.Run] = []
    private var unused: [Extent] = []
    /// Where the current piece is filled to, and what the next node must not reach beyond to go there.
    private var at: UInt64
    private var limit: UInt64 = 0
    /// The current run's, which keeps it: a commit places thousands of nodes.
    private var buffer: Unmanaged<ByteBufferBox>

    /// Room for nodes of `need`, if it can be with `extra` free bytes behind them.
    init(
        _ free: consuming FreeSpace, _ need: NodeWriter.Need, extra: UInt64, page: UInt64
    ) {
        self.free = free
        self.page = page
        left = need.bytes
        mean = max(1, need.bytes / max(1, need.nodes))
        largest = need.largest
        let taken = self.free.take(need, extra: extra, page: page)
        pieces = taken.extents.map(Piece.init)
        if let reserve = taken.reserve { unused.append(reserve) }
        at = pieces[0].at
        let run = NodeWriter.Run(start: at, room: min(left, pieces[0].end - at))
        runs = [run]
        pieces[0].run = 0
        buffer = .passUnretained(run.bytes)
    }

    /// Where the next `size` bytes go, and memory for them, valid until the next call.
    @inline(__always)
    mutating func place(
        _ size: Int
    ) throws(RealmError) -> (ref: Ref, bytes: UnsafeMutableRawPointer) {
        let (start, count) = (at, UInt64(size))
        guard start + count <= limit else { return try placeElsewhere(count) }
        left -= min(left, count)
        at = start + count
        return (Ref(start), buffer._withUnsafeGuaranteedRef { $0.extend(by: size) })
    }

    /// Nodes of more bytes are looked for a place of their own.
    private static let large: UInt64 = 1 << 10
    /// What is worth keeping a piece for.
    private static let rest: UInt64 = 1 << 8

    @inline(never)
    private mutating func placeElsewhere(
        _ size: UInt64
    ) throws(RealmError) -> (ref: Ref, bytes: UnsafeMutableRawPointer) {
        pieces[current].at = at
        let isApart = size > Self.large && pieces[current].end - at >= Self.rest
        let i = isApart ? largePiece(size) : smallPiece(size)
        let result = put(size, i)
        left -= min(left, size)
        if isApart, i != current { return result }
        current = i
        at = pieces[i].at
        limit = min(pieces[i].end, (at / NodeWriter.section + 1) * NodeWriter.section)
        buffer = .passUnretained(runs[pieces[i].run!].bytes)
        return result
    }

    private mutating func smallPiece(_ size: UInt64) -> Int {
        if let i = piece(size, in: current..<pieces.count) { return i }
        // Pieces were lost at the ends of extents.
        let first = take(NodeWriter.Need(bytes: left, nodes: left / mean + 1, largest: largest))
        return piece(size, in: first..<pieces.count) ?? ownPiece(size)
    }

    private mutating func largePiece(_ size: UInt64) -> Int {
        let after = max(roomy, current)
        roomy =
            piece(size, in: after..<pieces.count) ?? piece(size, in: current..<after)
            ?? ownPiece(size)
        return roomy
    }

    private func piece(_ size: UInt64, in range: Range<Int>) -> Int? {
        range.first { pieces[$0].start(for: size) != nil }
    }

    private mutating func ownPiece(_ size: UInt64) -> Int {
        take(NodeWriter.Need(bytes: 2 * size, nodes: 1, largest: size))
    }

    /// Takes more pieces; answers the first one's place.
    private mutating func take(_ need: NodeWriter.Need) -> Int {
        let first = pieces.count
        pieces += free.take(need, page: page).extents.map(Piece.init)
        return first
    }

    private mutating func put(
        _ size: UInt64, _ i: Int
    ) -> (ref: Ref, bytes: UnsafeMutableRawPointer) {
        let start = pieces[i].start(for: size)!
        if start != pieces[i].at {
            unused.append(Extent(start: pieces[i].at, count: start - pieces[i].at))
            pieces[i].run = nil
        }
        if pieces[i].run == nil {
            pieces[i].run = runs.count
            let room = min(max(left, size), pieces[i].end - start)
            runs.append(NodeWriter.Run(start: start, room: room))
        }
        pieces[i].at = start + size
        return (Ref(start), runs[pieces[i].run!].bytes.extend(by: Int(size)))
    }

    /// The free space without what was written.
    mutating func finish() -> FreeSpace {
        pieces[current].at = at
        unused += pieces.map { Extent(start: $0.at, count: $0.end - $0.at) }
        free.giveBack(unused)
        return free
    }
}
