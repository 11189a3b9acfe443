/// Checks cluster trees (object format 11, invariants 8 to 13).
extension IntegrityCheck {
    /// Checks the objects and tombstones of a table, and adds its links to the sums of
    /// `LinkAccount`.
    func checkObjects(_ index: Int) {
        currentTable = index
        table = tables[index].name
        linkCount = 0
        let (root, tombstones) = (tables[index].root, tables[index].tombstones)
        let count = visitClusters(root) { leaf in checkLeaf(leaf, index, areTombstones: false) }
        tables[index].facts.objects = count
        if !tombstones.isNone {
            tables[index].facts.tombstones = visitClusters(tombstones) { leaf in
                checkLeaf(leaf, index, areTombstones: true)
            }
        }
        tables[index].facts.links = linkCount
        object = nil
        table = nil
        currentTable = nil
    }

    /// Calls `body` with the leaves of a cluster tree in key order. Returns the number of objects
    /// in the readable part of the tree.
    func visitClusters(_ root: Ref, _ body: (ClusterLeaf) -> Void) -> Int {
        visitCluster(root, Subtree(base: 0, room: nil, depth: nil, isRoot: true), body) ?? 0
    }

    /// Properties of a subtree of a cluster tree that follow from the nodes above it.
    private struct Subtree {
        /// Sum of the key offsets of all nodes above, which is added to the keys in the subtree.
        let base: UInt64
        /// Exclusive upper limit of the keys relative to `base`; nil if there is none.
        let room: UInt64?
        /// Number of levels below the subtree's root; 0 for a leaf. Nil if unknown.
        let depth: Int?
        let isRoot: Bool
    }

    private func visitCluster(
        _ ref: Ref, _ subtree: Subtree, _ body: (ClusterLeaf) -> Void
    ) -> Int? {
        let opened = reading(ref, .clusterShape) { () throws(RealmError) in
            try space.treeNode(ref, slots: ClusterLeafShape.minimumCount, "cluster")
        }
        guard let node = opened else { return nil }
        if let depth = subtree.depth, node.isInner != (depth > 0) {
            found(.clusterDepth, ref, "a cluster tree of uneven depth")
            return nil
        }
        return node.isInner
            ? visitInner(ref, node, subtree, body) : visitLeaf(ref, node, subtree, body)
    }

    private func visitLeaf(
        _ ref: Ref, _ node: NodeView, _ subtree: Subtree, _ body: (ClusterLeaf) -> Void
    ) -> Int? {
        let opened = reading(ref, .clusterShape) { () throws(RealmError) in
            try ClusterLeaf(space, ref, node: node, base: subtree.base)
        }
        guard let leaf = opened else { return nil }
        fanOut.add(leaf)
        object = nil
        if let keys = node.slot(ClusterLeafShape.keys).child {
            checkKeyWidth(keys)
            _ = reading(ref, .clusterOrder) { () throws(RealmError) in try leaf.checkOrder() }
        }
        if leaf.count == 0 {
            if !subtree.isRoot { found(.clusterEmpty, ref, "an empty cluster leaf") }
        } else if let room = subtree.room,
            UInt64(bitPattern: leaf.key(leaf.count - 1).raw) &- subtree.base >= room
        {
            found(.clusterRange, ref, "keys that belong into the next cluster")
        }
        body(leaf)
        meter?.add(leaf.count)
        return leaf.count
    }

    private func checkKeyWidth(_ ref: Ref) {
        guard let keys = try? space.node(ref), keys.width < 8 else { return }
        found(.keyWidth, ref, "an array of keys or offsets of \(keys.width) bits each")
    }

    private func visitInner(
        _ ref: Ref, _ node: NodeView, _ subtree: Subtree, _ body: (ClusterLeaf) -> Void
    ) -> Int? {
        let opened = reading(ref, .clusterShape) { () throws(RealmError) in
            try InnerCluster(space, ref, node: node, base: subtree.base)
        }
        guard let inner = opened else { return nil }
        if let depth = subtree.depth, inner.depth != depth {
            found(.clusterDepth, ref, "depth \(inner.depth) where \(depth) is due")
            return nil
        }
        if inner.childCount > InnerClusterShape.maximumChildCount {
            found(.oversizedNode, ref, "an inner cluster node of \(inner.childCount) children")
        }
        fanOut.add(inner)
        if let offsets = node.slot(InnerClusterShape.offsets).child { checkKeyWidth(offsets) }
        return visitChildren(inner, subtree, body)
    }

    /// `dynamic` keeps the compiler from specializing this function for each `body`, which would
    /// multiply its machine code.
    dynamic private func visitChildren(
        _ inner: InnerCluster, _ subtree: Subtree, _ body: (ClusterLeaf) -> Void
    ) -> Int? {
        var total: Int? = 0
        if inner.offset(0) != 0 {
            found(.clusterOrder, inner.ref, "a first child at offset \(inner.offset(0))")
        }
        for i in 0..<inner.childCount {
            let offset = inner.offset(i)
            var room = subtree.room.map { offset < $0 ? $0 - offset : 0 }
            if i + 1 < inner.childCount {
                let next = inner.offset(i + 1)
                if next <= offset {
                    found(.clusterOrder, inner.ref, "child offsets that do not ascend")
                }
                room = min(room ?? .max, next &- offset)
            }
            guard let ref = inner.node.slot(InnerClusterShape.child(i)).child else {
                found(.clusterShape, inner.ref, "an inner cluster node without child \(i)")
                total = nil
                continue
            }
            let child = Subtree(
                base: subtree.base &+ offset, room: room, depth: inner.depth - 1, isRoot: false)
            let count = visitCluster(ref, child, body)
            if let sum = total, let count { total = sum + count } else { total = nil }
        }
        if let total, total != inner.count {
            found(
                .clusterCount, inner.ref, "\(total) objects where \(inner.count) are announced")
        }
        return total
    }

