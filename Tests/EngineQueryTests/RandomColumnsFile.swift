import Foundation

@testable import EngineSupport
@testable import RealmEngine

/// A file of one class `Row` with a column of each type and random values, many of them equal;
/// deleted with this object.
final class RandomColumnsFile {
    let path: String
    let snapshot: Snapshot
    let table: Table
    /// Names of the columns.
    static let names = columns.map(\.name)

    private static let columns: [(name: String, type: ColumnType, isOptional: Bool)] = [
        ("tiny", .int, false), ("small", .int, true), ("wide", .int, true), ("flag", .bool, true),
        ("f", .float, true), ("d", .double, true), ("word", .string, true), ("line", .string, true),
        ("bytes", .binary, true), ("time", .timestamp, true), ("oid", .objectID, true),
        ("uuid", .uuid, true), ("dec", .decimal, true), ("mix", .mixed, true),
    ]

    init(rows: Int, _ random: SeededRandom, key: EncryptionKey? = nil) throws {
        path = FileManager.default.temporaryDirectory.path + "/columns-\(UUID().uuidString).realm"
        var options = WriteSession.Options.scratch()
        options.key = key
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let row = try transaction.createClass("Row")
        for column in Self.columns {
            var spec = PropertySpec(column.name, column.type)
            spec.isOptional = column.isOptional
            try transaction.addProperty(row, spec)
        }
        var writer = RandomCells(random)
        for _ in 0..<rows {
            let key = try transaction.create(in: row)
            for column in Self.columns.indices where column == 0 || writer.random.below(9) > 0 {
                try writer.set(transaction, row, key, column)
            }
        }
        try transaction.commit()
        snapshot = try Database(immutable: path, key: key).snapshot()
        table = snapshot.table(snapshot.schema.table(named: "Row")!)
    }

    deinit {
        for end in ["", ".lock", ".note", ".management"] {
            try? FileManager.default.removeItem(atPath: path + end)
        }
    }
}

/// Random values for the columns of `RandomColumnsFile`.
private struct RandomCells {
    var random: SeededRandom

    init(_ random: SeededRandom) { self.random = random }

    private mutating func pick<T>(_ all: [T]) -> T { all[random.below(all.count)] }

    mutating func set(
        _ t: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ column: Int
    ) throws {
        switch column {
        case 0: try t.set(table, key, column, .int(Int64(random.below(200)) - 100))
        case 1: try t.set(table, key, column, .int(Int64(random.below(4000)) - 2000))
        case 2:
            let wide: [Int64] = [.min, .max, 0, 1, -1, 1 << 53, 1 << 53 + 1, 7 << 40]
            try t.set(table, key, column, .int(pick(wide)))
        case 3: try t.set(table, key, column, .bool(random.below(2) == 0))
        case 4:
            let floats: [Float] = [0, -0.0, 1, 1.5, -3, .infinity, .nan, 16_777_216, 0.1]
            try t.set(table, key, column, .float(pick(floats)))
        case 5:
            let doubles = [0, -0.0, 1, 1.5, -3, .infinity, .nan, 0x1p53, 0.1, -.infinity]
            try t.set(table, key, column, .double(pick(doubles)))
        case 6: try set(t, table, key, column, text: word(), isText: true)
        case 7: try set(t, table, key, column, text: line(), isText: true)
        case 8: try set(t, table, key, column, text: line(), isText: false)
        case 9:
            let seconds = Int64(random.below(5)) - 2
            let part = Int32(random.below(3))
            try t.set(
                table, key, column,
                .timestamp(Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -part : part)))
        case 10:
            let id = ObjectID(high: UInt64(random.below(3)), low: UInt32(random.below(4)))
            try t.set(table, key, column, .objectID(id))
        case 11:
            let id = UUIDValue(high: UInt64(random.below(2)), low: UInt64(random.below(5)))
            try t.set(table, key, column, .uuid(id))
        case 12: try t.set(table, key, column, .decimal(Decimal128(Int64(random.below(9)) - 4)))
        default:
            if random.below(3) == 0 {
                return try set(t, table, key, column, text: word(), isText: true)
            }
            let values: [Value] = [
                .int(1), .double(1), .double(1.5), .float(1.5), .bool(true), .int(2), .null,
                .decimal(Decimal128(1)), .double(.nan),
            ]
            try t.set(table, key, column, pick(values))
        }
    }

    /// A text of few letters, including NUL, whose length is close to the size of a cell or a word.
    private mutating func word() -> [UInt8] {
        let letters: [UInt8] = [0x61, 0x61, 0x61, 0x62, 0x43, 0]
        return (0..<pick([0, 1, 2, 3, 5, 6, 7, 8, 9])).map { _ in pick(letters) }
    }

    private mutating func line() -> [UInt8] {
        let start = Array("the same beginning of all ".utf8.prefix(pick([0, 7, 8, 9, 16, 24, 26])))
        return start + word() + (random.below(3) == 0 ? word() : [])
    }

    private func set(
        _ t: WriteTransaction, _ table: TableKey, _ key: ObjectKey, _ column: Int, text: [UInt8],
        isText: Bool
    ) throws {
        try (text + [0]).withUnsafeBytes { bytes in
            let view = ByteView(bytes.baseAddress!, count: text.count)
            try t.set(table, key, column, isText ? .string(view) : .binary(view))
        }
    }
}
