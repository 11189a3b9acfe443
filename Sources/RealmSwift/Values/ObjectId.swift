import Foundation
import RealmEngine
import Synchronization

/// An identifier of twelve bytes: four bytes for the second of its creation, five for the process,
/// and three for a counter. Identifiers are ordered by their bytes.
public struct ObjectId: Sendable, Hashable, Comparable, CustomStringConvertible {
    let stored: ObjectID

    init(_ stored: ObjectID) { self.stored = stored }

    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<1 << 24))
    private static let process = UInt64.random(in: 0..<1 << 40)

    /// Creates a new identifier, as `generate()` does.
    public init() { self = ObjectId.generate() }

    /// Creates a new identifier. May be called on any thread.
    public static func generate() -> ObjectId {
        let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970)))
        let count = counter.add(1, ordering: .relaxed).oldValue & 0xFF_FFFF
        return ObjectId(
            ObjectID(
                high: seconds << 32 | process >> 8, low: UInt32(process & 0xFF) << 24 | count))
    }

    /// Parses 24 hexadecimal digits.
    ///
    /// - Throws: `Realm.Error` with the code `invalidInput` for any other text.
    public init(string: String) throws {
        guard string.utf8.count == 24, let high = UInt64(string.prefix(16), radix: 16),
            let low = UInt32(string.suffix(8), radix: 16), string.allSatisfy(\.isHexDigit)
        else {
            throw Realm.Error(
                .invalidInput,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "Invalid Object ID string '\(string)': must be 24 hex digits"
                ])
        }
        stored = ObjectID(high: high, low: low)
    }

    /// Creates an identifier from a literal of 24 hexadecimal digits. Traps for any other literal.
    public init(_ text: StaticString) {
        do { try self.init(string: "\(text)") } catch {
            throwRealmException("Invalid Object ID string '\(text)': must be 24 hex digits")
        }
    }

    /// Creates an identifier from a given second, machine and process, and the next value of the
    /// counter.
    ///
    /// - Parameter machineId: its lower 24 bits are used.
    /// - Parameter processId: its lower 16 bits are used.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970)))
        let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let process = UInt64(truncatingIfNeeded: processId) & 0xFFFF
        let count = Self.counter.add(1, ordering: .relaxed).oldValue & 0xFF_FFFF
        stored = ObjectID(
            high: seconds << 32 | machine << 8 | process >> 8,
            low: UInt32(process & 0xFF) << 24 | count)
    }

    /// The identifier as 24 hexadecimal digits.
    public var stringValue: String {
        let high = String(stored.high, radix: 16)
        let low = String(stored.low, radix: 16)
        return String(repeating: "0", count: 16 - high.count) + high
            + String(repeating: "0", count: 8 - low.count) + low
    }

    /// The second in which the identifier was created.
    public var timestamp: Date {
        Date(timeIntervalSince1970: Double(Int32(truncatingIfNeeded: stored.high >> 32)))
    }

    /// The identifier as 24 hexadecimal digits, as in `stringValue`.
    public var description: String { stringValue }

    /// Whether the bytes of `a` sort before the bytes of `b`.
    public static func < (a: ObjectId, b: ObjectId) -> Bool {
        (a.stored.high, a.stored.low) < (b.stored.high, b.stored.low)
    }
}

extension ObjectId: Codable {
    /// Decodes 24 hexadecimal digits.
    ///
    /// - Throws: `Realm.Error` with the code `invalidInput` for any other text; `DecodingError` if
    ///   the value is not text.
    public init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the identifier as 24 hexadecimal digits.
    ///
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension ObjectId: _PersistableInsideOptional, _DefaultConstructible, _PrimaryKey, _Indexable,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = ObjectId
    public static var _rlmType: PropertyType { .objectId }
    public static func _rlmFromStored(_ stored: _Stored) -> ObjectId {
        guard case .objectID(let id) = stored.value else { mismatch(stored.value, self) }
        return ObjectId(id)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .objectID(stored) }
}

extension UUID {
    init(stored value: Value) {
        guard case .uuid(let stored) = value else { mismatch(value, UUID.self) }
        var bytes = (stored.high.bigEndian, stored.low.bigEndian)
        self = withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    var stored: UUIDValue {
        withUnsafeBytes(of: uuid) {
            UUIDValue(
                high: UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}