    // MARK: Leaves

    private func checkLeaf(_ leaf: ClusterLeaf, _ index: Int, areTombstones: Bool) {
        let table = tables[index]
        var sum = table.keySum
        for row in 0..<leaf.count {
            let key = leaf.key(row)
            if areTombstones ? !key.isUnresolved : key.raw < 0 {
                found(.objectKey, leaf.ref, "object key \(key.raw)")
            }
            if !areTombstones { sum.add(0, UInt64(bitPattern: key.raw)) }
        }
        tables[index].keySum = sum
        checkHoles(leaf, table)
        for i in table.columns.indices {
            targets = areTombstones ? [:] : columnTargets[index][i]
            checkColumn(leaf, table.columns[i], areTombstones: areTombstones)
        }
        checkBacklinks(leaf, table, areTombstones: areTombstones)
    }

    private func checkHoles(_ leaf: ClusterLeaf, _ table: CheckedTable) {
        let count = ClusterLeafShape.leafIndex(leaf.node.count)
        if count == table.usedLeafIndexes.count, table.lastLeafIndex == count - 1 { return }
        guard spend(count) else { return }
        for i in 0..<count where !leaf.node.slot(ClusterLeafShape.column(i)).isNone {
            if !table.usedLeafIndexes.contains(i) {
                found(.clusterHole, leaf.ref, "a leaf for the unused leaf index \(i)")
            }
        }
    }

    /// Checks one column of one cluster leaf.
    func checkColumn(_ leaf: ClusterLeaf, _ info: CheckedColumn, areTombstones: Bool) {
        column = info.name
        defer {
            column = nil
            object = nil
        }
        let opened = reading(leaf.ref, .columnMissing) { () throws(RealmError) in
            try leaf.columnRef(info.key.leafIndex)
        }
        guard let ref = opened else { return }
        inTombstones = areTombstones
        if let kind = info.layout.collection {
            checkCells(leaf, ref, kind, info.layout)
        } else {
            checkValues(leaf, ref, areTombstones ? info.layout.withoutDistinct : info.layout)
        }
    }

    private func checkValues(_ leaf: ClusterLeaf, _ ref: Ref, _ layout: LeafLayout) {
        let form = checkForm(ref, layout.element, distinct: layout.distinct, isCell: true)
        guard let count = form, hasRows(count, leaf, ref) else { return }
        // Each integer is valid, and so are the strings of a leaf that `isPlainText` accepts.
        if layout.type == .int || layout.type == .string && isPlainText(ref, layout) { return }
        _ = reading(ref) { () throws(RealmError) in
            let values = try ColumnLeaf(space, ref, layout, rows: count)
            let canBeWrong = !layout.isNullable
            if layout.type.hasFixedSize, !canBeWrong { return }
            for row in 0..<count {
                let value = try values.stored(row)
                if Self.isSound(value, canBeWrong) { continue }
                object = leaf.key(row)
                checkValue(value, of: layout.element, depth: 0)
            }
        }
    }

    /// Whether all strings of the leaf are ASCII, and none is null unless null is allowed. Such
    /// strings need no further check if the leaf is well-formed. If false, each value must be
    /// checked.
    private func isPlainText(_ ref: Ref, _ layout: LeafLayout) -> Bool {
        guard layout.distinct.isNone, let node = try? space.node(ref) else { return false }
        if !node.hasRefs {
            let width = node.width
            guard ByteView(node.payload, count: node.count * width).isASCII else { return false }
            if layout.isNullable || width == 0 { return layout.isNullable }
            // The last byte of a cell that is null equals the width of a cell. Other cells store
            // the number of unused bytes there.
            for i in 1..<node.count + 1 where Int(node.byte(i * width - 1)) == width {
                return false
            }
            return true
        }
        guard !node.context, node.count == MediumBytesShape.count,
            let area = try? space.node(node.slot(MediumBytesShape.area).ref),
            let nulls = try? space.node(node.slot(MediumBytesShape.nulls).ref)
        else { return false }
        return (layout.isNullable || nulls.width == 0)
            && ByteView(area.payload, count: area.count).isASCII
    }

    /// Whether a value is valid without a check of other nodes. False for a null in a required
    /// property, for a string that is not UTF-8, and for links and collections.
    @inline(__always)
    private static func isSound(_ value: Value, _ isRequired: Bool) -> Bool {
        switch value {
        case .null: !isRequired
        case .string(let text): UTF8Sequence.isValid(text)
        case .link, .list, .set, .dictionary: false
        default: true
        }
    }

    private func hasRows(_ count: Int, _ leaf: ClusterLeaf, _ ref: Ref) -> Bool {
        if count == leaf.count { return spend(count) }
        found(.columnCount, ref, "\(count) values among \(leaf.count) objects")
        return false
    }

    private func checkCells(
        _ leaf: ClusterLeaf, _ ref: Ref, _ kind: CollectionKind, _ layout: LeafLayout
    ) {
        let opened = reading(ref, .leafShape) { () throws(RealmError) in
            try space.refNode(ref, slots: 0, "collection leaf")
        }
        guard let cells = opened, hasRows(cells.count, leaf, ref) else { return }
        for row in 0..<cells.count {
            let slot = cells.slot(row)
            if slot.isNone { continue }
            object = leaf.key(row)
            guard !slot.isTagged else {
                found(.leafShape, ref, "a number where a collection's root belongs")
                continue
            }
            if kind == .dictionary {
                checkDictionary(slot.ref, layout.element, depth: 0)
            } else {
                checkSequence(slot.ref, layout.element, isSet: kind == .set, depth: 0)
            }
        }
    }
}
