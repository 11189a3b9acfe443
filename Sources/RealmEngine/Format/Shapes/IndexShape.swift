/// Slots of a node of a search index (object format 5.4).
enum IndexShape {
    /// Ref of an array of chunks, 32 bits each, ascending.
    static let chunks = 0
    /// Slot of the first entry. An entry of a leaf is the number of an object, or the ref of a list
    /// or of the next level; an entry of an inner node is the ref of a child.
    static let firstEntry = 1

    /// Slot of entry `i`.
    @inline(__always) static func entry(_ i: Int) -> Int { i &+ firstEntry }

    /// Number of slots of a node with `entries`.
    @inline(__always) static func count(_ entries: Int) -> Int { entries &+ firstEntry }

    /// Number of entries of a node with `count` slots.
    @inline(__always) static func entryCount(_ count: Int) -> Int { count &- firstEntry }

    /// Number of slots of a node without entries.
    static let minimumCount = 1
    static let maximumEntryCount = 1000
    static let chunkBits = 32
}
