/// Creation of objects in batches.
extension WriteTransaction {
    /// A link in a batch whose target object does not exist.
    package struct MissingTarget: Sendable {
        package let column: Int
        package let row: Int
    }

    /// Replaces the primary keys in link cells by object keys. If no object has the primary key,
    /// the cell becomes null. Returns the links that became null.
    package func resolveLinks(_ batch: RowBatch) throws(RealmError) -> [MissingTarget] {
        var missing: [MissingTarget] = []
        for link in batch.links {
            let shape = try openEditor(link.target).shape()
            let words = batch.cells[link.column].words
            guard let index = shape.primaryKey.map({ shape.indexes[$0].editor }) else { continue }
            for row in 0..<batch.count {
                let reference = link.references[row]
                if case .null = reference { continue }
                if let key = try index.find(reference) {
                    words[row] = key.raw
                } else {
                    words[row] = LeafCells.noLink
                    missing.append(MissingTarget(column: link.column, row: row))
                }
            }
        }
        return missing
    }

    /// Sets the elements of a list or set in a row of a batch. Call it before `create(_:)` creates
    /// the objects of the batch. The property must have no index.
    ///
    /// Throws the errors of `setElements(_:_:_:_:)`.
    package func setElements(
        _ batch: RowBatch, _ row: Int, _ column: Int, _ values: [Value]
    ) throws(RealmError) {
        precondition(row >= 0 && row < batch.count)
        let editor = try openEditor(batch.table.key)
        let info = editor.columns[column]
        guard info.index == .none else {
            throw .misuse("property \(info.name) has an index", reason: "type")
        }
        let elements = try checkedElements(values, info)
        let root = try encodeElements(elements, info.layout.element)
        batch.cells[column].words[row] = Int64(bitPattern: root.raw)
    }

    /// Creates an object for each row of the batch, in order, with new keys.
    ///
    /// Returns false and changes nothing in three cases: an object has one of the primary keys; two
    /// rows have the same primary key; or a new key would not be larger than all keys in the table.
    /// Links must have been resolved. Throws `misuse` if the columns of the class have changed
    /// since the batch was made.
    package func create(_ batch: RowBatch) throws(RealmError) -> Bool {
        guard batch.count > 0 else { return true }
        let editor = try openEditor(batch.table.key)
        let shape = try editor.shape()
        try check(batch, editor)
        let number = editor.counters.nextSequenceNumber
        guard try makeKeys(batch, editor) else { return false }
        let primary = shape.primaryKey.map { shape.indexes[$0] }
        var ascends = false
        if let primary {
            ascends = Self.ascends(batch, primary)
            if !ascends {
                guard try areNew(batch, primary) else { return false }
            }
        }
        context.hasBatches = true
        editor.counters.nextSequenceNumber = number + UInt64(batch.count)
        try editor.append(batch)
        editor.markDirty()
        for (i, index) in shape.indexes.enumerated() {
            if ascends, i == shape.primaryKey {
                try addAscending(batch, index)
            } else {
                try add(batch, index)
            }
        }
        try addBacklinks(batch, editor, shape)
        log.pointee.createObjects(
            editor.key, UnsafeBufferPointer(start: batch.keys, count: batch.count))
        for row in 0..<batch.count { editor.created.pointee.insert(batch.key(row).raw) }
        return true
    }

    private func check(_ batch: RowBatch, _ editor: TableEditor) throws(RealmError) {
        let columns = batch.table.columns
        let isSame =
            editor.columns.count == columns.count
            && zip(editor.columns, columns).allSatisfy { $0.key == $1.key }
        guard isSame, editor.kind == .topLevel else {
            throw .misuse(
                "rows made for another form of class \(batch.table.className)", reason: "type")
        }
    }

