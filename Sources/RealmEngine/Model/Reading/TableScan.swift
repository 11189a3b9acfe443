/// Reads the objects of a table leaf by leaf: up to 256 rows at a time, and only selected columns.
///
/// Call `next()` until it returns false. `count`, `key(_:)` and `value(row:column:)` refer to the
/// current leaf. Confined to the thread of its snapshot.
public final class TableScan {
    public let table: Table
    private let columns: [ColumnInfo]
    private let space: NodeSpace
    private var leaves: LeafCursor
    private var current: ClusterLeaf?
    private let opened: UnsafeMutablePointer<ColumnSlot>
    private let columnCount: Int

    // `rows` and `firstPosition` are read for every value. They are private because a public
    // variable would cost an exclusivity check for each access.
    private var rows = 0
    private var firstPosition = 0

    /// Number of objects in the current leaf.
    public var count: Int { rows }
    /// Index in table order of the current leaf's first object.
    package var position: Int { firstPosition }

    init(_ table: Table, columns: [Int], skipping position: Int) {
        self.table = table
        self.columns = columns.map { table.info.columns[$0] }
        columnCount = columns.count
        space = table.snapshot.walk
        leaves = ClusterTree(space: space, root: table.info.root).leaves(skipping: position)
        opened = .allocate(capacity: max(1, columns.count))
        for i in columns.indices { (opened + i).initialize(to: ColumnSlot()) }
    }

    deinit {
        for i in 0..<columnCount { opened[i].free() }
        opened.deallocate()
    }

    /// Moves to the next leaf; returns false at the end.
    public func next() throws(RealmError) -> Bool {
        guard let leaf = try leaves.next() else {
            rows = 0
            current = nil
            return false
        }
        try leaf.checkLive()
        firstPosition = leaves.position
        try load(leaf)
        return true
    }

    func load(_ leaf: ClusterLeaf) throws(RealmError) {
        current = leaf
        rows = 0
        for (i, column) in columns.enumerated() {
            opened[i].store(try leaf.column(column.leafIndex, column.layout))
        }
        rows = leaf.count
    }

    /// Row of the object with `key` in the current leaf; nil if the leaf does not contain it.
    @inline(__always)
    func rowInCurrentLeaf(_ key: ObjectKey) -> Int? {
        guard rows > 0, let current else { return nil }
        return current.row(of: key)
    }

    /// Number of rows from `row` on, at most `limit`, whose keys in the current leaf are
    /// consecutive.
    func consecutiveRows(from row: Int, atMost limit: Int) -> Int {
        guard let current else { return 0 }
        let limit = min(limit, rows - row)
        if current.hasConsecutiveKeys { return limit }
        let first = current.key(row).raw
        var count = 1
        while count < limit, current.key(row + count).raw == first &+ Int64(count) { count += 1 }
        return count
    }

    /// Number of words per row that `storeIntegers` stores; nil unless all columns of the scan are
    /// integers, one per object.
    package var integerWords: Int? {
        guard columns.allSatisfy({ $0.type == .int && $0.collection == nil }) else { return nil }
        return columnCount + (columns.contains { $0.isNullable } ? 1 : 0)
    }

    /// Stores the integers of rows of the current leaf. If a column is nullable, a word after the
    /// integers of each row has a bit for each column that is null.
    ///
    /// - Parameter stride: the value of `integerWords`, which must not be nil.
    func storeIntegers(
        _ range: Range<Int>, to words: UnsafeMutablePointer<Int64>, stride: Int
    ) throws(RealmError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= rows)
        let nulls = stride > columnCount ? words + columnCount : nil
        if let nulls { for row in 0..<range.count { nulls[row * stride] = 0 } }
        for column in 0..<columnCount {
            opened[column].storeIntegers(
                range, to: words + column, stride: stride, nulls, bit: 1 << Int64(column))
        }
        try space.checkCurrent()
    }

    /// Key of the object in `row` of the current leaf.
    public func key(_ row: Int) -> ObjectKey {
        precondition(row >= 0 && row < rows)
        return current!.key(row)
    }

    /// Value in `row` of the current leaf.
    ///
    /// - Parameter column: index in the array of columns that the scan was made with.
    public func value(row: Int, column: Int) throws(RealmError) -> Value {
        precondition(row >= 0 && row < rows && column >= 0 && column < columnCount)
        try space.checkCurrent()
        return try opened[column].value(row)
    }

    /// The object in `row` of the current leaf.
    public func row(_ row: Int) -> Row {
        precondition(row >= 0 && row < rows)
        return Row(table: table, leaf: current!, row: row)
    }
}

extension TableScan {
    /// Moves to a leaf that was found in another snapshot of the same version.
    package func open(_ part: LeafSlice) throws(RealmError) {
        try move(to: part.leaf(space, readIn: space), position: part.position)
    }

    /// Moves to a leaf in which some columns cannot be read. Their values are returned as null.
    ///
    /// - Parameter lost: indexes of these columns in the table.
    package func open(_ part: LeafSlice, without lost: [Int]) throws(RealmError) {
        var leaf = try part.leaf(table.snapshot.lookup, readIn: space)
        leaf.space = space
        current = leaf
        rows = 0
        for (i, column) in columns.enumerated() {
            if lost.contains(where: { table.info.columns[$0].key == column.key }) {
                opened[i].clear()
            } else {
                opened[i].store(try leaf.column(column.leafIndex, column.layout))
            }
        }
        rows = leaf.count
    }

    /// Offset in bytes of the current leaf in the file; 0 before the first leaf.
    package var leafOffset: UInt64 { current?.ref.raw ?? 0 }

    /// Offset in bytes in the file of the current leaf's column; nil if the column has no node.
    ///
    /// - Parameter column: index in the array of columns that the scan was made with.
    package func columnOffset(_ column: Int) -> UInt64? {
        (try? current?.columnRef(columns[column].leafIndex))?.raw
    }

    /// Moves to a leaf that is already open.
    func move(to leaf: ClusterLeaf, position: Int) throws(RealmError) {
        var leaf = leaf
        leaf.space = space
        firstPosition = position
        try load(leaf)
    }
}

extension Table {
    /// Returns the leaves from the one that contains the object at index `position` on, in order.
    package func leaves(from position: Int = 0) -> LeafCursor {
        ClusterTree(space: snapshot.walk, root: info.root).leaves(skipping: position)
    }
}
