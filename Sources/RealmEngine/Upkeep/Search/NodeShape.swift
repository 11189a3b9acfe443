/// Recognizes nodes by their first slots, without reading other nodes. Callers confirm the result
/// by reading the children.
extension NodeView {
    /// Whether this looks like the top node of a table, with 12 to 14 slots (object format 1.2).
    var looksLikeTable: Bool {
        guard TableShape.minimumCount...TableShape.count ~= count,
            TableShape.required.allSatisfy({ TableShape.roles[$0].accepts(slot($0)) }),
            slot(TableShape.unused).isNone, UInt32(exactly: slot(TableShape.key).value) != nil
        else { return false }
        let refs = [TableShape.indexes, TableShape.oppositeTables, TableShape.oppositeColumns]
        let numbers = [
            TableShape.columnCounter, TableShape.contentVersion, TableShape.nextSequenceNumber,
            TableShape.primaryKey,
        ]
        return refs.allSatisfy { !slot($0).isTagged }
            && numbers.allSatisfy { slot($0).child == nil }
    }

    /// Whether this looks like a spec: a node of six slots that describes the columns of a table
    /// (object format 1.3).
    var looksLikeSpec: Bool {
        count == SpecShape.count && slot(SpecShape.unused).isNone
            && !slot(SpecShape.enumerations).isTagged
            && SpecShape.required.allSatisfy { slot($0).child != nil }
    }

    /// Whether this looks like an inner node of a cluster tree. It then has a depth and a count in
    /// slots in which nodes of other trees have children (object format 2.2).
    var looksLikeInnerCluster: Bool {
        guard isInner, count >= InnerClusterShape.minimumCount else { return false }
        let depth = slot(InnerClusterShape.depth)
        return !slot(InnerClusterShape.offsets).isTagged && depth.isTagged
            && 1...UInt64(ClusterTree.maximumDepth) ~= depth.value
            && slot(InnerClusterShape.objects).isTagged
            && slot(InnerClusterShape.firstChild).child != nil
    }

    /// Whether this looks like a cluster leaf with columns in the slots `columns` (object format
    /// 2.1).
    func looksLikeLeaf(of columns: some Sequence<Int>) -> Bool {
        let keys = slot(ClusterLeafShape.keys)
        let maximum = UInt64(ClusterLeafShape.maximumObjectCount)
        guard keys.isTagged ? 1...maximum ~= keys.value : !keys.isNone else { return false }
        return columns.allSatisfy { $0 < count && slot($0).child != nil }
    }

    /// Whether this looks like a cluster leaf: it has a number of objects or a list of keys,
    /// followed by refs.
    func isLikeLeaf(in space: NodeSpace) -> Bool {
        let columns = ClusterLeafShape.column(0)..<max(ClusterLeafShape.column(0), count)
        guard looksLikeLeaf(of: []), columns.allSatisfy({ !slot($0).isTagged }),
            columns.contains(where: { slot($0).child != nil })
        else { return false }
        let first = slot(ClusterLeafShape.keys)
        if first.isTagged { return true }
        guard let ref = first.child, let keys = try? space.integers(ref, "object keys") else {
            return false
        }
        return keys.hasSignature && 1...ClusterLeafShape.maximumObjectCount ~= keys.count
            && keys.width >= 8
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
