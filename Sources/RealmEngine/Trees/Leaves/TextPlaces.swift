/// Finds texts, or null, by their hash in a list that somebody else keeps. Of equal ones the first
/// counts.
struct TextPlaces {
    /// Place in the list by hash; a collision takes the next free hash.
    private var places: [UInt64: Int32] = [:]

    private static func hash(_ text: ByteView?) -> UInt64 {
        guard let text else { return 0 }
        var hash = ContentHash(seed: 1)
        hash.update(text)
        return hash.value
    }

    /// Place of `text`, nil when it is not in the list; `text(at:)` tells what is at a place.
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

    /// Remembers where a text is that was not found.
    mutating func enter(_ text: ByteView?, at place: Int) {
        var hash = Self.hash(text)
        while places[hash] != nil { hash &+= 1 }
        places[hash] = Int32(place)
    }

    mutating func removeAll() { places.removeAll(keepingCapacity: true) }
}
