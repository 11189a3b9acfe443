/// Removes the links to deleted objects from a collection and from collections nested in it. In
/// lists and sets the elements are removed; in dictionaries the values become null.
struct CollectionNullifier {
    private let context: EditContext
    private let objects: LinkedObjects

    init(_ context: EditContext, _ objects: LinkedObjects) {
        self.context = context
        self.objects = objects
    }

    struct Result {
        var root: Ref
        /// Whether anything changed. The root may be unchanged even then.
        var hasChanged = false
        /// Indexes of the removed elements, in ascending order.
        var erased: [Int] = []
        /// Indexes of values that became null, or whose nested collection changed, in ascending
        /// order.
        var nulled: [Int] = []
    }

    func edit(_ value: Value, depth: Int = 0) throws(RealmError) -> Result {
        guard depth <= 100 else {
            throw .corrupt("collections nested deeper than 100", in: "value")
        }
        switch value {
        case .list(let view), .set(let view): return try editElements(view, depth)
        case .dictionary(let view): return try editEntries(view, depth)
        default: return Result(root: .none)
        }
    }

    private func editElements(_ view: CollectionView, _ depth: Int) throws(RealmError) -> Result {
        var result = Result(root: view.root)
        guard !view.root.isNone, view.element.mayHoldLinks else { return result }
        let editor = try SequenceEditor(context, root: view.root, element: view.element)
        let matches = try editor.links(to: objects)
        for i in matches.collections {
            guard let replaced = try editNested(try editor.value(at: i), depth) else { continue }
            try editor.set(replaced, at: i)
            result.hasChanged = true
        }
        result.erased = matches.links
        for i in matches.links.reversed() { try editor.remove(at: i) }
        result.hasChanged = result.hasChanged || !matches.links.isEmpty
        if result.hasChanged { result.root = try editor.finish() }
        return result
    }

    private func editEntries(_ view: CollectionView, _ depth: Int) throws(RealmError) -> Result {
        var result = Result(root: view.root)
        guard !view.root.isNone, view.element.mayHoldLinks else { return result }
        let node = try context.space.refNode(view.root, slots: DictionaryShape.count, "dictionary")
        for i in 0..<2 { try context.nodes.check(node.slot(i).ref, in: view.root) }
        let values = try SequenceEditor(
            context, root: node.slot(DictionaryShape.values).ref, element: .mixed)
        let matches = try values.links(to: objects)
        for i in matches.links { try values.set(.null, at: i) }
        result.nulled = matches.links
        for i in matches.collections {
            guard let replaced = try editNested(try values.value(at: i), depth) else { continue }
            try values.set(replaced, at: i)
            result.nulled.append(i)
        }
        if result.nulled.isEmpty { return result }
        if !matches.collections.isEmpty { result.nulled.sort() }
        let keys = node.slot(DictionaryShape.keys).raw
        try context.free(view.root)
        result.root = try context.encoder.refs([keys, try values.finish().raw])
        result.hasChanged = true
        return result
    }

    private func editNested(_ value: Value, _ depth: Int) throws(RealmError) -> Value? {
        guard value.collectionRoot != nil else { return nil }
        let edited = try edit(value, depth: depth + 1)
        return edited.hasChanged ? value.replacingRoot(edited.root) : nil
    }
}
