/// Creates nodes of the current file format for a version of formats 2 to 9. The nodes are created
/// in memory, at refs greater than the file size, by the same code that writes files. Used by one
/// thread at a time.
final class LegacyNodeScratch {
    private let memory: ReadContext
    private let mapping: Mapping
    /// Memory and encoder for nodes; created when the first node is copied.
    private var bench: Bench?
    private var known: [LegacyLinkColumn: LegacyBacklinks] = [:]

    private struct Bench {
        let part: MappingPart
        let slab: Slab
        let context: EditContext
    }

    init(_ mapping: Mapping, _ memory: ReadContext) {
        (self.mapping, self.memory) = (mapping, memory)
    }

    /// Reader for the nodes of the file.
    var space: NodeSpace { memory.lookup }

    var encoder: NodeEncoder { bench!.context.encoder }

    /// Runs `body`, which creates nodes in memory, and then makes these nodes readable through
    /// `nodes`.
    func inSlab<R>(
        _ nodes: DerivedNodes, _ body: () throws(RealmError) -> R
    ) throws(RealmError) -> R {
        let bench = try opened()
        defer {
            nodes.copiesStart.store(memory.states.pointee.slabStart, ordering: .relaxed)
            nodes.copiesEnd.store(memory.states.pointee.slabEnd, ordering: .releasing)
        }
        guard bench.slab.used <= LegacyLimits.copies(space) else {
            throw .corrupt(
                "values take more room than the file can hold (shared nodes)", in: "file")
        }
        return try body()
    }

    private func opened() throws(RealmError) -> Bench {
        if let bench { return bench }
        guard let part = mapping.takePart() else {
            throw RealmError(
                .busy, code: "TooManyVersions", reason: "too-many-versions",
                "too many versions of a file of an older format are read at once")
        }
        let slab = Slab(mapping, part.range)
        slab.attach(memory)
        let made = Bench(
            part: part, slab: slab,
            context: EditContext(space: memory.lookup, slab: slab, fanout: Fanout()))
        bench = made
        return made
    }

    // MARK: Nodes

    func node(_ ref: Ref) throws(RealmError) -> NodeView { try space.node(ref) }

    func refs(_ slots: [UInt64], flags: UInt8 = 0) throws(RealmError) -> NodeView {
        try node(encoder.refs(slots, flags: flags))
    }

    /// Creates a leaf that contains all values in `cells`.
    func node(_ cells: LeafCells) throws(RealmError) -> NodeView { try node(leaf(cells)) }

    private func leaf(_ cells: LeafCells, isElement: Bool = false) throws(RealmError) -> Ref {
        try LeafEncoder(context: bench!.context)
            .encode(cells, count: cells.capacity, isElement: isElement)
    }

    // MARK: Lists

    /// Creates a leaf with the roots of the lists in `rows` of a list column. In old formats, each
    /// value of a list column is the ref of a table, whose only column is the list.
    func lists(
        _ reader: LegacyColumnReader, _ elements: LegacyColumn, _ rows: Range<Int>
    ) throws(RealmError) -> NodeView {
        try lists(reader.slots(rows), elements)
    }

    /// Creates a leaf with the roots of lists.
    ///
    /// - Parameter cells: the refs of the one-column tables that contain the lists in old formats.
    func lists(_ cells: LeafCells, _ elements: LegacyColumn) throws(RealmError) -> NodeView {
        for i in 0..<cells.capacity {
            let ref = Ref(UInt64(bitPattern: cells.words[i]))
            if ref.isNone { continue }
            let columns = try space.refNode(ref, slots: 1, "list")
            guard let root = columns.slot(0).child else {
                throw .corrupt("a list without its values", at: ref)
            }
            let list = try list(LegacyColumnReader(space, elements, root))
            cells.words[i] = Int64(bitPattern: list.raw)
        }
        return try node(cells)
    }

    /// Returns the root of a list in the current file format. If the nodes of the old list already
    /// have that format, this is the root of the old list; otherwise it is the root of a converted
    /// copy.
    private func list(_ reader: LegacyColumnReader) throws(RealmError) -> Ref {
        let count = try reader.count()
        if count == 0 { return .none }
        switch reader.column.type {
        case .int, .float, .double: return reader.root
        case .bool where !reader.column.isNullable: return reader.root
        default: return try copy(reader, count)
        }
    }

    /// Copies `count` elements of a list and returns the root of the copy.
    ///
    /// - Parameter change: called with the values of each leaf before they are stored, to change
    ///   them.
    func copy(
        _ reader: LegacyColumnReader, _ count: Int,
        _ change: (LeafCells) throws(RealmError) -> Void = { _ throws(RealmError) in }
    ) throws(RealmError) -> Ref {
        guard count <= LegacyLimits.cells(space) else { throw space.tooMany(count, reader.root) }
        let full = ElementCursor.maximumLeafCount
        var slots = [NodeEncoder.tag(full)]
        for start in stride(from: 0, to: count, by: full) {
            let cells = try reader.cells(start..<min(start + full, count))
            try change(cells)
            slots.append(try leaf(cells, isElement: true).raw)
        }
        if slots.count == 2 { return Ref(slots[1]) }
        slots.append(NodeEncoder.tag(count))
        return try encoder.refs(slots, flags: NodeView.innerFlag)
    }

