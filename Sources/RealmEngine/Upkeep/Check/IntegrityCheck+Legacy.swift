/// Checks the tables and values of a file of formats 2 to 9 (legacy format 11). Nodes and free
/// space are checked as in files of other formats.
extension IntegrityCheck {
    var isLegacy: Bool { FileFormat.legacy.contains(header.format) }

    func checkLegacy(_ top: TopArray) {
        let content = reading(top.tables, .tableDirectory) { () throws(RealmError) in
            try LegacyContent(space, names: top.names, tables: top.tables)
        }
        guard let content else { return }
        if top.historyType > 4 {
            found(.historyType, topRef, "a history of the unknown type \(top.historyType)")
        }
        for table in content.tables {
            self.table = table.name
            if content.tables.contains(where: { $0 !== table && $0.name == table.name }) {
                found(.tableName, top.names, "two tables have one name")
            }
            check(table, content)
            self.table = nil
        }
        if content.isPartlyUpgraded { checkUpgrade(content, top) }
    }

    @_optimize(size)
    private func check(_ table: LegacyTable, _ content: LegacyContent) {
        var facts = IntegrityReport.Table(name: table.name)
        facts.objects = table.rows
        if table.index < usage.count {
            (facts.nodes, facts.bytes) = (usage[table.index].nodes, usage[table.index].bytes)
        }
        for (i, column) in table.spec.columns.enumerated() {
            self.column = column.name.isEmpty ? "column \(i)" : column.name
            if column.attributes.contains(.indexed) { facts.indexes += 1 }
            checkOpposite(of: column, i, table, content)
            guard level == .full, !table.roots[i].isNone, spend(table.rows) else { continue }
            let reader = LegacyColumnReader(
                space, column, table.roots[i],
                targets: column.target.map { content.tables[$0].rows } ?? 0)
            _ = reading(table.roots[i]) { () throws(RealmError) in
                try reader.checkShape()
                try checkValues(reader, table.rows)
            }
            if column.type == .backlink { compareBacklinks(reader, table, content) }
            if column.type == .enumerated { checkKeys(of: column) }
        }
        column = nil
        report.facts.tables.append(facts)
    }

    /// Checks the backlink column of a link column, and the link column of a backlink column.
    private func checkOpposite(
        of column: LegacyColumn, _ i: Int, _ table: LegacyTable, _ content: LegacyContent
    ) {
        if let target = column.target {
            let isThere = content.tables[target].spec.columns.contains {
                $0.origin.map { $0 == (table.index, i) } ?? false
            }
            if !isThere { found(.opposite, table.ref, "links without a column at their other end") }
        }
        guard let origin = column.origin else { return }
        guard origin.table < content.tables.count,
            origin.column < content.tables[origin.table].spec.columns.count,
            content.tables[origin.table].spec.columns[origin.column].target == table.index
        else {
            found(.opposite, table.ref, "a column of incoming links that come from nowhere")
            return
        }
    }

    /// Checks the distinct strings of a column, including strings that no row uses.
    private func checkKeys(of column: LegacyColumn) {
        let reader = LegacyColumnReader(space, column.distinctStrings, column.keys)
        _ = reading(column.keys, .enumeration) { () throws(RealmError) in
            try reader.checkShape()
            try checkValues(reader, reader.count())
        }
    }

    /// Reads every value of a column; the reader reports malformed values.
    private func checkValues(
        _ reader: LegacyColumnReader, _ rows: Int
    ) throws(RealmError) {
        if reader.column.type == .link || reader.column.type == .linkList {
            return try reader.forEachLink(0..<rows) { (row, target) throws(RealmError) in
                guard target >= 0, target < reader.targets else {
                    object = ObjectKey(Int64(row))
                    found(.linkTarget, reader.root, "a link to row \(target), which does not exist")
                    object = nil
                    return
                }
            }
        }
        let vector = ClusterLeafShape.maximumObjectCount
        for start in stride(from: 0, to: rows, by: vector) {
            let part = start..<min(start + vector, rows)
            switch reader.column.type {
            case .table: try checkTables(reader, part)
            case .backlink: continue
            default: try check(try reader.cells(part), part)
            }
        }
    }

