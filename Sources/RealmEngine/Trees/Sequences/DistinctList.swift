/// Editor of the list of distinct values in an enumerated column. The cells of the column contain
/// indexes in this list (object format 3.6).
///
/// Like the reference engine, appends new values and never removes a value. Confined to the writer.
final class DistinctList {
    private let context: EditContext
    private let editor: ColumnEditor
    private let slot: RefSlot
    private var places = TextHashTable()
    /// Number of values in the column's list of distinct values; nil until all of them were added
    /// to `places`.
    private var count: Int?

    /// Maximum number of distinct values in the list.
    private static let maximumValueCount = Int(Int32.max)

    /// - Parameter column: layout of the enumerated column. `column.distinct` is the ref of its
    ///   list of distinct values.
    init(_ column: LeafLayout, _ context: EditContext) {
        self.context = context
        editor = ColumnEditor(context, Self.layout(column))
        slot = .allocate(capacity: 1)
        slot.initialize(to: column.distinct.raw)
    }

    deinit { slot.deallocate() }

    /// Layout of the list of distinct values, which is a leaf of strings.
    private static func layout(_ column: LeafLayout) -> LeafLayout {
        LeafLayout(
            type: .string, isNullable: column.isNullable, collection: nil, target: .none,
            distinct: .none, hasIntegerKeys: false)
    }

    /// Layout of the cells of an enumerated column, which are integers.
    static let cells = LeafLayout(
        type: .int, isNullable: false, collection: nil, target: .none, distinct: .none,
        hasIntegerKeys: false)

    /// Current ref of the list of distinct values.
    var root: Ref { Ref(slot.pointee) }

    private func leaf() throws(RealmError) -> BytesLeaf {
        guard case .string(let leaf) = try ColumnLeaf(context.space, root, editor.layout) else {
            throw context.space.wrongShape(root, "distinct values")
        }
        return leaf
    }

    /// Returns the value at the index `cell` of the list of distinct values.
    func value(_ cell: Value) throws(RealmError) -> Value {
        let leaf = try leaf()
        guard case .int(let place) = cell, place >= 0, place < Int64(leaf.count) else {
            throw .corrupt("an enumerated string without its value", at: root)
        }
        return try leaf.value(Int(place)).map(Value.string) ?? .null
    }

    /// Returns the cell for a value: its index in the list of distinct values, to which a new value
    /// is appended.
    func cell(_ value: Value) throws(RealmError) -> Value {
        var text: ByteView?
        if case .string(let view) = value { text = view }
        var leaf = try leaf()
        let known = if let count { count } else { try index(leaf) }
        if let place = try places.find(text, { (i) throws(RealmError) in try leaf.value(i) }) {
            return .int(Int64(place))
        }
        guard known < Self.maximumValueCount else {
            throw .misuse("an enumerated property with too many values", code: "LimitExceeded")
        }
        try editor.open(slot, rows: known)
        try editor.insert(value, slot, at: known)
        leaf = try self.leaf()
        places.enter(try leaf.value(known), at: known)
        count = known + 1
        return .int(Int64(known))
    }

    /// Returns the cells for the first `count` of `values`. A cell contains the index of the value
    /// in the list of distinct values. Appends new values to that list.
    func cells(_ values: LeafCells, _ count: Int) throws(RealmError) -> LeafCells {
        let numbers = LeafCells(Self.cells, capacity: max(1, count))
        for i in 0..<count { numbers.target.store(try cell(values.value(i)), at: i) }
        return numbers
    }

    /// Adds all values of the list of distinct values to the hash table and returns their number.
    private func index(_ leaf: BytesLeaf) throws(RealmError) -> Int {
        for i in 0..<leaf.count {
            let text = try leaf.value(i)
            let found = try places.find(text) { (i) throws(RealmError) in try leaf.value(i) }
            if found == nil { places.enter(text, at: i) }
        }
        count = leaf.count
        return leaf.count
    }
}
