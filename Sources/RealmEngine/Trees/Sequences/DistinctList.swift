/// The distinct values of an enumerated column while it is edited: what its cells, which are numbers,
/// stand for (object format 3.6).
///
/// As with the peer a value that is new comes last, and none ever goes. Confined to the writer.
final class DistinctList {
    private let context: EditContext
    private let editor: ColumnEditor
    private let slot: RefSlot
    private var places = TextPlaces()
    /// Values there are, once they were looked through.
    private var count: Int?

    /// More have no number here.
    private static let mostValues = Int(Int32.max)

    /// - Parameter column: the layout of the column, which says where the list is.
    init(_ column: LeafLayout, _ context: EditContext) {
        self.context = context
        editor = ColumnEditor(context, Self.layout(column))
        slot = .allocate(capacity: 1)
        slot.initialize(to: column.distinct.raw)
    }

    deinit { slot.deallocate() }

    /// The list is a leaf of texts as they are in any other column.
    private static func layout(_ column: LeafLayout) -> LeafLayout {
        LeafLayout(
            type: .string, isNullable: column.isNullable, collection: nil, target: .none,
            distinct: .none, hasIntegerKeys: false)
    }

    /// How the cells of an enumerated column are stored: as a column of numbers is.
    static let cells = LeafLayout(
        type: .int, isNullable: false, collection: nil, target: .none, distinct: .none,
        hasIntegerKeys: false)

    /// Where the list is now.
    var root: Ref { Ref(slot.pointee) }

    private func leaf() throws(RealmError) -> BytesLeaf {
        guard case .string(let leaf) = try ColumnLeaf(context.space, root, editor.layout) else {
            throw context.space.wrongShape(root, "distinct values")
        }
        return leaf
    }

    /// What a cell stands for.
    func value(_ cell: Value) throws(RealmError) -> Value {
        let leaf = try leaf()
        guard case .int(let place) = cell, place >= 0, place < Int64(leaf.count) else {
            throw .corrupt("an enumerated string without its value", at: root)
        }
        return try leaf.value(Int(place)).map(Value.string) ?? .null
    }

    /// What stands for a value, which joins the list if it is new.
    func cell(_ value: Value) throws(RealmError) -> Value {
        var text: ByteView?
        if case .string(let view) = value { text = view }
        var leaf = try leaf()
        let known = if let count { count } else { try index(leaf) }
        if let place = try places.find(text, { (i) throws(RealmError) in try leaf.value(i) }) {
            return .int(Int64(place))
        }
        guard known < Self.mostValues else {
            throw .misuse("an enumerated property with too many values", code: "LimitExceeded")
        }
        try editor.open(slot, rows: known)
        try editor.insert(value, slot, at: known)
        leaf = try self.leaf()
        places.enter(try leaf.value(known), at: known)
        count = known + 1
        return .int(Int64(known))
    }

    /// What stands for the first `count` of many values.
    func cells(_ values: LeafCells, _ count: Int) throws(RealmError) -> LeafCells {
        let numbers = LeafCells(Self.cells, capacity: max(1, count))
        for i in 0..<count { numbers.target.store(try cell(values.value(i)), at: i) }
        return numbers
    }

    /// Looks through the list, which is as long as returned.
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
