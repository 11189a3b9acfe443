import RealmEngine

/// A value of a record that was checked against its property, and that still has to be stored in a
/// transaction. Valid until the next record is read, unless `copied` copies it.
package indirect enum StagedValue {
    case value(Value)
    /// A link to an object that is identified by its primary key or object key.
    case reference(ObjectReference)
    /// The elements of a list or set.
    case list([StagedValue])
    case dictionary([(key: Value, value: StagedValue)])
    /// An embedded object, or a whole object that a record contains where it could have a link.
    case object(StagedObject)
}

/// Identification of a link's target by its primary key or object key.
package struct ObjectReference {
    package enum Name {
        case primaryKey(Value)
        case objectKey(ObjectKey)
    }

    package let table: TableKey
    package let name: Name

    package init(table: TableKey, name: Name) {
        self.table = table
        self.name = name
    }
}

/// An object inside the record of another object.
package final class StagedObject {
    package let table: TableKey
    package let fields: [(column: Int, value: StagedValue)]

    package init(table: TableKey, fields: [(column: Int, value: StagedValue)]) {
        self.table = table
        self.fields = fields
    }
}

extension StagedValue {
    /// Whether the value is an empty collection, the default of a new object.
    var isEmptyCollection: Bool {
        switch self {
        case .list(let elements): elements.isEmpty
        case .dictionary(let entries): entries.isEmpty
        case .value, .reference, .object: false
        }
    }

    /// Returns this value with all bytes copied into `arena`.
    package func copied(in arena: ScratchArena) -> StagedValue {
        switch self {
        case .value(let value): .value(value.copied(in: arena))
        case .reference(let reference): .reference(reference.copied(in: arena))
        case .list(let elements): .list(elements.map { $0.copied(in: arena) })
        case .dictionary(let entries):
            .dictionary(
                entries.map { (key: $0.key.copied(in: arena), value: $0.value.copied(in: arena)) })
        case .object(let object):
            .object(
                StagedObject(
                    table: object.table,
                    fields: object.fields.map { ($0.column, $0.value.copied(in: arena)) }))
        }
    }

    /// Calls `body` with each link in the value.
    func forEachReference(
        _ body: (ObjectReference) throws(RealmError) -> Void
    ) throws(RealmError) {
        switch self {
        case .value: return
        case .reference(let reference): try body(reference)
        case .list(let elements): for element in elements { try element.forEachReference(body) }
        case .dictionary(let entries):
            for entry in entries { try entry.value.forEachReference(body) }
        case .object(let object):
            for field in object.fields { try field.value.forEachReference(body) }
        }
    }
}

extension ObjectReference {
    func copied(in arena: ScratchArena) -> ObjectReference {
        guard case .primaryKey(let key) = name else { return self }
        return ObjectReference(table: table, name: .primaryKey(key.copied(in: arena)))
    }
}
