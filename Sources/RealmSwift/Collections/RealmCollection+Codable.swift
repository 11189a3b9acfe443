// Collections are encoded as arrays of their elements, maps as dictionaries.

extension RealmCollection where Element: Encodable {
    /// Encodes the elements as an array.
    ///
    /// - Throws: the error of the encoder or of an element.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Results: Encodable where Element: Encodable {}
extension LinkingObjects: Encodable where Element: Encodable {}
extension AnyRealmCollection: Encodable where Element: Encodable {}
extension List: Encodable where Element: Encodable {}
extension MutableSet: Encodable where Element: Encodable {}

extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as a dictionary.
    ///
    /// - Throws: the error of the encoder or of a value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let pairs = asKeyValueSequence().map { ($0.key, $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: pairs))
    }
}

extension List: Decodable where Element: Decodable {
    /// Decodes an array into an unmanaged list.
    ///
    /// - Throws: `DecodingError` if the value is not an array of elements of this type.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        append(objectsIn: try decoder.singleValueContainer().decode([Element].self))
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an array into an unmanaged set.
    ///
    /// - Throws: `DecodingError` if the value is not an array of elements of this type.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try decoder.singleValueContainer().decode([Element].self))
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes a dictionary into an unmanaged map.
    ///
    /// - Throws: `DecodingError` if the value is not a dictionary with values of this type.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let entries = try decoder.singleValueContainer().decode([Key: Value].self)
        for (key, value) in entries { self[key] = value }
    }
}
