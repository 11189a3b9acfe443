/// Hash table of the texts, and null, in a list that the caller owns. If equal texts are in the
/// list, finds the first.
struct TextHashTable {
    /// Index of each text in the caller's list, by the text's hash. If another text has the same
    /// hash, the next unused number serves as the hash.
    private var places: [UInt64: Int32] = [:]

    private static func hash(_ text: ByteView?) -> UInt64 {
        guard let text else { return 0 }
        var hash = ContentHash(seed: 1)
        hash.update(text)
        return hash.value
    }

    /// Index of `text` in the list of texts; nil if the list does not contain it. `other` returns
    /// the text at an index.
    func find<E>(_ text: ByteView?, _ other: (Int) throws(E) -> ByteView?) throws(E) -> Int? {
        var hash = Self.hash(text)
        while let place = places[hash] {
            switch (try other(Int(place)), text) {
            case (nil, nil): return Int(place)
            case (let a?, let b?) where a == b: return Int(place)
            default: hash &+= 1
            }
        }
        return nil
    }

    /// Adds a text that is not in the hash table, with its index in the list of texts.
    mutating func enter(_ text: ByteView?, at place: Int) {
        var hash = Self.hash(text)
        while places[hash] != nil { hash &+= 1 }
        places[hash] = Int32(place)
    }

    mutating func removeAll() { places.removeAll(keepingCapacity: true) }
}
