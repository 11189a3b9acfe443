/// Compares one table in two versions.
///
/// Subtrees with the same ref and the same keys are equal and are skipped. In two different leaves,
/// only columns with different refs are read.
struct TableComparison {
    private let old: Snapshot
    private let new: Snapshot
    private let columns: [Column]
    private var changes: TableChanges
    /// The two leaves that were compared last, and the columns in which they may differ.
    private var pair: (old: Ref, new: Ref, columns: [ColumnPair]) = (.none, .none, [])
    /// Differing properties of the current object, one bit per property.
    private var bits: [UInt64]
    private let values: ValueComparison

    /// A property of the newer version and its counterpart in the older one.
    private struct Column {
        let new: ColumnInfo
        /// The property in the older version: with the same key, or otherwise with the same name
        /// and type. Nil if the older version has no such property.
        let old: ColumnInfo?
    }

    /// A column in a leaf of the older version and in a leaf of the newer version.
    private struct ColumnPair {
        let index: Int
        /// Column leaf in the older version. Nil for a new property; the new values are then
        /// compared with the default value.
        let old: ColumnLeaf?
        let new: ColumnLeaf
    }

    init(old: (Snapshot, TableInfo?), new: (Snapshot, TableInfo?)) {
        self.old = old.0
        self.new = new.0
        changes = TableChanges(old: old.1, new: new.1)
        columns = (new.1?.columns ?? []).map { column in
            Column(new: column, old: old.1.flatMap { Self.counterpart(of: column, in: $0) })
        }
        bits = Array(repeating: 0, count: (columns.count + 63) / 64)
        values = ValueComparison(old.0, new.0)
    }

    /// Returns the older version's column of a property. A property that was made optional or
    /// required has another key but the same name.
    private static func counterpart(of column: ColumnInfo, in table: TableInfo) -> ColumnInfo? {
        if let same = table.columns.first(where: { $0.key == column.key }) { return same }
        guard let index = table.columnIndex(named: column.name) else { return nil }
        let other = table.columns[index]
        let isAlike =
            other.type == column.type && other.collection == column.collection
            && other.target == column.target
        return isAlike ? other : nil
    }

    mutating func run() throws(RealmError) -> TableChanges {
        let isSameLayout = columns.allSatisfy { $0.old?.key == $0.new.key }
        if isSameLayout, changes.old?.root == changes.new?.root { return changes }
        var a = try frontier(old, changes.old)
        var b = try frontier(new, changes.new)
        while true {
            if a.isAtEnd {
                if b.isAtEnd { return changes }
                try take(&b, \.insertions)
            } else if b.isAtEnd {
                try take(&a, \.deletions)
            } else {
                try step(&a, &b, isSameLayout)
            }
        }
    }

    private func frontier(
        _ snapshot: Snapshot, _ info: TableInfo?
    ) throws(RealmError) -> ClusterFrontier {
        try ClusterFrontier(ClusterTree(space: snapshot.walk, root: info?.root ?? .none))
    }

    /// Adds the object at `frontier` to `keys`, the insertions or the deletions, because only one
    /// of the two versions has it.
    private mutating func take(
        _ frontier: inout ClusterFrontier,
        _ keys: WritableKeyPath<TableChanges, [ObjectKey]>
    ) throws(RealmError) {
        guard let leaf = frontier.leaf else { return try frontier.open() }
        changes[keyPath: keys].append(leaf.key(frontier.row))
        try frontier.nextRow()
    }

    private mutating func step(
        _ a: inout ClusterFrontier, _ b: inout ClusterFrontier, _ isSameLayout: Bool
    ) throws(RealmError) {
        switch (a.subtree, b.subtree) {
        case (let x?, let y?):
            if isSameLayout, x.ref == y.ref, x.base == y.base {
                try a.skip()
                try b.skip()
            } else if x.base != y.base {
                if x.base < y.base { try a.open() } else { try b.open() }
            } else {
                if x.depth >= y.depth { try a.open() }
                if y.depth >= x.depth { try b.open() }
            }
        case (let x?, nil):
            if b.key < x.base { try take(&b, \.insertions) } else { try a.open() }
        case (nil, let y?):
            if a.key < y.base { try take(&a, \.deletions) } else { try b.open() }
        case (nil, nil):
            let (x, y) = (a.key, b.key)
            if x < y { return try take(&a, \.deletions) }
            if y < x { return try take(&b, \.insertions) }
            try compareRows(a.leaf!, a.row, b.leaf!, b.row)
            try a.nextRow()
            try b.nextRow()
        }
    }

    private mutating func compareRows(
        _ a: ClusterLeaf, _ i: Int, _ b: ClusterLeaf, _ j: Int
    ) throws(RealmError) {
        if pair.old != a.ref || pair.new != b.ref { try openPair(a, b) }
        var isChanged = false
        for column in pair.columns where try differs(column, i, j) {
            bits[column.index >> 6] |= 1 << UInt64(column.index & 63)
            isChanged = true
        }
        guard isChanged else { return }
        changes.appendModification(b.key(j), bits)
        for word in bits.indices { bits[word] = 0 }
    }

    private mutating func openPair(_ a: ClusterLeaf, _ b: ClusterLeaf) throws(RealmError) {
        pair = (a.ref, b.ref, [])
        for (index, column) in columns.enumerated() {
            let now = try b.columnRef(column.new.leafIndex)
            var before: ColumnLeaf?
            if let old = column.old {
                let then = try a.columnRef(old.leafIndex)
                // If both versions share the column leaf, its values are equal, although the refs
                // of the cluster leaves differ.
                if then == now, a.count == b.count, a.base == b.base { continue }
                before = try ColumnLeaf(a.space, then, old.layout, rows: a.count)
            }
            pair.columns.append(
                ColumnPair(
                    index: index, old: before,
                    new: try ColumnLeaf(b.space, now, column.new.layout, rows: b.count)))
        }
    }

    private func differs(_ pair: ColumnPair, _ i: Int, _ j: Int) throws(RealmError) -> Bool {
        guard let old = pair.old else {
            let initial = columns[pair.index].new.defaultValue
            return try !values.areSame(initial, try pair.new.value(j))
        }
        // A long value has its own nodes. If both versions share them, the value is equal.
        switch (old, pair.new) {
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)):
            if a.form == .big, b.form == .big, a.blob(i) == b.blob(j) { return false }
        default: break
        }
        return try !values.areSame(try old.value(i), try pair.new.value(j))
    }
}