    @_optimize(size)
    private func check(_ cells: LeafCells, _ rows: Range<Int>) throws(RealmError) {
        guard cells.form == .times || cells.form == .values else { return }
        for i in 0..<rows.count {
            guard case .timestamp(let stored) = cells.value(i) else { continue }
            let nanoseconds =
                cells.form == .times ? cells.extras[i] : Int64(stored.nanoseconds)
            let time = Timestamp(storedSeconds: stored.seconds, nanoseconds: nanoseconds)
            if time == nil {
                object = ObjectKey(Int64(rows.lowerBound + i))
                found(.timestampForm, nil, "a date whose parts contradict each other")
                object = nil
            }
        }
    }

    /// Checks the lists, or subtables, in the cells of `rows`.
    @_optimize(size)
    private func checkTables(
        _ reader: LegacyColumnReader, _ rows: Range<Int>
    ) throws(RealmError) {
        guard let spec = reader.column.subspec else { return }
        let cells = try reader.slots(rows)
        for i in 0..<rows.count where cells.words[i] != 0 {
            let ref = Ref(UInt64(bitPattern: cells.words[i]))
            let columns = try space.refNode(ref, slots: 0, "table in a cell")
            guard columns.count == spec.slots else {
                throw .corrupt("\(columns.count) column roots instead of \(spec.slots)", at: ref)
            }
            var count: Int?
            for column in spec.columns {
                guard let root = columns.slot(column.slot).child else {
                    throw .corrupt("a column without its root", at: ref)
                }
                let values = LegacyColumnReader(space, column, root)
                let number = try values.count()
                guard count ?? number == number, spend(number) else {
                    throw .corrupt("columns of different length in a cell", at: ref)
                }
                count = number
                try values.checkShape()
                try checkValues(values, number)
            }
        }
    }

    /// Compares stored backlinks with the links. Some writers stored backlinks in the wrong column.
    /// No reader uses stored backlinks, so a difference is only a warning.
    private func compareBacklinks(
        _ reader: LegacyColumnReader, _ table: LegacyTable, _ content: LegacyContent
    ) {
        guard let origin = reader.column.origin, origin.table < content.tables.count,
            origin.column < content.tables[origin.table].spec.columns.count,
            content.tables[origin.table].spec.columns[origin.column].target == table.index
        else { return }
        // A stored backlink is a row number. It cannot be compared if an interrupted upgrade has
        // given the objects other keys.
        guard content.tables[origin.table].keysAreRows, table.objects == nil else { return }
        let isRight = reading(reader.root) { () throws(RealmError) in
            // Ignore errors for links to missing rows: these have been reported already.
            let derived = try? LegacyBacklinks(
                space, content.tables[origin.table], origin.column, table)
            guard let derived else { return true }
            for row in 0..<table.rows {
                guard try reader.storedBacklinks(row).sorted() == Array(derived[row]) else {
                    return false
                }
            }
            return true
        }
        if isRight == false {
            found(.backlinkStale, reader.root, "incoming links that are not those of the column")
        }
    }
}

extension LegacyColumnReader {
    /// Checks the shape of the column's trees.
    fileprivate func checkShape() throws(RealmError) {
        try tree().checkShape()
        switch column.type {
        case .timestamp: try part(1, .integers)?.checkShape()
        case .mixed:
            try part(1, .slots)?.checkShape()
            try part(2, .binaries)?.checkShape()
        default: break
        }
    }

    /// Returns the row numbers of the linking objects, which a cell of a backlink column contains.
    fileprivate func storedBacklinks(_ row: Int) throws(RealmError) -> [Int64] {
        let leaf = try tree().leaf(with: row)
        let slot = leaf.node.slot(row - leaf.start)
        if slot.isTagged { return [Int64(bitPattern: slot.value)] }
        guard let ref = slot.child else { return [] }
        let list = LegacyTree(space: space, root: ref, form: .integers)
        try list.checkShape()
        var rows: [Int64] = []
        try list.forEachLeaf(0..<list.count()) { (leaf, part) throws(RealmError) in
            for i in part { rows.append(leaf.node.integer(i)) }
        }
        return rows
    }
}
