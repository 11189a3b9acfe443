/// Reader for the columns of a table whose upgrade to format 10 has begun (specification of the
/// legacy formats, 10.2).
///
/// The spec of a table is a node whose children describe the columns. The upgrade replaces these
/// parts one by one: types and attributes of list columns, links and their targets, lists of
/// distinct strings. The form of a part shows whether it has been replaced.
struct UpgradingSpec {
    private let space: NodeSpace
    private let ref: Ref
    private let types: NodeView
    private let names: NodeView
    private let attributes: NodeView
    private let subspecs: NodeView?
    private let keys: NodeView?
    /// For each link or backlink column, the table at the other end and the column there. Indexed
    /// by `LegacyColumn.leafIndex`, the index of the column in cluster leaves.
    private let opposites: (tables: NodeView, columns: NodeView)?
    private var nextSubspec = 0
    private var nextKeys = 0
    /// Index of the column `!ROW_INDEX`, which contains each object's row in the B+trees that the
    /// columns had before the upgrade to clusters; nil if there is no such column.
    private let rowColumn: Int?

    /// Attribute bit that marks a list column in format 10.
    private static let list = 32

    /// - Parameter table: root of the table. It must have at least 12 slots.
    init(_ space: NodeSpace, _ table: NodeView, _ at: Ref) throws(RealmError) {
        ref = table.slot(0).ref
        self.space = space
        let node = try space.refNode(ref, slots: 3, "spec")
        types = try space.integers(node.slot(0).ref, "column types")
        names = try space.node(node.slot(1).ref)
        attributes = try space.integers(node.slot(2).ref, "column attributes")
        guard node.count <= 6, types.count < 1 << 16, attributes.count == types.count,
            UInt64(types.count) <= space.limit, !names.hasRefs,
            names.widthType == 1 || names.count == 0, names.count <= types.count
        else { throw space.wrongShape(ref, "spec") }
        func optional(_ i: Int) throws(RealmError) -> NodeView? {
            guard i < node.count, !node.slot(i).isNone else { return nil }
            return try space.refNode(node.slot(i).ref, slots: 0, "spec")
        }
        (subspecs, keys) = (try optional(3), try optional(4))
        if let tables = table.slot(7).child, let columns = table.slot(8).child {
            opposites = (
                try space.integers(tables, "opposite tables"),
                try space.integers(columns, "opposite columns")
            )
        } else {
            opposites = nil
        }
        let last = names.count - 1
        let name = last < 0 ? "" : try names.name(last, at: ref)
        rowColumn = name == UpgradedObjects.rowColumn ? last : nil
    }

    /// Reads the descriptions of all columns.
    ///
    /// - Parameter slots: number of elements of the columns array; 0 if the table has none.
    mutating func spec(slots: Int) throws(RealmError) -> LegacySpec {
        var columns: [LegacyColumn] = []
        for i in 0..<types.count { columns.append(try column(i)) }
        guard nextSubspec == subspecs?.count ?? 0 else {
            throw .corrupt("a spec with more parts than its columns need", at: ref)
        }
        try addSlots(to: &columns, slots)
        return LegacySpec(columns, slots: slots)
    }

    /// Sets the slot of each column in the columns array. If a column has a search index, the index
    /// has the next slot. The upgrade removes the slots of all indexes in one step.
    private func addSlots(to columns: inout [LegacyColumn], _ slots: Int) throws(RealmError) {
        let old = columns.indices.filter { $0 != rowColumn }
        let indexed = old.filter { columns[$0].attributes.contains(.indexed) }.count
        let hasIndexes = slots == old.count + indexed
        guard slots == 0 || hasIndexes || slots == old.count else {
            throw .corrupt("\(slots) column roots instead of \(old.count)", at: ref)
        }
        var slot = 0
        for i in old {
            columns[i].slot = slot
            slot += hasIndexes && columns[i].attributes.contains(.indexed) ? 2 : 1
        }
    }

