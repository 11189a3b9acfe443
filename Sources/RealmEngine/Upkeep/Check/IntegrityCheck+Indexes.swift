/// Search indexes (object format 11: 27-30).
///
/// A general index is walked entry by entry, and each entry compared with the object's value; that no
/// object is missing or there twice follows from a sum over all keys. Word indexes are compared by
/// sums over (word, object), made from both sides.
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
                // Every writer makes one: the number of the key column may be damaged.
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

    /// The column has a type that can be indexed.
    private func checkIndexed(_ info: CheckedColumn) -> Bool {
        let kind = info.isFullText ? IndexKind.fullText : .general
        if kind.obstacle(info.layout.type, info.layout.collection) == nil { return true }
        found(.indexType, info.indexRoot, "an index on a type that has none")
        return false
    }

    /// Names the objects that have other entries in an index than they should have: pairs of a number
    /// and the object's key, which both sides call their argument with, as often as they are called.
    ///
    /// - Parameters:
    ///   - isStale: the index is of a kind that the reference engine does not keep either.
    ///   - extra: what to say of so many entries too many.
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

    /// One trie: what each entry is called with.
    struct IndexVisitor {
        /// Deepest offset at which an entry can lead to a sub-index.
        let maximumOffset: Int
        /// The chunks on the way, and the objects, in stored order; true for a list.
        let entry: (_ path: [Int32], _ keys: UnsafeBufferPointer<Int64>, _ list: Ref?) -> Void
    }

    /// Levels of the trie and of the B-trees it is made of, together.
    private static let maximumIndexDepth = 128

    /// Visits every entry. False when a part could not be read.
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
        if keys.count > 1000 { found(.oversizedNode, ref, "an index node of \(keys.count) keys") }
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
            let slot = node.slot(i + 1)
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
            let node = try space.treeNode(ref, slots: 1, "index node")
            return (node, try space.integers(node.slot(0).ref, "index keys"))
        }
        guard let (node, keys) = opened, spend(keys.count) else { return nil }
        guard node.context, !keys.context, keys.width == 32, keys.count == node.count - 1 else {
            found(
                .indexShape, ref,
                "an index node of \(node.count - 1) entries and \(keys.count) keys of "
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
