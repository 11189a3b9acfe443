extension WriteTransaction {
    /// Appends elements to a list. Accesses only the path to the end of the list, unless the
    /// property has an index; then the whole list is read.
    ///
    /// Throws `data` if an element does not fit the property. Throws `misuse` if the property is
    /// not a list, or if it is a list of embedded objects, which can only be created in the list.
    package func appendElements(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ values: [Value]
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        try checkAppendable(values, info)
        guard let old = try editor.value(object, info), case .list(let view) = old else {
            throw Self.noObject(editor, object)
        }
        if values.isEmpty { return }
        // The index entries of the old strings must be removed first, since the strings' nodes will
        // change.
        try editor.changeIndex(info, object, from: old, to: nil)
        let list = try SequenceEditor(context, root: view.root, element: info.layout.element)
        let count = list.count
        for value in values { try list.append(copyToArena(value)) }
        let new = old.replacingRoot(try list.finish())
        try editor.setCell(object, info.leafIndex, new)
        try editor.changeIndex(info, object, from: nil, to: new)
        for value in values { try addBacklinks(editor, object, info, of: value) }
        if editor.created.pointee.contains(object.raw) { return }
        for i in values.indices {
            log.pointee.change(editor.key, info.key, object, .insert(count + i))
        }
    }

    private func checkAppendable(
        _ values: [Value], _ column: ColumnInfo
    ) throws(RealmError) {
        guard column.collection == .list else {
            throw .misuse("property \(column.name) is no list", reason: "type")
        }
        if column.type == .link, try editor(column.target).kind == .embedded {
            throw .misuse("the elements of \(column.name) are embedded", reason: "embedded")
        }
        _ = try checkedElements(values, column)
    }
}
