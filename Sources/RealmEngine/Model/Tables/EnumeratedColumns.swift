/// The lists of distinct values of a table's enumerated columns. The key is the column's position
/// in a cluster leaf (leaf index).
struct EnumeratedColumns {
    private(set) var lists: [Int: DistinctList] = [:]

    init() {}

    init(_ info: TableInfo, _ context: EditContext) {
        for column in info.columns where !column.distinct.isNone {
            lists[column.leafIndex] = DistinctList(column.layout, context)
        }
    }

    @inline(__always)
    var isEmpty: Bool { lists.isEmpty }

    subscript(leafIndex: Int) -> DistinctList? { lists[leafIndex] }

    mutating func remove(_ leafIndex: Int) -> DistinctList? { lists.removeValue(forKey: leafIndex) }

    /// Returns the value that a stored cell refers to; the cell itself if the column is not
    /// enumerated.
    func value(_ cell: Value, _ leafIndex: Int) throws(RealmError) -> Value {
        try lists[leafIndex]?.value(cell) ?? cell
    }

    /// Returns the cell to store for a value; the value itself if the column is not enumerated.
    func cell(_ value: Value, _ leafIndex: Int) throws(RealmError) -> Value {
        try lists[leafIndex]?.cell(value) ?? value
    }
}
