import RealmEngine
import SimulatedPlatform

/// Objects of one class, by primary key. An object's value decides its properties, so that a
/// content is an array of numbers; 0 is an object that does not exist.
enum ItemDatabase {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz".utf8)

    /// Creates the class.
    private static func create(in transaction: WriteTransaction) throws(RealmError) -> TableKey {
        let table = try transaction.createClass("Item", primaryKey: PropertySpec("key", .int))
        try transaction.addProperty(table, PropertySpec("value", .int))
        var text = PropertySpec("text", .string)
        text.isIndexed = true
        try transaction.addProperty(table, text)
        try transaction.addProperty(table, PropertySpec("bytes", .binary))
        return table
    }

    /// The text of a value: short, so that several objects have the same.
    private static func text(of value: UInt64) -> [UInt8] {
        [UInt8](repeating: alphabet[Int(value >> 8 % 3)], count: Int(value >> 16 % 20))
    }

    /// The bytes of a value, sometimes a few thousand.
    private static func bytes(of value: UInt64) -> [UInt8] {
        let count = value % 7 == 0 ? Int(value >> 24 % 6000) : Int(value >> 24 % 90)
        return [UInt8](repeating: UInt8(truncatingIfNeeded: value >> 40), count: count)
    }

    /// Changes the object with `key` to `value`. Creates the class if it is missing.
    static func set(
        _ key: Int, _ value: UInt64, in transaction: WriteTransaction
    ) throws(RealmError) {
        let there = transaction.table(named: "Item")
        let table = if let there { there } else { try create(in: transaction) }
        let primaryKey = Value.int(Int64(key))
        let known = try transaction.find(in: table, primaryKey: primaryKey)
        if value == 0 {
            if let known { try transaction.remove(table, known) }
            return
        }
        let object =
            if let known { known } else {
                try transaction.create(in: table, primaryKey: primaryKey)
            }
        try transaction.set(table, object, 1, .int(Int64(bitPattern: value)))
        for (column, bytes) in [(2, text(of: value)), (3, self.bytes(of: value))] {
            let result = bytes.withUnsafeBytes { bytes -> Result<Void, RealmError> in
                let view = bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty
                return Result { () throws(RealmError) in
                    try transaction.set(
                        table, object, column, column == 2 ? .string(view) : .binary(view))
                }
            }
            try result.get()
        }
    }

    /// Reads a version completely; nil if an object contradicts its value. A new database has no
    /// class.
    static func content(of snapshot: Snapshot) throws(RealmError) -> Board.Content? {
        var content = Board.Content(repeating: 0, count: Board.keyCount)
        guard let info = snapshot.schema.table(named: "Item") else { return content }
        let table = snapshot.table(info)
        for key in try table.keys() {
            guard let row = try table.row(key), case .int(let number) = try row.value(0),
                case .int(let signed) = try row.value(1),
                case .string(let text) = try row.value(2),
                case .binary(let bytes) = try row.value(3)
            else { return nil }
            let value = UInt64(bitPattern: signed)
            guard content.indices.contains(Int(number)), content[Int(number)] == 0,
                text.bytes == self.text(of: value), bytes.bytes == self.bytes(of: value)
            else { return nil }
            content[Int(number)] = value
        }
        return content
    }
}
