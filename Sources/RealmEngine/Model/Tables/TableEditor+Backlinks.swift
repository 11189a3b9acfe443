/// The receiving ends of links.
///
/// New links wait in queues and are stored in the order of their targets when somebody asks, so that
/// many links to few objects cost little each.
extension TableEditor {
    /// Adds `origin` to the incoming links of `target` through the backlink column `leafIndex`.
    func addBacklink(
        _ leafIndex: Int, of target: ObjectKey, from origin: ObjectKey
    ) throws(RealmError) {
        if leafIndex < backlinkQueues.count, let queue = backlinkQueues[leafIndex] {
            queue.append(target.raw, origin.raw)
        } else {
            newQueue(leafIndex).append(target.raw, origin.raw)
        }
        context.editedBytes &+= 32
        noteQueued()
    }

    /// As above for the links in the first `count` of `targets`, none where there is no link.
    func addBacklinks(
        _ leafIndex: Int, of targets: UnsafePointer<Int64>, from origins: UnsafePointer<Int64>,
        count: Int
    ) {
        let known = leafIndex < backlinkQueues.count ? backlinkQueues[leafIndex] : nil
        let queue = known ?? newQueue(leafIndex)
        let before = queue.count
        for i in 0..<count where targets[i] != LeafCells.noLink {
            queue.append(targets[i], origins[i])
        }
        context.editedBytes &+= 32 &* (queue.count - before)
        if queue.count > before { noteQueued() }
    }

    @inline(__always)
    private func noteQueued() {
        if hasQueuedBacklinks { return }
        hasQueuedBacklinks = true
        markDirty()
    }

    private func newQueue(_ leafIndex: Int) -> BacklinkQueue {
        while backlinkQueues.count <= leafIndex { backlinkQueues.append(nil) }
        let queue = BacklinkQueue()
        backlinkQueues[leafIndex] = queue
        return queue
    }

    /// Removes one link from `origin`; false when there is none.
    ///
    /// Links that are queued are stored only if none of the stored ones is from `origin`.
    func removeBacklink(
        _ leafIndex: Int, of target: ObjectKey, from origin: ObjectKey
    ) throws(RealmError) -> Bool {
        let cell = BacklinkCell(leafIndex: leafIndex, key: target)
        if try removeStored(cell, origin) { return true }
        guard hasQueuedBacklinks else { return false }
        try storeQueued()
        return try removeStored(cell, origin)
    }

    private func removeStored(
        _ cell: BacklinkCell, _ origin: ObjectKey
    ) throws(RealmError) -> Bool {
        if let list = backlinkLists[cell] { return try list.remove(origin.raw) }
        let slot = try backlinkSlot(cell)
        if slot.isNone { return false }
        if slot.isTagged {
            guard slot.value == UInt64(bitPattern: origin.raw) else { return false }
            try setSlot(cell, 0)
            return true
        }
        let list = try BacklinkList(context, slot)
        backlinkLists[cell] = list
        markDirty()
        return try list.remove(origin.raw)
    }

    /// The origins of all links into `target` through one backlink column.
    func backlinkOrigins(_ leafIndex: Int, of target: ObjectKey) throws(RealmError) -> [ObjectKey] {
        try storeQueued()
        var keys: [ObjectKey] = []
        try visitOrigins(BacklinkCell(leafIndex: leafIndex, key: target)) {
            keys.append(ObjectKey($0))
        }
        return keys
    }

