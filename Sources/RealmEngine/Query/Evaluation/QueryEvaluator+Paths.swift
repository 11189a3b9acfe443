/// Evaluates paths (query language 5 and 6).
extension QueryEvaluator {
    /// Returns the object with `key`; nil if it does not exist.
    @inline(__always)
    func find(_ key: ObjectKey, in table: TableContext) throws(RealmError) -> RowLocation? {
        guard let (leaf, row) = try ClusterTree(space: space, root: table.root).find(key) else {
            return nil
        }
        return RowLocation(leaf: leaf, row: row, isLinked: true)
    }

    /// Returns the object to which a path of to-one links leads from `start`; nil if one of the
    /// links is null.
    func follow(_ hops: ArraySlice<PathHop>, from start: RowLocation) throws(RealmError)
        -> RowLocation?
    {
        var location = start
        for hop in hops {
            guard case .link(let link) = try location.value(hop.column),
                let next = try find(link.key, in: hop.target)
            else { return nil }
            location = next
        }
        return location
    }

    /// Follows the links `hops` one after the other, and collects the keys of the objects that the
    /// last one reaches. If `repeats` is `.kept`, the keys are in the order in which the links
    /// reach them; otherwise equal keys are merged after each link. Throws `misuse` if there are
    /// too many keys to retain their order.
    func collectTargets(
        _ hops: ArraySlice<PathHop>, from location: RowLocation, _ repeats: PathMultiplicity,
        into result: KeyBuffer
    ) throws(RealmError) {
        guard let first = hops.first else { return }
        try step(first, location, into: result)
        for hop in hops.dropFirst() {
            result.merge(repeats)
            result.exchange()
            for i in 0..<result.spare.count {
                guard let next = try find(result.spare[i], in: hop.source) else { continue }
                try step(hop, next, into: result)
                result.inherit(i)
                if result.keys.count > QueryLimits.sequence, repeats == .kept {
                    throw QueryLimits.exceeded(
                        "a path reaches too many objects for a comparison that depends on their "
                            + "order and number (put ANY, ALL or NONE before it)",
                        QueryLimits.sequence)
                }
            }
            reached &+= result.keys.count
        }
    }

    /// Calls `body` with each object that the path of the links `hops` reaches.
    @inline(__always)
    func visitTargets(
        _ hops: ArraySlice<PathHop>, from location: RowLocation, _ repeats: PathMultiplicity,
        in table: TableContext, _ body: (RowLocation) throws(RealmError) -> Void
    ) throws(RealmError) {
        let keys = takeKeys()
        defer { returnList(keys) }
        try collectTargets(hops, from: location, repeats, into: keys)
        for key in keys.keys.all {
            if let target = try find(key, in: table) { try body(target) }
        }
    }

    /// Appends to `keys` the objects that `hop` reaches from an object. Leaves out null links and
    /// links to objects that do not exist (unresolved links).
    private func step(
        _ hop: PathHop, _ location: RowLocation, into keys: KeyBuffer
    ) throws(RealmError) {
        if hop.kind == .backlink {
            try appendBacklinks(hop.column.leafIndex, location, to: keys)
            return
        }
        switch try location.value(hop.column) {
        case .link(let link): keys.keys.append(link.key)
        case .list(let view): try appendLinks(view, hop.selector, location, to: keys)
        case .set(let view): try appendLinks(view, .all, location, to: keys)
        case .dictionary(let view):
            if case .key(let key) = hop.selector {
                guard case .link(let link) = try entry(view, key, location) ?? .null else { return }
                keys.keys.append(link.key)
                return
            }
            var entries = try self.entries(of: view, location)
            while let (_, value) = try entries.next() {
                if case .link(let link) = value { keys.keys.append(link.key) }
            }
        default: return
        }
    }

    private func appendLinks(
        _ view: CollectionView, _ selector: CollectionSelector, _ owner: RowLocation,
        to keys: KeyBuffer
    ) throws(RealmError) {
        if view.root.isNone { return }
        guard case .at(let index) = selector else {
            var cursor = elements(of: view, owner)
            while let value = try cursor.next() {
                if case .link(let link) = value { keys.keys.append(link.key) }
            }
            return
        }
        guard case .link(let link) = try element(view, index, owner) ?? .null else { return }
        keys.keys.append(link.key)
    }

