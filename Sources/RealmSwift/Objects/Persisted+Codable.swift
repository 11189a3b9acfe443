import Foundation

// A `Codable` model class encodes each column as its value, without the wrapper (API specification
// 2.5, 2.17).

/// A column whose key may be missing in the encoded form; the column is null then.
public protocol OptionalCodingWrapper {
    /// Creates the column from null.
    init(wrappedValue: any ExpressibleByNilLiteral)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
    /// Creates the column from null.
    public init(wrappedValue: any ExpressibleByNilLiteral) {
        self.init(wrappedValue: wrappedValue as? Value ?? nil)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional column; a missing key is null.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    public func decode<T: Decodable & OptionalCodingWrapper>(
        _ type: T.Type, forKey key: Key
    ) throws -> T {
        try decodeIfPresent(type, forKey: key) ?? T(wrappedValue: Int?.none)
    }

    /// Decodes a `RealmProperty`. If the key is missing, the property has its default value.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    public func decode<T: Decodable>(
        _ type: RealmProperty<T>.Type, forKey key: Key
    ) throws -> RealmProperty<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmProperty()
    }

    /// Decodes a `RealmOptional`. If the key is missing, the property is null.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    @available(*, deprecated)
    public func decode<T: Decodable & _RealmSchemaDiscoverable>(
        _ type: RealmOptional<T>.Type, forKey key: Key
    ) throws -> RealmOptional<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmOptional()
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of the column.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of the column.
    ///
    /// - Throws: `EncodingError` for a managed object, whose class must implement `encode(to:)`
    ///   itself.
    public func encode(to encoder: any Encoder) throws {
        guard property == .max else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "Only unmanaged Realm objects can be encoded using automatic "
                        + "Codable synthesis. You must explicitly define encode(to:) on your model "
                        + "class to support managed Realm objects."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(local ?? Value._rlmDefaultValue())
    }
}

extension RealmProperty: Decodable where Value: Decodable {
    /// Decodes the value.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension RealmProperty: Encodable where Value: Encodable {
    /// Encodes the value, which may be stored in a realm.
    ///
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

@available(*, deprecated)
extension RealmOptional: Decodable where Value: Decodable, Value: _RealmSchemaDiscoverable {
    /// Decodes the value, which may be null.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }
}

@available(*, deprecated)
extension RealmOptional: Encodable where Value: Encodable, Value: _RealmSchemaDiscoverable {
    /// Encodes the value, which may be stored in a realm.
    ///
    /// - Throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