    /// Returns the index of the leaf of column `i` in each cluster leaf. The index is computed from
    /// the order of the columns. The column key contains the index, too, but is wrong in some
    /// files. The column `!ROW_INDEX` always has the last leaf, because the upgrade added that
    /// column last.
    private func leafIndex(_ i: Int) -> Int {
        guard let rowColumn, i >= rowColumn else { return i }
        return i == rowColumn ? types.count - 1 : i - 1
    }

    private mutating func column(_ i: Int) throws(RealmError) -> LegacyColumn {
        let number = types.integer(i)
        let bits = Int(attributes.integer(i))
        // Dictionaries (64) and sets (128) are younger than format 10.
        guard bits < 64 else { throw LegacyContent.laterFormat(at: ref) }
        guard var type = LegacyType(rawValue: Int(number)), bits >= 0 else {
            throw .corrupt("column \(i) has the unknown type \(number), \(bits)", at: ref)
        }
        let isPublic = type != .backlink
        guard isPublic == (i < names.count) else {
            throw .corrupt("column \(i) and the names do not fit each other", at: ref)
        }
        let distinct = try distinctStrings(i, type)
        if !distinct.isNone { type = .enumerated }
        let isList = bits & Self.list != 0 && type != .linkList
        var column = LegacyColumn(
            type: isList ? .table : type,
            // The attributes of a list column describe the elements; the list itself has none.
            attributes: LegacyAttributes(rawValue: isList ? 0 : bits & ~Self.list),
            name: isPublic ? try names.name(i, at: ref) : "", slot: 0)
        column.keys = distinct
        column.leafIndex = leafIndex(i)
        if isList {
            guard type.isPrimitive else {
                throw .corrupt("a list of elements of type \(number)", at: ref)
            }
            column.subspec = LegacySpec(elements: type, isNullable: bits & 16 != 0)
        } else {
            try addOpposite(to: &column)
        }
        return column
    }

    /// Returns the root of the list of distinct strings of column `i`; `Ref.none` if it has none.
    /// The array with these roots has two forms, since the upgrade replaces it: first one root for
    /// each enumerated column, then one for each column except backlink columns, of which most are
    /// empty.
    private mutating func distinctStrings(
        _ i: Int, _ type: LegacyType
    ) throws(RealmError) -> Ref {
        if type == .enumerated {
            guard let keys, nextKeys < keys.count, let ref = keys.slot(nextKeys).child else {
                throw missing
            }
            nextKeys += 1
            return ref
        }
        guard type == .string, nextKeys == 0, let keys, i < keys.count else { return .none }
        return keys.slot(i).child ?? .none
    }

    // MARK: Other ends of links

    private mutating func addOpposite(to column: inout LegacyColumn) throws(RealmError) {
        switch column.type {
        case .table:
            guard let child = try next().child else { throw missing }
            column.subspec = try LegacySpec(space, child, most: Int(space.limit), depth: 1)
        case .link, .linkList:
            column.target = try subspecs == nil ? opposite(column).table : number()
        case .backlink:
            column.origin = try subspecs == nil ? opposite(column) : (number(), number())
        default: break
        }
    }

    private func opposite(
        _ column: LegacyColumn
    ) throws(RealmError) -> (table: Int, column: Int) {
        let i = column.leafIndex
        guard let opposites, i < opposites.tables.count, i < opposites.columns.count else {
            throw missing
        }
        let table = opposites.tables.integer(i)
        guard (0..<1 << 16).contains(table) else { throw missing }
        return (Int(table), Int(opposites.columns.integer(i) & 0xFFFF))
    }

    private mutating func next() throws(RealmError) -> NodeSlot {
        guard let subspecs, nextSubspec < subspecs.count else { throw missing }
        defer { nextSubspec += 1 }
        return subspecs.slot(nextSubspec)
    }

    private mutating func number() throws(RealmError) -> Int {
        let slot = try next()
        guard slot.isTagged, slot.value < 1 << 16 else { throw missing }
        return Int(slot.value)
    }

    private var missing: RealmError {
        .corrupt("a column without what its type needs in the spec", at: ref)
    }
}
