/// Second pass of a salvage: copies links, mixed values and collections, after all objects exist.
extension Salvage {
    private static let maximumDepth = EmbeddedNesting.limit

    @_optimize(size)
    func copyStructures(_ tableIndex: Int) throws(RealmError) {
        let info = targets[tableIndex].source
        guard info.columns.contains(where: Self.isStructure) else { return }
        try forEachLeaf(tableIndex) { (leaf, rows, origin) throws(RealmError) in
            let columns = try open(leaf, rows, info, origin, isWanted: Self.isStructure)
            for row in rows {
                let key = leaf.key(row)
                guard key.raw >= 0, let new = targets[tableIndex].new(key),
                    try transaction.exists(targets[tableIndex].key, new)
                else { continue }
                for column in columns {
                    guard let stored = column.leaf else { continue }
                    let owner = Owner(
                        target: targets[tableIndex], key: key, new: new,
                        isDoubtful: column.isDoubtful)
                    try copy(column, stored, row, owner)
                }
                try changed()
            }
        }
    }

    /// The object whose values are being copied.
    private struct Owner {
        let target: Target
        /// Object key in the damaged file, used in reports.
        let key: ObjectKey
        let new: ObjectKey
        /// Whether the copied column may have been overwritten.
        var isDoubtful = false
        /// Number of objects and collections that contain the object.
        var depth = 0

        /// Throws `corrupt` if an embedded object in `column` would be nested too deep to be
        /// created.
        func checkDepth(_ column: ColumnInfo) throws(RealmError) {
            guard depth + column.embeddedLevels <= EmbeddedNesting.deepestObject else {
                throw Salvage.tooDeep
            }
        }
    }

    @_optimize(size)
    private func copy(
        _ column: OpenColumn, _ leaf: ColumnLeaf, _ row: Int, _ owner: Owner
    ) throws(RealmError) {
        guard let to = owner.target.columns[column.index] else { return }
        do throws(RealmError) {
            try set(try leaf.value(row), column.info, to, owner)
        } catch {
            try reportLostValue(error, column.info, owner)
        }
    }

    private func reportLostValue(
        _ error: RealmError, _ column: ColumnInfo, _ owner: Owner
    ) throws(RealmError) {
        if error.kind == .output || error.kind == .internal { throw error }
        try reportLoss(
            .values(
                className: owner.target.source.className, property: column.name, key: owner.key,
                count: 1, why: error.message))
    }

    private func set(
        _ value: Value, _ column: ColumnInfo, _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        let table = owner.target.key
        switch value {
        case .null: return
        case .list(let view) where column.collection == .list,
            .set(let view) where column.collection == .set:
            try setElements(view, column, to, owner)
        case .dictionary(let view) where column.collection == .dictionary:
            try setEntries(view, column, to, owner)
        case .link(let link) where isEmbedded(link):
            try owner.checkDepth(column)
            let row = try embeddedRow(link)
            let child = try transaction.createEmbedded(table, owner.new, to)
            try fill(row, link, child, column, owner)
        default:
            guard let mapped = try mapped(value, column, owner) else { return }
            try transaction.set(table, owner.new, to, mapped)
        }
    }

    fileprivate static var tooDeep: RealmError {
        .corrupt("nested more than \(maximumDepth) deep", in: "embedded object")
    }

    private func isEmbedded(_ link: ObjectLink) -> Bool {
        target(link.table)?.source.kind == .embedded
    }

    // MARK: Values

    /// Returns the value with its links and collections converted to the new file. If it referenced
    /// something that is lost, reports that and returns nil.
    @_optimize(size)
    private func mapped(
        _ value: Value, _ column: ColumnInfo, _ owner: Owner, depth: Int = 0
    ) throws(RealmError) -> Value? {
        switch value {
        case .link(let link):
            if let target = target(link.table), let key = target.new(link.key),
                try transaction.exists(target.key, key)
            {
                return .link(ObjectLink(table: target.key, key: key))
            }
            try reportLostValue(
                .corrupt("the object it leads to is lost", in: "link"), column, owner)
            return nil
        case .list(let view):
            guard depth < Self.maximumDepth else { throw Self.tooDeep }
            return try transaction.makeList(
                elements(view, column, owner, depth: depth + 1, keepsPositions: true))
        case .dictionary(let view):
            guard depth < Self.maximumDepth else { throw Self.tooDeep }
            return try transaction.makeDictionary(
                entries(view, column, owner, depth: depth + 1))
        case .string(let text) where owner.isDoubtful && !text.isUTF8:
            try reportLostValue(Self.noText, column, owner)
            return nil
        default: return value
        }
    }

    /// Returns the elements converted to the new file, up to the first element that cannot be read.
    private func elements(
        _ view: CollectionView, _ column: ColumnInfo, _ owner: Owner, depth: Int,
        keepsPositions: Bool
    ) throws(RealmError) -> [Value] {
        var values: [Value] = []
        do throws(RealmError) {
            var cursor = ElementCursor(space, view, leafLimit: ElementCursor.maximumLeafCount)
            while let value = try cursor.next() {
                if let value = try mapped(value, column, owner, depth: depth) {
                    values.append(value)
                } else if keepsPositions {
                    values.append(.null)
                }
            }
        } catch { try reportLostValue(error, column, owner) }
        return values
    }