    private func appendBacklinks(
        _ leafIndex: Int, _ location: RowLocation, to keys: KeyBuffer
    ) throws(RealmError) {
        let column = try BacklinkLeaf(space, try location.leaf.columnRef(leafIndex))
        guard location.row < column.count else {
            throw .corrupt("a backlink leaf shorter than its cluster", at: location.leaf.ref)
        }
        var cursor = BacklinkCursor(visits.space(for: location), slot: column.slot(location.row))
        while let key = try cursor.next() { keys.keys.append(key) }
    }

    /// Appends the values of a path for one object. `OperandShape` says whether they are one value,
    /// a list, or several lists (groups), and was determined when the query was bound.
    func append(
        _ path: BoundPath, _ location: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if case .lengths(let column) = path.end {
            return try appendLengths(column, path, location, repeats, to: buffer)
        }
        if path.isToOne {
            try appendBehindOne(path, location, to: buffer)
        } else {
            try appendBehindMany(path, location, repeats, to: buffer)
        }
    }

    /// Appends the values of a path that reaches at most one object. Without an object, a scalar is
    /// null and a list empty.
    private func appendBehindOne(
        _ path: BoundPath, _ location: RowLocation, to buffer: ValueBuffer
    ) throws(RealmError) {
        if case .objects = path.end {
            let last = path.hops[path.hops.count - 1]
            let owner = try follow(path.hops.dropLast(), from: location)
            buffer.values.append(try owner?.value(last.column) ?? .null)
            return
        }
        let target = try follow(path.hops[...], from: location)
        guard let target else {
            switch path.end {
            case .scalar: buffer.values.append(.null)
            case .nested: buffer.endGroup()
            default: break
            }
            return
        }
        try append(path.end, target, to: buffer)
        if case .nested = path.end { buffer.endGroup() }
    }

    /// Appends the values of the path's last property for each object that a path with to-many
    /// links reaches. For a collection property, the elements of each object's collection form one
    /// group of `buffer`. For other properties, there are no groups.
    private func appendBehindMany(
        _ path: BoundPath, _ location: RowLocation, _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if case .objects = path.end {
            let keys = takeKeys()
            defer { returnList(keys) }
            try collectTargets(path.hops[...], from: location, repeats, into: keys)
            for key in keys.keys.all {
                buffer.values.append(.link(ObjectLink(table: path.table.key, key: key)))
            }
            return
        }
        var isGrouped = true
        if case .scalar = path.end { isGrouped = false }
        try visitTargets(path.hops[...], from: location, repeats, in: path.table) {
            (target) throws(RealmError) in
            try append(path.end, target, to: buffer)
            if isGrouped { buffer.endGroup() }
        }
        // If the path reaches no object, there is one empty group.
        if isGrouped, buffer.groupEnds.count == 0 { buffer.endGroup() }
    }

    /// Appends the values of the path's last property for one object.
    private func append(
        _ end: PathEnd, _ location: RowLocation, to buffer: ValueBuffer
    ) throws(RealmError) {
        switch end {
        case .scalar(let column): buffer.values.append(try location.value(column))
        case .linkEntry(let column, let key):
            try appendElements(location.value(column), .key(key), location, to: buffer)
        case .linkKeys(let column):
            try appendElements(location.value(column), .keys, location, to: buffer)
        case .collection(let column, let selector):
            try appendElements(location.value(column), selector, location, to: buffer)
        case .nested(let column, let selector, let steps):
            try appendNested(column, location, selector, steps, to: buffer)
        case .objects, .incoming, .lengths: break
        }
    }

    /// Appends the byte lengths of the elements of all collections at the end of the path, as one
    /// list.
    private func appendLengths(
        _ column: BoundColumn, _ path: BoundPath, _ location: RowLocation,
        _ repeats: PathMultiplicity,
        to buffer: ValueBuffer
    ) throws(RealmError) {
        if path.isToOne {
            if let owner = try follow(path.hops[...], from: location) {
                try appendElements(owner.value(column), .all, owner, to: buffer)
            }
        } else {
            try visitTargets(path.hops[...], from: location, repeats, in: path.table) {
                (owner) throws(RealmError) in
                try appendElements(owner.value(column), .all, owner, to: buffer)
            }
        }
        buffer.groupEnds.removeAll()
        let isMixed = column.layout.type == .mixed
        var kept = 0
        for value in buffer.values.all {
            switch value {
            case .string(let text), .binary(let text):
                buffer.values[kept] = .int(Int64(text.count))
            default:
                if isMixed { continue }
                buffer.values[kept] = .int(0)
            }
            kept += 1
        }
        buffer.values.truncate(to: kept)
    }
}
