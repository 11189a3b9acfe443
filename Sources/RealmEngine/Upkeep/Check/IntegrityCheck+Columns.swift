/// Checks specs, column keys, and the pairs of a link column and its backlink column (object format
/// 11, invariants 3 to 6).
extension IntegrityCheck {
    /// The parallel arrays that describe a table's columns.
    private struct SpecArrays {
        let types: NodeView
        let names: NodeView
        let attributes: NodeView
        let keys: NodeView
        let distinct: NodeView?
        let indexes: NodeView
        let targets: NodeView
        let targetColumns: NodeView
        let namesRef: Ref
    }

    /// Reads the descriptions of all columns of a table. Returns false if they do not allow the
    /// table's objects to be read.
    func checkSpec(_ ref: Ref, _ node: NodeView, _ table: inout CheckedTable) -> Bool {
        let opened = reading(ref, .spec) { () throws(RealmError) in
            try specArrays(ref, node)
        }
        guard let arrays = opened else { return false }
        let count = arrays.keys.count
        guard arrays.types.count == count, arrays.attributes.count == count, count < 1 << 16 else {
            found(
                .spec, ref,
                "\(arrays.types.count) types, \(arrays.attributes.count) attributes and "
                    + "\(count) keys of columns")
            return false
        }
        for i in 0..<count where !checkColumn(i, arrays, ref, &table) { return false }
        checkNames(arrays, ref, table)
        checkLeafIndexes(arrays, table)
        return true
    }

    private func specArrays(_ ref: Ref, _ table: NodeView) throws(RealmError) -> SpecArrays {
        let spec = try space.refNode(ref, slots: SpecShape.count, "spec")
        if spec.slot(SpecShape.enumerations).isTagged {
            found(.spec, ref, "a number in slot \(SpecShape.enumerations) of a spec")
        }
        if spec.count != SpecShape.count || !spec.slot(SpecShape.unused).isNone {
            found(.unusedValue, ref, "a spec of \(spec.count) slots, or with slot 3")
        }
        let names = try space.node(spec.slot(SpecShape.names).ref)
        guard !names.hasRefs, names.widthType == 1 else {
            throw space.wrongShape(spec.slot(SpecShape.names).ref, "column names")
        }
        return SpecArrays(
            types: try space.integers(spec.slot(SpecShape.types).ref, "column types"), names: names,
            attributes: try space.integers(
                spec.slot(SpecShape.attributes).ref, "column attributes"),
            keys: try space.integers(spec.slot(SpecShape.keys).ref, "column keys"),
            distinct: try spec.slot(SpecShape.enumerations).child.map { (ref) throws(RealmError) in
                try space.refNode(ref, slots: 0, "lists of distinct values")
            },
            indexes: try space.refNode(table.slot(TableShape.indexes).ref, slots: 0, "indexes"),
            targets: try space.integers(
                table.slot(TableShape.oppositeTables).ref, "opposite tables"),
            targetColumns: try space.integers(
                table.slot(TableShape.oppositeColumns).ref, "opposite columns"),
            namesRef: spec.slot(SpecShape.names).ref)
    }

    /// Returns false if the column has an unknown type, so that the table's clusters cannot be
    /// read.
    private func checkColumn(
        _ i: Int, _ arrays: SpecArrays, _ ref: Ref, _ table: inout CheckedTable
    ) -> Bool {
        let key = ColumnKey(arrays.keys.integer(i))
        let code = IntegrityReport.Code.columnKey
        guard key.raw >= 0, key.raw < 1 << 62, let type = ColumnType(number: key.typeNumber),
            key.typeNumber != 13 || header.format < FileFormat.current
        else {
            found(code, ref, "column \(i) has the unknown key \(key.raw)")
            return false
        }
        guard table.usedLeafIndexes.insert(key.leafIndex).inserted else {
            found(code, ref, "two columns have leaf index \(key.leafIndex)")
            return false
        }
        table.lastLeafIndex = max(table.lastLeafIndex, key.leafIndex)
        checkAttributes(i, key, type, arrays, ref)
        if type == .backlink {
            table.backlinks.append(backlink(key, arrays))
            return true
        }
        if !table.backlinks.isEmpty {
            found(.spec, ref, "column \(i) stands behind backlink columns")
        }
        table.columns.append(property(i, key, type, arrays))
        return true
    }

