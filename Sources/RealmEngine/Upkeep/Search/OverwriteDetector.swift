/// Detects nodes whose bytes were overwritten.
///
/// The format has no checksums, but damage usually comes in blocks of the disk, whose boundaries
/// are unrelated to nodes. An intact node is followed by another node, by free space or by the end
/// of the file; a node that was partly overwritten usually is not. If the lost block was replaced
/// by a block of another database, nodes begin inside the overwritten node. A lost block inside one
/// long node is detected in two cases: the new block contains only zeros, or it contains nodes.
struct OverwriteDetector {
    private let space: NodeSpace
    private let work: SearchWork
    /// Offsets at which free chunks begin, ascending; nil if the free list is unreadable.
    private let freeStarts: [UInt64]?
    private let ends: Set<UInt64>

    init(_ space: NodeSpace, _ work: SearchWork, top: TopArray?) {
        (self.space, self.work) = (space, work)
        let chunks = top.flatMap { try? FreeSpace.chunks(space, $0) }
        freeStarts = chunks.map { $0.map(\.start).sorted() }
        ends = [space.limit, space.limit - min(16, space.limit), top?.logicalSize ?? space.limit]
    }

    /// Whether the node at `ref` looks intact; its children are not examined.
    func isPlausible(_ ref: Ref) -> Bool {
        guard let node = try? space.node(ref) else { return false }
        return node.hasSignature && isFollowed(ref, node, isStrict: false) && !holdsNode(ref, node)
    }

    /// Whether the node at `root`, or a node below it, may cross a block boundary. A node within
    /// one block was overwritten either completely, with its signature, or not at all.
    func crossesBlock(_ root: Ref) -> Bool {
        guard let node = try? space.node(root) else { return true }
        if node.hasRefs { return true }
        let last = Int(root.raw) + node.byteSize - 1
        return Int(root.raw) / Self.block != last / Self.block
    }

    /// Returns the reason why the node at `root`, or a node below it, seems to be overwritten; nil
    /// if none does.
    ///
    /// - Parameters:
    ///     - isText: whether long nodes must contain only text.
    ///     - isStrict: used if the free list is unreadable: whether to suspect a node that is not
    ///       followed by another node. Free space may follow it.
    func doubt(_ root: Ref, isText: Bool, isStrict: Bool) -> String? {
        var open = [root]
        while let ref = open.popLast() {
            guard let node = try? space.node(ref), work.spend(node.hasRefs ? node.count : 0) else {
                continue
            }
            if !node.hasSignature { return "the node at \(ref.raw) does not begin like one" }
            if !isFollowed(ref, node, isStrict: isStrict) {
                return "what is behind the node at \(ref.raw) is no node"
            }
            if isText, node.widthType == 1 || node.byteSize > Self.block {
                guard work.spend(node.byteSize >> 3) else { continue }
                if !Self.isText(node) { return "the node at \(ref.raw) is no text" }
            } else if !isText, node.widthType != 2, holdsNode(ref, node) {
                return Self.nestedReason(ref)
            }
            if node.byteSize > Self.block, let why = overwritten(ref, node) { return why }
            guard node.hasRefs, node.width > 0 else { continue }
            for i in 0..<node.count {
                if let child = node.slot(i).child { open.append(child) }
            }
        }
        return nil
    }

    private func isFollowed(_ ref: Ref, _ node: NodeView, isStrict: Bool) -> Bool {
        let end = ref.raw + UInt64(node.byteSize)
        if ends.contains(end) || end + 8 > space.limit { return true }
        if begins(end) { return true }
        guard let freeStarts else { return !isStrict }
        let i = freeStarts.partitionPoint { $0 >= end }
        return i < freeStarts.count && freeStarts[i] == end
    }

    private static func nestedReason(_ ref: Ref) -> String {
        "a node begins inside the one at \(ref.raw)"
    }

    /// Whether the signature of another node is inside the node at `ref`.
    private func holdsNode(_ ref: Ref, _ node: NodeView) -> Bool {
        guard work.spend(node.byteSize >> 3) else { return false }
        let payload = Int(ref.raw) + NodeView.headerSize..<Int(ref.raw) + node.byteSize
        return stride(from: payload.lowerBound, to: payload.upperBound, by: 8).contains { at in
            let word = (space.base + at).load(as: UInt64.self)
            return UInt32(truncatingIfNeeded: word) == NodeScan.signature
        }
    }

    /// Whether a node begins at the offset `at`.
    private func begins(_ at: UInt64) -> Bool {
        guard (try? space.prepareIfNeeded(Ref(at), NodeView.headerSize)) != nil else {
            return false
        }
        return (space.base + Int(at)).load(as: UInt32.self) == NodeScan.signature
    }

    /// Whether a node contains only texts, either concatenated or in cells of one width (object
    /// format 3.5).
    private static func isText(_ node: NodeView) -> Bool {
        if node.hasRefs || node.widthType == 0 || node.width == 0 { return true }
        if node.widthType == 2 { return ByteView(node.payload, count: node.count).isUTF8 }
        let width = node.width
        return (0..<node.count).allSatisfy { i in
            let cell = node.payload + i * width
            let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
            guard padding < width else { return padding == width }
            let zeros = width - 1 - padding..<width - 1
            return zeros.allSatisfy { cell.load(fromByteOffset: $0, as: UInt8.self) == 0 }
        }
    }

    /// Size in bytes of the blocks that disks and file systems write as a unit.
    private static let block: Int = 4096

    /// Returns the reason why a block inside a long node seems to be overwritten; nil if none does.
    private func overwritten(_ ref: Ref, _ node: NodeView) -> String? {
        let start = (Int(ref.raw) + NodeView.headerSize + Self.block - 1) & -Self.block
        let end = (Int(ref.raw) + node.byteSize) & -Self.block
        guard work.spend((end - start) >> 3) else { return nil }
        for at in stride(from: start, to: end, by: Self.block) {
            var sum: UInt64 = 0
            for word in stride(from: at, to: at + Self.block, by: 8) {
                let bits = (space.base + word).load(as: UInt64.self)
                sum |= bits
                if UInt32(truncatingIfNeeded: bits) == NodeScan.signature {
                    return Self.nestedReason(ref)
                }
            }
            if sum == 0 { return "the node at \(ref.raw) has an empty block" }
        }
        return nil
    }
}
