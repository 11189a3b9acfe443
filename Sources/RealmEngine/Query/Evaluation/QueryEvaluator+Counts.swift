/// Evaluates `@count` of collections and links (query language 17).
extension QueryEvaluator {
    func appendCounts(
        _ path: BoundPath, _ location: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        switch path.end {
        case .incoming: buffer.values.append(.int(try incoming(path, location)))
        case .objects: try appendLinkCounts(path, location, repeats, to: buffer)
        case .collection(let column, _), .linkEntry(let column, _):
            try appendCollectionCounts(column, path, location, repeats, to: buffer)
        default: break
        }
    }

    /// Follows all links of the path except the last one. For each object reached, appends the
    /// number of its links in the last property: for `owner.pets`, the number of pets of each
    /// owner.
    private func appendLinkCounts(
        _ path: BoundPath, _ location: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        let last = path.hops[path.hops.count - 1]
        if path.hops.count == 1 {
            buffer.values.append(.int(try count(last, location)))
            return
        }
        try visitTargets(path.hops.dropLast(), from: location, repeats, in: last.source) {
            (owner) throws(RealmError) in
            buffer.values.append(.int(try count(last, owner)))
        }
    }

    private func count(_ hop: PathHop, _ location: RowLocation) throws(RealmError) -> Int64 {
        if hop.kind == .backlink { return try backlinks(hop.column.leafIndex, location) }
        let value = try location.value(hop.column)
        switch value {
        case .link: return 1
        case .dictionary(let view): return try linkCount(view, location)
        default: return Int64(try count(of: value, location))
        }
    }

    /// Returns the number of non-null entries in a dictionary of links.
    private func linkCount(_ view: CollectionView, _ owner: RowLocation) throws(RealmError) -> Int64
    {
        var count: Int64 = 0
        var cursor = try entries(of: view, owner)
        while let (_, value) = try cursor.next() {
            if case .link = value { count += 1 }
        }
        return count
    }

    private func appendCollectionCounts(
        _ column: BoundColumn, _ path: BoundPath, _ location: RowLocation,
        _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if path.isToOne {
            let owner = try follow(path.hops[...], from: location)
            let count = try owner.map { (owner) throws(RealmError) in
                try self.count(of: owner.value(column), owner)
            }
            buffer.values.append(.int(Int64(count ?? 0)))
            return
        }
        try visitTargets(path.hops[...], from: location, repeats, in: path.table) {
            (owner) throws(RealmError) in
            buffer.values.append(.int(Int64(try count(of: owner.value(column), owner))))
        }
    }

    /// Returns the number of all backlinks of the objects at the end of the path.
    private func incoming(_ path: BoundPath, _ location: RowLocation) throws(RealmError) -> Int64 {
        var total: Int64 = 0
        let columns = snapshot.schema.table(path.table.key)?.backlinks ?? []
        guard !path.hops.isEmpty else {
            for backlink in columns { total &+= try backlinks(backlink.leafIndex, location) }
            return total
        }
        let keys = takeKeys()
        defer { returnList(keys) }
        try collectTargets(path.hops[...], from: location, .counted, into: keys)
        for i in 0..<keys.keys.count {
            guard let target = try find(keys.keys[i], in: path.table) else { continue }
            var links: Int64 = 0
            for backlink in columns { links &+= try backlinks(backlink.leafIndex, target) }
            total = total.addingSaturated(links.multipliedSaturated(by: keys.times(i)))
        }
        return total
    }

    /// Returns the number of backlinks of the object in one backlink column, given by its index in
    /// the cluster leaf.
    private func backlinks(_ leafIndex: Int, _ location: RowLocation) throws(RealmError) -> Int64 {
        let column = try BacklinkLeaf(space, try location.leaf.columnRef(leafIndex))
        guard location.row < column.count else {
            throw .corrupt("a backlink leaf shorter than its cluster", at: location.leaf.ref)
        }
        let slot = column.slot(location.row)
        if slot.isNone { return 0 }
        if slot.isTagged { return 1 }
        let view = CollectionView(
            root: slot.ref, element: ElementType(type: .int, isNullable: false))
        return Int64(try ElementCursor.count(visits.space(for: location), view))
    }
}
