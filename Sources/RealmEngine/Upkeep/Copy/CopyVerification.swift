/// Verifies, while a compacted file is written, that it equals the original node by node.
///
/// The copier reports each node with references after it has copied the node and all nodes below
/// it. Both nodes are then read and compared: their form, their count, the bytes of every child
/// without references, and every number. Each child with references must belong to a pair that was
/// verified just before. The copy is read from the buffer from which it is written; if that buffer
/// has been reused, it is read through a mapping of the file. By induction, each verified pair is
/// the root of equal trees. `finish` requires that the children of the two roots are among the
/// verified pairs. A wrong report by the copier makes the verification fail, never succeed.
///
/// Refs of nodes and widths of numbers may differ. The verification covers the bytes passed to the
/// system or read through its page cache, but not what the disk will return later.
///
/// `copied` and `chunkEnds` are called on the copying thread; everything else is used by one thread
/// at a time.
final class CopyVerification: WriteFollower, @unchecked Sendable {
    /// A node with references in the original database, and its copy in the compacted file.
    private struct Pair {
        let source: Ref
        let copy: Ref
    }

    private let path: String
    private let descriptor: Int32
    private let mapping: Mapping
    private let sourceMemory: ReadContext
    private let copyMemory: ReadContext
    /// Read context of the mapping of the compacted file.
    private var fileMemory: ReadContext
    private let source: NodeSpace
    /// Chunks of the compacted file that were just written. Their buffers are still in memory.
    private var recent: ArraySlice<WriteBehind.Chunk> = []
    private var part: Part
    /// Pairs of nodes that the copier reported, and whose copies are in the chunk that it is
    /// filling. Used on the copying thread only.
    private var named: [Pair] = []
    /// Pairs of nodes that the copier reported and that this type has not yet verified, in the
    /// order of the reports.
    private let handedOver = LockedValue<[Pair]>([])
    private var waiting: [Pair] = []
    /// Verified pairs of nodes whose parents were not compared yet, in the order of the reports.
    /// The comparison of a parent removes its children.
    private var proven: [Pair] = []
    private var readSinceRelease = 0
    private let releaseStep: Int
    /// Buffer for the slots of a node, followed by the slots of its copy.
    private var slots: UnsafeMutablePointer<Int64>
    private var slotCapacity = 1 << 12

    private static let maximumRunSize = 1 << 15

    /// Prepares the verification of a compacted file. The copier has written nothing to it yet.
    ///
    /// - Parameters:
    ///   - snapshot: the version that is copied.
    ///   - descriptor: descriptor of the compacted file, which is empty and must be readable.
    init(
        _ snapshot: Snapshot, _ descriptor: Int32, path: String, key: EncryptionKey?,
        maxMemory: Int
    ) throws(RealmError) {
        self.path = path
        self.descriptor = descriptor
        let mapping = try Mapping(descriptor, size: 0, path: path)
        self.mapping =
            try key.map { (key) throws(RealmError) in
                try Mapping(decrypting: mapping, key, path: path)
            } ?? mapping
        let original = snapshot.lookup
        // Use separate contexts, because a node space is confined to one thread.
        sourceMemory = ReadContext(original)
        copyMemory = ReadContext(base: self.mapping.base, limit: 0)
        fileMemory = ReadContext(self.mapping, limit: 0)
        source = sourceMemory.lookup
        part = Part(fileMemory)
        releaseStep = max(1 << 20, maxMemory / 4)
        slots = .allocate(capacity: slotCapacity)
    }

    deinit { slots.deallocate() }

    // MARK: The copier's side

    /// Reports that the node at `source` was copied to `copy`. All nodes below it must have been
    /// reported before.
    @inline(__always)
    func copied(_ source: Ref, _ copy: Ref) { named.append(Pair(source: source, copy: copy)) }

    func chunkEnds() {
        if named.isEmpty { return }
        handedOver.withLock { $0 += named }
        named.removeAll(keepingCapacity: true)
    }

    // MARK: The follower's side

