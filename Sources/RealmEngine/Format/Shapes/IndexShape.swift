/// Slots of a node of a search index (object format 5.4).
enum IndexShape {
    /// Ref of an array of chunks, in ascending order. A chunk is four bytes of the string under
    /// which a value is indexed.
    static let chunks = 0
    /// Slot of the first entry. In an inner node, entries are the refs of children. In a leaf, an
    /// entry is the tagged key of an object, the ref of a list of keys, or the ref of the next
    /// level's root.
    static let firstEntry = 1

    /// Slot of entry `i`.
    @inline(__always) static func entry(_ i: Int) -> Int { i &+ firstEntry }

    /// Number of slots of a node with `entries` entries.
    @inline(__always) static func count(_ entries: Int) -> Int { entries &+ firstEntry }

    /// Number of entries of a node with `count` slots.
    @inline(__always) static func entryCount(_ count: Int) -> Int { count &- firstEntry }

    /// Number of slots of a node without entries.
    static let minimumCount = 1
    static let maximumEntryCount = 1000
    static let chunkBits = 32
}
