@testable import RealmEngine

/// Positions of all nodes of a valid file, and of the refs and tagged integers in them, for tests
/// that damage the file at chosen positions.
struct NodeMap {
    struct NodeEntry {
        let offset: Int
        let flags: UInt8
        let count: Int
        /// Index of the node that references this one; nil for the root.
        let parent: Int?
    }

    /// One ref or tagged integer in a node: the index of the node in `places`, the index of the
    /// element in the node, and its value.
    struct Slot {
        let place: Int
        let index: Int
        let value: UInt64
    }

    private(set) var places: [NodeEntry] = []
    private(set) var refs: [Slot] = []
    private(set) var tagged: [Slot] = []
    /// Offset of the root node, as the header (or the footer of a streaming file) states it.
    private(set) var top = 0

    /// Visits every node reachable from the root of `bytes`, which must be valid.
    init(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { buffer in
            // Copied into a mapping, because nodes must be aligned to 8 bytes and an array's bytes
            // need not be.
            let mapping = try Mapping(copying: buffer)
            let header = try FileHeader(base: mapping.base, size: bytes.count)
            top = Int(header.top.raw)
            let memory = ReadContext(base: mapping.base, limit: UInt64(bytes.count))
            try withExtendedLifetime((mapping, memory)) {
                if !header.top.isNone { try add(header.top, parent: nil, memory.lookup) }
            }
        }
    }

    private mutating func add(_ ref: Ref, parent: Int?, _ space: NodeSpace) throws {
        let node = try space.node(ref)
        let place = places.count
        places.append(
            NodeEntry(offset: Int(ref.raw), flags: node.flags, count: node.count, parent: parent))
        guard node.hasRefs else { return }
        for i in 0..<node.count {
            let slot = node.slot(i)
            let entry = Slot(place: place, index: i, value: slot.raw)
            if slot.isTagged {
                tagged.append(entry)
            } else if let child = slot.child {
                refs.append(entry)
                try add(child, parent: place, space)
            }
        }
    }

    /// Returns the indexes in `places` of a node and of its ancestors up to the root.
    func ancestors(of place: Int) -> [Int] {
        var found = [place]
        while let parent = places[found[found.count - 1]].parent { found.append(parent) }
        return found
    }
}
