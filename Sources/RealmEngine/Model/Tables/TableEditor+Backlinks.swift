/// Backlinks: for each object, the objects that link to it.
///
/// New backlinks are queued. When they are read or written, they are stored in the order of their
/// targets, so that many links to few objects cost little.
extension TableEditor {
    /// Adds `origin` to the backlinks of `target` in the column at `leafIndex`.
    func addBacklink(
        _ leafIndex: Int, of target: ObjectKey, from origin: ObjectKey
    ) throws(RealmError) {
        pendingBacklinks.queue(leafIndex).append(target.raw, origin.raw)
        context.editedBytes &+= 32
        if pendingBacklinks.recordQueued() { markDirty() }
    }

    /// Adds the first `count` of `origins` to the backlinks of the `targets` at the same indexes.
    /// Skips a target that is `LeafCells.noLink`.
    func addBacklinks(
        _ leafIndex: Int, of targets: UnsafePointer<Int64>, from origins: UnsafePointer<Int64>,
        count: Int
    ) {
        let queue = pendingBacklinks.queue(leafIndex)
        let before = queue.count
        for i in 0..<count where targets[i] != LeafCells.noLink {
            queue.append(targets[i], origins[i])
        }
        context.editedBytes &+= 32 &* (queue.count - before)
        if queue.count > before, pendingBacklinks.recordQueued() { markDirty() }
    }

    /// Removes one link of `origin` from the backlinks of `target`; returns false if there is none.
    ///
    /// Searches the stored backlinks first. If the link is not among them, stores all backlinks
    /// that are still queued and searches again.
    func removeBacklink(
        _ leafIndex: Int, of target: ObjectKey, from origin: ObjectKey
    ) throws(RealmError) -> Bool {
        let cell = BacklinkCell(leafIndex: leafIndex, key: target)
        if try removeStored(cell, origin) { return true }
        guard pendingBacklinks.hasQueued else { return false }
        try storeQueued()
        return try removeStored(cell, origin)
    }

    private func removeStored(
        _ cell: BacklinkCell, _ origin: ObjectKey
    ) throws(RealmError) -> Bool {
        if let list = pendingBacklinks.list(cell) { return try list.remove(origin.raw) }
        let slot = try backlinkSlot(cell)
        if slot.isNone { return false }
        if slot.isTagged {
            guard slot.value == UInt64(bitPattern: origin.raw) else { return false }
            try setSlot(cell, 0)
            return true
        }
        let list = try BacklinkList(context, slot)
        pendingBacklinks.open(list, cell)
        markDirty()
        return try list.remove(origin.raw)
    }

    /// Returns the origins of all links to `target` in one backlink column.
    func backlinkOrigins(_ leafIndex: Int, of target: ObjectKey) throws(RealmError) -> [ObjectKey] {
        try storeQueued()
        var keys: [ObjectKey] = []
        try visitOrigins(BacklinkCell(leafIndex: leafIndex, key: target)) {
            keys.append(ObjectKey($0))
        }
        return keys
    }

    /// Returns the origins of all links to any of `targets` in one backlink column, in ascending
    /// order without duplicates.
    func backlinkOrigins(_ leafIndex: Int, of targets: [ObjectKey]) throws(RealmError) -> [Int64] {
        try storeQueued()
        var origins: [Int64] = []
        for target in targets {
            try visitOrigins(BacklinkCell(leafIndex: leafIndex, key: target)) { origins.append($0) }
        }
        if zip(origins, origins.dropFirst()).allSatisfy({ $0 < $1 }) { return origins }
        origins.sort()
        var count = 0
        for origin in origins where count == 0 || origin != origins[count - 1] {
            origins[count] = origin
            count += 1
        }
        origins.removeLast(origins.count - count)
        return origins
    }

    private func visitOrigins(
        _ cell: BacklinkCell, _ body: (Int64) -> Void
    ) throws(RealmError) {
        if let list = pendingBacklinks.list(cell) { return try list.visit(body) }
        var cursor = BacklinkCursor(context.space, slot: try backlinkSlot(cell))
        while let key = try cursor.next() { body(key.raw) }
    }

    /// Whether no link refers to the object with `key`.
    func hasNoBacklinks(_ key: ObjectKey) throws(RealmError) -> Bool {
        try storeQueued()
        for backlink in backlinks {
            let cell = BacklinkCell(leafIndex: backlink.leafIndex, key: key)
            if let list = pendingBacklinks.list(cell) {
                if list.count > 0 { return false }
            } else if !(try backlinkSlot(cell).isNone) {
                return false
            }
        }
        return true
    }

