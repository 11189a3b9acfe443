/// A table, as far as its description could be read.
struct CheckedTable {
    let key: TableKey
    let name: String
    let kind: TableKind
    let ref: Ref
    let root: Ref
    let tombstones: Ref
    var columns: [CheckedColumn] = []
    var backlinks: [CheckedBacklink] = []
    /// Index of the primary key in `columns`; nil if there is none.
    var primaryKey: Int?
    /// Highest leaf index of a column or backlink column. The leaf index is the position of the
    /// column's leaf in cluster leaves.
    var lastLeafIndex = -1
    /// Leaf indexes of all columns and backlink columns.
    var usedLeafIndexes: Set<Int> = []
    var facts: IntegrityReport.Table
    /// Sum over the keys of all live objects, each key hashed.
    var keySum = PairSum()
    /// Whether some rows or leaves could not be read. Sums over the table are then meaningless.
    var isIncomplete = false

    /// Class name without the prefix `class_`.
    var className: String { TableInfo.className(of: name) }
}

/// A property, as far as its description could be read.
struct CheckedColumn {
    let key: ColumnKey
    let name: String
    let layout: LeafLayout
    let attributes: ColumnAttributes
    let indexRoot: Ref
    /// Key of the backlink column in the target table, if this is a link column.
    let targetColumn: ColumnKey

    var isFullText: Bool { attributes.contains(.fullText) }
}

/// A backlink column.
struct CheckedBacklink {
    let key: ColumnKey
    let origin: TableKey
    let originColumn: ColumnKey
    /// Index in `IntegrityCheck.accounts` of the links to which the backlinks belong; nil if the
    /// link column does not exist.
    var account: Int?
}

/// Checks names, table keys and table roots (object format 11, invariants 1, 2 and 7; storage
/// format 9.1, points 8 and 9).
extension IntegrityCheck {
    @_optimize(size)
    func checkDirectory(_ top: TopArray) {
        guard let (names, roots) = openDirectory(top) else { return }
        var seen: Set<String> = []
        for slot in 0..<roots.count {
            let name = checkedName(names, slot, top.names, .tableName)
            let root = roots.slot(slot)
            guard let ref = root.child else {
                checkFreeSlot(root, name, slot, top.tables)
                continue
            }
            table = name
            if !seen.insert(name).inserted {
                found(.tableName, top.names, "two tables have this name")
            }
            checkTable(ref, slot, name)
            table = nil
        }
        for i in tables.indices { checkOpposites(i) }
    }

    private func openDirectory(_ top: TopArray) -> (names: NodeView, roots: NodeView)? {
        let opened = reading(top.tables, .tableDirectory) { () throws(RealmError) in
            let names = try space.node(top.names)
            guard !names.hasRefs, names.widthType == 1 else {
                throw space.wrongShape(top.names, "table names")
            }
            return (names, try space.refNode(top.tables, slots: 0, "tables"))
        }
        guard let (names, roots) = opened else { return nil }
        guard names.count == roots.count, names.count < 1 << 16 else {
            found(
                .tableDirectory, top.tables,
                "\(names.count) names for \(roots.count) table slots")
            return nil
        }
        return (names, roots)
    }

    private func checkFreeSlot(_ slot: NodeSlot, _ name: String, _ i: Int, _ ref: Ref) {
        if slot.isNone {
            found(.tableDirectory, ref, "table slot \(i) is 0, which is neither free nor a table")
        } else if slot.value > 0x7FFF {
            found(.unusedValue, ref, "free table slot \(i) has the reuse tag \(slot.value)")
        }
        if !name.isEmpty { found(.removedTableName, ref, "free table slot \(i) is called \(name)") }
    }

    /// Returns cell `i` of a list of names and checks its padding, length and UTF-8 (object format
    /// 3.5.1).
    func checkedName(
        _ names: NodeView, _ i: Int, _ ref: Ref, _ code: IntegrityReport.Code
    ) -> String {
        let width = names.width
        guard width > 0 else { return "" }
        let cell = names.payload + i * width
        let padding = Int(cell.load(fromByteOffset: width - 1, as: UInt8.self))
        guard padding <= width else {
            found(code, ref, "name \(i) is longer than its cell")
            return ""
        }
        let count = max(0, width - 1 - padding)
        let text = ByteView(cell, count: count)
        for at in count..<(width - 1)
        where cell.load(fromByteOffset: at, as: UInt8.self) != 0 {
            found(code, ref, "name \(i) is padded with something else than zeros")
            break
        }
        if !UTF8Sequence.isValid(text) { found(code, ref, "name \(i) is not UTF-8") }
        return text.string
    }

