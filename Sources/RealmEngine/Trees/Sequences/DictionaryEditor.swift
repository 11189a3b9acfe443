/// Editor of a dictionary, which is stored as two B+trees of the same size: the keys in ascending
/// order, and the values (object format 4.5). Confined to the writer.
final class DictionaryEditor {
    private let context: EditContext
    let keys: SequenceEditor
    let values: SequenceEditor
    /// Address of the ref of the node that references the trees of keys and values. Nil for a
    /// dictionary that has never had an entry and so has no such node.
    private var root: RefSlot?

    /// Opens the dictionary `view`; its root is none if it has never had an entry.
    init(_ context: EditContext, _ view: CollectionView) throws(RealmError) {
        self.context = context
        let key = ElementType(
            type: view.element.hasIntegerKeys ? .int : .string, isNullable: false)
        if view.root.isNone {
            keys = try SequenceEditor(context, root: .none, element: key)
            values = try SequenceEditor(context, root: .none, element: .mixed)
            return
        }
        let node = try context.space.refNode(view.root, slots: DictionaryShape.count, "dictionary")
        for i in 0..<DictionaryShape.count {
            try context.nodes.check(node.slot(i).ref, in: view.root)
        }
        keys = try SequenceEditor(context, root: node.slot(DictionaryShape.keys).ref, element: key)
        values = try SequenceEditor(
            context, root: node.slot(DictionaryShape.values).ref, element: .mixed)
        guard keys.count == values.count else {
            throw .corrupt("a dictionary of more keys than values, or fewer", at: view.root)
        }
        let slot = RefSlot.allocate(capacity: 1)
        slot.initialize(to: view.root.raw)
        root = slot
    }

    deinit { root?.deallocate() }

    var count: Int { keys.count }

    /// Returns the index of `key`; its insertion index if the dictionary does not contain it.
    func find(_ key: Value) throws(RealmError) -> OrderedSearch.Result {
        try keys.find(key, order: ValueOrder.compare)
    }

    func insert(_ key: Value, _ value: Value, at index: Int) throws(RealmError) {
        try keys.insert(key, at: index)
        try values.insert(value, at: index)
    }

    func remove(at index: Int) throws(RealmError) {
        try keys.remove(at: index)
        try values.remove(at: index)
    }

    /// Writes the node that references the trees of keys and values, and returns its ref.
    func finish() throws(RealmError) -> Ref {
        let refs = [try keys.finish().raw, try values.finish().raw]
        guard let root else { return try context.encoder.refs(refs) }
        let node = try context.nodes.writableRefs(root)
        for i in 0..<DictionaryShape.count { node.slots[i] = refs[i] }
        return Ref(root.pointee)
    }
}
