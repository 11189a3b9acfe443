/// Dictionaries of formats 21 and 22: cluster trees with hashes of the dictionary keys as object
/// keys (object format 10.1).
extension DowngradeTrees {
    func clusteredDictionary(_ view: CollectionView) throws(RealmError) -> Ref {
        var entries: [(hash: UInt64, entry: Entry)] = []
        for entry in try self.entries(view) { entries.append((try Self.hash(entry.key), entry)) }
        if entries.isEmpty { return .none }
        entries.order { $0.hash < $1.hash }
        for (a, b) in zip(entries, entries.dropFirst()) where a.hash == b.hash {
            throw RealmError(
                .incompatible, code: "IllegalOperation", reason: "lossy",
                "two keys of a dictionary have the same hash, which file format \(format.number) "
                    + "is not written for")
        }
        return try cluster(entries)
    }

    private static func hash(_ key: Value) throws(RealmError) -> UInt64 {
        guard case .string(let text) = key else {
            throw .corrupt("a key that is no text", in: "dictionary")
        }
        return DictionaryHash.hash(text) & 0x7FFF_FFFF_FFFF_FFFF
    }

    private struct Branch {
        let ref: Ref
        let first: UInt64
        let count: Int
    }

    private func cluster(_ entries: [(hash: UInt64, entry: Entry)]) throws(RealmError) -> Ref {
        let most = ClusterLeafShape.maximumObjectCount
        var depth = 0
        // The keys below each child are relative to the first key of the child. The first child
        // starts at 0.
        let starts = Array(stride(from: 0, to: entries.count, by: most))
        var level: [Branch] = []
        for start in starts {
            let part = entries[start..<min(start + most, entries.count)]
            let first = start == 0 ? 0 : part.first!.hash
            level.append(
                Branch(ref: try clusterLeaf(part, first), first: first, count: part.count))
        }
        while level.count > 1 {
            depth += 1
            var next: [Branch] = []
            for start in stride(from: 0, to: level.count, by: most) {
                next.append(
                    try clusterNode(level[start..<min(start + most, level.count)], depth: depth))
            }
            level = next
        }
        return level[0].ref
    }

    private func clusterLeaf(
        _ entries: ArraySlice<(hash: UInt64, entry: Entry)>, _ first: UInt64
    ) throws(RealmError) -> Ref {
        let texts = ElementType(type: .string, isNullable: false)
        let parts = [
            try unsigned(entries.map { $0.hash - first }),
            try leaf(entries.map(\.entry.key)[...], texts),
            try leaf(entries.map(\.entry.value)[...], .mixed),
        ]
        return try copier.emit(
            parts.map { Int64(bitPattern: $0.raw) }, flags: NodeView.hasRefsFlag)
    }

    /// Writes an inner node with the given children. The keys below each child are relative to the
    /// first key of the child. That key is itself stored relative to the first key of the node.
    private func clusterNode(
        _ children: ArraySlice<Branch>, depth: Int
    ) throws(RealmError) -> Branch {
        let first = children.first!.first
        let count = children.reduce(0) { $0 + $1.count }
        let offsets = try unsigned(children.map { $0.first - first })
        var slots = [
            Int64(bitPattern: offsets.raw), Int64(bitPattern: NodeEncoder.tag(depth)),
            Int64(bitPattern: NodeEncoder.tag(count)),
        ]
        slots += children.map { Int64(bitPattern: $0.ref.raw) }
        let ref = try copier.emit(slots, flags: NodeView.hasRefsFlag | NodeView.innerFlag)
        return Branch(ref: ref, first: first, count: count)
    }

    /// Emits an array of unsigned integers of at least 8 bits each.
    private func unsigned(_ values: [UInt64]) throws(RealmError) -> Ref {
        let largest = values.max() ?? 0
        let code: UInt8 = largest < 1 << 8 ? 4 : largest < 1 << 16 ? 5 : largest < 1 << 32 ? 6 : 7
        let perWord = 8 / ((1 << Int(code)) >> 4)
        var words = [UInt64](repeating: 0, count: (values.count + perWord - 1) / perWord)
        for (i, value) in values.enumerated() {
            words[i / perWord] |= value << UInt64(i % perWord * (64 / perWord))
        }
        return try emit(words, flags: code, count: values.count)
    }
}