    private func checkAttributes(
        _ i: Int, _ key: ColumnKey, _ type: ColumnType, _ arrays: SpecArrays, _ ref: Ref
    ) {
        let word = arrays.types.integer(i)
        let number = Int(word & 0xFFFF)
        let isLegacyList = number == 13 && type == .link
        if number != key.typeNumber, !isLegacyList {
            // Engines read the type from the column key. They use the type in the spec only to find
            // backlink columns.
            let isBacklink = number == ColumnType.backlink.rawValue || type == .backlink
            found(
                isBacklink ? .columnKey : .unusedValue, ref,
                "column \(i) has type \(number) beside key type \(type.rawValue)")
        }
        let stored = ColumnAttributes(
            rawValue: UInt16(truncatingIfNeeded: arrays.attributes.integer(i)))
        let own = stored.subtracting([.indexed, .fullText, ColumnAttributes(rawValue: 0x02)])
        if own != key.attributes {
            // Wrong attributes in the spec matter for lists of links of older formats: an upgrade
            // computes the new column key from them.
            found(
                isLegacyList ? .columnAttributes : .unusedValue, ref,
                "column \(i) has attributes \(own.rawValue) beside \(key.attributes.rawValue)")
        }
        if stored.isSuperset(of: [.indexed, .fullText]) {
            found(.unusedValue, ref, "column \(i) has two kinds of index at once")
        }
        if key.attributes.intersection(.collection).rawValue.nonzeroBitCount > 1 {
            found(.columnAttributes, ref, "column \(i) is two collections at once")
        }
        let keyType = word >> 16
        let isDictionary = key.attributes.contains(.dictionary)
        if isDictionary ? keyType != 0 && keyType != 2 : keyType != 0 {
            found(
                isDictionary ? .columnKey : .unusedValue, ref,
                "column \(i) has dictionary keys of type \(keyType)")
        }
    }

    private func property(
        _ i: Int, _ key: ColumnKey, _ type: ColumnType, _ arrays: SpecArrays
    ) -> CheckedColumn {
        var attributes = key.attributes
        if key.typeNumber == 13 { attributes.insert(.list) }
        let leaf = key.leafIndex
        let target = leaf < arrays.targets.count ? arrays.targets.integer(leaf) : -1
        let index = leaf < arrays.indexes.count ? arrays.indexes.slot(leaf).child : nil
        let distinct = arrays.distinct.flatMap { i < $0.count ? $0.slot(i).child : nil }
        let kind: CollectionKind? =
            attributes.contains(.list)
            ? .list
            : attributes.contains(.set)
                ? .set
                : attributes.contains(.dictionary)
                    ? .dictionary
                    : nil
        let layout = LeafLayout(
            type: type, isNullable: attributes.contains(.nullable), collection: kind,
            target: TableKey(UInt32(truncatingIfNeeded: target)), distinct: distinct ?? .none,
            hasIntegerKeys: kind == .dictionary && arrays.types.integer(i) >> 16 == 0)
        let name =
            i < arrays.names.count
            ? checkedName(arrays.names, i, arrays.namesRef, .columnName) : ""
        return CheckedColumn(
            key: key, name: name, layout: layout,
            attributes: ColumnAttributes(
                rawValue: UInt16(truncatingIfNeeded: arrays.attributes.integer(i))),
            indexRoot: index ?? .none,
            targetColumn: ColumnKey(
                leaf < arrays.targetColumns.count ? arrays.targetColumns.integer(leaf) : -1))
    }

    private func backlink(_ key: ColumnKey, _ arrays: SpecArrays) -> CheckedBacklink {
        let leaf = key.leafIndex
        let origin = leaf < arrays.targets.count ? arrays.targets.integer(leaf) : -1
        let column = leaf < arrays.targetColumns.count ? arrays.targetColumns.integer(leaf) : -1
        return CheckedBacklink(
            key: key, origin: TableKey(UInt32(truncatingIfNeeded: origin)),
            originColumn: ColumnKey(column))
    }

    private func checkNames(_ arrays: SpecArrays, _ ref: Ref, _ table: CheckedTable) {
        if arrays.names.count != table.columns.count {
            found(
                .columnName, arrays.namesRef,
                "\(arrays.names.count) names for \(table.columns.count) columns")
        }
        var seen: Set<String> = []
        for column in table.columns where !seen.insert(column.name).inserted {
            found(.columnName, arrays.namesRef, "two columns are called \(column.name)")
        }
        if let distinct = arrays.distinct, distinct.count != table.columns.count {
            found(
                .enumeration, ref,
                "\(distinct.count) lists of distinct values for \(table.columns.count) columns")
        }
        for column in table.columns where !column.layout.distinct.isNone {
            if column.layout.type != .string || column.layout.collection != nil {
                found(.unusedValue, ref, "\(column.name) is no string and has distinct values")
            }
        }
    }

