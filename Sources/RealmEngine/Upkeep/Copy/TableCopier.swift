/// Copies one table and rewrites the leaves of some columns.
///
/// Integer leaves are rewritten at their smallest width; chosen string columns with few distinct
/// values become enumerated (object format 3.6).
struct TableCopier {
    /// Conversion of a column's leaves.
    enum Treatment {
        case copy
        /// Rewrites integers at the smallest sufficient width.
        case narrow
        case enumerate(DistinctValues)
    }

    private let copier: NodeCopier
    /// For each slot of a cluster leaf, the conversion of its column leaf. Leaves in slots without
    /// a conversion are copied unchanged.
    private let treatments: [Treatment]
    private let table: TableInfo
    /// Distinct values of the columns that become enumerated, by column index.
    private let enumerated: [Int: DistinctValues]

    init(_ copier: NodeCopier, _ table: TableInfo, enumerated: [Int: DistinctValues]) {
        self.copier = copier
        self.table = table
        self.enumerated = enumerated
        let last = table.columns.map(\.leafIndex).max() ?? -1
        let slots = ClusterLeafShape.count(last + 1)
        var treatments = [Treatment](repeating: .copy, count: slots)
        for (i, column) in table.columns.enumerated() {
            if let values = enumerated[i] {
                treatments[ClusterLeafShape.column(column.leafIndex)] = .enumerate(values)
            } else if Self.isPlainInteger(column) {
                treatments[ClusterLeafShape.column(column.leafIndex)] = .narrow
            }
        }
        self.treatments = treatments
    }

    /// Whether the column's leaves are plain arrays of integers.
    private static func isPlainInteger(_ column: ColumnInfo) -> Bool {
        guard column.collection == nil else { return false }
        switch column.type {
        case .int: return !column.isNullable
        case .bool, .link: return true
        default: return false
        }
    }

    /// Copies the table with its root at `ref`.
    func copy(_ ref: Ref) throws(RealmError) -> Ref {
        let top = try copier.open(ref)
        return try copier.emit(top, at: ref) { (slot, child) throws(RealmError) in
            switch slot {
            case TableShape.spec where !enumerated.isEmpty: try copySpec(child)
            case TableShape.objects: try copier.copyClusters(child, copyLeaf: copyLeaf)
            default: try copier.copy(child)
            }
        }
    }

    private func copyLeaf(_ slot: Int, _ ref: Ref) throws(RealmError) -> Ref {
        guard slot < treatments.count else { return try copier.copy(ref) }
        switch treatments[slot] {
        case .copy: return try copier.copy(ref)
        case .narrow: return try narrow(ref)
        case .enumerate(let values): return try enumerate(ref, values)
        }
    }

    private func narrow(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        let count = node.count
        guard node.flags & NodeView.formMask == 0, count <= ClusterLeafShape.maximumObjectCount
        else {
            throw copier.space.wrongShape(ref, "leaf of numbers")
        }
        // For widths below eight bits, a search for a smaller width would save too little. Nodes
        // with unexpected flags are copied unchanged.
        if node.widthCode <= 3 || node.flags & ~7 != 0 { return try copier.emit(node) }
        return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(1, count)) {
            (values) throws(RealmError) -> Ref in
            IntegerKernels.decode(node, first: 0, count: count, into: values.baseAddress!)
            let numbers = UnsafeBufferPointer(rebasing: values[..<count])
            return NodeEncoder.widthCode(numbers) == node.widthCode
                ? try copier.emit(node) : try copier.emit(numbers)
        }
    }

    private func enumerate(
        _ ref: Ref, _ values: DistinctValues
    ) throws(RealmError) -> Ref {
        _ = try copier.open(ref)
        let rows = try BytesLeaf(strings: copier.space, ref)
        var indexes: [Int64] = []
        indexes.reserveCapacity(rows.count)
        for row in 0..<rows.count { indexes.append(Int64(try values.index(rows.value(row)))) }
        return try copier.emit(indexes)
    }

    /// Copies the spec, with the distinct values of enumerated columns.
    private func copySpec(_ ref: Ref) throws(RealmError) -> Ref {
        let spec = try copier.open(ref)
        guard spec.hasRefs, spec.count > SpecShape.enumerations else {
            throw copier.space.wrongShape(ref, "spec")
        }
        var slots: [Int64] = []
        for i in 0..<spec.count {
            let slot = spec.slot(i)
            if i == SpecShape.enumerations {
                slots.append(Int64(bitPattern: try copyEnumerations(slot).raw))
            } else if let child = slot.child {
                slots.append(Int64(bitPattern: try copier.copy(child).raw))
            } else {
                slots.append(Int64(bitPattern: slot.raw))
            }
        }
        return try copier.emit(slots, flags: NodeView.hasRefsFlag | spec.flags & 0xA0)
    }

    /// Writes the array with one element for each property: the ref of the property's list of
    /// distinct values, or 0 if the property is not enumerated. Also writes the lists.
    private func copyEnumerations(_ slot: NodeSlot) throws(RealmError) -> Ref {
        var entries = [Int64](repeating: 0, count: table.columns.count)
        for (i, column) in table.columns.enumerated() {
            if let values = enumerated[i] {
                entries[i] = Int64(bitPattern: try values.emit(copier).raw)
            } else if !column.distinct.isNone {
                entries[i] = Int64(bitPattern: try copier.copy(column.distinct).raw)
            }
        }
        return try copier.emit(entries, flags: NodeView.hasRefsFlag)
    }
}
