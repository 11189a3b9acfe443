@testable import RealmEngine

/// The expected content of a database, in dictionaries. Follows the rules of the engine with the
/// simplest possible code.
struct ModelDatabase {
    struct Column {
        var name: String
        var type: ColumnType
        var isOptional: Bool
        var collection: CollectionKind?
        var target = TableKey.none
        var index = IndexKind.none

        var mayHoldLinks: Bool { type == .link || type == .mixed }
        var isPrimaryKey = false
        /// Whether only the reference engine can create such a property. Operations read and remove
        /// it, but do not change it.
        var isForeign = false

        /// The property's value in a new object.
        var initial: PlainValue {
            switch collection {
            case .list: .list([])
            case .set: .set([])
            case .dictionary: .dictionary([])
            case nil: isOptional ? .null : Self.zero(type)
            }
        }

        init(
            name: String, type: ColumnType, isOptional: Bool, isPrimaryKey: Bool = false
        ) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.isPrimaryKey = isPrimaryKey
        }

        init(_ spec: PropertySpec) {
            self.init(
                name: spec.name, type: spec.type,
                isOptional: spec.attributes.contains(.nullable))
            collection = spec.collection
            target = spec.target
            index = spec.isFullText ? .fullText : spec.isIndexed ? .general : .none
        }

        static func zero(_ type: ColumnType) -> PlainValue {
            switch type {
            case .int: .int(0)
            case .bool: .bool(false)
            case .string: .string([])
            case .binary: .binary([])
            case .float: .float(0)
            case .double: .double(0)
            case .timestamp: .timestamp(Timestamp(seconds: 0, nanoseconds: 0))
            case .decimal: .decimal(.zero)
            case .objectID: .objectID(ObjectID(high: 0, low: 0))
            case .uuid: .uuid(UUIDValue(high: 0, low: 0))
            default: .null
            }
        }
    }

    struct Table {
        var name: String
        var kind: TableKind
        var columns: [Column] = []
        var objects: [Int64: [PlainValue]] = [:]
        /// Keys of `objects` in any order, from which random keys are chosen.
        var keys: [Int64] = []

        var primaryKey: Int? { columns.firstIndex(where: \.isPrimaryKey) }

        mutating func insert(_ key: Int64) {
            objects[key] = columns.map(\.initial)
            keys.append(key)
        }

        mutating func remove(_ key: Int64) -> [PlainValue]? {
            guard let values = objects.removeValue(forKey: key) else { return nil }
            keys.swapAt(keys.firstIndex(of: key)!, keys.count - 1)
            keys.removeLast()
            return values
        }
    }

    var tables: [TableKey: Table] = [:]
    var schemaVersion: UInt64?

    subscript(link: ObjectLink, column: Int) -> PlainValue {
        tables[link.table]!.objects[link.key.raw]![column]
    }

    /// Stores a value and deletes embedded objects that only the old value referenced.
    mutating func set(_ object: ObjectLink, _ column: Int, _ value: PlainValue) {
        let old = self[object, column]
        tables[object.table]!.objects[object.key.raw]![column] = value
        old.forEachLink { link in
            if tables[link.table]!.kind == .embedded, !value.holds(link) { remove(link) }
        }
    }

    /// Deletes an object, links to it, and embedded objects it owns.
    mutating func remove(_ object: ObjectLink) {
        guard let values = tables[object.table]?.remove(object.key.raw) else { return }
        for (table, content) in tables {
            guard content.columns.contains(where: \.mayHoldLinks) else { continue }
            for (key, row) in content.objects {
                for i in content.columns.indices where content.columns[i].mayHoldLinks {
                    if row[i].holds(object) {
                        tables[table]!.objects[key]![i] = row[i].without(object)
                    }
                }
            }
        }
        for value in values {
            value.forEachLink { if tables[$0.table]?.kind == .embedded { remove($0) } }
        }
    }

    mutating func addColumn(_ table: TableKey, _ column: Column) {
        tables[table]!.columns.append(column)
        for key in tables[table]!.keys {
            tables[table]!.objects[key]!.append(column.initial)
        }
    }

    mutating func removeColumn(_ table: TableKey, _ column: Int) {
        let initial = tables[table]!.columns[column].initial
        for key in tables[table]!.keys {
            // Setting a property can delete embedded objects, whose keys may still follow in this
            // loop.
            guard tables[table]!.objects[key] != nil else { continue }
            set(ObjectLink(table: table, key: ObjectKey(key)), column, initial)
        }
        tables[table]!.columns.remove(at: column)
        for key in tables[table]!.keys { tables[table]!.objects[key]!.remove(at: column) }
    }

    mutating func removeTable(_ table: TableKey) {
        for key in tables[table]!.keys {
            remove(ObjectLink(table: table, key: ObjectKey(key)))
        }
        tables[table] = nil
    }

    /// Makes a property optional or required. The property becomes the last one of its class. If it
    /// becomes required, each null becomes the type's zero: 0, false or empty.
    mutating func setOptional(_ table: TableKey, _ column: Int, _ isOptional: Bool) {
        var changed = tables[table]!.columns.remove(at: column)
        changed.isOptional = isOptional
        tables[table]!.columns.append(changed)
        for key in tables[table]!.keys {
            let value = tables[table]!.objects[key]!.remove(at: column)
            tables[table]!.objects[key]!.append(isOptional ? value : Self.required(value, changed))
        }
    }

    private static func required(_ value: PlainValue, _ column: Column) -> PlainValue {
        let zero = Column.zero(column.type)
        func filled(_ value: PlainValue) -> PlainValue { value == .null ? zero : value }
        switch value {
        case .list(let all): return .list(all.map(filled))
        case .set(let all):
            // Null is the first element of a set. Its replacement therefore stays, and an equal
            // element, such as -0.0 for 0.0, is removed.
            let nulls = all.contains(.null) ? [zero] : []
            return .set(asSet(nulls + all.filter { $0 != .null }))
        case .dictionary(let all):
            return .dictionary(all.map { PlainEntry(key: $0.key, value: filled($0.value)) })
        default: return filled(value)
        }
    }

    /// Removes each element that equals an earlier one; the order remains. Equal elements may
    /// differ in representation, such as the integer 1 and the double 1.
    static func asSet(_ values: [PlainValue]) -> [PlainValue] {
        var result: [PlainValue] = []
        var seen: Set<PlainValue> = []
        for value in values where seen.insert(value.identity).inserted { result.append(value) }
        return result
    }
}