    /// Sets `batch.keys` to the keys that the objects would get if they were created one by one
    /// (object format 1.12). Returns false if one of these keys would not be larger than all keys
    /// in the table.
    private func makeKeys(
        _ batch: RowBatch, _ editor: TableEditor
    ) throws(RealmError) -> Bool {
        let first = editor.counters.nextSequenceNumber
        guard first < 1 << 40 else { return false }
        let isPlain = editor.primaryKey != nil
        for row in 0..<batch.count {
            let n = first &+ UInt64(row)
            batch.keys[row] = isPlain ? n : (n & 0xFF) | (n & 0xFFFF_FF00) << 8
            guard row == 0 || batch.keys[row] > batch.keys[row - 1] else { return false }
        }
        guard let last = try editor.clusters().lastKey() else { return true }
        return batch.keys[0] > last
    }

    // MARK: Indexes

    /// Whether the primary keys of the batch are integers in ascending order that are larger than
    /// all primary keys in the class.
    private static func ascends(_ batch: RowBatch, _ index: RowShape.Index) -> Bool {
        let cells = batch.cells[index.column]
        guard cells.layout.type == .int, var last = index.editor.waiting.largest else {
            return false
        }
        let isOptional = cells.form == .optionalNumbers
        for row in 0..<batch.count {
            if isOptional, cells.extras[row] != 0 { return false }
            guard cells.words[row] > last else { return false }
            last = cells.words[row]
        }
        return true
    }

    private func addAscending(
        _ batch: RowBatch, _ index: RowShape.Index
    ) throws(RealmError) {
        if index.editor.waiting.hasChanges { try index.editor.applyPendingChanges() }
        let numbers = batch.cells[index.column].words
        let before = index.editor.waiting.runs.count
        for row in 0..<batch.count {
            index.editor.waiting.append(numbers[row], batch.key(row).raw)
        }
        context.editedBytes &+= 24 &* (index.editor.waiting.runs.count &- before)
    }

    /// Whether no object has one of the primary keys, and no two rows have the same primary key.
    private func areNew(
        _ batch: RowBatch, _ index: RowShape.Index
    ) throws(RealmError) -> Bool {
        let cells = batch.cells[index.column]
        var values: [Value] = []
        values.reserveCapacity(batch.count)
        for row in 0..<batch.count {
            let value = cells.value(row)
            if try index.editor.find(value) != nil { return false }
            values.append(value)
        }
        values.order { ValueOrder.compare($0, $1) < 0 }
        return zip(values, values.dropFirst()).allSatisfy { !ValueOrder.areEqual($0, $1) }
    }

    private func add(_ batch: RowBatch, _ index: RowShape.Index) throws(RealmError) {
        let cells = batch.cells[index.column]
        for row in 0..<batch.count {
            try index.editor.insert(cells.value(row).indexed, batch.key(row))
        }
    }

    // MARK: Links

    /// Adds the backlinks of the new objects' links.
    private func addBacklinks(
        _ batch: RowBatch, _ editor: TableEditor, _ shape: RowShape
    ) throws(RealmError) {
        let origins = UnsafeRawPointer(batch.keys).assumingMemoryBound(to: Int64.self)
        for (column, info) in editor.columns.enumerated() {
            if info.collection == nil, info.type == .link {
                let target = try self.editor(info.target)
                let backlink = try backlinkColumn(editor, info, in: target)
                target.addBacklinks(
                    backlink.leafIndex, of: batch.cells[column].words, from: origins,
                    count: batch.count)
            } else if info.layout.element.mayHoldLinks {
                try addBacklinks(batch, editor, info, batch.cells[column])
            }
        }
    }

    /// Adds the backlinks of links in collections and mixed values.
    private func addBacklinks(
        _ batch: RowBatch, _ editor: TableEditor, _ column: ColumnInfo, _ cells: LeafCells
    ) throws(RealmError) {
        for row in 0..<batch.count {
            if column.collection != nil, cells.words[row] == 0 { continue }
            switch cells.value(row) {
            case .link, .list, .set, .dictionary:
                try addBacklinks(editor, batch.key(row), column, of: cells.value(row))
            default: continue
            }
        }
    }
}
