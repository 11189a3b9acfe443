/// First pass of a salvage: creates the objects with all values except links, mixed values and
/// collections.
extension Salvage {
    /// A column of one leaf.
    struct OpenColumn {
        let index: Int
        let info: ColumnInfo
        /// The column leaf; nil if it cannot be read.
        let leaf: ColumnLeaf?
        /// Whether the column's bytes may have been overwritten with other data.
        let isDoubtful: Bool
        /// Index in the leaf of the first row to copy.
        var start = 0
        /// For the column of the primary key, whether each row from `start` on may be copied. A row
        /// may be copied if the search index has its key. If the index cannot be read, a row may be
        /// copied unless the column is doubtful. Nil if all rows may be copied.
        var proven: [Bool]?

        func isProven(_ row: Int) -> Bool { proven.map { $0[row - start] } ?? true }
    }

    @_optimize(size)
    func copyObjects(_ tableIndex: Int) throws(RealmError) {
        let info = targets[tableIndex].source
        try forEachLeaf(tableIndex) { (leaf, rows, origin) throws(RealmError) in
            let columns = try open(leaf, rows, info, origin) { !Self.isStructure($0) }
            let before = summary.salvaged
            try create(leaf, rows, columns, tableIndex, mayExist: origin != .version)
            guard origin != .version, summary.salvaged > before else { return }
            try reportLoss(
                .older(
                    className: info.className, key: leaf.key(rows.lowerBound),
                    count: summary.salvaged - before, why: origin.why))
        }
        for (loss, count) in leaves(of: tableIndex)?.losses ?? [] {
            let left = loss.count.map { max(0, $0 - count) }
            if left == 0 { continue }
            try reportLoss(.objects(className: info.className, count: left, why: loss.why))
        }
    }

    /// Calls `body` with each leaf of a table, the rows to copy, and the kind of reference through
    /// which the leaf was found. The leaves are in key order.
    func forEachLeaf(
        _ tableIndex: Int,
        _ body: (ClusterLeaf, Range<Int>, FoundLeaves.Origin) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let found = leaves(of: tableIndex) else {
            return try forEachLeaf(targets[tableIndex].source, body)
        }
        for piece in found.pieces {
            var (leaf, rows) = try found.rows(of: piece)
            leaf.space = space
            if !rows.isEmpty { try body(leaf, rows, piece.origin) }
        }
    }

    /// Calls `body` with the leaves of a table whose tree is intact.
    private func forEachLeaf(
        _ info: TableInfo,
        _ body: (ClusterLeaf, Range<Int>, FoundLeaves.Origin) throws(RealmError) -> Void
    ) throws(RealmError) {
        var leaves = ClusterTree(space: lookup, root: info.root).leaves()
        while true {
            var next: ClusterLeaf?
            do throws(RealmError) { next = try leaves.next() } catch {
                return try reportLoss(
                    .objects(className: info.className, count: nil, why: error.message))
            }
            guard var leaf = next else { return }
            leaf.space = space
            try body(leaf, 0..<leaf.count, .version)
        }
    }

    /// Whether values of the column may reference other objects, or are stored in trees of their
    /// own.
    static func isStructure(_ column: ColumnInfo) -> Bool {
        column.collection != nil || [.link, .typedLink, .mixed].contains(column.type)
    }

    /// Opens the columns of a leaf for which `isWanted` returns true. Columns that cannot be opened
    /// are reported as losses.
    @_optimize(size)
    func open(
        _ leaf: ClusterLeaf, _ rows: Range<Int>, _ info: TableInfo, _ origin: FoundLeaves.Origin,
        isWanted: (ColumnInfo) -> Bool
    ) throws(RealmError) -> [OpenColumn] {
        var columns: [OpenColumn] = []
        trace?.take(leaf, as: origin.owner)
        for (i, column) in info.columns.enumerated() where isWanted(column) {
            var opened: ColumnLeaf?
            do throws(RealmError) {
                opened = try leaf.column(column.leafIndex, column.layout)
            } catch {
                // If the primary key cannot be opened, the objects themselves are reported as lost.
                if i != info.primaryKey, let first = rows.first {
                    try reportLoss(
                        .values(
                            className: info.className, property: column.name,
                            key: leaf.key(first), count: rows.count, why: error.message))
                }
            }
            var isDoubtful = false
            if let opened { isDoubtful = try doubt(leaf, opened, rows, column, info) }
            var open = OpenColumn(
                index: i, info: column, leaf: opened, isDoubtful: isDoubtful,
                start: rows.lowerBound)
            if i == info.primaryKey {
                open.proven =
                    isDoubtful ? proven(open, leaf, rows) : undenied(open, leaf, rows, origin)
            }
            if opened != nil, let trace {
                let ref = try leaf.columnRef(column.leafIndex)
                trace.take(ref, as: isDoubtful ? .doubtful : origin.owner)
            }
            columns.append(open)
        }
        return columns
    }