extension PlainValue {
    /// Representative of all values that are equal in a set: the integer 1 for the float and the
    /// double 1.0; sign, digits and exponent without trailing zeros for a decimal number.
    fileprivate var identity: PlainValue {
        switch self {
        case .float(let bits): return PlainValue.number(Double(Float(bitPattern: bits)), self)
        case .double(let bits): return PlainValue.number(Double(bitPattern: bits), self)
        case .decimal(let value):
            guard value.isFinite else { return self }
            return .string(Array("\(DecimalIdentity(value))".utf8))
        default: return self
        }
    }

    private static func number(_ value: Double, _ other: PlainValue) -> PlainValue {
        if value.isNaN { return other }
        if let integer = Int64(exactly: value) { return .int(integer) }
        return .double(value.bitPattern)
    }
}

/// Sign, digits and exponent without trailing zeros: equal for equal numbers.
private struct DecimalIdentity {
    let isNegative: Bool
    let coefficient: UInt128
    let exponent: Int

    init(_ value: Decimal128) {
        var digits = value.coefficient
        var power = value.exponent
        while digits != 0, digits % 10 == 0 {
            digits /= 10
            power += 1
        }
        coefficient = digits
        isNegative = digits != 0 && value.isNegative
        exponent = digits == 0 ? 0 : power
    }
}
