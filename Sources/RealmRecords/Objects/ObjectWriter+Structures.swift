import RealmEngine

/// Writes links, embedded objects and collections.
extension ObjectWriter {
    /// Stores a value of any property. If the value contains a link to an object that does not
    /// exist yet, adds the value to the pending links instead.
    package func storeOrDefer(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int, _ value: StagedValue
    ) throws(RealmError) {
        let link = ObjectLink(table: table.key, key: object)
        pending.removeItems(link, column: column)
        if try isResolved(value) {
            try store(table, object, column, value)
        } else {
            try pending.add(link, column: column, value, place)
        }
    }

    /// Whether the value can be stored now. True if the targets of all its links exist, or if
    /// `--links null` or `--links create` determines what to store for a missing target.
    package func isResolved(_ value: StagedValue) throws(RealmError) -> Bool {
        guard links == .strict else { return true }
        switch value {
        case .value: return true
        case .reference(let reference): return try find(reference) != nil
        case .list(let elements):
            for element in elements where try !isResolved(element) { return false }
            return true
        case .dictionary(let entries):
            for entry in entries where try !isResolved(entry.value) { return false }
            return true
        case .object(let object):
            // `linked` adds the links of an object that is not embedded to the pending links.
            guard try plans.plan(object.table).table.kind == .embedded else { return true }
            for field in object.fields where try !isResolved(field.value) { return false }
            return true
        }
    }

    /// Stores a value for which `isResolved` is true.
    package func store(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int, _ value: StagedValue
    ) throws(RealmError) {
        let info = table.columns[column]
        switch (info.collection, value) {
        case (nil, .object(let child)) where isEmbedded(info):
            let key = try transaction.createEmbedded(table.key, object, column)
            try fill(child, key)
        case (nil, _):
            let value = try materialized(value) ?? .null
            try transaction.set(table.key, object, column, value)
        case (.list, .list(let elements)) where isEmbedded(info):
            try storeEmbedded(table, object, column, elements)
        case (.list, .list(let elements)), (.set, .list(let elements)):
            let values = try self.elements(elements, keepsNull: info.isNullable)
            try transaction.setElements(table.key, object, column, values)
        case (.dictionary, .dictionary(let entries)) where isEmbedded(info):
            try storeEmbedded(table, object, column, entries)
        case (.dictionary, .dictionary(let entries)):
            try transaction.setEntries(table.key, object, column, try self.entries(entries))
        default: preconditionFailure("staged values fit their columns")
        }
    }

    private func storeEmbedded(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int, _ elements: [StagedValue]
    ) throws(RealmError) {
        let keys = try transaction.createEmbeddedElements(
            table.key, object, column, count: elements.count)
        for (key, element) in zip(keys, elements) {
            if case .object(let child) = element { try fill(child, key) }
        }
    }

    private func storeEmbedded(
        _ table: TableInfo, _ object: ObjectKey, _ column: Int,
        _ entries: [(key: Value, value: StagedValue)]
    ) throws(RealmError) {
        let wanted = entries.map { entry in
            if case .object = entry.value { return (key: entry.key, isNull: false) }
            return (key: entry.key, isNull: true)
        }
        let keys = try transaction.createEmbeddedEntries(table.key, object, column, wanted)
        for (key, entry) in zip(keys, entries) {
            if let key, case .object(let child) = entry.value { try fill(child, key) }
        }
    }

    /// Sets the properties of a new embedded object.
    private func fill(_ child: StagedObject, _ key: ObjectKey) throws(RealmError) {
        let table = try plans.plan(child.table).table
        for field in child.fields { try store(table, key, field.column, field.value) }
    }

    package func elements(
        _ staged: [StagedValue], keepsNull: Bool
    ) throws(RealmError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(staged.count)
        for element in staged {
            let value = try materialized(element) ?? .null
            // Here, null can only be a link whose target does not exist.
            if !keepsNull, case .null = value { continue }
            values.append(value)
        }
        return values
    }

    private func entries(
        _ staged: [(key: Value, value: StagedValue)]
    ) throws(RealmError) -> [(key: Value, value: Value)] {
        var entries: [(key: Value, value: Value)] = []
        for entry in staged {
            entries.append((key: entry.key, value: try materialized(entry.value) ?? .null))
        }
        return entries
    }

    /// Returns the stored form of a single value; nil if the value contains a link to an object
    /// that does not exist yet.
    func materialized(_ value: StagedValue) throws(RealmError) -> Value? {
        switch value {
        case .value(let value): return value
        case .reference(let reference):
            return try resolved(reference) ?? (links == .null ? .null : nil)
        case .object(let object): return .link(try linked(object))
        case .list(let elements):
            guard try isResolved(value) else { return nil }
            return try transaction.makeList(try self.elements(elements, keepsNull: true))
        case .dictionary(let entries):
            guard try isResolved(value) else { return nil }
            return try transaction.makeDictionary(try self.entries(entries))
        }
    }
}

// MARK: - Links

extension ObjectWriter {
    /// Returns a reference as a link, if its target exists or `--links create` creates the target;
    /// otherwise nil.
    private func resolved(_ reference: ObjectReference) throws(RealmError) -> Value? {
        if let key = try find(reference) {
            return .link(ObjectLink(table: reference.table, key: key))
        }
        guard links == .create else { return nil }
        let key = try make(reference)
        return .link(ObjectLink(table: reference.table, key: key))
    }

    private func find(_ reference: ObjectReference) throws(RealmError) -> ObjectKey? {
        switch reference.name {
        case .primaryKey(let value):
            return try transaction.find(in: reference.table, primaryKey: value)
        case .objectKey(let key):
            return try transaction.exists(reference.table, key) ? key : nil
        }
    }

    private func make(_ reference: ObjectReference) throws(RealmError) -> ObjectKey {
        switch reference.name {
        case .primaryKey(let value):
            return try transaction.create(in: reference.table, primaryKey: value)
        case .objectKey(let key):
            let columns = try plans.plan(reference.table).table.columns
            let values = columns.map(\.defaultValue)
            let result = values.withUnsafeBufferPointer { values in
                Result { () throws(RealmError) in
                    try transaction.create(in: reference.table, values: values, key: key)
                }
            }
            return try result.get()
        }
    }

    /// Stores an object that a record contains where it could have a link. Updates the object with
    /// the same primary key, or creates one.
    private func linked(_ object: StagedObject) throws(RealmError) -> ObjectLink {
        let table = try plans.plan(object.table).table
        var fields = object.fields
        let key: ObjectKey
        if let column = table.primaryKey {
            guard let i = fields.firstIndex(where: { $0.column == column }),
                case .value(let value) = fields.remove(at: i).value
            else { throw noKey(table.columns[column].name) }
            key = try transaction.place(in: table.key, primaryKey: value).key
        } else {
            key = try transaction.create(in: table.key)
        }
        for field in fields { try storeOrDefer(table, key, field.column, field.value) }
        return ObjectLink(table: table.key, key: key)
    }
}
