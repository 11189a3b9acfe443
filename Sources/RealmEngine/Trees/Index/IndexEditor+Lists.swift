/// Lists of the keys of objects that have the same path in an index. A list is a B+tree of
/// integers.
extension IndexEditor {
    /// A list of keys in the index, opened for reading and editing; valid until the list changes.
    struct KeyView {
        /// The only leaf of the list of keys, which is the usual case. A list with more leaves is
        /// read with a tree editor.
        fileprivate let leaf: NodeView
        fileprivate let tree: SequenceEditor?

        @inline(__always) var count: Int { tree?.count ?? leaf.count }

        @inline(__always)
        func key(_ i: Int) throws(RealmError) -> Int64 {
            guard let tree else { return leaf.integer(i) }
            guard case .int(let key) = try tree.value(at: i) else { return -1 }
            return key
        }

        /// Index of the first key for which `isBelow` returns false. It must return true for all
        /// keys before that one.
        func firstIndex(
            after isBelow: (Int64) throws(RealmError) -> Bool
        ) throws(RealmError) -> Int {
            try (0..<count).partitionPoint { (i) throws(RealmError) in try !isBelow(key(i)) }
        }

        /// Index of the first key that is not less than `key`, in a list sorted by key.
        func lowerBound(_ key: Int64) throws(RealmError) -> Int {
            if let tree { return try tree.lowerBound(of: key) }
            // Fast path for a new object, which has the highest key.
            if leaf.count > 0, leaf.integer(leaf.count - 1) < key { return leaf.count }
            return (0..<leaf.count).partitionPoint { leaf.integer($0) >= key }
        }

        /// Whether there is a key at index `i` and it equals `key`.
        func matches(_ key: Int64, at i: Int) throws(RealmError) -> Bool {
            guard i < count else { return false }
            return try self.key(i) == key
        }
    }

    private static let element = ElementType(type: .int, isNullable: false)

    /// Opens the list at `ref`, which must not be empty.
    func list(_ ref: Ref) throws(RealmError) -> KeyView {
        let node =
            context.nodes.owns(ref) ? context.slab.writable(ref).view : try context.space.node(ref)
        if node.isInner { return KeyView(leaf: node, tree: try tree(ref)) }
        guard node.flags & NodeView.formMask == 0 else {
            throw context.space.wrongShape(ref, "index list")
        }
        guard node.count > 0 else { throw .corrupt("an empty index list", at: ref) }
        return KeyView(leaf: node, tree: nil)
    }

    /// Makes a list of two object keys, for a slot of the index.
    func newList(_ keys: (Int64, Int64)) throws(RealmError) -> Ref {
        let (magnitude, sign) = (max(keys.0, keys.1), keys.0 | keys.1)
        let code = NodeEncoder.widthCode(magnitude: magnitude, isNegative: sign < 0)
        let new = try context.slab.node(flags: code, count: 2, room: 16)
        new.payload.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
        let node = context.slab.writable(new.ref)
        node.store(keys.0, at: 0)
        node.store(keys.1, at: 1)
        return new.ref
    }

    func insert(
        _ key: Int64, at i: Int, _ list: KeyView, _ place: RefSlot
    ) throws(RealmError) {
        if list.tree == nil, list.count < context.fanout.tree {
            _ = try context.nodes.makeWritable(place)
            return try context.nodes.insertInteger(place, i, key)
        }
        let ref = Ref(place.pointee)
        let tree: SequenceEditor
        if let known = list.tree { tree = known } else { tree = try self.tree(ref) }
        try tree.insert(.int(key), at: i)
        try moved(tree, from: ref, to: place)
    }

    /// Removes the key at index `i`. If no key is left, sets the slot at `place` to 0.
    func remove(at i: Int, _ list: inout KeyView, _ place: RefSlot) throws(RealmError) {
        if let tree = list.tree {
            let ref = Ref(place.pointee)
            try tree.remove(at: i)
            try moved(tree, from: ref, to: place)
        } else {
            _ = try context.nodes.makeWritable(place)
            try context.nodes.removeInteger(place, i)
        }
        // The root may have changed to a node of the file, when the tree became smaller.
        let node = try context.space.node(Ref(place.pointee))
        list = KeyView(leaf: node, tree: node.isInner ? list.tree : nil)
        if list.count == 0 { place.pointee = 0 }
    }

    // MARK: Trees

    /// Returns the editor of the tree at `ref`. Editors are cached: an index with few distinct
    /// values has few lists, and each is long.
    private func tree(_ ref: Ref) throws(RealmError) -> SequenceEditor {
        if let tree = trees[ref] { return tree }
        if trees.count >= 64 { trees.removeAll() }
        let tree = try SequenceEditor(context, root: ref, element: Self.element)
        trees[ref] = tree
        return tree
    }

    private func moved(
        _ tree: SequenceEditor, from old: Ref, to place: RefSlot
    ) throws(RealmError) {
        let root = try tree.finish()
        if root == old, try context.space.node(root).isInner { return }
        trees[old] = nil
        place.pointee = root.raw
        if try context.space.node(root).isInner { trees[root] = tree }
    }
}
