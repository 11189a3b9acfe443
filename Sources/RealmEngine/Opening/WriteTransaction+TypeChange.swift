/// Changes the type of a property, as the command `realm-write --type` does.
extension WriteTransaction {
    /// Changes the type of a property and converts its values. The property moves to the end of the
    /// class's properties. If it is the primary key, it remains so.
    ///
    /// Throws `misuse` if a value does not fit and `rule` is `refuse`. The caller must then roll
    /// back the transaction.
    func changeType(
        _ table: TableKey, _ column: Int, to new: PropertyDescription, _ rule: MisfitRule
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let old = editor.columns[column]
        let wasKey = editor.primaryKey == old.key
        if wasKey { try setPrimaryKey(table, nil) }
        var spec = try new.engineSpec(self)
        (spec.name, spec.isIndexed, spec.isFullText) = (Self.freeName(editor), false, false)
        try addProperty(table, spec)
        guard let added = editor.columnIndex(named: spec.name) else {
            throw .misuse("a column vanished", reason: "schema")
        }
        var change = TypeChange(to: new, target: spec.target, rule)
        try inBulk { () throws(RealmError) in
            try visitObjects(keys(editor)) { (object) throws(RealmError) in
                try convert(object, of: editor, column, to: added, &change)
            }
        }
        if rule == .refuse, change.losses.misfits > 0 {
            throw .misuse(
                "\(change.losses.misfits) values of \(editor.className).\(old.name) are no "
                    + new.typeText, code: "IllegalOperation", reason: "misfit")
        }
        try removeProperty(table, column)
        guard let place = editor.columnIndex(named: spec.name) else { return }
        try renameProperty(table, place, to: new.name)
        if new.index != .none { try setIndex(table, place, new.index) }
        if wasKey { try setPrimaryKey(table, place) }
    }

    /// Returns a name that no property of the class has.
    private static func freeName(_ editor: TableEditor) -> String {
        var number = 0
        while editor.columnIndex(named: "changed \(number)") != nil { number += 1 }
        return "changed \(number)"
    }

    private func convert(
        _ object: ObjectKey, of editor: TableEditor, _ column: Int, to added: Int,
        _ change: inout TypeChange
    ) throws(RealmError) {
        let info = editor.columns[column]
        guard let value = try editor.value(object, info) else { return }
        let result: TypeChange.Result
        if let root = value.collectionRoot, info.collection != nil {
            result = change.result(of: try elements(root, value, info), keep: copyToArena)
        } else {
            result = change.result(of: value, keep: copyToArena)
        }
        switch result {
        case .single(.null): break
        case .single(let value): try set(editor.key, object, added, value)
        case .elements(let values) where values.isEmpty: break
        case .elements(let values): try setElements(editor.key, object, added, values)
        }
    }

    private func elements(
        _ root: Ref, _ value: Value, _ column: ColumnInfo
    ) throws(RealmError) -> [Value] {
        if root.isNone { return [] }
        var type = column.layout.element
        if case .list(let view) = value { type = view.element }
        if case .set(let view) = value { type = view.element }
        var values: [Value] = []
        try SequenceEditor(context, root: root, element: type).visit { (element) in
            values.append(copyToArena(element))
        }
        return values
    }
}
