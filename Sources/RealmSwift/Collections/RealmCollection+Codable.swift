// Collections are arrays of their elements, maps are dictionaries.

extension RealmCollection where Element: Encodable {
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
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let pairs = asKeyValueSequence().map { ($0.key, $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: pairs))
    }
}

extension List: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        append(objectsIn: try decoder.singleValueContainer().decode([Element].self))
    }
}

extension MutableSet: Decodable where Element: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try decoder.singleValueContainer().decode([Element].self))
    }
}

extension Map: Decodable where Key: Decodable, Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let entries = try decoder.singleValueContainer().decode([Key: Value].self)
        for (key, value) in entries { self[key] = value }
    }
}
