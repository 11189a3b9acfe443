/// One change of one collection: opened, changed, and stored with all that has to follow, which are the
/// collections around it, the index of the property, other ends of links, and the change log.
///
/// Positions are those of users, who do not see unresolved links. Confined to the writer, and to
/// one change.
final class CollectionEdit {
    private let transaction: WriteTransaction
    let editor: TableEditor
    let column: ColumnInfo
    private let object: ObjectKey
    /// From the property's own collection inwards; the last one changes.
    private var levels: [Level] = []
    /// Values that the change takes out, and those it puts in.
    private var gone: [Value] = []
    private var fresh: [Value] = []
    /// The property's value as it was.
    private let stored: Value
    private var hasBegun = false

    private struct Level {
        let tree: Tree
        /// As the collection around it, or the object, has it.
        let value: Value
        /// Where that is in the collection around it.
        let index: Int
    }

    enum Tree {
        case list(SequenceEditor)
        case set(SequenceEditor)
        case dictionary(DictionaryEditor)
    }

    /// Throws `misuse` when there is no such object, or no collection at the place.
    init(_ transaction: WriteTransaction, _ place: CollectionPlace) throws(RealmError) {
        self.transaction = transaction
        editor = try transaction.openEditor(place.table)
        precondition(place.column >= 0 && place.column < editor.columns.count)
        column = editor.columns[place.column]
        object = place.object
        guard place.steps.count < CollectionView.maximumDepth else {
            throw .misuse("collections do not nest that deep", reason: "depth")
        }
        guard try editor.reaches(object), let value = try editor.value(object, column) else {
            throw WriteTransaction.noObject(editor, object)
        }
        stored = value
        try enter(value, at: 0)
        for step in place.steps { try enter(step) }
    }

    private func enter(_ value: Value, at index: Int) throws(RealmError) {
        let context = transaction.context
        let tree: Tree
        switch value {
        case .list(let view):
            tree = .list(try SequenceEditor(context, root: view.root, element: view.element))
        case .set(let view):
            tree = .set(try SequenceEditor(context, root: view.root, element: view.element))
        case .dictionary(let view): tree = .dictionary(try DictionaryEditor(context, view))
        default: throw .misuse("\(column.name) holds no collection there", reason: "type")
        }
        levels.append(Level(tree: tree, value: value, index: index))
    }

    private func enter(_ step: CollectionPlace.Step) throws(RealmError) {
        switch (step, tree) {
        case (.index(let wanted), .list(let list)):
            let index = try index(wanted, of: list)
            try enter(try list.value(at: index), at: index)
        case (.key(let key), .dictionary(let entries)):
            let found = try key.withView { (key) throws(RealmError) in
                try entries.find(.string(key))
            }
            guard found.isThere else {
                throw .misuse("\(column.name) has no key \(key) there", reason: "key")
            }
            try enter(try entries.values.value(at: found.index), at: found.index)
        default: throw .misuse("\(column.name) holds no such collection there", reason: "type")
        }
    }

    /// What changes.
    var tree: Tree { levels[levels.count - 1].tree }

    /// The elements of the collection that changes: those of the property, or anything.
    var element: ElementType { levels.count == 1 ? column.layout.element : .mixed }

    /// The elements of a list; `misuse` for another kind.
    func list() throws(RealmError) -> SequenceEditor {
        guard case .list(let list) = tree else { throw wrongKind("list") }
        return list
    }

    func set() throws(RealmError) -> SequenceEditor {
        guard case .set(let set) = tree else { throw wrongKind("set") }
        return set
    }

    func dictionary() throws(RealmError) -> DictionaryEditor {
        guard case .dictionary(let entries) = tree else { throw wrongKind("dictionary") }
        return entries
    }

    private func wrongKind(_ wanted: String) -> RealmError {
        .misuse("\(column.name) is no \(wanted) there", reason: "type")
    }

    // MARK: Positions

