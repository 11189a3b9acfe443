/// Edit of one collection. Each change also updates the collections around it, the index of the
/// property, the backlinks, and the change log.
///
/// The transaction caches the edit of the collection that was changed last, and the edit caches the
/// leaf that it changed. The next change of the same collection uses this edit again, if nothing
/// else has changed since (`isCurrent`). Indexes of elements that callers pass do not count links
/// to tombstones. Confined to the writer.
final class CollectionEdit {
    /// The transaction, which retains this edit.
    private unowned(unsafe) let transaction: WriteTransaction
    let editor: TableEditor
    let column: ColumnInfo
    private let location: CollectionLocation
    private var object: ObjectKey { location.object }
    /// The object whose property contains the collection.
    var owner: ObjectLink { ObjectLink(table: location.table, key: location.object) }
    /// The property's own collection and the nested ones inside it; the last is the one to change.
    @exclusivity(unchecked) private var levels: [Level] = []
    /// Editor of the list, set or dictionary to change.
    @exclusivity(unchecked) private(set) var tree: Tree
    /// Element type of the list, set or dictionary to change.
    let element: ElementType
    /// Whether elements can be links, or collections that contain links.
    private let mayHoldLinks: Bool
    /// Links and collections among the elements that the current change removes or adds.
    @exclusivity(unchecked) private var removedValues: [Value] = []
    @exclusivity(unchecked) private var addedValues: [Value] = []
    /// Value of the property, including all nested collections, when this edit was made.
    private let stored: Value
    /// Root of the collection as it is stored in the parent; nil before the first change.
    @exclusivity(unchecked) private var storedRoot: Ref?
    @exclusivity(unchecked) private var hasBegun = false
    /// Whether changes are logged. They are not logged if the transaction created the object.
    private let isLogged: Bool
    /// `EditContext.changeCount` after the last change of this edit. Nil before the first change,
    /// and during a change.
    @exclusivity(unchecked) private var changeCount: Int?
    /// Number by which an `ElementReader` recognises this edit. The reader assigns the number; 0
    /// before it does.
    @exclusivity(unchecked) var number = 0

    private struct Level {
        let tree: Tree
        /// The value of the collection as its parent stores it. The parent is another collection or
        /// the object.
        var value: Value
        /// Index of this collection in the collection that contains it.
        let index: Int
    }

    enum Tree {
        case list(SequenceEditor)
        case set(SequenceEditor)
        case dictionary(DictionaryEditor)
    }

    /// Opens the collection. Throws `misuse` if there is no such object, or no collection at
    /// `location`.
    init(_ transaction: WriteTransaction, _ location: CollectionLocation) throws(RealmError) {
        self.transaction = transaction
        self.location = location
        editor = try transaction.openEditor(location.table)
        precondition(location.column >= 0 && location.column < editor.columns.count)
        column = editor.columns[location.column]
        element = location.steps.isEmpty ? column.layout.element : .mixed
        mayHoldLinks = element.mayHoldLinks
        isLogged = !editor.created.pointee.contains(location.object.raw)
        guard location.steps.count < CollectionView.maximumDepth else {
            throw .misuse("collections do not nest that deep", reason: "depth")
        }
        guard try editor.reaches(location.object),
            let value = try editor.value(location.object, column)
        else { throw WriteTransaction.noObject(editor, location.object) }
        stored = value
        tree = try Self.open(value, transaction.context, column)
        levels.append(Level(tree: tree, value: value, index: 0))
        for step in location.steps { try enter(step) }
    }

    private static func open(
        _ value: Value, _ context: EditContext, _ column: ColumnInfo
    ) throws(RealmError) -> Tree {
        switch value {
        case .list(let view):
            .list(try SequenceEditor(context, root: view.root, element: view.element))
        case .set(let view):
            .set(try SequenceEditor(context, root: view.root, element: view.element))
        case .dictionary(let view): .dictionary(try DictionaryEditor(context, view))
        default: throw .misuse("\(column.name) holds no collection there", reason: "type")
        }
    }

    private func enter(_ value: Value, at index: Int) throws(RealmError) {
        tree = try Self.open(value, transaction.context, column)
        levels.append(Level(tree: tree, value: value, index: index))
    }

    /// Whether this edit made the last change of the transaction, so that its locations are still
    /// valid.
    @inline(__always)
    var isCurrent: Bool { changeCount == transaction.context.changeCount }

