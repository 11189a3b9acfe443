@testable import EngineSupport
@testable import RealmEngine

/// A plain copy of a value for the naive evaluator.
indirect enum NaiveValue {
    case null
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case text([UInt8])
    case bytes([UInt8])
    case date(Int64, Int32)
    case id([UInt64])
    case link(UInt32, Int64)
    case list([NaiveValue])
    case dictionary([([UInt8], NaiveValue)])
    /// A type that the naive evaluator does not support.
    case other
}

/// Content of a file, read object by object.
final class NaiveModel {
    struct Object {
        let key: Int64
        var values: [NaiveValue]
    }

    let snapshot: Snapshot
    private(set) var objects: [UInt32: [Object]] = [:]
    private var places: [UInt32: [Int64: Int]] = [:]

    init(_ snapshot: Snapshot) throws {
        self.snapshot = snapshot
        for info in snapshot.schema.tables where info.isClass {
            let table = snapshot.table(info)
            var all: [Object] = []
            for key in try table.keys() {
                let row = try table.row(key)!
                let values = try info.columns.indices.map {
                    try Self.value(try row.value($0), snapshot)
                }
                places[info.key.raw, default: [:]][key.raw] = all.count
                all.append(Object(key: key.raw, values: values))
            }
            objects[info.key.raw] = all
        }
    }

    func table(_ key: UInt32) -> TableInfo { snapshot.schema.table(TableKey(key))! }

    func object(_ table: UInt32, _ key: Int64) -> Object? {
        places[table]?[key].map { objects[table]![$0] }
    }

    /// Origins of the links to an object, in stored order. The order depends on earlier removals
    /// and affects comparisons of collections with a list.
    func backlinks(
        from origin: TableInfo, _ column: Int, to table: UInt32, _ key: Int64
    ) -> [Int64] {
        let info = self.table(table)
        let backlink = info.backlinks.first {
            $0.origin == origin.key && $0.originColumn == origin.columns[column].key
        }!
        snapshot.beginWalk()
        var all: [Int64] = []
        var cursor = try! snapshot.table(info).row(ObjectKey(key))!.backlinks(backlink)
        while let next = try! cursor.next() { all.append(next.raw) }
        return all
    }

    private static func value(_ value: Value, _ snapshot: Snapshot) throws -> NaiveValue {
        switch value {
        case .null: return .null
        case .int(let x): return .int(x)
        case .bool(let x): return .bool(x)
        case .float(let x): return .double(Double(x))
        case .double(let x): return .double(x)
        case .string(let x): return .text(x.bytes)
        case .binary(let x): return .bytes(x.bytes)
        case .timestamp(let x): return .date(x.seconds, x.nanoseconds)
        case .objectID(let x): return .id([x.high, UInt64(x.low)])
        case .uuid(let x): return .id([x.high, x.low])
        case .link(let x): return .link(x.table.raw, x.key.raw)
        case .decimal: return .other
        case .list(let view), .set(let view):
            var cursor = snapshot.elements(of: view)
            var all: [NaiveValue] = []
            while let next = try cursor.next() { all.append(try Self.value(next, snapshot)) }
            return .list(all)
        case .dictionary(let view):
            var cursor = try snapshot.entries(of: view)
            var all: [([UInt8], NaiveValue)] = []
            while let (key, value) = try cursor.next() {
                guard case .string(let text) = key else { continue }
                all.append((text.bytes, try Self.value(value, snapshot)))
            }
            return .dictionary(all)
        }
    }
}

