import Foundation

@testable import EngineSupport
@testable import RealmEngine

/// A file of one class, written through a transaction with a given fanout, deleted with this
/// object.
final class QueryTestFile {
    let path: String

    /// - Parameter random: source of arbitrary objects, some of which are removed; nil for regular
    ///   objects.
    init(
        rows: Int, fanout: Fanout = Fanout(), random: SeededRandom? = nil
    ) throws {
        path = FileManager.default.temporaryDirectory.path + "/query-\(UUID().uuidString).realm"
        let session = try WriteSession(path: path, options: .scratch(fanout))
        let transaction = try session.begin()
        let node = try Self.createClass(transaction)
        var random = random
        var keys: [ObjectKey] = []
        for i in 0..<rows {
            let key = try transaction.create(in: node, primaryKey: .int(Int64(i)))
            keys.append(key)
            try Self.fill(transaction, node, key, random?.below(100) ?? i % 100, &random)
            try Self.link(transaction, node, key, keys, i, &random)
        }
        if random != nil {
            for key in keys where random!.below(7) == 0 { try transaction.remove(node, key) }
        }
        try transaction.commit()
    }

    deinit {
        for end in ["", ".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: path + end)
        }
    }

    private enum Column: Int {
        case id, i, oi, s, d, b, t, up, kids, tags, x
    }

    private static func createClass(_ t: WriteTransaction) throws -> TableKey {
        let node = try t.createClass("Node", primaryKey: PropertySpec("id", .int))
        func add(
            _ name: String, _ type: ColumnType, _ change: (inout PropertySpec) -> Void = { _ in }
        )
            throws
        {
            var spec = PropertySpec(name, type)
            change(&spec)
            try t.addProperty(node, spec)
        }
        try add("i", .int)
        try add("oi", .int) { $0.isOptional = true }
        try add("s", .string) { $0.isOptional = true }
        try add("d", .double)
        try add("b", .bool)
        try add("t", .timestamp)
        try add("up", .link) { $0.target = node }
        try add("kids", .link) {
            $0.target = node
            $0.collection = .list
        }
        try add("tags", .string) { $0.collection = .list }
        try add("x", .string) { $0.isIndexed = true }
        return node
    }

    private static func fill(
        _ t: WriteTransaction, _ node: TableKey, _ key: ObjectKey, _ n: Int,
        _ random: inout SeededRandom?
    ) throws {
        func set(_ column: Column, _ value: Value) throws {
            try t.set(node, key, column.rawValue, value)
        }
        // An occasional long text requires another leaf form.
        let padding = random.map { _ in random!.below(40) == 0 ? 90 : random!.below(12) } ?? 0
        var bytes = Array("text \(n)".utf8) + Array(repeating: 0x78, count: padding)
        try set(.i, .int(Int64(n)))
        if n % 4 != 0 { try set(.oi, .int(Int64(n * 1000))) }
        try bytes.withUnsafeMutableBytes {
            let view = ByteView(UnsafeRawPointer($0.baseAddress!), count: $0.count)
            if n % 9 != 0 { try set(.s, .string(view)) }
            try set(.x, .string(ByteView(view.base, count: min(6, view.count))))
            if n % 5 == 0 {
                try t.setElements(
                    node, key, Column.tags.rawValue, (0..<n % 4).map { _ in .string(view) })
            }
        }
        try set(.d, .double(Double(n) / 2))
        try set(.b, .bool(n % 3 == 0))
        try set(
            .t, .timestamp(Timestamp(seconds: 900_000_000 + Int64(n) * 3_000_000, nanoseconds: 0)))
    }

    private static func link(
        _ t: WriteTransaction, _ node: TableKey, _ key: ObjectKey, _ keys: [ObjectKey], _ i: Int,
        _ random: inout SeededRandom?
    ) throws {
        func target(_ distance: Int) -> Value {
            let place = random.map { _ in random!.below(keys.count) } ?? max(0, i - distance)
            return .link(ObjectLink(table: node, key: keys[place]))
        }
        if i % 6 != 0 { try t.set(node, key, Column.up.rawValue, target(7)) }
        if i % 3 == 0 {
            let links = (0..<i % 7).map { target($0 * 11 + 1) }
            try t.setElements(node, key, Column.kids.rawValue, links)
        }
    }
}
