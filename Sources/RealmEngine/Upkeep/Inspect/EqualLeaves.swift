/// Finds leaves of one class that contain the same bytes in two files, so that their objects need
/// not be compared one by one.
///
/// Two files that share no nodes often have equal content. Both trees are walked in parallel, and
/// packed nodes are compared byte by byte. Leaves that encode the same values differently are not
/// found.
package struct EqualLeaves: Sendable {
    /// Key ranges of the leaves that contain the same bytes in both files, ascending. All objects
    /// with keys in these ranges are in these leaves.
    package private(set) var keys: [ClosedRange<ObjectKey>] = []
    /// Whether the class has the same object keys in both files, and equal primary keys for each
    /// object.
    package private(set) var hasEqualKeys = true
    /// Whether every object of the class, in both files, is in a leaf that contains the same bytes
    /// in both files.
    package private(set) var isComplete = true

    /// The tables of the compared class in the two files, `old` and `new`.
    struct Pair {
        let old: TableInfo
        let new: TableInfo
        let oldSpace: NodeSpace
        let newSpace: NodeSpace
        /// The properties of `old`, each with its counterpart in `new`. Nil if some property has no
        /// counterpart, or one with another type.
        let columns: [(old: ColumnInfo, new: ColumnInfo)]?
        /// Primary key columns of `old` and `new`. Nil if one of the tables has none, or if the
        /// columns have different types or store null differently.
        let key: (old: ColumnInfo, new: ColumnInfo)?

        init(_ old: (Snapshot, TableInfo), _ new: (Snapshot, TableInfo)) {
            (oldSpace, newSpace) = (old.0.walk, new.0.walk)
            (self.old, self.new) = (old.1, new.1)
            columns = Self.columns(old, new)
            if let i = old.1.primaryKey, let j = new.1.primaryKey {
                let (before, after) = (old.1.columns[i], new.1.columns[j])
                key = Self.haveSameForm(before, after) ? (before, after) : nil
            } else {
                key = nil
            }
        }

        var haveSameKey: Bool {
            key != nil || old.primaryKey == nil && new.primaryKey == nil
        }

        private static func columns(
            _ old: (Snapshot, TableInfo), _ new: (Snapshot, TableInfo)
        ) -> [(old: ColumnInfo, new: ColumnInfo)]? {
            guard old.1.columns.count == new.1.columns.count else { return nil }
            var columns: [(old: ColumnInfo, new: ColumnInfo)] = []
            for column in new.1.columns {
                guard let i = old.1.columnIndex(named: column.name) else { return nil }
                let before = old.1.columns[i]
                guard haveSameForm(before, column),
                    old.0.schema.table(before.target)?.name
                        == new.0.schema.table(column.target)?.name
                else { return nil }
                columns.append((before, column))
            }
            return columns
        }

        private static func haveSameForm(_ a: ColumnInfo, _ b: ColumnInfo) -> Bool {
            a.type == b.type && a.isNullable == b.isNullable && a.collection == b.collection
                && a.hasIntegerKeys == b.hasIntegerKeys && a.distinct.isNone && b.distinct.isNone
        }
    }

    /// Compares the leaves of a table in two snapshots, of one file or of two.
    ///
    /// Throws `corrupt`.
    package init(
        old: (snapshot: Snapshot, table: TableInfo), new: (snapshot: Snapshot, table: TableInfo)
    ) throws(RealmError) {
        old.snapshot.beginWalk()
        new.snapshot.beginWalk()
        let pair = Pair(old, new)
        hasEqualKeys = pair.haveSameKey
        isComplete = pair.columns != nil
        try compare(pair)
    }

    private mutating func compare(_ pair: Pair) throws(RealmError) {
        var a = ClusterTree(space: pair.oldSpace, root: pair.old.root).leaves()
        var b = ClusterTree(space: pair.newSpace, root: pair.new.root).leaves()
        var x = try a.next()
        var y = try b.next()
        while let left = x, let right = y {
            if left.count == 0 {
                x = try a.next()
            } else if right.count == 0 {
                y = try b.next()
            } else if left.key(0) == right.key(0) {
                try compare(left, right, pair)
                x = try a.next()
                y = try b.next()
            } else {
                (hasEqualKeys, isComplete) = (false, false)
                if left.key(0) < right.key(0) { x = try a.next() } else { y = try b.next() }
            }
        }
        while let left = x {
            if left.count > 0 { (hasEqualKeys, isComplete) = (false, false) }
            x = try a.next()
        }
        while let right = y {
            if right.count > 0 { (hasEqualKeys, isComplete) = (false, false) }
            y = try b.next()
        }
    }

    private mutating func compare(
        _ a: ClusterLeaf, _ b: ClusterLeaf, _ pair: Pair
    ) throws(RealmError) {
        guard a.hasKeys(of: b) else {
            (hasEqualKeys, isComplete) = (false, false)
            return
        }
        let nodes = EqualNodes(pair.oldSpace, pair.newSpace)
        if hasEqualKeys, let key = pair.key {
            hasEqualKeys = try nodes.areEqual(
                a.columnRef(key.old.leafIndex), b.columnRef(key.new.leafIndex))
        }
        guard let columns = pair.columns else { return }
        for column in columns {
            let isEqual = try nodes.areEqual(
                a.columnRef(column.old.leafIndex), b.columnRef(column.new.leafIndex))
            if !isEqual {
                isComplete = false
                return
            }
        }
        keys.append(a.key(0)...a.key(a.count - 1))
    }
}

extension ClusterLeaf {
    /// Whether both leaves have the same keys.
    fileprivate func hasKeys(of other: ClusterLeaf) -> Bool {
        guard count == other.count else { return false }
        for row in 0..<count where key(row) != other.key(row) { return false }
        return true
    }
}

/// Compares trees of nodes in two files byte by byte, ignoring the refs of nodes.
struct EqualNodes {
    private let left: NodeSpace
    private let right: NodeSpace
    /// Maximum number of nested levels of nodes. Trees with more levels count as unequal.
    private static let maximumDepth = 64

    init(_ left: NodeSpace, _ right: NodeSpace) {
        self.left = left
        self.right = right
    }

    func areEqual(_ a: Ref, _ b: Ref, depth: Int = 0) throws(RealmError) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        let (x, y) = (try left.node(a), try right.node(b))
        guard x.flags == y.flags, x.count == y.count else { return false }
        guard x.hasRefs else {
            let size = NodeView.payloadSize(flags: x.flags, count: x.count)
            return ByteView(x.payload, count: size) == ByteView(y.payload, count: size)
        }
        for i in 0..<x.count {
            let (p, q) = (x.slot(i), y.slot(i))
            guard let child = p.child, let other = q.child else {
                if p.raw != q.raw { return false }
                continue
            }
            guard try areEqual(child, other, depth: depth + 1) else { return false }
        }
        return true
    }
}
