import Testing

@testable import RealmEngine

/// A database written by the reference engine, opened for editing as in a write transaction.
final class EditLab {
    let database: Database
    let snapshot: Snapshot
    let memory: ReadContext
    let context: EditContext
    let arena = ByteArena()

    init(_ path: String? = nil, fanout: Fanout = Fanout()) throws {
        let own = Fixtures.own.appending(path: "objects/all-types-2-compacted.realm").path
        database = try Database(immutable: path ?? own)
        snapshot = database.snapshot()
        let mapping = database.file.mapping
        memory = ReadContext(
            base: mapping.base, limit: try #require(database.top).logicalSize)
        let slab = Slab(mapping)
        slab.attach(memory)
        context = EditContext(space: memory.lookup, slab: slab, fanout: fanout)
    }

    func view(_ bytes: [UInt8]) -> ByteView {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else {
                return ByteView(arena.allocate(1), count: 0)
            }
            return arena.copy(ByteView(base, count: buffer.count))
        }
    }

    /// Makes all nodes created so far immutable, as if their transaction were committed.
    func seal(_ editor: IndexEditor) {
        context.slab.seal()
        editor.discardCachedLocations()
    }

    func string(_ text: String) -> Value { .string(view([UInt8](text.utf8))) }
}

/// Expected values of a column, by object key. The index of the column is compared with these
/// values.
final class ColumnModel {
    var values: [Int64: Value] = [:]

    func value(_ key: ObjectKey) -> Value? { values[key.raw] }

    /// Returns, for each word, the keys of the objects whose value contains the word.
    func words() throws -> [[UInt8]: [Int64]] {
        var words: [[UInt8]: [Int64]] = [:]
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try WordSet(value).visit { (word) in words[word.bytes, default: []].append(key) }
        }
        return words
    }
}

/// Source of random values that are often equal, or equal in a prefix, or in one of the 4-byte
/// chunks by which an index orders them.
struct ValueSource {
    let lab: EditLab
    var random: SeededRandom

    mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func value(_ type: ColumnType, isNullable: Bool) -> Value {
        if isNullable, pick(8) == 0 { return .null }
        switch type {
        case .bool: return .bool(pick(2) == 0)
        case .string: return .string(text())
        case .timestamp:
            return .timestamp(
                Timestamp(seconds: number(), nanoseconds: Int32(pick(3)) * 1_000_000))
        case .objectID:
            let high = pick(3) == 0 ? UInt64.random(in: 0 ... .max, using: &random) : 7
            return .objectID(ObjectID(high: high, low: UInt32(pick(40)) &* 0x0101_0101))
        case .uuid:
            let low = pick(3) == 0 ? UInt64.random(in: 0 ... .max, using: &random) : 5
            return .uuid(UUIDValue(high: UInt64(pick(3)), low: low &* UInt64(pick(20))))
        case .mixed: return mixed()
        default: return .int(number())
        }
    }

    private mutating func number() -> Int64 {
        switch pick(4) {
        case 0: Int64(pick(5)) - 2
        case 1: Int64(pick(300))
        // Numbers that are often equal in the low four bytes but not in the high four.
        case 2: Int64(pick(6)) << 32 | Int64(pick(3))
        default: Int64.random(in: .min ... .max, using: &random)
        }
    }

    /// Returns text with a long common prefix. Its last bytes may include NUL, bytes beyond ASCII,
    /// and `X`, the end marker of strings in an index.
    private mutating func text() -> ByteView {
        let letters: [UInt8] = [0x61, 0x61, 0x61, 0x62, 0, 0x58, 0xE9]
        let lengths = [0, 3, 4, 8, 60, 196, 200, 203, 204, 210, 300]
        let prefix = [UInt8](repeating: 0x61, count: lengths[pick(lengths.count)])
        return lab.view(prefix + (0..<pick(4)).map { _ in letters[pick(letters.count)] })
    }

    private mutating func mixed() -> Value {
        switch pick(16) {
        case 0: return .null
        case 1: return .bool(pick(2) == 0)
        case 2: return .float(Float(pick(9)) / 4)
        case 3: return .double(Double(pick(9)) / 4)
        case 4, 5:
            return .decimal(
                Decimal128(
                    isNegative: pick(4) == 0, coefficient: UInt128(pick(30)), exponent: -1))
        case 6: return .decimal([.nan, .infinity, -.infinity][pick(3)])
        case 7: return .binary(text())
        case 8: return .string(text())
        // The bytes of a small integer, as a binary and as a string: different values with equal
        // bytes.
        case 9: return .binary(lab.view([UInt8(pick(3)), 0, 0, 0, 0, 0, 0, 0]))
        case 10: return .string(lab.view([UInt8(pick(3)), 0, 0, 0, 0, 0, 0, 0]))
        case 11:
            let key = ObjectKey(Int64(pick(3)))
            return .link(ObjectLink(table: TableKey(UInt32(pick(2))), key: key))
        case 12: return .list(CollectionView(root: .none, element: .mixed))
        case 13: return value(.objectID, isNullable: false)
        case 14: return value(.timestamp, isNullable: false)
        default: return .int(Int64(pick(4)))
        }
    }

    mutating func sentence() -> Value {
        if pick(10) == 0 { return .null }
        let words = [
            "the", "quick", "quickly", "quicksand", "fox", "foxes", "Ärger", "naïve", "naives",
            "abcd", "abcdefgh", "abcdefghi", "日本語", "x×y", "÷", "smørrebrød",
            String(repeating: "long", count: 20), "a",
        ]
        let text = (0..<pick(7)).map { _ in words[pick(words.count)] }
        return lab.string(text.joined(separator: pick(2) == 0 ? " " : ", "))
    }
}
