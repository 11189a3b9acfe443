/// A collection opened for changes. A change is stored in the collection, the collections around it, the index
/// of the property, the other ends of links, and the change log.
///
/// The transaction keeps the collection changed last open, with the leaf of the change, as long as nothing else
/// changes (`isCurrent`). Positions count the elements that users see: unresolved links are skipped. Confined to
/// the writer.
final class CollectionEdit {
    /// The transaction, which keeps this.
    private unowned(unsafe) let transaction: WriteTransaction
    let editor: TableEditor
    let column: ColumnInfo
    private let place: CollectionPlace
    private var object: ObjectKey { place.object }
    /// The object whose property the collection is.
    var owner: ObjectLink { ObjectLink(table: place.table, key: place.object) }
    /// From the property's own collection inwards; the last one changes.
    @exclusivity(unchecked) private var levels: [Level] = []
    /// The collection that changes.
    @exclusivity(unchecked) private(set) var tree: Tree
    /// Type of the elements of the collection that changes.
    let element: ElementType
    /// Whether elements can be links or contain some.
    private let mayHoldLinks: Bool
    /// Links and collections that the change takes out, and those it puts in.
    @exclusivity(unchecked) private var gone: [Value] = []
    @exclusivity(unchecked) private var fresh: [Value] = []
    /// The property's value as it was opened.
    private let stored: Value
    /// Root of the collection that changes, as the collection around it has it; nil before the first change.
    @exclusivity(unchecked) private var storedRoot: Ref?
    @exclusivity(unchecked) private var hasBegun = false
    /// Whether the change log takes the changes. It omits changes of objects that the transaction made.
    private let isLogged: Bool
    /// `changeCount` of the context after the last change; nil before the first, and during one.
    @exclusivity(unchecked) private var changeCount: Int?
    /// Given by the first `ElementReader` that uses the edit, to recognise it; 0 before.
    @exclusivity(unchecked) var number = 0

    private struct Level {
        let tree: Tree
        /// As the collection around it, or the object, has it.
        var value: Value
        /// Index of the value in the collection around it.
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
        self.place = place
        editor = try transaction.openEditor(place.table)
        precondition(place.column >= 0 && place.column < editor.columns.count)
        column = editor.columns[place.column]
        element = place.steps.isEmpty ? column.layout.element : .mixed
        mayHoldLinks = element.mayHoldLinks
        isLogged = !editor.created.pointee.contains(place.object.raw)
        guard place.steps.count < CollectionView.maximumDepth else {
            throw .misuse("collections do not nest that deep", reason: "depth")
        }
        guard try editor.reaches(place.object),
            let value = try editor.value(place.object, column)
        else { throw WriteTransaction.noObject(editor, place.object) }
        stored = value
        tree = try Self.open(value, transaction.context, column)
        levels.append(Level(tree: tree, value: value, index: 0))
        for step in place.steps { try enter(step) }
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

    /// Whether nothing has changed since the edit's own last change.
    @inline(__always)
    var isCurrent: Bool { changeCount == transaction.context.changeCount }