    // MARK: Backlinks

    /// Creates a leaf with the backlinks of `rows`: for each row, the objects that link to it.
    func backlinks(
        _ link: LegacyIncoming, _ rows: Range<Int>, to table: LegacyTable, _ content: LegacyContent
    ) throws(RealmError) -> NodeView {
        let place = LegacyLinkColumn(table: link.table, column: link.column)
        let origins: LegacyBacklinks
        if let found = known[place] {
            origins = found
        } else {
            origins = try LegacyBacklinks(space, content.tables[link.table], link.column, table)
            known[place] = origins
        }
        var slots: [UInt64] = []
        for row in rows {
            let keys = origins[row]
            switch keys.count {
            case 0: slots.append(0)
            case 1: slots.append(NodeEncoder.tag(Int(keys[keys.startIndex])))
            default:
                slots.append(
                    try keys.withUnsafeBufferPointer { (keys) throws(RealmError) in
                        try encoder.integers(keys).raw
                    })
            }
        }
        return try refs(slots)
    }
}

extension LegacyColumnReader {
    /// Reads the values of a list column or subtable column in `rows`. In old formats, each value
    /// is the ref of a table.
    func slots(_ rows: Range<Int>) throws(RealmError) -> LeafCells {
        let cells = LeafCells(layout, capacity: rows.count)
        try numbers(tree(), rows, cells.words)
        for i in 0..<rows.count where cells.words[i] & 1 != 0 {
            throw .corrupt("a number where a table belongs", at: root)
        }
        return cells
    }
}

/// Identifies a column of links.
struct LegacyLinkColumn: Hashable {
    let table: Int
    let column: Int
}

/// Backlinks: for each object of a table, the objects that link to it by one column. They are
/// computed from the links.
struct LegacyBacklinks {
    /// For each object, the index in `origins` after its last backlink.
    private var ends: ContiguousArray<Int>
    private var origins: ContiguousArray<Int64>

    /// The keys of the objects that link to object `row`, in ascending order. A key occurs once per
    /// link.
    subscript(row: Int) -> ArraySlice<Int64> {
        origins[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
    }

    init(
        _ space: NodeSpace, _ table: LegacyTable, _ column: Int, _ target: LegacyTable
    ) throws(RealmError) {
        let links = LegacyLinks(space, table, column, target)
        ends = ContiguousArray(repeating: 0, count: target.rows)
        origins = []
        var total = 0
        try links.forEachPair { (_, target) throws(RealmError) in
            total += 1
            guard total <= LegacyLimits.cells(space) else {
                throw space.tooMany(total, table.roots[column])
            }
            ends[target] += 1
        }
        var end = 0
        for i in ends.indices {
            // For now, store the start of the row's range. Adding backlinks below moves it to the
            // end of the range.
            (ends[i], end) = (end, end + ends[i])
        }
        origins = ContiguousArray(repeating: 0, count: total)
        try links.forEachPair { (object, target) throws(RealmError) in
            origins[ends[target]] = table.key(object)
            ends[target] += 1
        }
    }
}

extension LegacyColumnReader {
    /// Calls `body` with every link in `rows`: the row of the link, and its target.
    func forEachLink(
        _ rows: Range<Int>, _ body: (Int, Int64) throws(RealmError) -> Void
    ) throws(RealmError) {
        let vector = ClusterLeafShape.maximumObjectCount
        for start in stride(from: rows.lowerBound, to: rows.upperBound, by: vector) {
            let part = start..<min(start + vector, rows.upperBound)
            let cells = column.type == .link ? try cells(part) : try slots(part)
            for i in 0..<part.count {
                let word = cells.words[i]
                if column.type == .link {
                    if word != LeafCells.noLink { try body(part.lowerBound + i, word) }
                } else if word != 0 {
                    let list = Ref(UInt64(bitPattern: word))
                    try forEachElement(of: list) { (key) throws(RealmError) in
                        try body(part.lowerBound + i, key)
                    }
                }
            }
        }
    }

    private func forEachElement(
        of list: Ref, _ body: (Int64) throws(RealmError) -> Void
    ) throws(RealmError) {
        let tree = LegacyTree(space: space, root: list, form: .integers)
        let count = try tree.count()
        guard count <= LegacyLimits.cells(space) else { throw space.tooMany(count, list) }
        try tree.forEachLeaf(0..<count) { (leaf, part) throws(RealmError) in
            for i in part { try body(leaf.node.integer(i)) }
        }
    }
}
