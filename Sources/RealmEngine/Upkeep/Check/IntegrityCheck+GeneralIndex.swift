/// Checks general indexes: search indexes of whole values, as opposed to indexes of words (object
/// format 5.5).
extension IntegrityCheck {
    func checkGeneralIndex(_ index: Int, _ i: Int) {
        let (checked, info) = (tables[index], tables[index].columns[i])
        let reader = ColumnReader(space, checked.root, info)
        let isPrimaryKey = checked.primaryKey == i
        let entries = EntryTally()
        let visitor = IndexVisitor(maximumOffset: SearchIndex.maximumOffset) { path, keys, list in
            if list == nil, keys.count == 1, path.count <= IndexEntryBatch.maximumDepth {
                entries.batch.add(keys[0], path)
                if entries.batch.isFull { self.checkEntries(entries, info, reader) }
                return
            }
            for key in keys { entries.sum.add(0, UInt64(bitPattern: key)) }
            // In a mixed column, one list may contain equal values of different types, or different
            // values with the same path. Digests cannot check such a list, so compare each value.
            if info.layout.type != .mixed, keys.count <= IndexListBatch.maximumListLength {
                if entries.lists.isFull(for: keys.count) {
                    self.checkLists(entries.lists, info, isPrimaryKey, reader)
                }
                entries.lists.add(path, keys, list)
                return
            }
            _ = self.reading(list ?? info.indexRoot) { () throws(RealmError) in
                try self.checkEntry(path, keys, list, info, isPrimaryKey, reader)
            }
            self.object = nil
        }
        let isComplete = visitIndex(info.indexRoot, visitor)
        checkEntries(entries, info, reader)
        checkLists(entries.lists, info, isPrimaryKey, reader)
        if isComplete, entries.sum != checked.keySum { nameMissing(checked, info) }
    }

    /// Compares a batch of index entries of one object each with the values of the objects.
    private func checkEntries(
        _ entries: EntryTally, _ info: CheckedColumn, _ reader: ColumnReader
    ) {
        var sum = entries.sum
        defer { entries.sum = sum }
        for entry in entries.batch.take() {
            let key = ObjectKey(entry.key)
            sum.add(0, UInt64(bitPattern: entry.key))
            object = key
            _ = reading(info.indexRoot) { () throws(RealmError) in
                // The sum over the keys of all entries shows that an entry references a missing
                // object.
                guard let value = try reader.value(key) else { return }
                let string = IndexString(value)
                if string.chunk(at: 0) != entry.chunks.0
                    || entry.depth > 1 && string.chunk(at: 4) != entry.chunks.1
                {
                    isElsewhere(info, nil)
                }
            }
        }
        object = nil
    }

    /// Compares a batch of index lists with the values of the objects. Lists whose digests agree
    /// are not checked further.
    private func checkLists(
        _ lists: IndexListBatch, _ info: CheckedColumn, _ isPrimaryKey: Bool,
        _ reader: ColumnReader
    ) {
        lists.take(
            digest: { key, path in
                guard let value = try? reader.value(ObjectKey(key)) else { return nil }
                let string = IndexString(value)
                return Self.matches(string, path) ? Self.hash(string) : nil
            },
            list: { list, path, keys, isUniform in
                if isUniform, !isPrimaryKey || keys.count == 1 { return }
                _ = reading(list.ref ?? info.indexRoot) { () throws(RealmError) in
                    try checkEntry(path, keys, list.ref, info, isPrimaryKey, reader)
                }
                object = nil
            })
    }

    private func isElsewhere(_ info: CheckedColumn, _ list: Ref?) {
        found(
            info.layout.type == .mixed ? .indexStale : .indexMismatch, list,
            "an index entry that is not where the object's value is looked for")
    }

    private func checkEntry(
        _ path: [Int32], _ keys: some Sequence<Int64>, _ list: Ref?, _ info: CheckedColumn,
        _ isPrimaryKey: Bool, _ reader: ColumnReader
    ) throws(RealmError) {
        var previous: (value: Value, key: Int64)?
        for key in keys {
            object = ObjectKey(key)
            guard let value = try reader.value(ObjectKey(key)) else {
                // The sum over the keys of all entries shows that an entry references a missing
                // object.
                continue
            }
            let string = IndexString(value)
            if !Self.matches(string, path) {
                isElsewhere(info, list)
                continue
            }
            if let previous {
                checkNeighbours(previous, (value, key), path, list, info, isPrimaryKey)
            }
            previous = (value, key)
        }
    }