extension NaiveValue {
    var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Rank of the type; values of one rank can be compared.
    private var kind: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .double: 2
        case .text: 3
        case .bytes: 4
        case .date: 5
        case .id: 6
        case .link: 7
        case .list: 8
        case .dictionary: 9
        case .other: 10
        }
    }

    private var number: Double {
        switch self {
        case .int(let x): Double(x)
        case .double(let x): x
        default: .nan
        }
    }

    /// The total order (query language 8.2); NaN is the lowest number and equals itself.
    static func order(_ a: NaiveValue, _ b: NaiveValue) -> Int {
        if a.kind != b.kind { return a.kind < b.kind ? -1 : 1 }
        func three<T: Comparable>(_ x: T, _ y: T) -> Int { x < y ? -1 : x > y ? 1 : 0 }
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return three(x ? 1 : 0, y ? 1 : 0)
        case (.int(let x), .int(let y)): return three(x, y)
        case (.text(let x), .text(let y)), (.bytes(let x), .bytes(let y)):
            for (i, byte) in x.enumerated() where i < y.count {
                if byte != y[i] { return three(byte, y[i]) }
            }
            return three(x.count, y.count)
        case (.date(let s, let n), .date(let t, let m)): return s != t ? three(s, t) : three(n, m)
        case (.id(let x), .id(let y)): return x[0] != y[0] ? three(x[0], y[0]) : three(x[1], y[1])
        case (.link(let t, let x), .link(let u, let y)): return t != u ? three(t, u) : three(x, y)
        default:
            let (x, y) = (a.number, b.number)
            if x.isNaN || y.isNaN { return three(x.isNaN ? 0 : 1, y.isNaN ? 0 : 1) }
            return three(x, y)
        }
    }

    static func holds(
        _ relation: QueryRelation, _ a: NaiveValue, _ b: NaiveValue, folds: Bool
    ) -> Bool {
        switch relation {
        case .equal, .in: return equal(a, b, folds)
        case .notEqual: return !equal(a, b, folds)
        case .less: return a.kind == b.kind && order(a, b) < 0
        case .greater: return a.kind == b.kind && order(a, b) > 0
        case .lessEqual: return a.kind == b.kind && order(a, b) <= 0
        case .greaterEqual: return a.kind == b.kind && order(a, b) >= 0
        case .text, .matches: return false
        case .beginsWith, .endsWith, .contains, .like: return matches(relation, a, b, folds)
        }
    }

    private static func equal(_ a: NaiveValue, _ b: NaiveValue, _ folds: Bool) -> Bool {
        switch (a, b) {
        case (.text(let x), .text(let y)) where folds, (.bytes(let x), .bytes(let y)) where folds:
            return fold(x) == fold(y)
        default: return order(a, b) == 0
        }
    }

    private static func matches(
        _ relation: QueryRelation, _ a: NaiveValue, _ b: NaiveValue, _ folds: Bool
    ) -> Bool {
        var text: [UInt8]
        var part: [UInt8]
        switch (a, b) {
        case (.text(let x), .text(let y)), (.bytes(let x), .bytes(let y)): (text, part) = (x, y)
        case (.null, .null): return relation == .like
        case (.text, .null), (.bytes, .null): return relation == .contains
        default: return false
        }
        if folds { (text, part) = (fold(text), fold(part)) }
        switch relation {
        case .beginsWith: return text.starts(with: part)
        case .endsWith: return text.reversed().starts(with: part.reversed())
        case .contains:
            return part.isEmpty
                || text.indices.contains { text[$0...].starts(with: part) }
        default: return like(text[...], part[...])
        }
    }

    /// Recursive implementation of LIKE.
    private static func like(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == UInt8(ascii: "*") {
            return like(text, pattern.dropFirst())
                || !text.isEmpty && like(text.dropFirst(), pattern)
        }
        guard let byte = text.first else { return false }
        if first == UInt8(ascii: "?") {
            let length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return like(text.dropFirst(length), pattern.dropFirst())
        }
        return byte == first && like(text.dropFirst(), pattern.dropFirst())
    }

    private static func fold(_ text: [UInt8]) -> [UInt8] {
        var result = text
        for i in text.indices {
            if (0x41...0x5A).contains(text[i]) { result[i] += 32 }
            if i > 0, text[i - 1] == 0xC3, (0x80...0x9E).contains(text[i]), text[i] != 0x97 {
                result[i] += 32
            }
        }
        return result
    }
}