    func follow(_ chunks: ArraySlice<WriteBehind.Chunk>) throws(RealmError) {
        guard let last = chunks.last else { return }
        recent = chunks
        part = Part(last, copyMemory.lookup.state)
        waiting += handedOver.withLock { pairs in
            defer { pairs.removeAll(keepingCapacity: true) }
            return pairs
        }
        var next = 0
        // `waiting` may already contain pairs whose copies are in chunks that are not written yet.
        // These pairs remain in it.
        while next < waiting.count, waiting[next].copy.raw < last.end {
            try prove(waiting[next])
            next += 1
        }
        waiting.removeFirst(next)
        recent = []
    }

    /// A contiguous range of bytes of the compacted file in memory: a chunk whose buffer still
    /// exists, or the mapping of the file. Each node is completely within one part.
    private struct Part {
        let start: UInt64
        let space: NodeSpace

        init(_ chunk: WriteBehind.Chunk, _ state: UnsafeMutablePointer<ReadState>) {
            start = chunk.start
            space = NodeSpace(
                base: UnsafeRawPointer(chunk.bytes) - Int(chunk.start), limit: chunk.end,
                state: state)
        }

        /// Makes a part for the bytes that are already in the compacted file. They are read through
        /// the mapping of this file.
        init(_ memory: ReadContext) {
            start = 0
            space = memory.lookup
        }
    }

    /// Sets `part` to the bytes that contain `ref`, the ref of a copied node: to a chunk that is
    /// still in memory, or to the mapping of the compacted file.
    @inline(__always)
    private func find(_ ref: Ref) throws(RealmError) {
        if ref.raw < part.start || ref.raw >= part.space.limit { try change(to: ref) }
    }

    @inline(never)
    private func change(to ref: Ref) throws(RealmError) {
        if let chunk = recent.last(where: { $0.start <= ref.raw }) {
            part = Part(chunk, copyMemory.lookup.state)
        } else {
            try changeToFile(upTo: recent.first?.start ?? UInt64(mapping.mapped))
        }
    }

    private func changeToFile(upTo end: UInt64) throws(RealmError) {
        try mapping.extend(descriptor, to: Int(end), path: path)
        fileMemory = ReadContext(mapping, limit: end)
        part = Part(fileMemory)
    }

    private func copiedNode(_ ref: Ref) throws(RealmError) -> NodeView {
        try find(ref)
        return try part.space.node(ref)
    }

    private func prove(_ pair: Pair) throws(RealmError) {
        let (a, b) = (try source.node(pair.source), try copiedNode(pair.copy))
        guard a.hasRefs, Self.areAlike(a, b) else { throw difference(pair.source) }
        account(b)
        if a.width == 0, b.width == 0, a.count == b.count {
            proven.append(pair)
            return
        }
        let count = a.count
        if 2 * count > slotCapacity { makeRoom(count) }
        IntegerKernels.decode(a, first: 0, count: count, into: slots)
        IntegerKernels.decode(b, first: 0, count: count, into: slots + count)
        var run = Run()
        // Visit the slots backwards: children with references were verified in the order of their
        // slots, so the last child is the last element of `proven`.
        var i = count
        while i > 0 {
            i &-= 1
            let left = NodeSlot(raw: UInt64(bitPattern: slots[i]))
            let right = NodeSlot(raw: UInt64(bitPattern: slots[count &+ i]))
            if let child = left.child, let copied = right.child {
                try proveChild(child, copied, &run)
            } else if left.raw != right.raw {
                throw difference(pair.source)
            }
        }
        try finish(run)
        proven.append(pair)
    }

    /// A sequence of adjacent nodes without references, which are compared in one step. Their
    /// copies are adjacent in the compacted file, too. A node is added in front of the sequence if
    /// it ends where the sequence begins.
    private struct Run {
        var source = Ref.none
        var copy = Ref.none
        var size = 0
        /// Offset at which the `Part` that contains the copies begins. A `Part` is a contiguous
        /// range of bytes of the compacted file.
        var floor: UInt64 = 0
    }

    @inline(__always)
    private func proveChild(
        _ child: Ref, _ copied: Ref, _ run: inout Run
    ) throws(RealmError) {
        let a = try source.node(child)
        if a.hasRefs {
            guard let last = proven.popLast(), last.source == child, last.copy == copied else {
                throw difference(child)
            }
            return
        }
        let size = a.byteSize
        if child.raw &+ UInt64(size) != run.source.raw
            || copied.raw &+ UInt64(size) != run.copy.raw || copied.raw < run.floor
            || run.size > Self.maximumRunSize
        {
            try finish(run)
            try find(copied)
            run = Run(floor: part.start)
        }
        run.source = child
        run.copy = copied
        run.size &+= size
    }