    /// The origins of all links into any of `targets` through one backlink column, each once, in
    /// ascending order.
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
        if let list = backlinkLists[cell] { return try list.visit(body) }
        var cursor = BacklinkCursor(context.space, slot: try backlinkSlot(cell))
        while let key = try cursor.next() { body(key.raw) }
    }

    /// True when no link of any column leads to `key`.
    func hasNoBacklinks(_ key: ObjectKey) throws(RealmError) -> Bool {
        try storeQueued()
        for backlink in backlinks {
            let cell = BacklinkCell(leafIndex: backlink.leafIndex, key: key)
            if let list = backlinkLists[cell] {
                if list.count > 0 { return false }
            } else if !(try backlinkSlot(cell).isNone) {
                return false
            }
        }
        return true
    }

    /// The object goes away: its incoming links are forgotten with it.
    func dropBacklinks(_ key: ObjectKey) throws(RealmError) {
        try storeQueued()
        for backlink in backlinks {
            let cell = BacklinkCell(leafIndex: backlink.leafIndex, key: key)
            if let list = backlinkLists.removeValue(forKey: cell) {
                try list.free()
                try setSlot(cell, 0)
            } else if let ref = try backlinkSlot(cell).child {
                try context.freeDeep(ref)
                try setSlot(cell, 0)
            }
        }
    }

    /// Stores all incoming links in their cells.
    func settleBacklinks() throws(RealmError) {
        try storeQueued(isFinal: true)
        for (cell, list) in backlinkLists { try setSlot(cell, try list.finish()) }
        backlinkLists = [:]
    }
}

// MARK: - Queued links

extension TableEditor {
    /// - Parameter isFinal: the cells will not be needed again soon.
    private func storeQueued(isFinal: Bool = false) throws(RealmError) {
        guard hasQueuedBacklinks else { return }
        hasQueuedBacklinks = false
        for leafIndex in backlinkQueues.indices {
            guard let queue = backlinkQueues[leafIndex], queue.count > 0 else { continue }
            backlinkQueues[leafIndex] = nil
            try queue.visitTargets { (target, origins) throws(RealmError) in
                try self.store(
                    BacklinkCell(leafIndex: leafIndex, key: ObjectKey(target)), origins, isFinal)
            }
        }
    }

    /// Adds incoming links to one cell.
    private func store(
        _ cell: BacklinkCell, _ origins: UnsafeBufferPointer<Int64>, _ isFinal: Bool
    ) throws(RealmError) {
        if !backlinkLists.isEmpty, let list = backlinkLists[cell] {
            for origin in origins { try list.append(origin) }
            return
        }
        guard let place = try tree(of: cell.key)?.reachSlot(cell.key, cell.leafIndex) else {
            throw noTarget(cell.key)
        }
        let slot = NodeSlot(raw: place.pointee)
        if slot.isNone, origins.count == 1 {
            place.pointee = NodeEncoder.tag(UInt64(bitPattern: origins[0]))
        } else if let leaf = try joined(slot, origins, isFinal) {
            place.pointee = leaf.raw
        } else {
            let list = try BacklinkList(context, slot)
            for origin in origins { try list.append(origin) }
            if isFinal { place.pointee = try list.finish() } else { backlinkLists[cell] = list }
        }
    }

    private func noTarget(_ key: ObjectKey) -> RealmError {
        .corrupt("a link leads to object \(key.raw), which does not exist", in: name)
    }

    /// A leaf of all links of a cell if they fit one that is worth writing at once.
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

/// New incoming links of one backlink column, in the order in which they were made.
final class BacklinkQueue {
    /// Targets, and the origin of each link.
    private var pairs = NumberPairs()

    var count: Int { pairs.count }

    @inline(__always)
    func append(_ target: Int64, _ origin: Int64) { pairs.append(target, origin) }

    /// Calls `body` for each target with the origins of its links, in their order.
    func visitTargets(
        _ body: (Int64, UnsafeBufferPointer<Int64>) throws(RealmError) -> Void
    ) throws(RealmError) {
        pairs.sort()
        let (pairs, count) = (pairs.base, pairs.count)
        let origins = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, count))
        defer { origins.deallocate() }
        for i in 0..<count { origins[i] = pairs[i].payload }
        var start = 0
        while start < count {
            let target = pairs[start].number
            var end = start + 1
            while end < count, pairs[end].number == target { end += 1 }
            try body(target, UnsafeBufferPointer(start: origins + start, count: end - start))
            start = end
        }
    }
}
