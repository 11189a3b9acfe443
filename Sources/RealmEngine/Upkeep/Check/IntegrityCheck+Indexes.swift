/// Checks search indexes (object format 11, invariants 27 to 30).
///
/// Each entry of a general index is compared with the object's value. A sum over all keys then
/// proves that no object is missing or present twice. Word indexes are compared by sums over pairs
/// (word, object), computed from the objects and from the index.
extension IntegrityCheck {
    func checkIndexes(_ index: Int) {
        currentTable = index
        table = tables[index].name
        for i in tables[index].columns.indices {
            column = tables[index].columns[i].name
            checkIndex(index, i)
        }
        object = nil
        column = nil
        table = nil
        currentTable = nil
    }

    private func checkIndex(_ index: Int, _ i: Int) {
        let info = tables[index].columns[i]
        let isPrimaryKey = tables[index].primaryKey == i
        let isWanted = !info.attributes.isDisjoint(with: [.indexed, .fullText])
        guard !info.indexRoot.isNone else {
            if isWanted {
                found(.indexMissing, tables[index].ref, "an indexed property without an index")
            } else if isPrimaryKey, header.format >= 22 {
                // Every writer makes an index for the primary key, so the number of the key column
                // may be damaged.
                found(.primaryKey, tables[index].ref, "a primary key without an index")
            }
            if isPrimaryKey, !tables[index].isIncomplete { checkUniqueness(index, i) }
            return
        }
        if !isWanted, !isPrimaryKey {
            found(.indexUnexpected, info.indexRoot, "an index the schema does not ask for")
        }
        if isPrimaryKey, info.isFullText {
            found(.primaryKey, info.indexRoot, "a full-text index on a primary key")
        }
        guard checkIndexed(info) else { return }
        tables[index].facts.indexes += 1
        if tables[index].isIncomplete { return }
        if info.isFullText || info.layout.collection != nil {
            checkWordIndex(index, info)
        } else {
            checkGeneralIndex(index, i)
        }
    }

    /// Checks that a column of this type can have an index.
    private func checkIndexed(_ info: CheckedColumn) -> Bool {
        let kind = info.isFullText ? IndexKind.fullText : .general
        if kind.obstacle(info.layout.type, info.layout.collection) == nil { return true }
        found(.indexType, info.indexRoot, "an index on a type that has none")
        return false
    }

    /// Reports the objects whose index entries differ from their values.
    ///
    /// An entry is a pair: a number that identifies a value or word, and an object key. Equal pairs
    /// may occur several times.
    ///
    /// - Parameters:
    ///     - isStale: whether the reference engine itself does not update this kind of index
    ///       reliably.
    ///     - missing: message for an object that the index does not contain.
    ///     - extra: returns the message for an object with the given number of surplus entries.
    ///     - wanted: calls its argument with each entry that the index should have.
    ///     - indexed: calls its argument with each entry that the index has.
    func nameDifference(
        _ info: CheckedColumn, isStale: Bool, missing: String, extra: (Int) -> String,
        wanted: (@escaping (UInt64, UInt64) -> Void) -> Void,
        indexed: (@escaping (UInt64, UInt64) -> Void) -> Void
    ) {
        let pairs = PairDifference()
        pairs.run(
            visit: {
                silently {
                    wanted { pairs.add($0, $1, to: .left) }
                    indexed { pairs.add($0, $1, to: .right) }
                }
            },
            report: { _, key, surplus in
                object = ObjectKey(Int64(bitPattern: key))
                let code: IntegrityReport.Code =
                    isStale ? .indexStale : surplus > 0 ? .indexMissingObject : .indexExtraObject
                found(code, info.indexRoot, surplus > 0 ? missing : extra(-surplus))
            })
        object = nil
    }

    // MARK: Trie

    /// Callbacks and limits of a walk through one index trie.
    struct IndexVisitor {
        /// Maximum number of bytes of a value that the trie divides into levels. An entry whose
        /// path has more bytes must be an object or a list of objects, not another level.
        let maximumOffset: Int
        /// Called for each entry, with the four-byte chunks on the path to it and its object keys
        /// in stored order. `list` is the node with the keys; nil for a single object.
        let entry: (_ path: [Int32], _ keys: UnsafeBufferPointer<Int64>, _ list: Ref?) -> Void
    }