    /// Whether the four-byte chunks of a value begin with the chunks of `path`.
    private static func matches(_ string: IndexString, _ path: some Sequence<Int32>) -> Bool {
        var offset = 0
        for chunk in path {
            if string.chunk(at: offset) != chunk { return false }
            offset += 4
        }
        return true
    }

    /// Compares the values and keys of two consecutive objects in one index list.
    private func checkNeighbours(
        _ a: (value: Value, key: Int64), _ b: (value: Value, key: Int64), _ path: [Int32],
        _ list: Ref?, _ info: CheckedColumn, _ isPrimaryKey: Bool
    ) {
        let order = ValueOrder.compare(a.value, b.value)
        if order == 0 {
            if isPrimaryKey {
                found(.primaryKeyDuplicate, list, "the primary key of object \(a.key) once more")
            }
            if a.key >= b.key { found(.indexListOrder, list, "keys of a list that do not ascend") }
            return
        }
        if IndexString(a.value) != IndexString(b.value), path.count <= 50 {
            found(.indexList, list, "different values in one list of an index")
        }
        guard order > 0 else { return }
        // These orders are only warnings: strings in the order of format 23, and decimals among
        // floats, whose order is not transitive.
        var isText = false
        if case .string = a.value, case .string = b.value { isText = true }
        if isText, header.format < FileFormat.current { return }
        let isLegacy = isText || Self.mixesDecimals(a.value, b.value)
        found(
            isLegacy ? .indexListOrderLegacy : .indexListOrder, list,
            "values of a list that do not ascend")
    }

    /// Reports the objects that the index does not contain exactly once.
    @_optimize(size)
    private func nameMissing(_ checked: CheckedTable, _ info: CheckedColumn) {
        nameDifference(
            info, isStale: info.layout.type == .mixed,
            missing: "an object that is not in the index",
            extra: { "\($0) index entries too many for this object" },
            wanted: { add in
                _ = visitClusters(checked.root) { leaf in
                    for row in 0..<leaf.count { add(0, UInt64(bitPattern: leaf.key(row).raw)) }
                }
            },
            indexed: { add in
                let visitor = IndexVisitor(maximumOffset: SearchIndex.maximumOffset) { _, keys, _ in
                    for key in keys { add(0, UInt64(bitPattern: key)) }
                }
                _ = visitIndex(info.indexRoot, visitor)
            })
    }

    /// Runs `body` with reporting disabled, then restores the current table, column and object.
    func silently(_ body: () -> Void) {
        let place = (table, column, object)
        isSilent = true
        body()
        isSilent = false
        (table, column, object) = place
    }

    // MARK: Uniqueness without an index

    /// Finds objects with equal primary keys by hashes of the keys, for a table without an index.
    func checkUniqueness(_ index: Int, _ i: Int) {
        let (checked, info) = (tables[index], tables[index].columns[i])
        var entries: [(hash: UInt64, key: Int64)] = []
        silently {
            _ = visitClusters(checked.root) { leaf in
                _ = reading(leaf.ref) { () throws(RealmError) in
                    let values = try leaf.column(info.key.leafIndex, info.layout)
                    for row in 0..<leaf.count {
                        let string = IndexString(try values.value(row))
                        entries.append((Self.hash(string), leaf.key(row).raw))
                    }
                }
            }
        }
        entries.sort { $0.hash < $1.hash }
        let reader = ColumnReader(space, checked.root, info)
        for n in 1..<max(1, entries.count) where entries[n - 1].hash == entries[n].hash {
            let keys = (ObjectKey(entries[n - 1].key), ObjectKey(entries[n].key))
            object = keys.1
            _ = reading(checked.ref) { () throws(RealmError) in
                guard let a = try reader.value(keys.0), let b = try reader.value(keys.1) else {
                    return
                }
                if ValueOrder.areEqual(a, b) {
                    found(
                        .primaryKeyDuplicate, checked.ref,
                        "the primary key of object \(keys.0.raw) once more")
                }
            }
        }
        object = nil
    }

    private static func hash(_ string: IndexString) -> UInt64 {
        var hash = PairSum.hash(UInt64(string.count), string.isNull ? 1 : 0)
        var offset = 0
        while offset <= string.count {
            hash = PairSum.hash(hash, UInt64(UInt32(bitPattern: string.chunk(at: offset))))
            offset += 4
        }
        return hash
    }
}

/// Results of a walk over one index: two batches of entries that are still to be compared with the
/// objects' values, and a sum over the object keys of all visited entries.
private final class EntryTally {
    var batch = IndexEntryBatch()
    let lists = IndexListBatch()
    /// Sum over the object keys of all visited entries. It equals the sum over the keys of all
    /// objects if each object has exactly one entry.
    var sum = PairSum()
}
