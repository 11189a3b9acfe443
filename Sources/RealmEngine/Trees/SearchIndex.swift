/// A search index: a trie over four-byte chunks of a value's index string, each of whose nodes is a
/// small B-tree (object format 5).
///
/// Finds candidates: the caller compares them with the column, since an index string says less than
/// the value (object format 5.5).
struct SearchIndex {
    let space: NodeSpace
    let root: Ref

    /// Deeper tries hold nothing any writer makes; a cycle gets here.
    private static let maximumDepth = 4096

    /// Appends the keys of the objects that may hold `value`.
    func candidates(for value: Value, into keys: inout [ObjectKey]) throws(RealmError) {
        let string = IndexString(value)
        var ref = root
        var offset = 0
        for _ in 0..<Self.maximumDepth {
            guard let entry = try entry(ref, string.chunk(at: offset)) else { return }
            if entry.isTagged {
                keys.append(ObjectKey(Int64(bitPattern: entry.value)))
                return
            }
            guard try space.node(entry.ref).context else {
                try appendList(entry.ref, to: &keys)
                return
            }
            ref = entry.ref
            offset += 4
        }
        throw .corrupt("a search index deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// The entry for `chunk` below the node at `ref`, nil when there is none.
    func entry(_ start: Ref, _ chunk: Int32) throws(RealmError) -> NodeSlot? {
        var ref = start
        for _ in 0..<BPlusTree.maximumDepth {
            let node = try space.treeNode(ref, slots: 1, "index node")
            let keys = try space.integers(node.slot(0).ref, "index keys")
            guard keys.count == node.count - 1 else { throw space.wrongShape(ref, "index node") }
            var low = 0
            var high = keys.count
            while low < high {
                let middle = (low + high) >> 1
                if keys.integer(middle) < Int64(chunk) { low = middle + 1 } else { high = middle }
            }
            guard low < keys.count else { return nil }
            let slot = node.slot(low + 1)
            if node.isInner {
                guard let child = slot.child else { throw space.wrongShape(ref, "index node") }
                ref = child
                continue
            }
            guard keys.integer(low) == Int64(chunk) else { return nil }
            guard !slot.isNone else { throw space.wrongShape(ref, "index node") }
            return slot
        }
        throw .corrupt("an index node deeper than \(BPlusTree.maximumDepth) levels", at: start)
    }

    func appendList(_ ref: Ref, to keys: inout [ObjectKey]) throws(RealmError) {
        let view = CollectionView(root: ref, element: ElementType(type: .int, isNullable: false))
        var cursor = ElementCursor(space, view)
        while let value = try cursor.nextStored() {
            if case .int(let key) = value { keys.append(ObjectKey(key)) }
        }
    }
}