    @_optimize(size)
    private func entries(
        _ view: CollectionView, _ column: ColumnInfo, _ owner: Owner, depth: Int
    ) throws(RealmError) -> [(key: Value, value: Value)] {
        var entries: [(key: Value, value: Value)] = []
        do throws(RealmError) {
            var cursor = try DictionaryCursor(
                space, view, clustered: isClustered(view),
                leafLimit: ElementCursor.maximumLeafCount)
            while let (key, value) = try cursor.next() {
                if case .string(let text) = key, owner.isDoubtful, !text.isUTF8 {
                    throw Self.noText
                }
                let mapped = try mapped(value, column, owner, depth: depth)
                entries.append((transaction.copyToArena(key), mapped ?? .null))
            }
        } catch { try reportLostValue(error, column, owner) }
        return entries
    }

    // MARK: Collections of properties

    @_optimize(size)
    private func setElements(
        _ view: CollectionView, _ column: ColumnInfo, _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        if column.type == .link, target(column.target)?.source.kind == .embedded {
            return try setEmbedded(view, column, to, owner)
        }
        if column.collection == .list { return try setList(view, column, to, owner) }
        let values = try elements(
            view, column, owner, depth: 0, keepsPositions: column.type == .mixed)
        if values.isEmpty { return }
        try transaction.setElements(owner.target.key, owner.new, to, values)
    }

    /// Number of list elements stored in one step, so that memory does not grow with the length of
    /// the list.
    private static let portion = 4096

    private func setList(
        _ view: CollectionView, _ column: ColumnInfo, _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        var values: [Value] = []
        var failure: RealmError?
        do throws(RealmError) {
            var cursor = ElementCursor(space, view, leafLimit: ElementCursor.maximumLeafCount)
            while let value = try cursor.next() {
                if let value = try mapped(value, column, owner) {
                    values.append(value)
                } else if column.type == .mixed {
                    values.append(.null)
                }
                guard values.count == Self.portion else { continue }
                try append(values, to, owner)
                values.removeAll(keepingCapacity: true)
            }
        } catch { failure = error }
        if !values.isEmpty { try append(values, to, owner) }
        if let failure { try reportLostValue(failure, column, owner) }
    }

    private func append(
        _ values: [Value], _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        try transaction.appendElements(owner.target.key, owner.new, to, values)
        if values.count == Self.portion { try changed() }
    }

    private func setEmbedded(
        _ view: CollectionView, _ column: ColumnInfo, _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        try owner.checkDepth(column)
        var rows: [(ObjectLink, SalvagedRow)] = []
        do throws(RealmError) {
            var cursor = ElementCursor(space, view, leafLimit: ElementCursor.maximumLeafCount)
            while let value = try cursor.next() {
                guard case .link(let link) = value else { continue }
                do throws(RealmError) { rows.append((link, try embeddedRow(link))) } catch {
                    try reportLostValue(error, column, owner)
                }
            }
        } catch { try reportLostValue(error, column, owner) }
        if rows.isEmpty { return }
        let keys = try transaction.createEmbeddedElements(
            owner.target.key, owner.new, to, count: rows.count)
        for (key, (link, row)) in zip(keys, rows) { try fill(row, link, key, column, owner) }
    }

    @_optimize(size)
    private func setEntries(
        _ view: CollectionView, _ column: ColumnInfo, _ to: Int, _ owner: Owner
    ) throws(RealmError) {
        guard column.type == .link, target(column.target)?.source.kind == .embedded else {
            let entries = try entries(view, column, owner, depth: 0)
            if entries.isEmpty { return }
            return try transaction.setEntries(owner.target.key, owner.new, to, entries)
        }
        try owner.checkDepth(column)
        var made: [(key: Value, isNull: Bool)] = []
        var rows: [(ObjectLink, SalvagedRow)?] = []
        do throws(RealmError) {
            var cursor = try DictionaryCursor(
                space, view, clustered: isClustered(view),
                leafLimit: ElementCursor.maximumLeafCount)
            while let (key, value) = try cursor.next() {
                var row: (ObjectLink, SalvagedRow)?
                if case .link(let link) = value {
                    do throws(RealmError) { row = (link, try embeddedRow(link)) } catch {
                        try reportLostValue(error, column, owner)
                    }
                }
                made.append((transaction.copyToArena(key), row == nil))
                rows.append(row)
            }
        } catch { try reportLostValue(error, column, owner) }
        if made.isEmpty { return }
        let keys = try transaction.createEmbeddedEntries(owner.target.key, owner.new, to, made)
        for (key, row) in zip(keys, rows) {
            if let key, let row { try fill(row.1, row.0, key, column, owner) }
        }
    }

    // MARK: Embedded objects

    /// Location of an object in the damaged file.
    private struct SalvagedRow {
        let leaf: ClusterLeaf
        let row: Int
    }

    private func embeddedRow(_ link: ObjectLink) throws(RealmError) -> SalvagedRow {
        guard let target = target(link.table) else {
            throw .corrupt("its class is lost", in: "embedded object")
        }
        guard let (leaf, row) = try find(link.key, in: link.table) else {
            throw .corrupt("it is not there", in: "embedded object")
        }
        trace?.take(leaf, target.source, as: .copied)
        return SalvagedRow(leaf: leaf, row: row)
    }

    /// Copies the values of an embedded object to its new object.
    @_optimize(size)
    private func fill(
        _ row: SalvagedRow, _ link: ObjectLink, _ new: ObjectKey, _ property: ColumnInfo,
        _ parent: Owner
    ) throws(RealmError) {
        guard let target = target(link.table) else { return }
        let owner = Owner(
            target: target, key: link.key, new: new, depth: parent.depth + property.embeddedLevels)
        for (i, column) in target.source.columns.enumerated() {
            guard let to = target.columns[i] else { continue }
            do throws(RealmError) {
                let leaf = try row.leaf.column(column.leafIndex, column.layout)
                try set(try leaf.value(row.row), column, to, owner)
            } catch { try reportLostValue(error, column, owner) }
        }
    }
}
