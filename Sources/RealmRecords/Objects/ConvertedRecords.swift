import RealmEngine

/// Consecutive records of one class, with their fields converted to property values.
///
/// Scalars and links are in `rows`, all other values in `structures`. Owns all its bytes. Filled on
/// one thread, then consumed on another, never at the same time.
package final class ConvertedRecords {
    /// A value of a record that does not fit into a cell of `rows`: a collection, an object inside
    /// the record, or a link. A link is in `rows` if the record gives only the target's primary
    /// key.
    package struct Structure {
        package let row: Int
        package let column: Int
        package let value: StagedValue
    }

    package let plans: ClassPlans
    package let rows: RowBatch
    package private(set) var structures: [Structure] = []
    /// Whether every record only creates an object with a new key, so that all can be created at
    /// once.
    package private(set) var isPlain = true
    /// Object keys that records give, by index of the record.
    private var objectKeys: [Int: ObjectKey] = [:]
    /// Number of elements of `structures` that belong to the record of the latest call of
    /// `restore`, or to earlier records.
    private var nextStructure = 0
    private let columns: Int
    private let given: UnsafeMutablePointer<FieldPresence>
    private let arena = ScratchArena()

    package init(_ plans: ClassPlans, _ table: TableInfo, capacity: Int) {
        self.plans = plans
        rows = RowBatch(table, capacity: capacity)
        columns = table.columns.count
        given = .allocate(capacity: capacity * columns)
    }

    deinit { given.deallocate() }

    /// Approximate memory in bytes. An element of `structures` is estimated at 512 bytes, several
    /// times the size of its JSON text.
    package var byteCount: Int {
        (16 * rows.capacity + RowBatch.bytesPerColumn) * columns + 2 * rows.byteCount
            + 512 * structures.count
    }

    /// Appends the current record of `plan`: copies its values from `plan.row` and
    /// `plan.structures`.
    @_optimize(speed)
    package func append(_ plan: ClassPlan) {
        let row = rows.count
        if plan.hasStructures { addStructures(plan, row) }
        // A record with an object key, or without a primary key, is not plain.
        if let key = plan.objectKey {
            isPlain = false
            objectKeys[row] = key
        }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        let place = given + row &* columns
        rows.append(UnsafeBufferPointer(plan.row))
        for column in 0..<columns { place[column] = plan.given[column] }
    }

    /// Appends an empty row in place of a rejected record, so that later records keep their
    /// indexes.
    package func appendRejected(_ plan: ClassPlan) {
        plan.begin()
        append(plan)
        isPlain = false
    }

    private func addStructures(_ plan: ClassPlan, _ row: Int) {
        for structure in plan.structures {
            // Collections of a new object are empty by default.
            if structure.value.isEmptyCollection, plan.isCollection[structure.column] { continue }
            if structure.value.mayCreateObjects(plans) { isPlain = false }
            structures.append(
                Structure(
                    row: row, column: structure.column,
                    value: structure.value.copied(in: arena)))
        }
    }

    /// Makes the record at index `row` the current record of `plan` again. Calls must be in
    /// ascending order of `row`.
    package func restore(_ row: Int, into plan: ClassPlan) {
        plan.begin()
        rows.read(row, into: plan.row)
        while nextStructure < structures.count, structures[nextStructure].row < row {
            nextStructure += 1
        }
        let first = nextStructure
        while nextStructure < structures.count, structures[nextStructure].row == row {
            nextStructure += 1
        }
        plan.restore(given(row), structures[first..<nextStructure], objectKeys[row])
    }

    private func given(_ row: Int) -> UnsafeBufferPointer<FieldPresence> {
        precondition(row >= 0 && row < rows.count)
        return UnsafeBufferPointer(start: given + row * columns, count: columns)
    }
}

extension StagedValue {
    /// Whether storing the value may create objects that are not embedded.
    fileprivate func mayCreateObjects(_ plans: ClassPlans) -> Bool {
        switch self {
        case .value, .reference: return false
        case .list(let elements): return elements.contains { $0.mayCreateObjects(plans) }
        case .dictionary(let entries): return entries.contains { $0.value.mayCreateObjects(plans) }
        case .object(let object):
            if plans.schema.table(object.table)?.kind != .embedded { return true }
            return object.fields.contains { $0.value.mayCreateObjects(plans) }
        }
    }
}

extension ObjectWriter {
    /// Creates the objects of all records at once. A link to an object that does not exist is added
    /// to the pending links.
    ///
    /// Returns the values that are not stored yet: the caller must pass each of them to `store`.
    /// Returns nil, without having changed any object, if the records must be written one by one:
    /// some record may update an object or create others, or a value is not valid.
    ///
    /// - Parameter places: positions of the records in the input.
    package func create(
        _ records: ConvertedRecords, _ places: [RecordLocation]
    ) throws(RealmError) -> [ConvertedRecords.Structure]? {
        guard records.isPlain else { return nil }
        // With `--links strict`, a later record may create the missing target of a link. In the
        // other modes, the link becomes null or creates its target.
        let linksWait = links == .strict
        guard linksWait || records.structures.isEmpty else { return nil }
        let rows = records.rows
        let missing = try transaction.resolveLinks(rows)
        guard linksWait || missing.isEmpty, let rest = try storeCollections(records),
            try transaction.create(rows)
        else { return nil }
        for link in missing { try wait(for: link, rows, places[link.row]) }
        return rest
    }

    /// Stores a value of a record that `create` has left to the caller. The record's object exists
    /// already.
    package func store(
        _ structure: ConvertedRecords.Structure, of records: ConvertedRecords,
        _ place: RecordLocation
    ) throws(RealmError) {
        self.place = place
        let rows = records.rows
        try storeOrDefer(
            rows.table, rows.key(structure.row), structure.column, structure.value)
    }

    /// Builds the lists and sets of the records before their objects exist. Leaves out properties
    /// with an index, embedded objects, and links whose targets do not exist.
    ///
    /// Returns the values of `records.structures` that were left out; nil if an element is not
    /// valid for its property.
    private func storeCollections(
        _ records: ConvertedRecords
    ) throws(RealmError) -> [ConvertedRecords.Structure]? {
        var rest: [ConvertedRecords.Structure] = []
        let columns = records.rows.table.columns
        for structure in records.structures {
            let column = columns[structure.column]
            guard case .list(let elements) = structure.value,
                column.collection != nil, column.index == .none,
                !isEmbedded(column), try isResolved(structure.value)
            else {
                rest.append(structure)
                continue
            }
            do throws(RealmError) {
                try transaction.setElements(
                    records.rows, structure.row, structure.column,
                    try self.elements(elements, keepsNull: column.isNullable))
            } catch {
                guard error.kind == .data else { throw error }
                return nil
            }
        }
        return rest
    }

    /// Adds a link to the pending links, because a later record may create its target.
    private func wait(
        for link: WriteTransaction.MissingTarget, _ rows: RowBatch, _ place: RecordLocation
    ) throws(RealmError) {
        let table = rows.table
        let reference = ObjectReference(
            table: table.columns[link.column].target,
            name: .primaryKey(rows.reference(link.column, link.row)))
        try pending.add(
            ObjectLink(table: table.key, key: rows.key(link.row)), column: link.column,
            .reference(reference), place)
    }
}