    /// Where the element that users see at `position` is stored; the end is one more.
    func index(
        _ position: Int, of list: SequenceEditor, orEnd: Bool = false
    ) throws(RealmError) -> Int {
        guard position >= 0 else { throw Self.outOfBounds(position) }
        if !list.hidesElements {
            guard position < list.count || orEnd && position == list.count else {
                throw Self.outOfBounds(position)
            }
            return position
        }
        var seen = 0
        for i in 0..<list.count {
            if case .link(let link) = try list.value(at: i), link.key.isUnresolved { continue }
            if seen == position { return i }
            seen += 1
        }
        guard orEnd, seen == position else { throw Self.outOfBounds(position) }
        return list.count
    }

    private static func outOfBounds(_ position: Int) -> RealmError {
        .misuse(
            "Requested index \(position) is out of bounds", code: "OutOfBounds", reason: "index")
    }

    // MARK: Values

    /// Whether the value may be an element of the collection that changes.
    func check(_ value: Value) throws(RealmError) {
        try ValueCheck.check(value, element, name: column.name)
        if case .set = tree, value.collectionRoot != nil {
            throw RealmError(
                .data, code: "TypeMismatch", reason: "type",
                "\(column.name) is a set, which holds no collections")
        }
        if element.mayHoldLinks { try transaction.checkTarget(value) }
        if levels.count == 1, column.collection != nil {
            try WriteTransaction.checkIndexed([value], column)
        }
    }

    /// Everything has been found to be right: what follows changes the collection. Until then nothing
    /// has, so that a change that is refused leaves no trace.
    func begin() throws(RealmError) {
        if hasBegun { return }
        hasBegun = true
        // The words of an indexed list are read while its nodes are there.
        try editor.changeIndex(column, object, from: stored, to: nil)
    }

    /// The change puts a value in: bytes are copied, since what they lie in may move.
    func putting(_ value: Value) throws(RealmError) -> Value {
        try begin()
        let kept = transaction.keep(value)
        fresh.append(kept)
        return kept
    }

    /// The change takes a value out.
    func taking(_ value: Value) throws(RealmError) {
        try begin()
        gone.append(transaction.keep(value))
    }

    // MARK: Storing

    /// Stores what was changed, and tells the log of `steps`.
    func finish(_ steps: Step...) throws(RealmError) {
        try store()
        for value in fresh { try transaction.addBacklinks(editor, object, column, of: value) }
        var orphans: [ObjectLink] = []
        for value in gone {
            try transaction.forEachLink(in: value) { (link) throws(RealmError) in
                if try transaction.removeBacklink(editor, object, column, to: link) {
                    orphans.append(link)
                }
            }
            if let root = value.collectionRoot { try transaction.context.freeDeep(root) }
        }
        for orphan in orphans { try transaction.removeOrphan(orphan) }
        note(steps)
    }

    private func store() throws(RealmError) {
        for i in levels.indices.reversed() {
            let level = levels[i]
            let root: Ref
            switch level.tree {
            case .list(let elements), .set(let elements): root = try elements.finish()
            case .dictionary(let entries): root = try entries.finish()
            }
            if root == level.value.collectionRoot { continue }
            let new = level.value.replacingRoot(root)
            if i == 0 {
                try editor.setCell(object, column.leafIndex, new)
                continue
            }
            switch levels[i - 1].tree {
            case .list(let elements), .set(let elements): try elements.set(new, at: level.index)
            case .dictionary(let entries): try entries.values.set(new, at: level.index)
            }
        }
        if hasBegun, column.index != .none {
            try editor.changeIndex(
                column, object, from: nil, to: try editor.value(object, column))
        }
    }

    // MARK: The log

    typealias Step = ChangeLogWriter.CollectionStep

    private func note(_ steps: [Step]) {
        if editor.created.pointee.contains(object.raw) { return }
        let path = levels.dropFirst().map { Int64($0.value.collectionKey) }
        for step in steps {
            transaction.log.pointee.change(
                editor.key, column.key, object, path: path, step)
        }
    }
}

extension Value {
    /// What a nested collection is addressed by.
    fileprivate var collectionKey: Int32 {
        switch self {
        case .list(let view), .set(let view), .dictionary(let view): view.key
        default: 0
        }
    }
}
