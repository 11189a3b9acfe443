import Foundation

@testable import EngineSupport
@testable import RealmEngine

/// A file of one class with random values of all types that aggregates are defined for, and the
/// same values as plain arrays.
final class AggregateTestFile {
    /// One object: single values and collections, by name.
    struct Row {
        var values: [String: Value] = [:]
        var collections: [String: [Value]] = [:]
        /// Indexes of the rows in the list of links.
        var links: [Int] = []
    }

    static let singles: [(name: String, type: ColumnType, isOptional: Bool)] = [
        ("i", .int, false), ("oi", .int, true), ("small", .int, false), ("f", .float, false),
        ("of", .float, true), ("d", .double, false), ("od", .double, true),
        ("dec", .decimal, true), ("mx", .mixed, true), ("t", .timestamp, true),
        ("k", .int, false), ("b", .bool, true), ("s", .string, true),
    ]

    static let collections: [(name: String, type: ColumnType, kind: CollectionKind)] = [
        ("ints", .int, .list), ("floats", .float, .list), ("doubles", .double, .list),
        ("decimals", .decimal, .set), ("mixes", .mixed, .list), ("map", .double, .dictionary),
    ]

    let path: String
    private(set) var rows: [Row] = []
    /// Indexes of the rows, by object key.
    private(set) var indexes: [ObjectKey: Int] = [:]
    private var random: SeededRandom

    init(rows count: Int, random: SeededRandom) throws {
        self.random = random
        path = FileManager.default.temporaryDirectory.path + "/aggregates-\(UUID()).realm"
        let session = try WriteSession(path: path, options: .scratch(Fanout()))
        let transaction = try session.begin()
        let table = try Self.createClass(transaction)
        var keys: [ObjectKey] = []
        for _ in 0..<count {
            var row = Row()
            let key = try transaction.create(in: table)
            for (column, single) in Self.singles.enumerated() {
                let value = value(single.name, single.type, isOptional: single.isOptional)
                row.values[single.name] = value
                try transaction.set(table, key, column, value)
            }
            for (i, collection) in Self.collections.enumerated() {
                let column = Self.singles.count + i
                row.collections[collection.name] = try fill(
                    transaction, table, key, column, collection)
            }
            indexes[key] = keys.count
            keys.append(key)
            row.links = (0..<self.random.below(6)).map { _ in self.random.below(keys.count) }
            try transaction.setElements(
                table, key, Self.singles.count + Self.collections.count,
                row.links.map { .link(ObjectLink(table: table, key: keys[$0])) })
            rows.append(row)
        }
        try transaction.commit()
    }

    deinit {
        for end in ["", ".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: path + end)
        }
    }

    private static func createClass(_ transaction: WriteTransaction) throws -> TableKey {
        let table = try transaction.createClass("Thing")
        for single in singles {
            var spec = PropertySpec(single.name, single.type)
            spec.isOptional = single.isOptional
            try transaction.addProperty(table, spec)
        }
        for collection in collections {
            var spec = PropertySpec(collection.name, collection.type)
            spec.collection = collection.kind
            spec.isOptional = collection.type != .int && collection.kind != .set
            try transaction.addProperty(table, spec)
        }
        var spec = PropertySpec("links", .link)
        spec.target = table
        spec.collection = .list
        try transaction.addProperty(table, spec)
        return table
    }

    private func fill(
        _ transaction: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ column: Int,
        _ collection: (name: String, type: ColumnType, kind: CollectionKind)
    ) throws -> [Value] {
        let isOptional = collection.type != .int && collection.kind != .set
        var values = (0..<random.below(8)).map { _ in
            value("", collection.type, isOptional: isOptional)
        }
        if collection.kind == .dictionary {
            try transaction.setEntries(
                table, key, column,
                zip(Self.entryKeys, values).map { (.string(Self.view($0)), $1) })
            return values
        }
        if collection.kind == .set {
            values = values.enumerated().filter { i, value in
                !values[..<i].contains { ValueOrder.areEqual($0, value) }
            }.map(\.element)
        }
        try transaction.setElements(table, key, column, values)
        return values
    }

    private static let entryKeys: [StaticString] = ["a", "b", "c", "d", "e", "f", "g", "h"]
    private static let texts: [StaticString] = ["", "Oslo", "Rome", "a city with a longer name"]

    private func value(_ name: String, _ type: ColumnType, isOptional: Bool) -> Value {
        if isOptional, random.below(6) == 0 { return .null }
        switch type {
        case .int where name == "k": return .int(Int64(random.below(5)))
        case .int where name == "small": return .int(Int64(random.below(4)))
        case .int:
            let isLarge = random.below(40) == 0
            return .int(Int64(random.below(200)) - 100 + (isLarge ? 1 << 40 : 0))
        case .float: return .float(random.below(9) == 0 ? .nan : Float(random.below(60)) / 4 - 5)
        case .double: return .double(random.below(9) == 0 ? .nan : Double(random.below(60)) / 8 - 3)
        case .decimal:
            if random.below(9) == 0 { return .decimal(.nan) }
            return .decimal(Decimal128(Int64(random.below(90)) - 40) / Decimal128(4))
        case .timestamp:
            return .timestamp(Timestamp(seconds: Int64(random.below(1000)), nanoseconds: 0))
        case .bool: return .bool(random.below(2) == 0)
        case .string:
            return .string(Self.view(Self.texts[random.below(Self.texts.count)]))
        default:
            let types: [ColumnType] = [.int, .double, .float, .decimal, .bool, .timestamp]
            return value("", types[random.below(types.count)], isOptional: false)
        }
    }

    private static func view(_ text: StaticString) -> ByteView {
        ByteView(UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
    }
}