    /// Removes all backlinks of an object that is being deleted.
    func dropBacklinks(_ key: ObjectKey) throws(RealmError) {
        try storeQueued()
        for backlink in backlinks {
            let cell = BacklinkCell(leafIndex: backlink.leafIndex, key: key)
            if let list = pendingBacklinks.removeList(cell) {
                try list.free()
                try setSlot(cell, 0)
            } else if let ref = try backlinkSlot(cell).child {
                try context.freeDeep(ref)
                try setSlot(cell, 0)
            }
        }
    }

    /// Stores all pending backlinks in their cells.
    func flushBacklinks() throws(RealmError) {
        try storeQueued(isFinal: true)
        for (cell, list) in pendingBacklinks.takeLists() { try setSlot(cell, try list.finish()) }
    }
}

// MARK: - Queued links

extension TableEditor {
    /// Moves the queued backlinks to cells and list editors.
    ///
    /// - Parameter isFinal: whether no further change is expected, so that list editors are closed.
    private func storeQueued(isFinal: Bool = false) throws(RealmError) {
        guard pendingBacklinks.hasQueued else { return }
        for leafIndex in pendingBacklinks.beginStoring() {
            guard let queue = pendingBacklinks.takeQueue(leafIndex) else { continue }
            try queue.visitTargets { (target, origins) throws(RealmError) in
                try self.store(
                    BacklinkCell(leafIndex: leafIndex, key: ObjectKey(target)), origins, isFinal)
            }
        }
    }

    /// Stores queued backlinks in one cell.
    private func store(
        _ cell: BacklinkCell, _ origins: UnsafeBufferPointer<Int64>, _ isFinal: Bool
    ) throws(RealmError) {
        if let list = pendingBacklinks.list(cell) {
            for origin in origins { try list.append(origin) }
            return
        }
        guard let pointer = try tree(of: cell.key)?.reachSlot(cell.key, cell.leafIndex) else {
            throw noTarget(cell.key)
        }
        let slot = NodeSlot(raw: pointer.pointee)
        if slot.isNone, origins.count == 1 {
            pointer.pointee = NodeEncoder.tag(UInt64(bitPattern: origins[0]))
        } else if let leaf = try joined(slot, origins, isFinal) {
            pointer.pointee = leaf.raw
        } else {
            let list = try BacklinkList(context, slot)
            for origin in origins { try list.append(origin) }
            if isFinal {
                pointer.pointee = try list.finish()
            } else {
                pendingBacklinks.open(list, cell)
            }
        }
    }

    private func noTarget(_ key: ObjectKey) -> RealmError {
        .corrupt("a link leads to object \(key.raw), which does not exist", in: name)
    }

    /// Writes the backlinks in a cell, and the new ones from `origins`, as a list of one leaf, and
    /// returns the list's ref. Returns nil if the caller should use a `BacklinkList` instead. That
    /// is so if there are too many links for one leaf. It is also so if more changes are expected
    /// and the stored list is much longer than `origins`.
    private func joined(
        _ slot: NodeSlot, _ origins: UnsafeBufferPointer<Int64>, _ isFinal: Bool
    ) throws(RealmError) -> Ref? {
        guard let ref = slot.child else {
            guard origins.count < context.fanout.tree else { return nil }
            let first = slot.isTagged ? [Int64(bitPattern: slot.value)] : []
            return try context.encoder.integers(first + origins)
        }
        let node = try context.space.node(ref)
        guard !node.isInner, node.count + origins.count <= context.fanout.tree,
            isFinal || node.count <= 4 * origins.count
        else { return nil }
        _ = try context.space.integers(ref, "backlink list")
        return try context.nodes.appended(origins, to: ref)
    }

    private func backlinkSlot(_ cell: BacklinkCell) throws(RealmError) -> NodeSlot {
        guard let tree = try tree(of: cell.key), let position = try tree.find(cell.key),
            case .int(let raw) = try tree.value(position, cell.leafIndex)
        else { throw noTarget(cell.key) }
        return NodeSlot(raw: UInt64(bitPattern: raw))
    }

    private func setSlot(_ cell: BacklinkCell, _ raw: UInt64) throws(RealmError) {
        try setCell(cell.key, cell.leafIndex, .int(Int64(bitPattern: raw)))
    }
}
