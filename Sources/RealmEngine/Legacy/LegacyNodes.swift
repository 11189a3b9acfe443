import Synchronization

/// The tables of a version of formats 2 to 9, presented as trees of the current format (legacy
/// format 9).
///
/// Every node that a reader of the current format expects has a number, and is built when it is
/// first opened. Nodes of cluster trees do not exist in old files and are always built. The values
/// of a column are divided into vectors of at most 256 values, one for each cluster leaf. A vector
/// is a part of the leaf in the file if that leaf is packed as in the current format; otherwise it
/// is a copy. Search indexes and backlinks of the file are not used: indexes differ between the
/// formats, and backlinks are wrong in some files.
///
/// In a table with k columns (including backlink columns), the nodes are numbered in this order: k
/// lists of distinct strings, one for each column; each cluster leaf, followed by its k column
/// leaves; the inner nodes of the cluster tree, level by level.
///
/// Free to cross threads: a mutex is held while a node is built.
final class LegacyNodes: DerivedNodes, @unchecked Sendable {
    let content: LegacyContent
    /// Ref of node 0. Each version gets a different one, so that caches keyed by ref do not mix up
    /// nodes of two versions.
    private let base: UInt64
    private let places: [LegacyPositions]
    private let count: Int
    /// Two words for each node: the address of its payload, and its number of elements together
    /// with its flags. Both words are 0 until the node is built.
    private let made: ZeroedWords
    private let mutex = LockedValue(())
    private let scratch: LegacyNodeScratch

    private static let nextBase = Atomic<UInt64>(DerivedNodes.firstRef)

    /// Takes ownership of `memory`, the context in which the file is read.
    init(
        _ mapping: Mapping, _ content: LegacyContent, _ memory: ReadContext
    ) throws(RealmError) {
        self.content = content
        var count = 0
        places = content.tables.map { table in
            defer { count += LegacyPositions(table, first: 0).count }
            return LegacyPositions(table, first: count)
        }
        self.count = count
        base = Self.nextBase.add(UInt64(count + 1) * 8, ordering: .relaxed).oldValue
        made = try ZeroedWords(2 * count)
        scratch = LegacyNodeScratch(mapping, memory)
        super.init()
    }

    /// Returns the root of the cluster tree of a table.
    func root(_ table: Int) -> Ref { ref(places[table].root) }

    /// Returns the ref of the list of distinct strings of an enumerated column.
    func distinct(_ table: Int, _ column: Int) -> Ref { ref(places[table].first + column) }

    private func ref(_ number: Int) -> Ref { Ref(base + UInt64(number) * 8) }

    override func node(_ ref: Ref) throws(RealmError) -> NodeView {
        let number = ref.raw &- base
        guard number & 7 == 0, number >> 3 < UInt64(count) else {
            return try super.node(ref)
        }
        if let node = known(Int(number >> 3)) { return node }
        return try make(Int(number >> 3))
    }

    @inline(__always)
    private func known(_ number: Int) -> NodeView? {
        let payload = made.loadPublished(2 &* number)
        guard let payload = UnsafeRawPointer(bitPattern: UInt(payload)) else { return nil }
        let shape = made.load(2 &* number &+ 1)
        return NodeView(
            payload: payload, count: Int(shape >> 8), flags: UInt8(truncatingIfNeeded: shape))
    }

    private func make(_ number: Int) throws(RealmError) -> NodeView {
        try mutex.withLock { _ throws(RealmError) in
            if let known = known(number) { return known }
            let node = try scratch.inSlab(self) { () throws(RealmError) in try made(number) }
            made.store(UInt64(node.count) << 8 | UInt64(node.flags), 2 * number + 1)
            made.publish(UInt64(UInt(bitPattern: node.payload)), 2 * number)
            return node
        }
    }

    // MARK: Conversion, with the mutex held

    private func made(_ number: Int) throws(RealmError) -> NodeView {
        let places = places[self.places.partitionPoint { $0.first > number } - 1]
        switch places.what(number) {
        case .distinct(let column): return try distinct(places.table, column)
        case .leaf(let vector): return try leaf(places, vector)
        case .column(let vector, let slot):
            return try column(places.table, slot, places.table.grid.rows(of: vector))
        case .inner(let level, let i): return try inner(places, level, i)
        }
    }

    private func distinct(_ table: LegacyTable, _ i: Int) throws(RealmError) -> NodeView {
        let column = table.spec.columns[i]
        let reader = LegacyColumnReader(scratch.space, column.distinctStrings, column.keys)
        return try scratch.node(reader.cells(0..<reader.count()))
    }

    private func leaf(_ places: LegacyPositions, _ vector: Int) throws(RealmError) -> NodeView {
        let (table, rows) = (places.table, places.table.grid.rows(of: vector))
        var slots = [NodeEncoder.tag(rows.count)]
        for slot in 0..<places.slots { slots.append(ref(places.column(vector, slot)).raw) }
        if let objects = table.objects {
            let base = places.root == places.node(0, vector) ? 0 : table.key(rows.lowerBound)
            slots[0] = try scratch.keys(objects.keys[rows], base: base)
            let leaf = try scratch.clusterLeaf(objects.leaves[vector])
            for (i, column) in table.spec.columns.prefix(table.properties).enumerated()
            where table.roots[i].isNone {
                slots[i + 1] = try leaf.columnRef(column.leafIndex).raw
            }
        }
        return try scratch.refs(slots)
    }

    private func column(
        _ table: LegacyTable, _ slot: Int, _ rows: Range<Int>
    ) throws(RealmError) -> NodeView {
        if slot >= table.properties {
            return try scratch.backlinks(
                table.incoming[slot - table.properties], rows, to: table, content)
        }
        let column = table.spec.columns[slot]
        let target = column.target.map { content.tables[$0] }
        let reader = LegacyColumnReader(
            scratch.space, column, table.roots[slot], targets: target?.rows ?? 0)
        // A column without a root, in a table converted by an upgrade, belongs to a table without
        // objects.
        if reader.root.isNone { return try scratch.node(LeafCells(reader.layout, capacity: 0)) }
        guard table.keysAreRows, target?.keysAreRows ?? true else {
            return try scratch.upgraded(reader, rows, of: table, to: target)
        }
        if let node = try reader.inPlace(rows) { return node }
        if let elements = reader.column.elements {
            return try scratch.lists(reader, elements, rows)
        }
        return try scratch.node(reader.cells(rows))
    }

    /// Builds an inner node. It has up to 256 children, whose offsets are the keys of their first
    /// objects.
    private func inner(
        _ places: LegacyPositions, _ level: Int, _ i: Int
    ) throws(RealmError) -> NodeView {
        let (table, children) = (places.table, places.children(level, i))
        let starts = (children.lowerBound...children.upperBound).map {
            table.grid.start($0 * places.vectors(below: level))
        }
        let base = places.root == places.node(level, i) ? 0 : table.key(starts[0])
        let offsets = starts.dropLast().map { UInt64(table.key($0) - base) }
        var slots = [
            try scratch.encoder.unsigned(offsets).raw, NodeEncoder.tag(level),
            NodeEncoder.tag(starts[children.count] - starts[0]),
        ]
        for child in children { slots.append(ref(places.node(level - 1, child)).raw) }
        return try scratch.refs(slots, flags: NodeView.innerFlag)
    }
}
