/// Assigns an ordinal, 0, 1, 2 and so on, to each different value of one grouping key. A path
/// through a null link has the value null.
final class GroupKeyReader {
    let values: ValueNumbers
    /// Column of the grouping key if it is a property of the queried object itself; nil for a path.
    let ownColumn: ColumnLeaves?
    private let key: BoundSortKey
    private let evaluator: QueryEvaluator
    /// For an enumerated column: the ordinal of each distinct value, by the index that rows store.
    /// `unknown` until the value occurs.
    private let known = ReusedBuffer<UInt32>()
    private var distinct: BytesLeaf?
    /// Cached ordinals of short texts. Leaves store short texts as cells, padded to one width;
    /// there is one cache per width.
    private var cells: [CellNumbers] = []
    /// Cached ordinals of the texts in leaves of medium form, which store their texts in one byte
    /// area.
    private var areas: AreaNumbers?
    /// Ordinals of small integers, at index `integer - smallestSmallKey`. Empty until a small
    /// integer occurs.
    private let small = ReusedBuffer<UInt32>()
    /// Ordinal that was assigned to null when it first occurred in an integer column; `unknown`
    /// until then.
    private var nullNumber = GroupKeyReader.unknown
    private static let smallestSmallKey: Int64 = -128
    private static let smallCount: UInt64 = 1 << 12

    private static let unknown = UInt32.max

    init(
        _ key: BoundSortKey, _ evaluator: QueryEvaluator, copiesTexts: Bool
    ) throws(RealmError) {
        if let failure = key.failure { throw failure }
        values = ValueNumbers(copiesTexts: copiesTexts, key.collation)
        ownColumn = key.isOwn ? ColumnLeaves(key.column) : nil
        self.key = key
        self.evaluator = evaluator
    }

    func removeAll() {
        values.removeAll()
        known.removeAll()
        distinct = nil
        cells = []
        areas = nil
        small.removeAll()
        nullNumber = Self.unknown
    }

    /// Stores in `numbers`, for each selected row, the ordinal of the row's value of the grouping
    /// key.
    func read(
        _ leaf: ClusterLeaf, _ rows: Selection, to numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        guard let ownColumn else { return try readPath(leaf, rows, numbers) }
        switch try ownColumn.leaf(leaf) {
        case .string(let texts) where texts.form == .enumerated:
            try readEnumerated(texts, leaf, rows, numbers)
        case .string(let texts) where texts.form == .short && 1...16 ~= texts.node.width:
            try readCells(texts, leaf, rows, numbers)
        case .string(let texts) where texts.form == .medium:
            try readArea(texts, leaf, rows, numbers)
        case .string(let texts):
            try rows.visit { (row) throws(RealmError) in
                numbers[row] = try number(ofText: texts.value(row), leaf)
            }
        case .integer(let cells): readIntegers(cells.node, 0, rows, numbers)
        case .nullableInteger(let cells):
            let nulls = rows & cells.nullRows
            if !nulls.isEmpty, nullNumber == Self.unknown {
                // Ordinals are assigned in the order of first occurrence. So assign the ordinals of
                // the values before the first null, then the ordinal of null.
                let before = Selection(first: nulls.first ?? 0)
                readIntegers(cells.node, 1, rows & before, numbers)
                nullNumber = values.number(of: .null)
                readIntegers(cells.node, 1, rows.subtracting(before | nulls), numbers)
            } else {
                readIntegers(cells.node, 1, rows.subtracting(nulls), numbers)
            }
            nulls.each { numbers[$0] = nullNumber }
        case let cells:
            try rows.visit { (row) throws(RealmError) in
                numbers[row] = try number(of: cells.value(row), leaf)
            }
        }
    }

    /// Whether a quick check finds that the values of all selected rows have occurred before, so
    /// that each has an ordinal. False if a value is new, and also if only a search of the hash
    /// table could decide.
    func hasAll(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) -> Bool {
        guard let ownColumn, let cells = cells.first(where: { $0.width == 16 }),
            case .string(let texts) = try ownColumn.leaf(leaf), texts.form == .short,
            texts.node.width == 16
        else { return false }
        Prefetch.elements(texts.node)
        return cells.hasAll(texts.node.payload, rows)
    }

