import Foundation

@testable import EngineSupport
@testable import RealmEngine

/// A file whose properties have indexes with lists of every kind, deleted with this object. `Item`
/// links to `Part`, whose name is indexed too.
final class IndexedTestFile {
    let path: String
    private var random: SeededRandom
    private var part = TableKey(0)

    /// Texts with common chunks, with differences in case only, and with prefixes that an index
    /// does not distinguish.
    static let texts: [String] = {
        let long = String(repeating: "long prefix ", count: 18)
        return [
            "", "a", "A", "ab", "AB", "aB", "abX", "abX\0", "abXX", "abc", "abcd", "ABCD", "abcde",
            "abcd\0\0\0\0", "\0\0\0\0", "straße", "STRASSE", "äöü", "ÄÖÜ", "Äöü", "€uro", "×", "÷",
            "4711", "4711 ", "1", "\u{11}", long, long + "1", long + "2", long.uppercased(),
            String(repeating: "\0", count: 300),
        ]
    }()

    static let words = [
        "apple", "apples", "app", "pear", "peach", "plum", "banana", "Äpfel", "zeb", "zebra",
        "zebras", "cherrycherrycherry",
    ]

    /// Numbers and values of other types with the same index strings.
    static let mixed: [QueryArgument] = [
        .null, .int(0), .int(1), .bool(true), .bool(false), .double(1), .float(1), .double(1.5),
        .decimal(tenths(15)), .decimal(tenths(10)), .int(1 << 40), .double(Double(1 << 40)),
        .float(Float(1 << 40)), .decimal(tenths(10 << 40)), .int(.max), .double(-0.0),
        .double(16_777_216), .decimal(tenths(167_772_200)), .int(16_777_220),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 0)), .uuid(UUIDValue(high: 1, low: 2)),
    ]

    private static func tenths(_ number: UInt64) -> Decimal128 {
        Decimal128(high: 0x303E << 48, low: number)
    }

    init(rows: Int, fanout: Fanout, random: SeededRandom) throws {
        path = FileManager.default.temporaryDirectory.path + "/indexed-\(UUID().uuidString).realm"
        self.random = random
        let session = try WriteSession(path: path, options: .scratch(fanout))
        let transaction = try session.begin()
        part = try transaction.createClass("Part")
        var name = PropertySpec("name", .string)
        (name.isOptional, name.isIndexed) = (true, true)
        try transaction.addProperty(part, name)
        var parts: [ObjectKey] = []
        for i in 0..<max(8, rows / 8) {
            parts.append(try transaction.create(in: part))
            if i % 5 != 0 { try set(transaction, part, parts[i], 0, text: pick(Self.texts)) }
        }
        let item = try Self.createItems(transaction, part)
        var keys: [ObjectKey] = []
        for _ in 0..<rows {
            keys.append(try transaction.create(in: item))
            try fill(transaction, item, keys[keys.count - 1], parts)
        }
        // Removing entries leaves lists of one key and levels of one chunk.
        for key in keys where below(6) == 0 { try transaction.remove(item, key) }
        for key in parts where below(9) == 0 { try transaction.remove(part, key) }
        try transaction.commit()
    }

    deinit {
        for end in ["", ".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: path + end)
        }
    }

    private func below(_ bound: Int) -> Int { random.below(bound) }
    private func pick<T>(_ all: [T]) -> T { all[below(all.count)] }

    private static func createItems(
        _ t: WriteTransaction, _ part: TableKey
    ) throws -> TableKey {
        let item = try t.createClass("Item")
        func add(_ name: String, _ type: ColumnType, isOptional: Bool = true) throws {
            var spec = PropertySpec(name, type)
            spec.isOptional = isOptional
            try t.addProperty(item, spec)
        }
        try add("i", .int)
        try add("b", .bool)
        try add("s", .string)
        try add("t", .timestamp)
        try add("o", .objectID)
        try add("u", .uuid)
        try add("m", .mixed)
        try add("body", .string)
        try add("plain", .int, isOptional: false)
        for column in 0..<7 { try t.setIndex(item, column, .general) }
        try t.setIndex(item, 7, .fullText)
        var link = PropertySpec("part", .link)
        link.target = part
        try t.addProperty(item, link)
        link = PropertySpec("parts", .link)
        (link.target, link.collection) = (part, .list)
        try t.addProperty(item, link)
        return item
    }

    private func set(
        _ t: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ column: Int, text: String
    ) throws {
        var text = text
        try text.withUTF8 {
            let empty = UnsafePointer<UInt8>(bitPattern: 8)!
            let view = ByteView(UnsafeRawPointer($0.baseAddress ?? empty), count: $0.count)
            try t.set(table, key, column, .string(view))
        }
    }

    private func fill(
        _ t: WriteTransaction, _ item: TableKey, _ key: ObjectKey, _ parts: [ObjectKey]
    ) throws {
        func set(_ column: Int, _ value: Value) throws {
            // The property stays null occasionally.
            if below(10) != 0 { try t.set(item, key, column, value) }
        }
        let n = Int64(below(6))
        try set(0, .int(n == 5 ? Int64(below(1000)) << 30 : n))
        try set(1, .bool(below(3) == 0))
        if below(8) != 0 { try self.set(t, item, key, 2, text: pick(Self.texts)) }
        try set(3, .timestamp(Timestamp(seconds: n << 31, nanoseconds: Int32(below(2)))))
        try set(4, .objectID(ObjectID(high: UInt64(below(2)), low: UInt32(below(3)))))
        try set(5, .uuid(UUIDValue(high: 7, low: UInt64(below(4)))))
        if below(3) == 0 {
            try self.set(t, item, key, 6, text: pick(Self.texts))
        } else {
            try set(6, value(pick(Self.mixed)))
        }
        let words = (0..<below(5)).map { _ in pick(Self.words) }
        if below(9) != 0 { try self.set(t, item, key, 7, text: words.joined(separator: " ")) }
        try t.set(item, key, 8, .int(Int64(below(10))))
        func link() -> Value { .link(ObjectLink(table: part, key: pick(parts))) }
        if below(4) != 0 { try t.set(item, key, 9, link()) }
        try t.setElements(item, key, 10, (0..<below(4)).map { _ in link() })
    }

    private func value(_ argument: QueryArgument) -> Value {
        switch argument {
        case .int(let x): .int(x)
        case .bool(let x): .bool(x)
        case .float(let x): .float(x)
        case .double(let x): .double(x)
        case .decimal(let x): .decimal(x)
        case .timestamp(let x): .timestamp(x)
        case .uuid(let x): .uuid(x)
        default: .null
        }
    }
}