    /// Whether this is the collection at `place`, with nothing changed since its own last change.
    @inline(__always)
    func isCurrent(at place: CollectionPlace) -> Bool {
        isCurrent && object == place.object
            && self.place.column == place.column && self.place.table == place.table
            && (place.steps.isEmpty ? levels.count == 1 : self.place.steps == place.steps)
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

    /// Index at which the element at the visible `position` is stored; the end is one more.
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

    /// Whether the value may be an element of the collection that changes.
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

    /// Everything has been found to be right: what follows changes the collection. Until then nothing
    /// has, so that a change that is refused leaves no trace.
    func begin() throws(RealmError) {
        if hasBegun { return }
        hasBegun = true
        changeCount = nil
        editor.markDirty()
        // The words of an indexed list are read while its nodes are there.
        if column.index != .none { try editor.changeIndex(column, object, from: stored, to: nil) }
    }

    /// Begins the change and returns a copy of the value to insert: the node that holds its bytes may move.
    @inline(__always)
    func putting(_ value: Value) throws(RealmError) -> Value {
        try begin()
        if mayHoldLinks, value.isLinkOrCollection { fresh.append(value) }
        return transaction.copyToArena(value)
    }

    /// Returns a copy of the value that lasts as long as the transaction.
    func copy(_ value: Value) -> Value { transaction.copyToArena(value) }

    /// The change takes the element at `index` of `elements` out.
    @inline(__always)
    func taking(_ index: Int, of elements: SequenceEditor) throws(RealmError) {
        try begin()
        guard mayHoldLinks else { return }
        let value = try elements.value(at: index)
        if value.isLinkOrCollection { gone.append(value) }
    }

    // MARK: Storing

    /// Stores what was changed, and logs `step`.
    func finish(_ step: Step) throws(RealmError) { try finish(step, nil) }

    /// Stores what was changed, and logs two steps.
    func finish(_ step: Step, _ next: Step?) throws(RealmError) {
        try store()
        if !fresh.isEmpty { try storeLinks() }
        let hasOrphans = try gone.isEmpty ? false : removeGone()
        if isLogged { note(step, next) }
        if !hasOrphans { remain() }
    }

    private func storeLinks() throws(RealmError) {
        for value in fresh { try transaction.addBacklinks(editor, object, column, of: value) }
        fresh.removeAll(keepingCapacity: true)
    }

    /// Removes the other ends of links that went, the embedded objects and tombstones that lost their last
    /// link, and the nodes of collections. True if objects were removed.
    private func removeGone() throws(RealmError) -> Bool {
        var orphans: [ObjectLink] = []
        for value in gone {
            try removeLinks(in: value, &orphans)
            if let root = value.collectionRoot { try transaction.context.freeDeep(root) }
        }
        gone.removeAll(keepingCapacity: true)
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

    /// Stays open for the next change. Not with an index, which needs the elements of before.
    private func remain() {
        hasBegun = false
        if column.index == .none { changeCount = transaction.context.changeCount }
    }

    /// Stores another tree in place of the present one, which is freed, and logs `steps`.
    func replace(
        with elements: SequenceEditor, _ steps: some Sequence<Step>
    ) throws(RealmError) {
        try begin()
        let old = try tree.finish()
        try store(try elements.finish(), levels.count - 1)
        try storeLinks()
        _ = try removeGone()
        try transaction.context.freeDeep(old)
        if isLogged { for step in steps { note(step, nil) } }
    }

    /// Takes everything out: the tree is freed as a whole.
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

    /// Stores the root of the collection at `level`, and of those around it as far as they change.
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
        if levels.count > 1 { path = levels.dropFirst().map { Int64($0.value.collectionKey) } }
        transaction.log.pointee.change(editor.key, column.key, object, path: path, step)
        guard let next else { return }
        transaction.log.pointee.change(editor.key, column.key, object, path: path, next)
    }
}

extension CollectionEdit.Tree {
    /// Number of stored elements.
    var count: Int {
        switch self {
        case .list(let elements), .set(let elements): elements.count
        case .dictionary(let entries): entries.count
        }
    }

    /// The root of the collection as it is now.
    @inline(__always)
    func finish() throws(RealmError) -> Ref {
        switch self {
        case .list(let elements), .set(let elements): try elements.finish()
        case .dictionary(let entries): try entries.finish()
        }
    }
}

extension Value {
    /// Whether the value is a link or may contain some.
    @inline(__always)
    fileprivate var isLinkOrCollection: Bool {
        switch self {
        case .link, .list, .set, .dictionary: true
        default: false
        }
    }

    /// Key in the node of a nested collection.
    fileprivate var collectionKey: Int32 {
        switch self {
        case .list(let view), .set(let view), .dictionary(let view): view.key
        default: 0
        }
    }
}