    /// Maximum number of levels of the trie and the B-trees in it together.
    private static let maximumIndexDepth = 128

    /// Visits every entry of an index. Returns false if a part of the index could not be read.
    func visitIndex(_ root: Ref, _ visitor: IndexVisitor) -> Bool {
        var path: [Int32] = []
        return visitIndexNode(root, isRoot: true, within: nil, level: 0, &path, visitor)
    }

    private func visitIndexNode(
        _ ref: Ref, isRoot: Bool, within bounds: (above: Int64, last: Int64)?, level: Int,
        _ path: inout [Int32], _ visitor: IndexVisitor
    ) -> Bool {
        guard level < Self.maximumIndexDepth else {
            found(.indexShape, ref, "an index node too deep")
            return false
        }
        guard let (node, keys) = openIndexNode(ref) else { return false }
        if keys.count == 0, !isRoot || node.isInner {
            found(.indexShape, ref, "an empty index node")
        }
        if keys.count > IndexShape.maximumEntryCount {
            found(.oversizedNode, ref, "an index node of \(keys.count) keys")
        }
        for i in 1..<max(1, keys.count) where keys.integer(i - 1) >= keys.integer(i) {
            found(.indexOrder, ref, "index keys that do not ascend")
        }
        if let bounds, keys.count > 0 {
            if keys.integer(keys.count - 1) != bounds.last || keys.integer(0) <= bounds.above {
                found(.indexOrder, ref, "an index node whose keys are not those above it")
            }
        }
        var isComplete = true
        for i in 0..<keys.count {
            let chunk = keys.integer(i)
            let slot = node.slot(IndexShape.entry(i))
            let isRead: Bool
            if node.isInner {
                let above = i == 0 ? bounds?.above ?? .min : keys.integer(i - 1)
                isRead =
                    slot.child.map {
                        visitIndexNode(
                            $0, isRoot: false, within: (above, chunk), level: level + 1, &path,
                            visitor)
                    } ?? false
                if slot.child == nil {
                    found(.indexShape, ref, "an inner index node without child")
                }
            } else {
                path.append(Int32(truncatingIfNeeded: chunk))
                isRead = visitEntry(slot, ref, level, &path, visitor)
                path.removeLast()
            }
            if !isRead { isComplete = false }
        }
        return isComplete
    }

    private func openIndexNode(_ ref: Ref) -> (NodeView, NodeView)? {
        let opened = reading(ref, .indexShape) { () throws(RealmError) in
            let node = try space.treeNode(ref, slots: IndexShape.minimumCount, "index node")
            return (node, try space.integers(node.slot(IndexShape.chunks).ref, "index keys"))
        }
        guard let (node, keys) = opened, spend(keys.count) else { return nil }
        let entries = IndexShape.entryCount(node.count)
        guard node.context, !keys.context, keys.width == IndexShape.chunkBits, keys.count == entries
        else {
            found(
                .indexShape, ref,
                "an index node of \(entries) entries and \(keys.count) keys of "
                    + "\(keys.width) bits")
            return nil
        }
        return (node, keys)
    }

    private func visitEntry(
        _ slot: NodeSlot, _ ref: Ref, _ level: Int, _ path: inout [Int32],
        _ visitor: IndexVisitor
    ) -> Bool {
        if slot.isTagged {
            withUnsafePointer(to: Int64(bitPattern: slot.value)) {
                visitor.entry(path, UnsafeBufferPointer(start: $0, count: 1), nil)
            }
            return true
        }
        guard let child = slot.child, let node = try? space.node(child) else {
            found(.indexShape, ref, "an index entry that leads nowhere")
            return false
        }
        if node.context {
            guard path.count * 4 <= visitor.maximumOffset else {
                found(.indexShape, child, "an index nested too deep")
                return false
            }
            return visitIndexNode(
                child, isRoot: false, within: nil, level: level + 1, &path, visitor)
        }
        var keys: [Int64] = []
        let count = visitTree(child) { ref in
            guard let leaf = integers(ref, "index list") else { return nil }
            for i in 0..<leaf.count { keys.append(leaf.integer(i)) }
            return leaf.count
        }
        guard count != nil else { return false }
        if keys.isEmpty { found(.indexList, child, "an empty index list") }
        keys.withUnsafeBufferPointer { visitor.entry(path, $0, child) }
        return true
    }
}
