/// Writes a table's top array and spec (object format 1.2, 1.3).
struct TableTopWriter {
    let table: TableEditor
    let trees: TableTrees
    let indexRoots: [Int: Ref]
    /// Refs of the base version's spec, and of its arrays of link targets, to be used again; nil if
    /// they must be written.
    let oldSpec: Ref?
    let oldTargets: (tables: Ref, columns: Ref)?

    private var encoder: NodeEncoder { table.context.encoder }

    func write() throws(RealmError) -> Ref {
        let opposites: (tables: Ref, columns: Ref)
        if let oldTargets { opposites = oldTargets } else { opposites = try self.opposites() }
        let spec: Ref
        if let oldSpec { spec = oldSpec } else { spec = try self.spec() }
        var slots = [UInt64](repeating: 0, count: TableShape.count)
        slots[TableShape.spec] = spec.raw
        slots[TableShape.objects] = trees.objects.root.raw
        slots[TableShape.key] = NodeEncoder.tag(UInt64(table.key.raw))
        slots[TableShape.indexes] = try indexes().raw
        slots[TableShape.columnCounter] = NodeEncoder.tag(table.counters.columnCounter)
        slots[TableShape.contentVersion] = NodeEncoder.tag(table.counters.contentVersion)
        slots[TableShape.oppositeTables] = opposites.tables.raw
        slots[TableShape.oppositeColumns] = opposites.columns.raw
        let next = table.counters.nextSequenceNumber
        slots[TableShape.nextSequenceNumber] = next == 0 ? 0 : NodeEncoder.tag(next)
        slots[TableShape.collisions] = trees.collisions.raw
        slots[TableShape.primaryKey] =
            table.primaryKey.map { NodeEncoder.tag(UInt64(bitPattern: $0.raw)) } ?? 0
        slots[TableShape.kind] = NodeEncoder.tag(table.kind.rawValue)
        slots[TableShape.tombstones] = trees.tombstones.root.raw
        return try encoder.refs(slots)
    }

    /// Writes the array with the roots of the search indexes. It has one element for each column
    /// position in a cluster leaf (leaf index); 0 for a column without index.
    private func indexes() throws(RealmError) -> Ref {
        var slots = [UInt64](repeating: 0, count: table.leafIndexCount)
        for (leafIndex, root) in indexRoots { slots[leafIndex] = root.raw }
        return try encoder.refs(slots)
    }

    private func opposites() throws(RealmError) -> (tables: Ref, columns: Ref) {
        let count = table.leafIndexCount
        var tables = [Int64](repeating: Int64(TableKey.none.raw), count: count)
        var columns = [Int64](repeating: ColumnKey.none.raw, count: count)
        for column in table.columns where column.type == .link {
            tables[column.leafIndex] = Int64(column.target.raw)
            columns[column.leafIndex] = column.targetColumn.raw
        }
        for backlink in table.backlinks {
            tables[backlink.leafIndex] = Int64(backlink.origin.raw)
            columns[backlink.leafIndex] = backlink.originColumn.raw
        }
        return (try encoder.integers(tables), try encoder.integers(columns))
    }

    private func spec() throws(RealmError) -> Ref {
        var types: [Int64] = []
        var attributes: [Int64] = []
        var keys: [Int64] = []
        for column in table.columns {
            let keyType: Int64 =
                column.collection == .dictionary && !column.hasIntegerKeys ? 2 << 16 : 0
            types.append(Int64(column.key.typeNumber) | keyType)
            var bits = column.key.attributes
            if column.isIndexed { bits.insert(.indexed) }
            if column.index == .fullText { bits.insert(.fullText) }
            attributes.append(Int64(bits.rawValue))
            keys.append(column.key.raw)
        }
        for backlink in table.backlinks {
            types.append(Int64(ColumnType.backlink.rawValue))
            attributes.append(0)
            keys.append(backlink.key.raw)
        }
        let distinct = table.columns.map(\.distinct.raw)
        var slots = [UInt64](repeating: 0, count: SpecShape.count)
        slots[SpecShape.types] = try encoder.integers(types).raw
        slots[SpecShape.names] = try encoder.names(table.columns.map(\.name)).raw
        slots[SpecShape.attributes] = try encoder.integers(attributes).raw
        if distinct.contains(where: { $0 != 0 }) {
            slots[SpecShape.enumerations] = try encoder.refs(distinct).raw
        }
        slots[SpecShape.keys] = try encoder.integers(keys).raw
        return try encoder.refs(slots)
    }
}

extension NodeEncoder {
    /// Writes a list of names in cells of fixed width; a name is never null (storage format 2.6).
    func names(_ names: [String]) throws(RealmError) -> Ref {
        let longest = names.map(\.utf8.count).max() ?? 0
        guard longest <= 63 else {
            throw .misuse(
                "a name of \(longest) bytes exceeds the format's 63", code: "InvalidName",
                reason: "name-too-long")
        }
        var code: UInt8 = 0
        if longest > 0 || !names.isEmpty {
            code = 1
            while (1 << Int(code)) >> 1 < longest + 1 { code += 1 }
        }
        let width = (1 << Int(code)) >> 1
        let (ref, payload) = try slab.node(flags: NodeView.bytesFlag | code, count: names.count)
        if width > 0 {
            payload.initializeMemory(as: UInt8.self, repeating: 0, count: names.count * width)
        }
        for (i, name) in names.enumerated() {
            var name = name
            name.withUTF8 { bytes in
                let cell = payload + i * width
                if let base = bytes.baseAddress {
                    cell.copyMemory(from: base, byteCount: bytes.count)
                }
                cell.storeBytes(
                    of: UInt8(width - 1 - bytes.count), toByteOffset: width - 1, as: UInt8.self)
            }
        }
        return ref
    }
}