    /// Checks whether the bytes of a column may have been overwritten. If so, reports the column
    /// and returns true.
    private func doubt(
        _ leaf: ClusterLeaf, _ cells: ColumnLeaf, _ rows: Range<Int>, _ column: ColumnInfo,
        _ info: TableInfo
    ) throws(RealmError) -> Bool {
        guard let neighbourhood = source.neighbourhood, let first = rows.first else { return false }
        let why = neighbourhood.doubt(
            try leaf.columnRef(column.leafIndex), isText: column.type == .string,
            isStrict: column.key == info.primaryKey.map { info.columns[$0].key })
        guard let why = why ?? brokenText(cells, rows, column) else { return false }
        try reportLoss(
            .doubtful(
                className: info.className, property: column.name, key: leaf.key(first),
                count: rows.count, why: why))
        return true
    }

    /// Returns why a text of the column is invalid; nil if all are valid. One invalid text suggests
    /// that its neighbours were overwritten too.
    private func brokenText(
        _ cells: ColumnLeaf, _ rows: Range<Int>, _ column: ColumnInfo
    ) -> String? {
        guard column.type == .string, column.collection == nil else { return nil }
        for row in rows {
            do throws(RealmError) { _ = try cells.value(row) } catch { return error.message }
        }
        return nil
    }

    /// Returns for each row whether the search index contains its primary key, so that no object
    /// gets a primary key that never existed. The index compares only the first bytes of keys, and
    /// damage may end within a key. Therefore the rows next to an unconfirmed key are rejected,
    /// too.
    private func proven(_ column: OpenColumn, _ leaf: ClusterLeaf, _ rows: Range<Int>) -> [Bool] {
        Self.withNeighbours(
            rows.map { row in
                isNodePlausible(of: row, column.info, leaf)
                    && isIndexed(row, column, leaf) ?? false
            })
    }

    /// Returns for each row whether its primary key is accepted. A key is rejected if the search
    /// index lacks this key or the key of a neighbouring row. Nil if the index lacks no key.
    ///
    /// Also nil if the column leaf lies within one block of the disk. Only in a leaf that crosses a
    /// block boundary, the loss of a block may have replaced some keys without other traces.
    private func undenied(
        _ column: OpenColumn, _ leaf: ClusterLeaf, _ rows: Range<Int>, _ origin: FoundLeaves.Origin
    ) -> [Bool]? {
        // Leaves of older versions cannot be checked: the index has no entries for objects that
        // were deleted since.
        guard let neighbourhood = source.neighbourhood, origin == .version,
            let ref = try? leaf.columnRef(column.info.leafIndex),
            neighbourhood.crossesBlock(ref)
        else { return nil }
        let isThere = rows.map { isIndexed($0, column, leaf) ?? true }
        return isThere.allSatisfy { $0 } ? nil : Self.withNeighbours(isThere)
    }

    private static func withNeighbours(_ isThere: [Bool]) -> [Bool] {
        isThere.indices.map { i in
            (max(0, i - 1)...min(isThere.count - 1, i + 1)).allSatisfy { isThere[$0] }
        }
    }

    /// Whether the search index has an entry for the primary key stored in `row`, and the entry
    /// contains the key of the object in `row`. Nil if the index or the primary key cannot be read.
    private func isIndexed(_ row: Int, _ column: OpenColumn, _ leaf: ClusterLeaf) -> Bool? {
        guard let cells = column.leaf, !column.info.indexRoot.isNone,
            let value = try? cells.value(row)
        else { return nil }
        let index = SearchIndex(space: lookup, root: column.info.indexRoot)
        return try? index.leads(to: leaf.key(row), for: value)
    }