    /// Whether this edit belongs to the collection at `location` and made the last change of the
    /// transaction.
    @inline(__always)
    func isCurrent(at location: CollectionLocation) -> Bool {
        isCurrent && object == location.object
            && self.location.column == location.column && self.location.table == location.table
            && (location.steps.isEmpty ? levels.count == 1 : self.location.steps == location.steps)
    }

    private func enter(_ step: CollectionLocation.Step) throws(RealmError) {
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
        case (.collection(let key, let index), .list(let elements)):
            try enter(key, near: index, in: elements)
        case (.collection(let key, let index), .dictionary(let entries)):
            try enter(key, near: index, in: entries.values)
        default: throw .misuse("\(column.name) holds no such collection there", reason: "type")
        }
    }

    /// Enters the collection with the key `key` among `elements`.
    private func enter(
        _ key: Int32, near index: Int, in elements: SequenceEditor
    ) throws(RealmError) {
        guard let found = try elements.index(ofCollection: key, near: index) else {
            throw .misuse("\(column.name) has no such collection there", code: "InvalidatedObject")
        }
        try enter(try elements.value(at: found), at: found)
    }

    /// Returns the elements if the collection is a list; throws `misuse` otherwise.
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

    /// Returns the stored index of the element at index `position`, which does not count links to
    /// tombstones. If `orEnd`, `position` may be the number of elements.
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
            if try list.value(at: i).isUnresolvedLink { continue }
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

    /// Throws `data` or `misuse` unless the value may be an element of the collection.
    func check(_ value: Value) throws(RealmError) {
        try ValueCheck.check(value, element, name: column.name)
        if case .set = tree, value.collectionRoot != nil {
            throw RealmError(
                .data, code: "TypeMismatch", reason: "type",
                "\(column.name) is a set, which holds no collections")
        }
        if mayHoldLinks { try transaction.checkTarget(value) }
        if column.index != .none, levels.count == 1, column.collection != nil {
            try WriteTransaction.checkIndexed([value], column)
        }
    }

    /// Begins a change, after all checks. Nothing is changed before, so a rejected change has no
    /// effect.
    func begin() throws(RealmError) {
        if hasBegun { return }
        hasBegun = true
        changeCount = nil
        editor.markDirty()
        // The index entries of the old strings must be removed first, since the strings' nodes will
        // change.
        if column.index != .none { try editor.changeIndex(column, object, from: stored, to: nil) }
    }

    /// Begins a change that adds `value`. Returns a copy of the value, because the node that
    /// contains its bytes may move.
    @inline(__always)
    func putting(_ value: Value) throws(RealmError) -> Value {
        try begin()
        if mayHoldLinks, value.isLinkOrCollection { addedValues.append(value) }
        return transaction.copyToArena(value)
    }

    /// Returns a copy of the value, which is valid until the end of the transaction.
    func copy(_ value: Value) -> Value { transaction.copyToArena(value) }

    /// Begins a change that removes the element at index `index` of `elements`.
    @inline(__always)
    func taking(_ index: Int, of elements: SequenceEditor) throws(RealmError) {
        try begin()
        guard mayHoldLinks else { return }
        let value = try elements.value(at: index)
        if value.isLinkOrCollection { removedValues.append(value) }
    }

    // MARK: Storing

    /// Stores the collection, updates backlinks, and writes `step` to the change log.
    func finish(_ step: Step) throws(RealmError) { try finish(step, nil) }

    /// Stores the collection, updates backlinks, and writes `step` and, if it is not nil, `next` to
    /// the change log.
    func finish(_ step: Step, _ next: Step?) throws(RealmError) {
        try store()
        if !addedValues.isEmpty { try storeLinks() }
        let hasOrphans = try removedValues.isEmpty ? false : cleanUpRemoved()
        if isLogged { note(step, next) }
        if !hasOrphans { remain() }
    }

    private func storeLinks() throws(RealmError) {
        for value in addedValues { try transaction.addBacklinks(editor, object, column, of: value) }
        addedValues.removeAll(keepingCapacity: true)
    }

    /// Removes the backlinks of removed links and frees removed collections. Deletes embedded
    /// objects and tombstones that have no other link. Returns true if any were deleted.
    private func cleanUpRemoved() throws(RealmError) -> Bool {
        var orphans: [ObjectLink] = []
        for value in removedValues {
            try removeLinks(in: value, &orphans)
            if let root = value.collectionRoot { try transaction.context.freeDeep(root) }
        }
        removedValues.removeAll(keepingCapacity: true)
        for orphan in orphans { try transaction.removeOrphan(orphan) }
        return !orphans.isEmpty
    }

    private func removeLinks(in value: Value, _ orphans: inout [ObjectLink]) throws(RealmError) {
        try transaction.forEachLink(in: value) { (link) throws(RealmError) in
            if try transaction.removeBacklink(editor, object, column, to: link) {
                orphans.append(link)
            }
        }
    }

    /// Makes this edit usable for the next change of the collection, unless the property has an
    /// index: that change would need the current elements, but `stored` has the previous ones.
    private func remain() {
        hasBegun = false
        if column.index == .none { changeCount = transaction.context.changeCount }
    }

    /// Replaces all elements by `elements`, frees the old tree and logs `steps`.
    func replace(
        with elements: SequenceEditor, _ steps: some Sequence<Step>
    ) throws(RealmError) {
        try begin()
        let old = try tree.finish()
        try store(try elements.finish(), levels.count - 1)
        try storeLinks()
        _ = try cleanUpRemoved()
        try transaction.context.freeDeep(old)
        if isLogged { for step in steps { note(step, nil) } }
    }

    /// Removes all elements. The tree is freed as a whole.
    func clear() throws(RealmError) {
        let count = tree.count
        if count == 0 { return }
        try begin()
        let last = levels.count - 1
        let value = levels[last].value.replacingRoot(try tree.finish())
        try store(.none, last)
        var orphans: [ObjectLink] = []
        if mayHoldLinks { try removeLinks(in: value, &orphans) }
        if let root = value.collectionRoot { try transaction.context.freeDeep(root) }
        for orphan in orphans { try transaction.removeOrphan(orphan) }
        if isLogged { note(.clear(count), nil) }
    }

    private func store() throws(RealmError) {
        let root = try tree.finish()
        if root == storedRoot, column.index == .none { return }
        try store(root, levels.count - 1)
        storedRoot = root
    }

    /// Stores the root of the collection at `level` in its parent. If the root of the parent
    /// changes too, continues with the parent.
    private func store(_ root: Ref, _ level: Int) throws(RealmError) {
        var (root, level) = (root, level)
        while root != levels[level].value.collectionRoot {
            let new = levels[level].value.replacingRoot(root)
            levels[level].value = new
            if level == 0 {
                try editor.setCell(object, column.leafIndex, new)
                break
            }
            let index = levels[level].index
            level -= 1
            switch levels[level].tree {
            case .list(let elements), .set(let elements): try elements.set(new, at: index)
            case .dictionary(let entries): try entries.values.set(new, at: index)
            }
            root = try levels[level].tree.finish()
        }
        if column.index != .none {
            try editor.changeIndex(
                column, object, from: nil, to: try editor.value(object, column))
        }
    }

    // MARK: The log

    typealias Step = ChangeLogWriter.CollectionStep

    private func note(_ step: Step, _ next: Step?) {
        var path: [Int64] = []
        if levels.count > 1 { path = levels.dropFirst().map { Int64($0.value.nestedKey ?? 0) } }
        transaction.log.pointee.change(editor.key, column.key, object, path: path, step)
        guard let next else { return }
        transaction.log.pointee.change(editor.key, column.key, object, path: path, next)
    }
}

extension SequenceEditor {
    /// Returns the index of the nested collection whose key is `key`, nil if there is none. Begins
    /// the search at index `near`.
    fileprivate func index(
        ofCollection key: Int32, near index: Int
    ) throws(RealmError) -> Int? {
        if index < count, try value(at: index).nestedKey == key { return index }
        for i in 0..<count {
            if try value(at: i).nestedKey == key { return i }
        }
        return nil
    }
}

extension CollectionEdit.Tree {
    /// Number of elements, including links to tombstones.
    var count: Int {
        switch self {
        case .list(let elements), .set(let elements): elements.count
        case .dictionary(let entries): entries.count
        }
    }

    /// Returns the current root of the collection.
    @inline(__always)
    func finish() throws(RealmError) -> Ref {
        switch self {
        case .list(let elements), .set(let elements): try elements.finish()
        case .dictionary(let entries): try entries.finish()
        }
    }
}

extension Value {
    /// Whether the value is a link, or a collection that may contain links.
    @inline(__always)
    fileprivate var isLinkOrCollection: Bool {
        switch self {
        case .link, .list, .set, .dictionary: true
        default: false
        }
    }
}
