@testable import RealmEngine

/// A value in a `ModelDatabase`. Owns its bytes, so it does not depend on a file.
indirect enum PlainValue: Hashable {
    case null
    case int(Int64)
    case bool(Bool)
    case float(UInt32)
    case double(UInt64)
    case string([UInt8])
    case binary([UInt8])
    case timestamp(Timestamp)
    case decimal(Decimal128)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    case link(ObjectLink)
    case list([PlainValue])
    case set([PlainValue])
    case dictionary([PlainEntry])

    /// Whether the value is a float or double NaN.
    var isNaN: Bool {
        switch self {
        case .float(let bits): Float(bitPattern: bits).isNaN
        case .double(let bits): Double(bitPattern: bits).isNaN
        default: false
        }
    }
}

/// An entry of a dictionary; entries ascend by key.
struct PlainEntry: Hashable {
    var key: [UInt8]
    var value: PlainValue
}

extension PlainValue {
    /// Calls `body` with every link in the value, once per occurrence.
    func forEachLink(_ body: (ObjectLink) -> Void) {
        switch self {
        case .link(let link): body(link)
        case .list(let all), .set(let all): for value in all { value.forEachLink(body) }
        case .dictionary(let all): for entry in all { entry.value.forEachLink(body) }
        default: return
        }
    }

    /// Returns the value after the object `gone` was deleted: links to it are removed from lists
    /// and sets, and become null in other places.
    func without(_ gone: ObjectLink) -> PlainValue {
        switch self {
        case .link(let link): return link == gone ? .null : self
        case .list(let all): return .list(Self.elements(all, without: gone))
        case .set(let all): return .set(Self.elements(all, without: gone))
        case .dictionary(let all):
            return .dictionary(
                all.map { PlainEntry(key: $0.key, value: $0.value.without(gone)) })
        default: return self
        }
    }

    private static func elements(
        _ all: [PlainValue], without gone: ObjectLink
    ) -> [PlainValue] {
        all.compactMap { $0 == .link(gone) ? nil : $0.without(gone) }
    }

    func holds(_ link: ObjectLink) -> Bool {
        var found = false
        forEachLink { if $0 == link { found = true } }
        return found
    }
}

extension PlainValue {
    /// Returns the value for the engine: bytes copied into `arena`, nested collections created by
    /// `transaction`.
    func value(_ arena: ByteArena, _ transaction: WriteTransaction) throws -> Value {
        switch self {
        case .null: return .null
        case .int(let v): return .int(v)
        case .bool(let v): return .bool(v)
        case .float(let v): return .float(Float(bitPattern: v))
        case .double(let v): return .double(Double(bitPattern: v))
        case .string(let v): return .string(Self.view(v, arena))
        case .binary(let v): return .binary(Self.view(v, arena))
        case .timestamp(let v): return .timestamp(v)
        case .decimal(let v): return .decimal(v)
        case .objectID(let v): return .objectID(v)
        case .uuid(let v): return .uuid(v)
        case .link(let v): return .link(v)
        case .list(let all), .set(let all):
            return try transaction.makeList(all.map { try $0.value(arena, transaction) })
        case .dictionary(let all):
            return try transaction.makeDictionary(
                all.map {
                    (.string(Self.view($0.key, arena)), try $0.value.value(arena, transaction))
                })
        }
    }

    static func view(_ bytes: [UInt8], _ arena: ByteArena) -> ByteView {
        bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return ByteView.empty }
            return arena.copy(ByteView(base, count: raw.count))
        }
    }

    /// Whether a value read from `snapshot` equals this one.
    func equals(_ value: Value, _ snapshot: Snapshot) throws -> Bool {
        switch (self, value) {
        case (.null, .null): return true
        case (.int(let a), .int(let b)): return a == b
        case (.bool(let a), .bool(let b)): return a == b
        case (.float(let a), .float(let b)): return a == b.bitPattern
        case (.double(let a), .double(let b)): return a == b.bitPattern
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)):
            return Self.equal(a, b)
        case (.timestamp(let a), .timestamp(let b)): return a == b
        case (.decimal(let a), .decimal(let b)): return a == b
        case (.objectID(let a), .objectID(let b)): return a == b
        case (.uuid(let a), .uuid(let b)): return a == b
        case (.link(let a), .link(let b)): return a == b
        case (.list(let a), .list(let b)): return try Self.equal(a, b, snapshot)
        case (.set(let a), .set(let b)): return try Self.equal(set: a, b, snapshot)
        case (.dictionary(let a), .dictionary(let b)): return try Self.equal(a, b, snapshot)
        default: return false
        }
    }

    private static func equal(_ a: [UInt8], _ b: ByteView) -> Bool {
        a.withUnsafeBytes { raw in
            raw.count == b.count
                && (b.count == 0
                    || ByteView.compare(ByteView(raw.baseAddress!, count: b.count), b) == 0)
        }
    }

    private static func equal(_ a: [UInt8], _ b: Value) -> Bool {
        if case .string(let bytes) = b { return equal(a, bytes) }
        return a == keyBytes(b)
    }

    private static func equal(
        _ a: [PlainValue], _ b: CollectionView, _ snapshot: Snapshot
    ) throws -> Bool {
        guard try snapshot.count(of: .list(b)) == a.count else { return false }
        var cursor = snapshot.elements(of: b)
        for element in a {
            guard let value = try cursor.next(), try element.equals(value, snapshot) else {
                return false
            }
        }
        return try cursor.next() == nil
    }

    /// Whether the set of the model and the stored set have the same elements in any order. The
    /// integrity check verifies the order.
    private static func equal(
        set a: [PlainValue], _ b: CollectionView, _ snapshot: Snapshot
    ) throws -> Bool {
        guard try snapshot.count(of: .set(b)) == a.count else { return false }
        var cursor = snapshot.elements(of: b)
        var left = a
        while let value = try cursor.next() {
            guard let i = try left.firstIndex(where: { try $0.equals(value, snapshot) }) else {
                return false
            }
            left.swapAt(i, left.count - 1)
            left.removeLast()
        }
        return left.isEmpty
    }

    private static func equal(
        _ a: [PlainEntry], _ b: CollectionView, _ snapshot: Snapshot
    ) throws -> Bool {
        guard try snapshot.count(of: .dictionary(b)) == a.count else { return false }
        var cursor = try snapshot.entries(of: b)
        for entry in a {
            guard let (key, value) = try cursor.next(), equal(entry.key, key),
                try entry.value.equals(value, snapshot)
            else { return false }
        }
        return try cursor.next() == nil
    }
}