    private func checkLeafIndexes(_ arrays: SpecArrays, _ table: CheckedTable) {
        let (indexes, targets) = (arrays.indexes, arrays.targets)
        let needed = table.lastLeafIndex + 1
        if indexes.count < needed || targets.count < needed
            || arrays.targetColumns.count != targets.count
        {
            found(
                .tableTop, table.ref,
                "\(indexes.count) indexes and \(targets.count) opposites for \(needed) columns")
        }
        guard spend(indexes.count + targets.count) else { return }
        for leaf in 0..<indexes.count where !indexes.slot(leaf).isNone {
            if !table.usedLeafIndexes.contains(leaf) || indexes.slot(leaf).isTagged {
                found(.indexType, table.ref, "an index of unused leaf index \(leaf)")
            }
        }
        let columns = arrays.targetColumns
        for leaf in 0..<min(targets.count, columns.count)
        where !table.usedLeafIndexes.contains(leaf) {
            checkNoOpposite(targets.integer(leaf), columns.integer(leaf), leaf, table)
        }
        for column in table.columns where column.layout.type != .link {
            let leaf = column.key.leafIndex
            guard leaf < targets.count, leaf < columns.count else { continue }
            checkNoOpposite(targets.integer(leaf), columns.integer(leaf), leaf, table)
        }
    }

    /// Checks that no opposite column is stored for a column that is not a link. (The opposite
    /// column of a link is the backlink column in its target table.) Engines read this entry for
    /// links only, so a wrong entry is harmless. Accepts 0: engines of formats 10 and 11 stored 0,
    /// and upgrades do not change it.
    private func checkNoOpposite(
        _ target: Int64, _ column: Int64, _ leaf: Int, _ table: CheckedTable
    ) {
        if target == 0, column == 0 { return }
        if target != Int64(TableKey.none.raw) || column != ColumnKey.none.raw {
            found(
                .unusedValue, table.ref, "leaf index \(leaf), which is no link, has an opposite")
        }
    }

    /// Checks that each link column and its backlink column refer to each other.
    func checkOpposites(_ index: Int) {
        let table = tables[index]
        self.table = table.name
        for column in table.columns where column.layout.type == .link {
            self.column = column.name
            checkTarget(column, of: table)
        }
        self.column = nil
        for backlink in table.backlinks { checkOrigin(backlink, of: table) }
        self.table = nil
    }

    private func checkTarget(_ column: CheckedColumn, of table: CheckedTable) {
        guard let target = tableIndexes[column.layout.target] else {
            return found(.opposite, table.ref, "links to a table that is not there")
        }
        let isAnswered = tables[target].backlinks.contains {
            $0.origin == table.key && sameColumn($0.originColumn, column.key)
                && $0.key == column.targetColumn
        }
        if !isAnswered {
            found(
                .opposite, table.ref, "\(tables[target].className) has no backlinks of this column")
        }
    }

    private func checkOrigin(_ backlink: CheckedBacklink, of table: CheckedTable) {
        let origin = tableIndexes[backlink.origin].map { tables[$0] }
        let column = origin?.columns.first { sameColumn($0.key, backlink.originColumn) }
        guard let origin, let column else {
            return found(
                .backlinkOrphan, table.ref,
                "backlinks of a column that is gone (leaf index \(backlink.key.leafIndex))")
        }
        let type = column.layout.type
        let leadsHere = type == .link && column.layout.target == table.key
        if !leadsHere, type != .mixed, type != .typedLink {
            found(
                .opposite, table.ref,
                "backlinks of \(origin.className).\(column.name), no link here")
        }
        checkOwnership(of: table, by: column, in: origin)
    }

    /// Checks that the column may link to its target: an embedded object belongs to exactly one
    /// link, and an asymmetric object may not be linked to (object format 1.10).
    private func checkOwnership(
        of table: CheckedTable, by column: CheckedColumn, in origin: CheckedTable
    ) {
        let isOwner = column.layout.type == .link && column.layout.collection != .set
        if table.kind == .asymmetric || table.kind == .embedded && !isOwner {
            found(
                .opposite, table.ref,
                "\(origin.className).\(column.name) must not link to this class")
        }
    }

    /// Whether two keys identify the same column, even if one has type 13, which older formats used
    /// for lists of links.
    func sameColumn(_ a: ColumnKey, _ b: ColumnKey) -> Bool {
        a == b
            || a.leafIndex == b.leafIndex && a.tag == b.tag
                && ColumnType(number: a.typeNumber) == ColumnType(number: b.typeNumber)
    }
}
