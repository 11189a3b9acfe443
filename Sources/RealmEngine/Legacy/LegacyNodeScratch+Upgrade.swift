/// Nodes for tables whose objects an interrupted upgrade to format 10 has moved to clusters.
extension LegacyNodeScratch {
    /// Opens a cluster leaf of the file.
    func clusterLeaf(_ ref: Ref) throws(RealmError) -> ClusterLeaf {
        try ClusterLeaf(space, ref, node: space.node(ref), base: 0)
    }

    /// Returns the first slot of a cluster leaf. It is the number of objects if their keys are
    /// consecutive and begin at `base`; otherwise a ref to the keys minus `base`.
    func keys(_ keys: ArraySlice<Int64>, base: Int64) throws(RealmError) -> UInt64 {
        if keys.first == base, keys.last == base + Int64(keys.count - 1) {
            return NodeEncoder.tag(keys.count)
        }
        return try encoder.unsigned(keys.map { UInt64($0 - base) }).raw
    }

    /// Creates a leaf with the values of `objects`, in the order of their keys. Reads them from a
    /// column that still has its B+tree from before the upgrade to clusters. Links, which are rows
    /// in that tree, are converted to object keys.
    func upgraded(
        _ reader: LegacyColumnReader, _ objects: Range<Int>, of table: LegacyTable,
        to target: LegacyTable?
    ) throws(RealmError) -> NodeView {
        let cells = try values(reader, objects, of: table)
        if let elements = reader.column.elements { return try lists(cells, elements) }
        guard let target, !target.keysAreRows else { return try node(cells) }
        for i in 0..<objects.count {
            let word = cells.words[i]
            if reader.column.type == .link {
                guard word != LeafCells.noLink else { continue }
                cells.words[i] = target.key(try target.index(ofRow: word, from: reader.root))
            } else if word != 0 {
                let list = try links(Ref(UInt64(bitPattern: word)), to: target)
                cells.words[i] = Int64(bitPattern: list.raw)
            }
        }
        return try node(cells)
    }

    private func values(
        _ reader: LegacyColumnReader, _ objects: Range<Int>, of table: LegacyTable
    ) throws(RealmError) -> LeafCells {
        let isSlots = reader.column.type == .table || reader.column.type == .linkList
        func read(_ rows: Range<Int>) throws(RealmError) -> LeafCells {
            isSlots ? try reader.slots(rows) : try reader.cells(rows)
        }
        if table.keysAreRows { return try read(objects) }
        let cells = LeafCells(reader.layout, capacity: objects.count)
        for (i, object) in objects.enumerated() {
            let row = table.row(object)
            cells.copy(try read(row..<row + 1), from: 0, count: 1, to: i)
        }
        return cells
    }

    /// Copies a list of links, and converts the links to the keys of their targets.
    private func links(_ list: Ref, to target: LegacyTable) throws(RealmError) -> Ref {
        let rows = LegacyColumnReader(
            space, LegacyColumn(type: .int, attributes: [], name: "", slot: 0), list)
        let count = try rows.count()
        if count == 0 { return .none }
        return try copy(rows, count) { (cells) throws(RealmError) in
            for i in 0..<cells.capacity {
                cells.words[i] = target.key(try target.index(ofRow: cells.words[i], from: list))
            }
        }
    }
}