    /// Whether the node of a long text looks intact. A long text has its own node, which need not
    /// be adjacent to the leaf.
    private func isNodePlausible(
        of row: Int, _ column: ColumnInfo, _ leaf: ClusterLeaf
    ) -> Bool {
        guard let neighbourhood = source.neighbourhood,
            let node = try? lookup.node(leaf.columnRef(column.leafIndex)), node.hasRefs,
            node.context
        else { return true }
        return row < node.count && node.slot(row).child.map(neighbourhood.isPlausible) ?? true
    }

    /// The error for a text that is not UTF-8. This detects most overwritten texts, because their
    /// bytes are rarely valid UTF-8.
    static var noText: RealmError { .corrupt("it is no text", in: "value") }

    private func create(
        _ leaf: ClusterLeaf, _ rows: Range<Int>, _ columns: [OpenColumn], _ tableIndex: Int,
        mayExist: Bool
    ) throws(RealmError) {
        let target = targets[tableIndex]
        let width = target.columns.count { $0 != nil }
        for row in rows {
            let key = leaf.key(row)
            var values = defaults(target, width)
            do throws(RealmError) {
                for column in columns {
                    guard let to = target.columns[column.index] else { continue }
                    let isKey = column.index == target.source.primaryKey
                    guard let stored = column.leaf else {
                        if isKey { throw .corrupt("its primary key is lost", in: "object") }
                        continue
                    }
                    if let value = try read(column, stored, row, key, target, isKey: isKey) {
                        values[to] = value
                    }
                }
                guard key.raw >= 0 else { throw .corrupt("its key is negative", in: "object") }
                var wanted: ObjectKey? = key
                if let primaryKey = target.source.primaryKey, !target.keepsKeys {
                    wanted = try wantedKey(values[target.columns[primaryKey] ?? 0], in: target)
                }
                let new = try create(target.key, values, wanted)
                try didCreate(key, as: new, in: tableIndex)
            } catch {
                if [.output, .internal, .incompatible].contains(error.kind) { throw error }
                // The object was already copied from another version of the leaf.
                if mayExist, error.reason == "duplicate-key" { continue }
                try reportLoss(
                    .object(
                        className: target.source.className, key: key, why: error.message))
            }
            try changed()
        }
    }

    private func create(
        _ table: TableKey, _ values: [Value], _ key: ObjectKey?
    ) throws(RealmError) -> ObjectKey {
        let result = values.withUnsafeBufferPointer { values -> Result<ObjectKey, RealmError> in
            Result { () throws(RealmError) in
                try transaction.create(in: table, values: values, key: key)
            }
        }
        return try result.get()
    }

    /// Returns the values with which an object is created if none of its stored values can be read:
    /// the default of each property.
    private func defaults(_ target: Target, _ width: Int) -> [Value] {
        var values = [Value](repeating: .null, count: width)
        for (i, column) in target.source.columns.enumerated() {
            if let to = target.columns[i] { values[to] = Defaults.value(column) }
        }
        return values
    }

    /// Returns the stored value of a property that is no link, mixed value or collection. Nil if
    /// the value is unreadable and the property keeps its default value. Throws if the primary key
    /// is unreadable, because the object cannot be created without it.
    private func read(
        _ column: OpenColumn, _ leaf: ColumnLeaf, _ row: Int, _ key: ObjectKey, _ target: Target,
        isKey: Bool
    ) throws(RealmError) -> Value? {
        do throws(RealmError) {
            let value = try leaf.value(row)
            try ValueCheck.check(value, column.info)
            if column.isDoubtful, case .string(let text) = value, !text.isUTF8 {
                throw Self.noText
            }
            guard !isKey || column.isProven(row) else {
                throw .corrupt("its primary key may have been written over", in: "object")
            }
            return value
        } catch {
            if isKey { throw error }
            try reportLoss(
                .values(
                    className: target.source.className, property: column.info.name, key: key,
                    count: 1, why: error.message))
            return nil
        }
    }
}

extension FoundLeaves.Origin {
    /// Category in the map of the file (`SpaceMap`) of the bytes of leaves with this origin.
    fileprivate var owner: SpaceMap.Owner { self == .version ? .copied : .older }

    /// Reason for loss reports: why objects of a leaf that was found in this way may be outdated,
    /// or lack keys. Empty for leaves of the salvaged version.
    fileprivate var why: String {
        switch self {
        case .version: ""
        case .older: "an older version has them; what is newer is lost"
        case .unnamed: "no root leads to the version that has them"
        case .keyless: "nothing leads to them, and their object keys are lost"
        }
    }
}
