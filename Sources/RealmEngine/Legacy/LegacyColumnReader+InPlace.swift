/// Reading of leaves whose elements are stored as in the current format. For a vector, a range of
/// at most 256 rows, a part of such a leaf is used as a node without a copy.
extension LegacyColumnReader {
    /// Returns the values of `rows` without copying them. Nil if the rows are in several leaves, or
    /// in a leaf whose form only old formats have.
    func inPlace(_ rows: Range<Int>) throws(RealmError) -> NodeView? {
        if rows.isEmpty || !hasSameForm { return nil }
        let leaf = try tree().leaf(with: rows.lowerBound)
        guard leaf.end >= rows.upperBound else { return nil }
        if column.type == .int, column.isNullable {
            // The null marker is directly before the first element of a leaf, so only a vector at
            // the start of the leaf can be used.
            guard rows.lowerBound == leaf.start else { return nil }
            return NodeView(
                payload: leaf.node.payload, count: rows.count + 1, flags: leaf.node.flags)
        }
        let node = leaf.node
        let bits = (rows.lowerBound - leaf.start) * node.width * (node.widthType == 1 ? 8 : 1)
        // Kernels read words of 64 bits, so the vector must begin at a multiple of 64 bits.
        guard bits & 63 == 0 else { return nil }
        let part = NodeView(
            payload: node.payload + bits / 8, count: rows.count, flags: node.flags)
        return try isSound(part, leaf) ? part : nil
    }

    private var hasSameForm: Bool {
        switch column.type {
        case .int, .float, .double, .enumerated, .link, .string, .binary, .linkList: true
        case .bool: !column.isNullable
        default: false
        }
    }

    /// Checks values that readers of the current format do not check: bools, links, enumerated
    /// strings, texts. Returns false if the leaf cannot be read as a leaf of the current format, so
    /// that its values must be copied.
    private func isSound(
        _ part: NodeView, _ leaf: LegacyLeaf
    ) throws(RealmError) -> Bool {
        switch column.type {
        case .bool: try check(part, below: 2, "a bool", leaf)
        case .enumerated: try check(part, below: try valueEnd()!, "an enumerated string", leaf)
        // 0 means no link, so the highest value is the number of target rows.
        case .link: try check(part, below: targets + 1, "a link", leaf)
        case .string: return try isSoundText(part, leaf)
        case .binary: return part.context && (column.isNullable || !hasZero(part))
        default: break
        }
        return true
    }

    private func check(
        _ part: NodeView, below end: Int, _ what: String, _ leaf: LegacyLeaf
    ) throws(RealmError) {
        for i in 0..<part.count where UInt64(bitPattern: part.integer(i)) >= UInt64(end) {
            throw .corrupt("\(what) of \(part.integer(i)) in row \(i)", at: leaf.ref)
        }
    }

    /// Whether a leaf of strings can be read as a leaf of the current format, without a copy. It
    /// must have one blob per value, or short strings, and no null if the column is required.
    private func isSoundText(
        _ part: NodeView, _ leaf: LegacyLeaf
    ) throws(RealmError) -> Bool {
        if part.hasRefs { return part.context && (column.isNullable || !hasZero(part)) }
        let width = part.width
        if width == 0 { return column.isNullable }
        for i in 0..<part.count {
            let padding = Int(part.byte(i * width + width - 1))
            guard padding <= width else {
                throw .corrupt("a short string longer than its cell", at: leaf.ref)
            }
            if padding == width, !column.isNullable { return false }
        }
        return true
    }

    private func hasZero(_ part: NodeView) -> Bool {
        (0..<part.count).contains { part.integer($0) == 0 }
    }
}
