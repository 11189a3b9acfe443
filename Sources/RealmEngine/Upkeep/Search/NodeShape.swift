/// Recognizes nodes by the form of their first slots, without reading other nodes. Callers verify
/// the result by reading the children.
extension NodeView {
    /// Whether this looks like the top node of a table, with 12 to 14 slots (object format 1.2).
    var looksLikeTable: Bool {
        guard 12...14 ~= count, slot(0).child != nil, slot(1).isNone, slot(2).child != nil,
            slot(3).isTagged, UInt32(exactly: slot(3).value) != nil
        else { return false }
        return [4, 7, 8].allSatisfy { !slot($0).isTagged }
            && [5, 6, 9, 11].allSatisfy { slot($0).child == nil }
    }

    /// Whether this looks like a spec: the six slots of a table's columns (object format 1.3).
    var looksLikeSpec: Bool {
        count == 6 && slot(3).isNone && !slot(4).isTagged
            && [0, 1, 2, 5].allSatisfy { slot($0).child != nil }
    }

    /// Whether this looks like an inner node of a cluster tree: it has a depth and a count in slots
    /// where nodes of other trees have children (object format 2.2).
    var looksLikeInnerCluster: Bool {
        isInner && count > 3 && !slot(0).isTagged && slot(1).isTagged
            && 1...UInt64(ClusterTree.maximumDepth) ~= slot(1).value && slot(2).isTagged
            && slot(3).child != nil
    }

    /// Whether this looks like a cluster leaf with columns in the slots `columns` (object format
    /// 2.1).
    func looksLikeLeaf(of columns: some Sequence<Int>) -> Bool {
        let first = slot(0)
        guard first.isTagged ? 1...UInt64(ClusterLeaf.maximumCount) ~= first.value : !first.isNone
        else { return false }
        return columns.allSatisfy { $0 < count && slot($0).child != nil }
    }

    /// Whether this looks like a cluster leaf: it has a number of objects or a list of keys,
    /// followed by refs.
    func isLikeLeaf(in space: NodeSpace) -> Bool {
        guard looksLikeLeaf(of: []), (1..<count).allSatisfy({ !slot($0).isTagged }),
            (1..<count).contains(where: { slot($0).child != nil })
        else { return false }
        if slot(0).isTagged { return true }
        guard let ref = slot(0).child, let keys = try? space.integers(ref, "object keys") else {
            return false
        }
        return keys.hasSignature && 1...ClusterLeaf.maximumCount ~= keys.count && keys.width >= 8
    }

    /// Whether this looks like a list of table names: one of the first names has the prefix of
    /// classes.
    var looksLikeTableNames: Bool {
        guard widthType == 1, !hasRefs, width >= 8, 1..<1 << 16 ~= count else { return false }
        return (0..<min(8, count)).contains { i in
            let cell = ByteView(payload + i * width, count: min(width, 8))
            return cell.string.hasPrefix(TableInfo.classPrefix)
        }
    }
}
