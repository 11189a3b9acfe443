import RealmEngine

/// Writes converted records as objects in one transaction. Confined to the thread of the
/// transaction.
package final class ObjectWriter {
    package enum Outcome {
        case inserted, updated, deleted
        /// The object already had the values of the record.
        case unchanged
    }

    package let transaction: WriteTransaction
    package let plans: ClassPlans
    let links: RecordRules.LinkMode
    /// Whether deleting an object that does not exist is permitted, because change records may be
    /// delivered twice.
    private let deletesMissing: Bool
    var pending: PendingLinks
    /// Objects of delete records, which are deleted together. Nil if each record deletes its object
    /// at once, because a later record may create the object again.
    var deletes: PendingDeletes?
    /// Position of the current record in the input, for errors of pending links.
    @exclusivity(unchecked) package var place = RecordLocation(record: 0, position: TextPosition())
    /// Whether the current record has changed something, so that rejecting it requires a rollback.
    @exclusivity(unchecked) package private(set) var hasChanged = false
    /// Object that the current record created or changed, or would have changed if its values were
    /// different; nil for none.
    @exclusivity(unchecked) package private(set) var object: ObjectKey?
    private var refusal: Refusal?

    package init(
        _ transaction: WriteTransaction, _ plans: ClassPlans, _ rules: RecordRules
    ) {
        self.transaction = transaction
        self.plans = plans
        links = rules.links
        deletesMissing = rules.mode == .apply
        deletes = rules.mode == .delete ? PendingDeletes(rules) : nil
        pending = PendingLinks(
            directory: rules.temporaryDirectory, isConfidential: rules.isConfidential)
        if let limit = rules.transactionMemory { transaction.memoryLimit = limit }
    }

    /// Replaces the primary keys of link targets in `plan.row` by links. If a target does not
    /// exist, moves the link to `plan.structures`, so that it is stored later.
    package func resolve(_ plan: ClassPlan) throws(RealmError) {
        for link in plan.links where plan.given[link.column] == .reference {
            let key = plan.row[link.column]
            if let found = try transaction.find(in: link.target, primaryKey: key) {
                plan.row[link.column] = .link(ObjectLink(table: link.target, key: found))
                plan.given[link.column] = .inRow
            } else {
                let reference = ObjectReference(table: link.target, name: .primaryKey(key))
                plan.row[link.column] = .null
                plan.given[link.column] = .structured
                plan.structures.append((link.column, .reference(reference)))
            }
        }
        plan.hasReferences = false
    }

    /// Creates, updates or deletes the object of `plan`'s current record. Throws an error of kind
    /// `data` if the record cannot be written.
    package func write(
        _ plan: ClassPlan, _ mode: RecordRules.Mode
    ) throws(RealmError) -> Outcome {
        hasChanged = false
        refusal = nil
        object = nil
        if mode == .insert { return try insert(plan) }
        var object = try existing(plan, mode)
        if let found = object, deletes?.contains(found, of: plan.key) == true { object = nil }
        self.object = object
        switch (mode, object) {
        case (.delete, let object?):
            hasChanged = true
            if deletes == nil {
                try remove(object, from: plan.key)
            } else {
                try delete(object, from: plan.key)
            }
            return .deleted
        case (.delete, nil) where deletesMissing: return .unchanged
        case (.delete, nil), (.update, nil): throw missing(plan)
        case (_, nil): return try insert(plan)
        case (_, let object?): return try update(plan, object, replacing: mode == .upsert)
        }
    }

    package func remove(_ object: ObjectKey, from table: TableKey) throws(RealmError) {
        pending.removeItems(ObjectLink(table: table, key: object))
        try transaction.remove(table, object)
    }

    /// Returns the object that has the record's key; nil if it does not exist yet.
    private func existing(
        _ plan: ClassPlan, _ mode: RecordRules.Mode
    ) throws(RealmError) -> ObjectKey? {
        if let column = plan.table.primaryKey {
            guard let key = plan.primaryKey else { throw noKey(plan.table.columns[column].name) }
            return try transaction.find(in: plan.key, primaryKey: key)
        }
        guard let key = plan.objectKey else {
            if mode == .upsert || mode == .merge { return nil }
            throw noKey("_key")
        }
        return try transaction.exists(plan.key, key) ? key : nil
    }

    // MARK: Inserting

    private func insert(_ plan: ClassPlan) throws(RealmError) -> Outcome {
        if let column = plan.table.primaryKey, plan.given[column] == .nowhere {
            throw noKey(plan.table.columns[column].name)
        }
        guard !plan.structures.isEmpty else {
            _ = try create(plan)
            return .inserted
        }
        // A structured value may create objects, which could not be undone if the primary key
        // turned out to exist already. So the primary key is checked first.
        let mayCreateObjects = self.mayCreateObjects(plan)
        if mayCreateObjects {
            if try self.made(plan) != nil { throw duplicate(plan) }
            hasChanged = true
        }
        var rest: [(column: Int, value: StagedValue)] = []
        for structure in plan.structures {
            let column = plan.table.columns[structure.column]
            if column.collection != nil, structure.value.isEmptyCollection { continue }
            if isSingleValue(column),
                let value = try materialized(structure.value)
            {
                plan.row[structure.column] = value
            } else {
                rest.append(structure)
            }
        }
        let object: ObjectKey
        if mayCreateObjects, let made = try self.made(plan) {
            // A link from the record to itself has already created the object.
            object = made
            self.object = made
            for column in plan.table.columns.indices where column != plan.table.primaryKey {
                let isLater = rest.contains { $0.column == column }
                if plan.given[column] == .nowhere || isLater { continue }
                guard plan.table.columns[column].collection == nil else { continue }
                _ = try set(plan.table, object, column, plan.row[column])
            }
        } else {
            object = try create(plan)
        }
        for structure in rest {
            try storeOrDefer(plan.table, object, structure.column, structure.value)
        }
        return .inserted
    }

    /// Returns the object that has the record's primary key or object key; nil if it does not
    /// exist.
    private func made(_ plan: ClassPlan) throws(RealmError) -> ObjectKey? {
        if let key = plan.primaryKey { return try transaction.find(in: plan.key, primaryKey: key) }
        guard plan.table.primaryKey == nil, let key = plan.objectKey else { return nil }
        return try transaction.exists(plan.key, key) ? key : nil
    }

    /// Whether storing the values in `plan.structures` may create objects, such as link targets,
    /// before the record's own object is created. Collections are ignored, because `insert` stores
    /// them after creating that object.
    private func mayCreateObjects(_ plan: ClassPlan) -> Bool {
        if links == .create { return true }
        for structure in plan.structures {
            if plan.table.columns[structure.column].collection != nil { continue }
            switch structure.value {
            case .value, .reference: continue
            case .list, .dictionary, .object: return true
            }
        }
        return false
    }

    private func create(_ plan: ClassPlan) throws(RealmError) -> ObjectKey {
        do throws(RealmError) {
            let object = try transaction.create(
                in: plan.key, values: UnsafeBufferPointer(plan.row), key: plan.objectKey,
                hasFoundTargets: true)
            hasChanged = true
            self.object = object
            return object
        } catch {
            let isTaken = error.code == RecordError.Code.objectAlreadyExists.rawValue
            throw isTaken ? duplicate(plan) : error
        }
    }

    /// Whether the property is a single link or a single mixed value. False for an embedded object,
    /// which can be created only inside an existing parent.
    private func isSingleValue(_ column: ColumnInfo) -> Bool {
        guard column.collection == nil else { return false }
        return column.type != .link || !isEmbedded(column)
    }

    package func isEmbedded(_ column: ColumnInfo) -> Bool {
        column.type == .link && plans.schema.table(column.target)?.kind == .embedded
    }

    // MARK: Updating

    /// Updates an object with the values of the record.
    ///
    /// - Parameter replacing: whether properties for which the record has no value get their
    ///   defaults.
    private func update(
        _ plan: ClassPlan, _ object: ObjectKey, replacing: Bool
    ) throws(RealmError) -> Outcome {
        var isUnchanged = true
        for column in plan.table.columns.indices where column != plan.table.primaryKey {
            switch plan.given[column] {
            case .nowhere where replacing:
                if try reset(plan.table, object, column) { isUnchanged = false }
            case .inRow:
                if try set(plan.table, object, column, plan.row[column]) { isUnchanged = false }
            case .nowhere, .reference, .structured: continue
            }
        }
        for structure in plan.structures {
            isUnchanged = false
            hasChanged = true
            try storeOrDefer(plan.table, object, structure.column, structure.value)
        }
        return isUnchanged ? .unchanged : .updated
    }

    /// Stores a single value. Returns false if the property already had it.
    private func set(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        pending.removeItems(ObjectLink(table: table.key, key: object), column: column)
        guard try transaction.update(table.key, object, column, value) else { return false }
        hasChanged = true
        return true
    }

    /// Resets a property to its default. Returns false if it already had that value.
    private func reset(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> Bool {
        pending.removeItems(ObjectLink(table: table.key, key: object), column: column)
        guard try transaction.reset(table.key, object, column) else { return false }
        hasChanged = true
        return true
    }
}

// MARK: - Refusals

extension ObjectWriter {
    /// The reason why a record is rejected, with the parts of its error.
    struct Refusal {
        let code: RecordError.Code
        let property: String?
        let expected: String
        let got: String
    }

    package func refuse(
        _ code: RecordError.Code, _ property: String?, expected: String, got: String
    ) -> RealmError {
        refusal = Refusal(code: code, property: property, expected: expected, got: got)
        return RealmError(
            .data, code: code.rawValue, reason: "record", "expected \(expected), got \(got)")
    }

    /// Converts an error thrown by `write` to an error of its record.
    package func refusal(
        _ error: RealmError, record: Int, _ position: TextPosition
    ) -> RecordError {
        let known =
            refusal
            ?? Refusal(
                code: RecordError.Code(rawValue: error.code) ?? .illegalOperation, property: nil,
                expected: "a record that can be stored", got: "one that cannot: " + error.message)
        return RecordError(
            known.code, record: record, position: position, property: known.property,
            expected: known.expected, got: known.got)
    }

    func noKey(_ name: String) -> RealmError {
        refuse(.missingPropertyValue, name, expected: "a primary key", got: "none")
    }

    private func missing(_ plan: ClassPlan) -> RealmError {
        let name = plan.table.primaryKey.map { plan.table.columns[$0].name } ?? "_key"
        return refuse(
            .noSuchObject, name, expected: "the key of an object of \(plan.table.className)",
            got: "a key of no object")
    }

    private func duplicate(_ plan: ClassPlan) -> RealmError {
        let name = plan.table.primaryKey.map { plan.table.columns[$0].name } ?? "_key"
        return refuse(
            .objectAlreadyExists, name, expected: "a new key",
            got: "one that another object has")
    }
}
