/// Description of a column in a file of formats 2 to 9. The descriptions of all columns of a table
/// are its spec (legacy format 3.2, 3.3).
struct LegacyColumn {
    let type: LegacyType
    let attributes: LegacyAttributes
    /// Name of the property; empty for a backlink column.
    let name: String
    /// Slot of the column's root in the columns array, the array with the roots of the table's
    /// columns. If the column has a search index, the root of the index is in the next slot.
    var slot: Int
    /// Index of the column's leaf in the cluster leaves of a table whose upgrade has begun.
    var leafIndex = 0
    /// Index of the target table; nil if the column is no link.
    var target: Int?
    /// Table and column of the links; nil if the column is no backlink column.
    var origin: (table: Int, column: Int)?
    /// Columns of the nested tables. Nil unless each value of the column is a table, as values of
    /// list columns and subtable columns are in these formats.
    var subspec: LegacySpec?
    /// Root of the column of distinct strings, if the column is enumerated.
    var keys = Ref.none

    var isNullable: Bool { attributes.contains(.nullable) }

    /// Describes the list of distinct strings of this enumerated column as a column of strings. The
    /// root of the list is `keys`.
    var distinctStrings: LegacyColumn {
        LegacyColumn(type: .string, attributes: attributes, name: "", slot: 0)
    }

    /// The elements of the column if it is a list of primitives; nil for other columns.
    var elements: LegacyColumn? {
        guard let spec = subspec, spec.columns.count == 1, spec.columns[0].type.isPrimitive else {
            return nil
        }
        return spec.columns[0]
    }
}

/// The columns of a table. For a column whose values are tables, the columns that all of these
/// tables have in common.
final class LegacySpec: Sendable {
    let columns: [LegacyColumn]
    /// Number of elements of the columns array: the array in the file with the roots of the table's
    /// columns and of their search indexes.
    let slots: Int

    private static let maximumDepth = 32

    /// A spec without columns.
    static let empty = LegacySpec()

    init(_ columns: [LegacyColumn] = [], slots: Int = 0) {
        (self.columns, self.slots) = (columns, slots)
    }

    /// Makes the spec of the nested tables of a list column: one column with the elements, which
    /// are primitives.
    convenience init(elements type: LegacyType, isNullable: Bool) {
        let elements = LegacyColumn(
            type: type, attributes: isNullable ? .nullable : [], name: "", slot: 0)
        self.init([elements], slots: 1)
    }

    /// Reads the spec at `ref`.
    ///
    /// - Parameter most: maximum number of elements of the columns array. Without this limit, a
    ///   spec of a few bytes could declare millions of columns.
    init(_ space: NodeSpace, _ ref: Ref, most: Int, depth: Int = 0) throws(RealmError) {
        guard depth < Self.maximumDepth else {
            throw .corrupt("tables nested deeper than \(Self.maximumDepth) levels", at: ref)
        }
        var reader = try Reader(space, ref, most: most, depth: depth)
        var columns: [LegacyColumn] = []
        columns.reserveCapacity(reader.types.count)
        for i in 0..<reader.types.count { columns.append(try reader.column(i)) }
        try reader.checkEnd(columns)
        self.columns = columns
        slots = reader.slot
    }

    /// Reads the columns of a spec one after the other. A spec consists of arrays, one for each
    /// attribute of the columns, such as the names. Some arrays only have elements for columns of
    /// certain types; the index of the next element is counted separately for each of those arrays.
    private struct Reader {
        let space: NodeSpace
        let ref: Ref
        let depth: Int
        let types: NodeView
        private let names: NodeView
        private let attributes: NodeView
        private let subspecs: NodeView?
        private let keys: NodeView?
        private var nextSubspec = 0
        private var nextKeys = 0
        private(set) var slot = 0
        private var hasBacklinks = false

        init(_ space: NodeSpace, _ ref: Ref, most: Int, depth: Int) throws(RealmError) {
            (self.space, self.ref, self.depth) = (space, ref, depth)
            let node = try space.refNode(ref, slots: SpecShape.minimumLegacyCount, "spec")
            guard node.count <= SpecShape.maximumLegacyCount else {
                throw space.wrongShape(ref, "spec")
            }
            types = try space.integers(node.slot(SpecShape.types).ref, "column types")
            names = try space.node(node.slot(SpecShape.names).ref)
            attributes = try space.integers(
                node.slot(SpecShape.attributes).ref, "column attributes")
            guard types.count <= most, types.count < 1 << 16, attributes.count == types.count,
                !names.hasRefs, names.widthType == 1 || names.count == 0,
                names.count <= types.count
            else { throw space.wrongShape(ref, "spec") }
            func optional(_ i: Int) throws(RealmError) -> NodeView? {
                guard i < node.count, !node.slot(i).isNone else { return nil }
                return try space.refNode(node.slot(i).ref, slots: 0, "spec")
            }
            (subspecs, keys) = (
                try optional(SpecShape.legacySubspecs), try optional(SpecShape.legacyKeys)
            )
        }

        mutating func column(_ i: Int) throws(RealmError) -> LegacyColumn {
            let number = types.integer(i)
            guard let type = LegacyType(rawValue: Int(number)) else {
                throw .corrupt("column \(i) has the unknown type \(number)", at: ref)
            }
            let isPublic = type != .backlink
            guard isPublic == (i < names.count), isPublic || i >= names.count else {
                throw .corrupt("column \(i) and the names do not fit each other", at: ref)
            }
            var column = LegacyColumn(
                type: type, attributes: LegacyAttributes(rawValue: Int(attributes.integer(i))),
                name: isPublic ? try names.name(i, at: ref) : "", slot: slot)
            slot += column.attributes.contains(.indexed) ? 2 : 1
            try addSubspecs(to: &column)
            return column
        }

        private mutating func addSubspecs(to column: inout LegacyColumn) throws(RealmError) {
            switch column.type {
            case .table:
                column.subspec = try LegacySpec(
                    space, try child(), most: Int(space.limit), depth: depth + 1)
            case .link, .linkList: column.target = try number()
            case .backlink: column.origin = (try number(), try number())
            case .enumerated:
                guard let keys, nextKeys < keys.count, let ref = keys.slot(nextKeys).child else {
                    throw missing
                }
                nextKeys += 1
                column.keys = ref
            default: break
            }
        }

        private mutating func next() throws(RealmError) -> NodeSlot {
            guard let subspecs, nextSubspec < subspecs.count else { throw missing }
            defer { nextSubspec += 1 }
            return subspecs.slot(nextSubspec)
        }

        private mutating func child() throws(RealmError) -> Ref {
            guard let ref = try next().child else { throw missing }
            return ref
        }

        private mutating func number() throws(RealmError) -> Int {
            let slot = try next()
            guard slot.isTagged, slot.value < 1 << 16 else { throw missing }
            return Int(slot.value)
        }

        private var missing: RealmError {
            .corrupt("a column without what its type needs in the spec", at: ref)
        }

        func checkEnd(_ columns: [LegacyColumn]) throws(RealmError) {
            guard nextSubspec == subspecs?.count ?? 0, nextKeys == keys?.count ?? 0 else {
                throw .corrupt("a spec with more parts than its columns need", at: ref)
            }
        }
    }
}
