import Foundation

// Classes that are `Codable` have columns in the form of their values (API specification 2.5, 2.17).

/// A column that need not be there: it is null then.
public protocol OptionalCodingWrapper {
    init(wrappedValue: any ExpressibleByNilLiteral)
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
    public init(wrappedValue: any ExpressibleByNilLiteral) {
        self.init(wrappedValue: wrappedValue as? Value ?? nil)
    }
}

extension KeyedDecodingContainer {
    public func decode<T: Decodable & OptionalCodingWrapper>(
        _ type: T.Type, forKey key: Key
    ) throws -> T {
        try decodeIfPresent(type, forKey: key) ?? T(wrappedValue: Int?.none)
    }

    public func decode<T: Decodable>(
        _ type: RealmProperty<T>.Type, forKey key: Key
    ) throws -> RealmProperty<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmProperty()
    }

    @available(*, deprecated)
    public func decode<T: Decodable & _RealmSchemaDiscoverable>(
        _ type: RealmOptional<T>.Type, forKey key: Key
    ) throws -> RealmOptional<T> {
        try decodeIfPresent(type, forKey: key) ?? RealmOptional()
    }
}

extension Persisted: Decodable where Value: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Throws for an object that is in a realm.
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
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension RealmProperty: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

@available(*, deprecated)
extension RealmOptional: Decodable where Value: Decodable, Value: _RealmSchemaDiscoverable {
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value?.self))
    }
}

@available(*, deprecated)
extension RealmOptional: Encodable where Value: Encodable, Value: _RealmSchemaDiscoverable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