    private func checkTable(_ ref: Ref, _ slot: Int, _ name: String) {
        let node = reading(ref, .tableTop) { () throws(RealmError) in
            try space.refNode(ref, slots: TableShape.minimumCount, "table")
        }
        guard let node else { return }
        let isUsable = checkTableSlots(node, ref)
        let number = node.slot(TableShape.key).value
        let key = TableKey(UInt32(truncatingIfNeeded: number))
        guard isUsable, let root = node.slot(TableShape.objects).child,
            let spec = node.slot(TableShape.spec).child
        else { return }
        guard key.slot == slot, key.tag <= 0x7FFF, number <= 0x7FFF_FFFF else {
            return found(.tableKey, ref, "the table in slot \(slot) has key \(key.raw)")
        }
        let kind = node.count > TableShape.kind ? node.slot(TableShape.kind) : NodeSlot(raw: 0)
        let flags = kind.isTagged ? kind.value : 0
        var checked = CheckedTable(
            key: key, name: name, kind: TableKind(rawValue: Int(flags & 3)) ?? .topLevel, ref: ref,
            root: root, tombstones: node.tombstones,
            facts: IntegrityReport.Table(name: name))
        if slot < usage.count {
            checked.facts.nodes = usage[slot].nodes
            checked.facts.bytes = usage[slot].bytes
        }
        guard checkSpec(spec, node, &checked) else { return }
        checkPrimaryKey(node.slot(TableShape.primaryKey), &checked)
        checkCollisionMap(node.slot(TableShape.collisions))
        tableIndexes[key] = tables.count
        tables.append(checked)
    }

    /// Checks the slots of a table's root. Returns false if a required reference is missing.
    ///
    /// Tables from before format 20 have 12 or 13 slots, and upgrades do not add the missing ones.
    /// Missing slots are read as 0.
    @_optimize(size)
    private func checkTableSlots(_ node: NodeView, _ ref: Ref) -> Bool {
        var isUsable = true
        for i in 0..<min(TableShape.count, node.count) {
            let slot = node.slot(i)
            let isKind = i != TableShape.kind || TableKind(rawValue: Int(slot.value & 3)) != nil
            if TableShape.roles[i].accepts(slot), isKind { continue }
            found(.tableTop, ref, "slot \(i) of a table holds \(slot.raw)")
            if TableShape.required.contains(i) { isUsable = false }
        }
        checkUnusedSlots(node, ref)
        return isUsable
    }

    private func checkUnusedSlots(_ node: NodeView, _ ref: Ref) {
        let unused = node.slot(TableShape.unused)
        if !unused.isNone {
            found(.unusedValue, ref, "slot \(TableShape.unused) of a table holds \(unused.raw)")
        }
        if node.count > TableShape.count {
            found(.unusedValue, ref, "a table of \(node.count) slots")
        }
        guard node.count > TableShape.kind else { return }
        let kind = node.slot(TableShape.kind)
        if kind.isTagged, kind.value > 3 {
            found(.unusedValue, ref, "slot \(TableShape.kind) of a table holds \(kind.value)")
        }
    }

    private func checkPrimaryKey(_ slot: NodeSlot, _ table: inout CheckedTable) {
        guard slot.isTagged else { return }
        let key = ColumnKey(Int64(bitPattern: slot.value))
        guard let index = table.columns.firstIndex(where: { $0.key == key }) else {
            return found(.primaryKey, table.ref, "the primary key names no column")
        }
        table.primaryKey = index
        let layout = table.columns[index].layout
        if !layout.type.mayBePrimaryKey || layout.collection != nil {
            found(.primaryKey, table.ref, "a primary key of type \(layout.type.name)")
        }
        if table.kind == .embedded {
            found(.primaryKey, table.ref, "an embedded class with a primary key")
        }
    }

    /// Checks the collision map: three parallel arrays, sorted by the second array and then by the
    /// first (object format 1.13).
    private func checkCollisionMap(_ slot: NodeSlot) {
        guard let ref = slot.child else { return }
        let arrays = reading(ref, .collisionMap) { () throws(RealmError) in
            let node = try space.refNode(ref, slots: CollisionMapShape.count, "collision map")
            return [
                try space.integers(node.slot(CollisionMapShape.low).ref, "collision map"),
                try space.integers(node.slot(CollisionMapShape.high).ref, "collision map"),
                try space.integers(node.slot(CollisionMapShape.localID).ref, "collision map"),
            ]
        }
        guard let arrays else { return }
        let count = arrays[0].count
        guard arrays.allSatisfy({ $0.count == count }) else {
            return found(.collisionMap, ref, "a collision map of unequal parts")
        }
        guard spend(count) else { return }
        func key(_ i: Int) -> (UInt64, UInt64) {
            (
                UInt64(bitPattern: arrays[CollisionMapShape.high].integer(i)),
                UInt64(bitPattern: arrays[CollisionMapShape.low].integer(i))
            )
        }
        for i in 1..<max(1, count) where key(i - 1) >= key(i) {
            found(.collisionMap, ref, "rows \(i - 1) and \(i) of a collision map do not ascend")
        }
    }
}
