/// The search indexes of a table, which are updated with each change of a value.
extension TableEditor {
    /// Returns the editor of a column's index; nil if the column has no index.
    func index(_ column: ColumnInfo) throws(RealmError) -> IndexEditor? {
        if column.index == .none { return nil }
        if let editor = indexes.editors[column.leafIndex] { return editor }
        let editor = try IndexEditor(
            context: context, root: indexes.root(column.leafIndex),
            kind: column.holdsWords ? .fullText : .general,
            waiting: indexes.waiting(column.leafIndex) ?? boundWaiting(column.leafIndex),
            defers: defersChanges(column)
        ) { [unowned self] key throws(RealmError) in
            try self.value(key, column)?.indexed
        }
        indexes.open(editor, column.leafIndex)
        return editor
    }

    /// Whether changes of a column's index may be deferred. The index of the primary key is read
    /// for every new object, so its changes may not.
    func defersChanges(_ column: ColumnInfo) -> Bool { column.key != primaryKey }

    private func boundWaiting(_ leafIndex: Int) -> PendingIntegers? {
        let column = IntegerBounds.Column(table: key, leafIndex: leafIndex)
        return context.bounds[column].map { PendingIntegers(largest: $0) }
    }

    /// Upper bounds of the integers in open indexes, as far as they are known.
    func bounds() -> [(IntegerBounds.Column, Int64)] {
        indexes.editors.compactMap { (leafIndex, editor) in
            editor.waiting.largest.map { (.init(table: key, leafIndex: leafIndex), $0) }
        }
    }

    /// Replaces the index entries of `old`, an object's value, by entries of `new`. `old` is nil
    /// for a new object, `new` is nil for a removed one.
    func changeIndex(
        _ column: ColumnInfo, _ key: ObjectKey, from old: Value?, to new: Value?
    ) throws(RealmError) {
        guard let index = try index(column) else { return }
        if column.collection != nil {
            for word in try old.map(words) ?? [] { try index.remove(word: word, key) }
            for word in try new.map(words) ?? [] { try index.insert(word: word, key) }
            return
        }
        switch (old?.indexed, new?.indexed) {
        case (let old?, let new?): try index.change(from: old, to: new, key)
        case (nil, let new?): try index.insert(new, key)
        case (let old?, nil): try index.remove(old, key)
        case (nil, nil): break
        }
    }

    /// Removes an object from all indexes.
    ///
    /// - Parameter later: whether more objects are going to be removed. The removals are then
    ///   deferred and made together in the order of the index.
    func removeFromIndexes(
        _ key: ObjectKey, _ shape: RowShape, later: Bool
    ) throws(RealmError) {
        for index in shape.indexes {
            let value = try value(key, index.leafIndex)!.indexed
            if later {
                try index.editor.removeLater(value, key)
            } else {
                try index.editor.remove(value, key)
            }
        }
        for i in shape.indexedCollections { try removeFromIndex(of: columns[i], key) }
    }

    @inline(never)
    private func removeFromIndex(
        of column: ColumnInfo, _ key: ObjectKey
    ) throws(RealmError) {
        try changeIndex(column, key, from: value(key, column), to: nil)
    }

    /// Returns the distinct strings of an indexed list.
    private func words(_ list: Value) throws(RealmError) -> [ByteView] {
        guard case .list(let view) = list else { return [] }
        var cursor = ElementCursor(context.space, view)
        var words: [ByteView] = []
        while let element = try cursor.nextStored() {
            if case .string(let word) = element { words.append(word) }
        }
        words.sort { ByteView.compare($0, $1) < 0 }
        var distinct: [ByteView] = []
        for word in words where distinct.last.map({ !($0 == word) }) ?? true {
            distinct.append(word)
        }
        return distinct
    }

    /// Builds a column's index from the values of all objects. Used for a new index, and if an
    /// entry was missing from an index (object format 13, defects 5 and 6).
    func fillIndex(_ column: ColumnInfo) throws(RealmError) {
        guard let editor = try index(column) else { return }
        let builder = IndexBuilder(context, kind: column.holdsWords ? .fullText : .general)
        try forEachValue(column) { (key, value) throws(RealmError) in
            if column.collection != nil {
                for word in try self.words(value) { builder.add(word: word, key) }
            } else {
                try builder.add(value.indexed, key)
            }
        }
        try editor.rebuild(builder)
    }

    /// Empties a column's index, before the caller adds the objects one by one.
    func beginIndex(_ column: ColumnInfo) throws(RealmError) {
        try index(column)?.clear()
        try index(column)?.defersWords()
    }

    /// Adds an object to an index that is being built.
    func addToIndex(_ column: ColumnInfo, _ key: ObjectKey) throws(RealmError) {
        markDirty()
        try changeIndex(column, key, from: nil, to: value(key, column))
    }

    /// Removes a column's index and frees its nodes.
    func dropIndex(_ leafIndex: Int) throws(RealmError) {
        context.bounds[.init(table: key, leafIndex: leafIndex)] = nil
        if let root = indexes.remove(leafIndex) { try context.freeDeep(root) }
    }

    /// Applies some pending changes of one index. Returns false if no index has enough pending
    /// changes.
    ///
    /// - Parameters:
    ///   - onlyLarge: true to insert pending integers only if they take much memory; false to
    ///     insert them if there are more than `IndexEditor.portion`.
    ///   - changes: whether to apply changes other than ascending integers, too, however few they
    ///     are.
    func flushSomePendingEntries(onlyLarge: Bool, changes: Bool) throws(RealmError) -> Bool {
        for column in columns where column.index != .none {
            guard let waiting = indexes.waiting(column.leafIndex) else { continue }
            let isMuch = onlyLarge ? waiting.isLarge : waiting.count > IndexEditor.portion
            guard isMuch || (changes && waiting.hasChanges), let editor = try index(column) else {
                continue
            }
            if isMuch {
                try editor.insertSomePendingIntegers(of: try clusters().objectCount())
            } else {
                try editor.applySomePendingChanges()
            }
            markDirty()
            return true
        }
        return false
    }
}
