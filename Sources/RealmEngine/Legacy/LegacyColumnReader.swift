/// Reads a column of a table, or a list of primitives, of formats 2 to 9. Counts the values, and
/// decodes them to the intermediate form (`LeafCells`) from which leaves of the current format are
/// encoded (legacy format 4, 5).
struct LegacyColumnReader {
    let space: NodeSpace
    let column: LegacyColumn
    let root: Ref
    /// Number of rows of the target table; 0 if the column is no link.
    let targets: Int

    init(_ space: NodeSpace, _ column: LegacyColumn, _ root: Ref, targets: Int = 0) {
        (self.space, self.column, self.root) = (space, column, root)
        self.targets = targets
    }

    /// Returns the number of rows. Throws if the trees of the column have different numbers of
    /// elements.
    func count() throws(RealmError) -> Int {
        let count = try tree().count()
        if column.type == .timestamp || column.type == .mixed {
            let second = column.type == .timestamp ? LegacyLeafForm.integers : .slots
            guard try part(1, second)?.count() == count else {
                throw .corrupt("the two halves of a column differ in their rows", at: root)
            }
        }
        return count
    }

    func evenLeaves() throws(RealmError) -> Int? { try tree().evenLeaves() }

    /// Returns the tree that has one element per row. If the column consists of several trees, this
    /// is the first of them.
    func tree() throws(RealmError) -> LegacyTree {
        switch column.type {
        case .timestamp: return try seconds()
        case .mixed:
            guard let types = try part(0, .integers) else {
                throw space.wrongShape(root, "mixed column")
            }
            return types
        default: return LegacyTree(space: space, root: root, form: form)
        }
    }

    private var form: LegacyLeafForm {
        switch column.type {
        case .int, .bool, .date: column.isNullable ? .optionalIntegers : .integers
        case .enumerated, .link, .mixed: .integers
        case .timestamp: .optionalIntegers
        case .float: .floats
        case .double: .doubles
        case .string: .strings
        case .binary: .binaries
        case .table, .linkList, .backlink: .slots
        }
    }

    /// Returns tree `i` of a column that consists of several trees; nil if this tree is missing.
    func part(_ i: Int, _ form: LegacyLeafForm) throws(RealmError) -> LegacyTree? {
        let node = try space.refNode(root, slots: 2, "column of several parts")
        guard node.count <= (column.type == .mixed ? 4 : 2) else {
            throw space.wrongShape(root, "column of several parts")
        }
        guard i < node.count, let child = node.slot(i).child else { return nil }
        return LegacyTree(space: space, root: child, form: form)
    }

    private func seconds() throws(RealmError) -> LegacyTree {
        guard let seconds = try part(0, .optionalIntegers) else {
            throw space.wrongShape(root, "timestamp column")
        }
        return seconds
    }

    /// Layout of the column's values in a leaf of the current format. For enumerated strings, the
    /// layout of their indexes.
    var layout: LeafLayout {
        let isList = column.type == .linkList || column.type == .table
        let type = column.type == .enumerated ? nil : (column.elements ?? column).type.today
        return LeafLayout(
            type: type ?? .int, isNullable: type != nil && !isList && column.isNullable,
            collection: isList ? .list : nil, target: .none, distinct: .none, hasIntegerKeys: false)
    }
}

// MARK: - Values

extension LegacyColumnReader {
    /// Reads the values of a range of rows.
    func cells(_ rows: Range<Int>) throws(RealmError) -> LeafCells {
        let cells = LeafCells(layout, capacity: rows.count)
        switch column.type {
        case .int: try integers(rows, cells)
        case .bool: try bools(rows, cells)
        case .date: try dates(rows, cells)
        case .timestamp: try times(rows, cells)
        case .float, .double: try floats(rows, cells)
        case .string, .binary: try bytes(rows, cells)
        case .link: try links(rows, cells)
        case .mixed: try mixed(rows, cells)
        case .linkList, .enumerated: try numbers(tree(), rows, cells.words)
        case .table, .backlink: break
        }
        if let end = try valueEnd() {
            let start: Int64 = column.type == .link ? LeafCells.noLink : 0
            for i in 0..<rows.count where cells.words[i] >= end || cells.words[i] < start {
                throw .corrupt("a link or index of \(cells.words[i]) in row \(i)", at: root)
            }
        }
        return cells
    }

