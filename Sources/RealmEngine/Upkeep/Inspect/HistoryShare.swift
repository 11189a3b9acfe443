/// Sizes of the history's entries. Determines which entries a commit frees after a version was
/// released: every commit removes the entries that no live reader can need (storage format 7.2).
struct HistoryShare {
    private struct Entry {
        let bytes: UInt64
        /// The node that contains only this entry; nil for a small entry, which shares a node with
        /// others. Older versions that contain the entry use the same node.
        let node: Extent?
    }

    /// Space of history entries that the next commit frees.
    struct Freed {
        var bytes: UInt64 = 0
        var nodes: [Extent] = []
    }

    /// Number of the version that the changes of the first entry produced.
    private let first: UInt64
    private let entries: [Entry]
    /// All readable versions, newest first.
    private let versions: [Inspection.LiveVersion]
    /// Number of the oldest version in use (`oldestLive`). `oldestFull` is the number of the oldest
    /// version with a `full` pin, which also keeps all later versions in use.
    private let oldest: UInt64
    private let oldestFull: UInt64

    /// Reads the sizes of all entries of the newest version's history.
    ///
    /// - Parameter versions: all readable versions, newest first.
    init(
        _ space: NodeSpace, _ top: TopArray, _ versions: [Inspection.LiveVersion]
    ) throws(RealmError) {
        self.versions = versions
        oldest = Self.oldestLive(versions)
        oldestFull = versions.filter { $0.full > 0 }.map(\.version).min() ?? .max
        var entries: [Entry] = []
        var leaves = BPlusTree(space: space, root: top.history).leaves()
        while let ref = try leaves.next() {
            let leaf = try BytesLeaf(binaries: space, ref)
            // Size in bytes of the slot that references an entry, or of the number that states
            // where the entry ends in a leaf of small entries.
            let slot = UInt64(leaf.node.width / 8)
            for i in 0..<leaf.count {
                if leaf.form == .big, let child = leaf.node.slot(i).child {
                    let bytes = try NodeTree.byteSize(space, child)
                    let node = Extent(start: child.raw, count: bytes)
                    entries.append(Entry(bytes: bytes + slot, node: node))
                } else {
                    let bytes = try leaf.value(i)?.count ?? 0
                    entries.append(Entry(bytes: UInt64(bytes) + slot, node: nil))
                }
            }
        }
        guard UInt64(entries.count) < top.version else {
            throw .corrupt("more changesets than versions", at: top.history)
        }
        self.entries = entries
        first = top.version - UInt64(entries.count) + 1
    }

    /// Returns the history entries that the next commit removes if only `version` is released: the
    /// entries that no other readable version needs. Includes entries that no version needs
    /// already.
    func freed(releasing version: UInt64) -> Freed {
        var freed = Freed()
        guard let newest = versions.first?.version else { return freed }
        // Releasing a version changes the oldest version only if it is that version.
        let oldest =
            version == oldest || version == oldestFull
            ? Self.oldestLive(versions.filter { $0.version != version }) : oldest
        // The entry's own node is still used if another old version contains the entry.
        // The newest of these versions contains all entries up to its own version number.
        let youngest = versions.first { $0.version != newest && $0.version != version }
        let youngestVersion = youngest?.version ?? 0
        for (index, entry) in entries.enumerated() {
            let leadsTo = first + UInt64(index)
            guard leadsTo <= oldest else { break }
            if entry.node != nil, leadsTo <= youngestVersion { continue }
            freed.bytes += entry.bytes
            if let node = entry.node { freed.nodes.append(node) }
        }
        return freed
    }

    /// Returns the number of the oldest version in use. A version is in use if an ordinary reader
    /// pins it, or if it is the newest, which the next commit reads. A `full` pin keeps its own
    /// version and all later ones in use.
    private static func oldestLive(_ versions: [Inspection.LiveVersion]) -> UInt64 {
        let full = versions.filter { $0.full > 0 }.map(\.version).min() ?? .max
        return versions.filter { $0.live > 0 || $0.version >= full || $0.behind == 0 }
            .map(\.version).min() ?? .max
    }
}