    /// Compares the adjacent nodes in `run` with their copies. If the bytes of all nodes and copies
    /// are equal, as usual, one comparison suffices. Otherwise compares node by node, because the
    /// headers may differ.
    private func finish(_ run: Run) throws(RealmError) {
        if run.size == 0 { return }
        readSinceRelease &+= run.size
        if readSinceRelease > releaseStep { release() }
        try find(run.copy)
        let whole = source.base + Int(run.source.raw)
        try part.space.prepareIfNeeded(run.copy, run.size)
        let (base, limit) = (part.space.base, part.space.limit)
        if run.copy.raw <= limit, UInt64(run.size) <= limit - run.copy.raw,
            ByteView(whole, count: run.size)
                == ByteView(base + Int(run.copy.raw), count: run.size)
        {
            return
        }
        var position: UInt64 = 0
        while position < UInt64(run.size) {
            let child = Ref(run.source.raw + position)
            let (a, b) = (try source.node(child), try copiedNode(Ref(run.copy.raw + position)))
            guard Self.areAlike(a, b), Self.isSame(a, b) else { throw difference(child) }
            position += UInt64(a.byteSize)
        }
    }

    @inline(__always)
    private static func areAlike(_ a: NodeView, _ b: NodeView) -> Bool {
        a.count == b.count && a.flags & 0xF8 == b.flags & 0xF8
    }

    /// Whether two nodes without references, which have the same kind and count, have equal
    /// elements.
    private static func isSame(_ a: NodeView, _ b: NodeView) -> Bool {
        if a.flags == b.flags {
            // Compare the unused bits after the last element, too: they are arbitrary, but are
            // copied with the node.
            let size = NodeView.payloadSize(flags: a.flags, count: a.count)
            return ByteView(a.payload, count: size) == ByteView(b.payload, count: size)
        }
        guard a.widthType == 0 else { return false }
        for i in 0..<a.count where a.integer(i) != b.integer(i) { return false }
        return true
    }

    private func account(_ node: NodeView) {
        readSinceRelease &+= node.byteSize
        if readSinceRelease > releaseStep { release() }
    }

    /// Releases mapped pages of the compacted file. The copier releases pages of the original.
    private func release() {
        readSinceRelease = 0
        mapping.releasePages()
    }

    private func makeRoom(_ count: Int) {
        slots.deallocate()
        slotCapacity = 2 * count
        slots = .allocate(capacity: slotCapacity)
    }

    // MARK: Final comparison

    /// Compares the root of the original with the root of the compacted file. Call it after all
    /// `size` bytes are in the file.
    func finish(
        _ state: VersionState, size: Int, hasHistory: Bool
    ) throws(RealmError) {
        try changeToFile(upTo: UInt64(size))
        try mapping.prepare(0, RawHeader.size)
        try mapping.prepare(size - FileHeader.footerSize, FileHeader.footerSize)
        let header = try FileHeader(base: mapping.base, size: size)
        guard let top = state.top else {
            if header.top.isNone, proven.isEmpty { return }
            throw difference(.none)
        }
        let copied = try TopArray(part.space, header.top, fileSize: size)
        guard header.format == state.format, copied.version == top.version,
            copied.historyType == top.historyType, copied.historySchema == top.historySchema,
            copied.logicalSize <= UInt64(size), hasHistory != copied.history.isNone
        else { throw difference(top.ref) }
        var run = Run()
        if hasHistory { try proveChild(top.history, copied.history, &run) }
        try proveChild(top.tables, copied.tables, &run)
        try proveChild(top.names, copied.names, &run)
        try finish(run)
        guard proven.isEmpty, waiting.isEmpty else { throw difference(top.ref) }
    }

    private func difference(_ ref: Ref) -> RealmError {
        RealmError(
            .internal, code: "RuntimeError", reason: "verification",
            "the result is not the same as the original (node at \(ref.raw)); nothing was replaced",
            file: path, hint: "please report this with the file")
    }
}