    /// Upper limit of the values, exclusive: the number of target rows for links, and the number of
    /// distinct strings for enumerated strings. Nil for other types.
    func valueEnd() throws(RealmError) -> Int? {
        switch column.type {
        case .link: targets
        case .enumerated:
            try LegacyTree(space: space, root: column.keys, form: .strings).count()
        default: nil
        }
    }

    /// Reads a range of elements from a tree of integers or slots to `words`.
    func numbers(
        _ tree: LegacyTree, _ rows: Range<Int>, _ words: UnsafeMutablePointer<Int64>
    ) throws(RealmError) {
        var at = 0
        try tree.forEachLeaf(rows) { (leaf, part) throws(RealmError) in
            IntegerKernels.decode(
                leaf.node, first: part.lowerBound, count: part.count, into: words + at)
            at += part.count
        }
    }

    /// Reads a range of elements from a tree of nullable integers to `words`. Calls `null` with the
    /// index of each null.
    func optionalNumbers(
        _ tree: LegacyTree, _ rows: Range<Int>, _ words: UnsafeMutablePointer<Int64>,
        null: (Int) -> Void
    ) throws(RealmError) {
        var at = 0
        try tree.forEachLeaf(rows) { (leaf, part) throws(RealmError) in
            IntegerKernels.decode(
                leaf.node, first: part.lowerBound + 1, count: part.count, into: words + at)
            let marker = leaf.node.nullMarker
            for i in at..<at + part.count where words[i] == marker { null(i) }
            at += part.count
        }
    }

    private func integers(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        guard column.isNullable else { return try numbers(tree(), rows, cells.words) }
        cells.extras.initialize(repeating: 0, count: rows.count)
        try optionalNumbers(tree(), rows, cells.words) { cells.extras[$0] = 1 }
    }

    private func bools(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        let words = cells.words
        if column.isNullable {
            // Store a number for null that no bool may have; other numbers than 0 and 1 are
            // rejected below.
            try optionalNumbers(tree(), rows, words) { words[$0] = .min }
        } else {
            try numbers(tree(), rows, words)
        }
        for i in 0..<rows.count {
            guard 0...1 ~= words[i] || words[i] == .min else {
                throw .corrupt("a bool of \(words[i])", at: root)
            }
            if words[i] == .min { words[i] = 3 }
        }
    }

    private func dates(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        cells.extras.initialize(repeating: 0, count: rows.count)
        guard column.isNullable else { return try numbers(tree(), rows, cells.words) }
        try optionalNumbers(tree(), rows, cells.words) { cells.extras[$0] = LeafCells.nullTime }
    }

    private func floats(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        var at = 0
        let isDouble = column.type == .double
        try tree().forEachLeaf(rows) { (leaf, part) throws(RealmError) in
            for i in part {
                cells.words[at] =
                    isDouble
                    ? leaf.node.payload.load(fromByteOffset: 8 * i, as: Int64.self)
                    : Int64(leaf.node.payload.load(fromByteOffset: 4 * i, as: UInt32.self))
                at += 1
            }
        }
    }

    private func bytes(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        var at = 0
        try tree().forEachValue(rows, isNullable: column.isNullable) { value throws(RealmError) in
            if let value {
                cells.words[at] = Int64(Int(bitPattern: value.base))
                cells.extras[at] = Int64(value.count)
            }
            at += 1
        }
    }

    private func links(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        try numbers(tree(), rows, cells.words)
        for i in 0..<rows.count { cells.words[i] &-= 1 }
    }

    /// Reads the seconds and nanoseconds of a column of timestamps. If the column is required, a
    /// null is read as 1970-01-01.
    private func times(_ rows: Range<Int>, _ cells: LeafCells) throws(RealmError) {
        guard let nanoseconds = try part(1, .integers) else {
            throw space.wrongShape(root, "timestamp column")
        }
        try numbers(nanoseconds, rows, cells.extras)
        try optionalNumbers(seconds(), rows, cells.words) { i in
            cells.words[i] = 0
            cells.extras[i] = column.isNullable ? LeafCells.nullTime : 0
        }
    }
}
