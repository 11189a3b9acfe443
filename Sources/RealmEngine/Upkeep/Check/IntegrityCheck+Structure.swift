/// Reachability: every node must be referenced exactly once, complete, aligned and inside the
/// version (storage format 9.1, points 4 to 7).
extension IntegrityCheck {
    private struct Frame {
        let node: NodeView
        let ref: Ref
        var next = 0
    }

    private static let section: UInt64 = 1 << 26

    /// Walks all nodes reachable from the root. The stack is explicit, because a chain of nodes can
    /// be as deep as the file is long.
    func checkStructure() {
        var stack: [Frame] = []
        if let node = enter(topRef) { stack.append(Frame(node: node, ref: topRef)) }
        while var frame = stack.popLast() {
            let node = frame.node
            var child: Ref?
            while frame.next < node.count, child == nil {
                child = node.slot(frame.next).child
                frame.next += 1
            }
            guard let ref = child else { continue }
            meter?.set(Int(truncatingIfNeeded: walkedBytes))
            releaser?.step()
            if stack.count == 1, stack[0].next == 2 {
                openTableSlot(frame.next - 1, of: node.count)
            } else if stack.isEmpty {
                tableSlot = nil
            }
            stack.append(frame)
            if let child = enter(ref) { stack.append(Frame(node: child, ref: ref)) }
        }
        tableSlot = nil
    }

    /// Marks in `starts` the header of each of the first `count` visited nodes. Called when two
    /// nodes overlap for the first time: until then, the nodes formed a tree, and their offsets
    /// were not recorded.
    private func findStarts(_ count: Int) {
        var left = count
        var stack: [Frame] = []
        func enter(_ ref: Ref) {
            guard left > 0, ref.raw & 7 == 0, ref.raw >= RawHeader.end,
                let node = try? memory.lookup.node(ref)
            else { return }
            left -= 1
            _ = starts.mark(ref.raw, ref.raw + 8)
            if node.hasRefs, node.width >= 2 { stack.append(Frame(node: node, ref: ref)) }
        }
        enter(topRef)
        while left > 0, var frame = stack.popLast() {
            let node = frame.node
            var child: Ref?
            while frame.next < node.count, child == nil {
                child = node.slot(frame.next).child
                frame.next += 1
            }
            guard let child else { continue }
            stack.append(frame)
            enter(child)
        }
    }

    private func openTableSlot(_ slot: Int, of count: Int) {
        guard count < 1 << 16 else { return }
        if usage.count < count {
            usage += Array(repeating: (0, 0), count: count - usage.count)
        }
        tableSlot = slot
    }

    /// Checks the node at `ref`. Returns the node if it has children to visit; otherwise nil.
    private func enter(_ ref: Ref) -> NodeView? {
        let at = ref.raw
        guard at & 7 == 0 else {
            found(.refMisaligned, ref, "a reference of \(at), no multiple of 8")
            return nil
        }
        guard at >= RawHeader.end, at < limit, limit - at >= 8 else {
            found(.refOutsideFile, ref, "a reference of \(at) in a version of \(limit) bytes")
            return nil
        }
        let isThere: Void? = reading(ref) { () throws(RealmError) in
            try space.prepareIfNeeded(ref)
        }
        if isThere == nil { return nil }
        let header = (base + Int(at)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        let count = Int((header >> 40).byteSwapped >> 40)
        let node = NodeView(payload: base + Int(at) + 8, count: count, flags: flags)
        // If the form in the header is unknown, the size of the node is unknown, too.
        let isKnown = node.widthType != 3 && (!node.hasRefs || node.widthType == 0)
        let size = isKnown ? UInt64(node.byteSize) : 8
        guard size <= limit - at else {
            found(.nodeOutsideFile, ref, "a node of \(size) bytes leaves the version")
            return nil
        }
        checkSignature(header, ref)
        checkExtent(ref, size)
        walkedBytes &+= size
        if isWalkedOften {
            found(.nodeOverlap, ref, "a node that may overlap others: too many do to look at all")
            return nil
        }
        if !live.mark(at, at + size) {
            if isTree { findStarts(report.facts.nodes) }
            isTree = false
            if starts.isMarked(at) {
                found(.nodeShared, ref, "a node that is reached twice")
                return nil
            }
            found(.nodeOverlap, ref, "a node that overlaps another")
        }
        if !isTree { _ = starts.mark(at, at + 8) }
        report.facts.nodes += 1
        report.facts.liveBytes += size
        if let slot = tableSlot, slot < usage.count {
            usage[slot].nodes += 1
            usage[slot].bytes += size
        }
        return checkFlags(ref, node)
    }

    /// Checks the signature of a node. Old writers stored arbitrary bytes in place of a signature,
    /// but never all zeros. Zeros are an error, because a header of zeros is read as an empty node.
    private func checkSignature(_ header: UInt64, _ ref: Ref) {
        if isLegacy { return }
        if header == 0 { return found(.nodeFlags, ref, "zeros where a node begins") }
        if UInt32(truncatingIfNeeded: header) != NodeScan.signature {
            hasUnsignedNodes = true
            found(.signature, ref, "a node without its signature")
        }
    }

    /// Whether overlapping nodes were visited too often. Malformed nodes can overlap so that each
    /// byte belongs to very many of them; nodes of a tree are visited only once.
    private var isWalkedOften: Bool { walkedBytes / 16 > limit }

    private func checkExtent(_ ref: Ref, _ size: UInt64) {
        if size >= Self.section { found(.nodeTooLarge, ref, "a node of \(size) bytes") }
        let last = ref.raw + size - 1
        if !isStreamed, ref.raw / Self.section != last / Self.section {
            found(.sectionStraddled, ref, "a node across a boundary of 64 MiB")
        }
    }

    /// Checks the flags of a node. Returns the node if it contains references; otherwise nil.
    private func checkFlags(_ ref: Ref, _ node: NodeView) -> NodeView? {
        if node.widthType == 3 {
            found(.nodeFlags, ref, "a node of the unknown width type 3")
            return nil
        }
        if node.isInner, !node.hasRefs {
            found(.nodeFlags, ref, "an inner node without references")
            return nil
        }
        guard node.hasRefs else { return nil }
        guard node.widthType == 0 else {
            found(.nodeFlags, ref, "references of width type \(node.widthType)")
            return nil
        }
        // An element of one bit is 0 or a number, never a reference.
        return node.width < 2 ? nil : node
    }
}