    private func readIntegers(
        _ node: NodeView, _ first: Int, _ rows: Selection,
        _ numbers: UnsafeMutablePointer<UInt32>
    ) {
        if small.count == 0 { for _ in 0..<Self.smallCount { small.append(Self.unknown) } }
        let (values, small) = (values, small.mutable.baseAddress!)
        if node.widthCode == 4 {
            // The integers have eight bits. `small` has an element for each of their 256 values.
            let bytes = node.payload.assumingMemoryBound(to: Int8.self) + first
            let middle = small - Int(Self.smallestSmallKey)
            rows.each { row in
                var number = middle[Int(bytes[row])]
                if number == Self.unknown {
                    number = values.number(of: Int64(bytes[row]))
                    middle[Int(bytes[row])] = number
                }
                numbers[row] = number
            }
            return
        }
        node.visit(first, rows) { (row, integer) in
            let place = UInt64(bitPattern: integer &- Self.smallestSmallKey)
            if place < Self.smallCount {
                if small[Int(place)] == Self.unknown {
                    small[Int(place)] = values.number(of: integer)
                }
                numbers[row] = small[Int(place)]
            } else {
                numbers[row] = values.number(of: integer)
            }
        }
    }

    private func number(of value: Value, _ leaf: ClusterLeaf) throws(RealmError) -> UInt32 {
        switch value {
        case .string(let text), .binary(let text):
            try evaluator.visits.pass.chargeValue(text.count, at: leaf.ref)
        default: break
        }
        return values.number(of: value)
    }

    private func number(ofText text: ByteView?, _ leaf: ClusterLeaf) throws(RealmError) -> UInt32 {
        guard let text else { return values.number(of: .null) }
        return text.count <= ShortText.maximumLength && values.takesShort
            ? values.number(ofShort: text) : try number(of: .string(text), leaf)
    }

    private func readCells(
        _ texts: BytesLeaf, _ leaf: ClusterLeaf, _ rows: Selection,
        _ numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        let node = texts.node
        Prefetch.elements(node)
        let known = known(width: node.width)
        guard known.find(node.payload, rows, numbers) else { return }
        try rows.visit { (row) throws(RealmError) in
            if numbers[row] != CellNumbers.unknown { return }
            numbers[row] = try number(ofText: texts.value(row), leaf)
            known.insert(node.payload, row, numbers[row])
        }
    }

    private func readArea(
        _ texts: BytesLeaf, _ leaf: ClusterLeaf, _ rows: Selection,
        _ numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        texts.prefetch()
        let cached = areas ?? AreaNumbers()
        areas = cached
        guard let rest = cached.find(texts, rows, numbers) else {
            throw texts.damagedOffsets()
        }
        try rest.visit { (row) throws(RealmError) in
            if numbers[row] != AreaNumbers.unknown { return }
            let text = try texts.value(row)
            numbers[row] = try number(ofText: text, leaf)
            if let text { cached.insert(text, numbers[row]) }
        }
    }

    private func known(width: Int) -> CellNumbers {
        if let known = cells.first(where: { $0.width == width }) { return known }
        let made = CellNumbers(width: width)
        cells.append(made)
        return made
    }

    private func readEnumerated(
        _ texts: BytesLeaf, _ leaf: ClusterLeaf, _ rows: Selection,
        _ numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        if distinct == nil {
            let all = try texts.distinctValues()
            for _ in 0..<all.count { known.append(Self.unknown) }
            distinct = all
        }
        guard let distinct else { return }
        let known = known.mutable
        let node = texts.node
        try rows.visit { (row) throws(RealmError) in
            let index = Int(node.integer(row))
            guard index >= 0, index < known.count else { throw texts.damagedOffsets() }
            if known[index] == Self.unknown {
                known[index] = try number(ofText: distinct.value(index), leaf)
            }
            numbers[row] = known[index]
        }
    }

    private func readPath(
        _ leaf: ClusterLeaf, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        try rows.visit { (row) throws(RealmError) in
            var value = Value.null
            if let operand = key.operand {
                value = try evaluator.value(of: operand, RowLocation(leaf: leaf, row: row))
            } else if let end = try evaluator.follow(
                key.hops[...], from: RowLocation(leaf: leaf, row: row))
            {
                value = try end.value(key.column)
                if let entry = key.key {
                    if case .dictionary(let view) = value {
                        value = try evaluator.entry(view, entry, end) ?? .null
                    } else {
                        value = .null
                    }
                }
            }
            numbers[row] = try number(of: value, leaf)
        }
    }
}
