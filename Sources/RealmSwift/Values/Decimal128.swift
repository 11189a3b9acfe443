import Foundation
import RealmEngine

/// A decimal floating-point number of 34 digits with exponents from -6143 to 6144 (IEEE 754-2008).
///
/// ```swift
/// let price: Decimal128 = "19.90"
/// let total = price * 3
/// print(total.stringValue)
/// ```
public struct Decimal128: Sendable, Hashable, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral,
    CustomStringConvertible
{
    let stored: RealmEngine.Decimal128

    init(_ stored: RealmEngine.Decimal128) { self.stored = stored }

    /// Creates zero.
    public init() { stored = .zero }

    private static func parsed(_ text: String) -> RealmEngine.Decimal128 {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return .nan }
            return RealmEngine.Decimal128(text: ByteView(base, count: bytes.count)) ?? .nan
        }
    }

    /// Parses a number. A text that is not a number results in NaN. Never throws; declared as
    /// throwing because the SDK's initializer is.
    public init(string: String) throws { stored = Self.parsed(string) }
    /// Creates a number from a Swift or Foundation number, or from text; NaN for any other value.
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

    /// The least finite number.
    public static var min: Decimal128 { "-9.999999999999999999999999999999999E6144" }
    /// The greatest finite number.
    public static var max: Decimal128 { "9.999999999999999999999999999999999E6144" }
    /// Whether the number is NaN. The SDK's name; signalling NaN is not distinguished.
    public var isSignaling: Bool { isNaN }
    /// Whether the number is NaN. Signalling NaN is not distinguished.
    public var isSignalingNaN: Bool { isNaN }
    /// Returns `other - self`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }
    /// Returns `self + n`.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }

    /// Creates a number from the decimal text of `number`.
    public init(number: NSNumber) { stored = Self.parsed(number.stringValue) }

    /// Creates a number from an integer; nil if it has more than 34 significant digits or is out of
    /// range. Trailing zeros are not significant.
    public init?<T: BinaryInteger>(exactly source: T) {
        let text = String(source)
        let digits = text.utf8.count - (source < 0 ? 1 : 0)
        if digits > 34, text.utf8.suffix(digits - 34).contains(where: { $0 != UInt8(ascii: "0") }) {
            return nil
        }
        stored = Self.parsed(text)
        if !stored.isFinite { return nil }
    }

    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) { stored = RealmEngine.Decimal128(value) }
    /// Creates a number from the shortest decimal text of a floating-point literal.
    public init(floatLiteral value: Double) {
        stored = Self.parsed("\(value)")
    }
    /// Creates a number from a text literal; NaN for a text that is not a number.
    public init(stringLiteral value: String) { stored = Self.parsed(value) }

    /// The absolute value.
    public var magnitude: Decimal128 { stored.isNegative ? Decimal128(-stored) : self }
    /// Changes the sign.
    public mutating func negate() { self = Decimal128(-stored) }

    /// Returns the sum, rounded to 34 digits.
    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored + b.stored)
    }
    /// Returns the difference, rounded to 34 digits.
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored - b.stored)
    }
    /// Returns the product, rounded to 34 digits.
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored * b.stored)
    }
    /// Returns the quotient, rounded to 34 digits.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.stored / b.stored)
    }
    /// Multiplies `a` by `b`.
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }

    /// Whether `a` is less; false if one of them is NaN.
    public static func < (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && RealmEngine.Decimal128.compare(a.stored, b.stored) < 0
    }

    /// Whether the values are equal. Exponents may differ, and NaN equals NaN.
    public static func == (a: Decimal128, b: Decimal128) -> Bool {
        RealmEngine.Decimal128.compare(a.stored, b.stored) == 0
    }

    /// Hashes the value as a double, because equal numbers may have different exponents.
    public func hash(into hasher: inout Hasher) { hasher.combine(doubleValue) }

    /// Whether the number is NaN.
    public var isNaN: Bool { stored.isNaN }
    /// The double nearest to the number.
    public var doubleValue: Double { stored.doubleValue }
    /// The number as a Foundation `Decimal`; NaN if it cannot be converted.
    public var decimalValue: Decimal { Decimal(string: stringValue) ?? .nan }
    /// The number as text, such as `1.23E6`.
    public var stringValue: String { DecimalText.of(stored.description) }
    /// The number as text, as in `stringValue`.
    public var description: String { stringValue }
}

extension Decimal128: Codable {
    /// Decodes the number from text or from a number. A text that is not a number results in NaN.
    ///
    /// - Throws: `DecodingError` if the value is neither text nor a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            try self.init(string: text)
        } else {
            self.init(value: try container.decode(Decimal.self))
        }
    }

    /// Encodes the number as text.
    ///
    /// - Throws: the error of the encoder.
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
