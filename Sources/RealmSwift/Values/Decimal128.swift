import Foundation
import RealmEngine

/// A decimal number of 34 digits (IEEE 754-2008).
public struct Decimal128: Sendable, Hashable, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral,
    CustomStringConvertible
{
    let stored: RealmEngine.Decimal128

    init(_ stored: RealmEngine.Decimal128) { self.stored = stored }

    public init() { stored = .zero }

    private static func parsed(_ text: String) -> RealmEngine.Decimal128 {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return .nan }
            return RealmEngine.Decimal128(text: ByteView(base, count: bytes.count)) ?? .nan
        }
    }

    /// Not a number for what is none.
    public init(string: String) throws { stored = Self.parsed(string) }
    /// Of a number, a text or an object of Foundation that is one; not a number for what is none.
    public init(value: Any) {
        switch unwrapped(value) {
        case let value as Decimal128: self = value
        case let value as String: stored = Self.parsed(value)
        case let value as any BinaryInteger: stored = Self.parsed("\(value)")
        case let value as Decimal: stored = Self.parsed("\(value)")
        case let value as any BinaryFloatingPoint: stored = Self.parsed("\(value)")
        case let value as NSNumber: stored = Self.parsed(value.stringValue)
        default: stored = .nan
        }
    }

    public static var min: Decimal128 { "-9.999999999999999999999999999999999E6144" }
    public static var max: Decimal128 { "9.999999999999999999999999999999999E6144" }
    public var isSignaling: Bool { isNaN }
    public var isSignalingNaN: Bool { isNaN }
    public func distance(to other: Decimal128) -> Decimal128 { other - self }
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }

    public init(number: NSNumber) { stored = Self.parsed(number.stringValue) }

    public init?<T: BinaryInteger>(exactly source: T) {
        stored = Self.parsed(String(source))
    }

    public init(integerLiteral value: Int64) { stored = RealmEngine.Decimal128(value) }
    public init(floatLiteral value: Double) {
        stored = Self.parsed("\(value)")
    }
    public init(stringLiteral value: String) { stored = Self.parsed(value) }

    public var magnitude: Decimal128 { stored.isNegative ? Decimal128(-stored) : self }
    public mutating func negate() { self = Decimal128(-stored) }

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored + b.stored)
    }
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored - b.stored)
    }
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored * b.stored)
    }
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored / b.stored)
    }
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }

    public static func < (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && RealmEngine.Decimal128.compare(a.stored, b.stored) < 0
    }

    /// Numbers are equal whatever their exponents; not a number equals itself.
    public static func == (a: Decimal128, b: Decimal128) -> Bool {
        RealmEngine.Decimal128.compare(a.stored, b.stored) == 0
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(doubleValue) }

    public var isNaN: Bool { stored.isNaN }
    public var doubleValue: Double { stored.doubleValue }
    public var decimalValue: Decimal { Decimal(string: stringValue) ?? .nan }
    public var stringValue: String { DecimalText.of(stored.description) }
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            try self.init(string: text)
        } else {
            self.init(value: try container.decode(Decimal.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension Decimal128: _PersistableInsideOptional, _DefaultConstructible, MinMaxType, AddableType,
    SortableType, _QueryNumeric,
    _RealmCollectionValueInsideOptional
{
    public typealias PersistedType = Decimal128
    public static var _rlmType: PropertyType { .decimal128 }
    public static func _rlmFromStored(_ stored: _Stored) -> Decimal128 {
        guard case .decimal(let value) = stored.value else { mismatch(stored.value, self) }
        return Decimal128(value)
    }
    public func _rlmStored(_ storing: _Storing) -> Value { .decimal(stored) }
}
