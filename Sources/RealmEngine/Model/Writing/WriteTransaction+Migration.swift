/// Schema changes that only migrations make, and that affect the objects of a class. They change
/// the primary key, or the kind of class, such as to embedded (object format 1.2). The change log
/// does not record them.
extension WriteTransaction {
    /// Makes another property the primary key of a class, or removes the primary key if `column` is
    /// nil.
    ///
    /// The previous primary key keeps its search index if the schema requests an index. Throws
    /// `misuse` if the property cannot be a primary key. Also throws `misuse` if objects have equal
    /// values in it, and the transaction must then be rolled back; if `defersKeys`,
    /// `checkPrimaryKeys` throws instead.
    func setPrimaryKey(_ table: TableKey, _ column: Int?) throws(RealmError) {
        let editor = try openEditor(table)
        let wanted = column.map { editor.columns[$0] }
        if wanted?.key == editor.primaryKey { return }
        if let wanted {
            try Self.checkMayBeKey(editor, wanted)
            guard wanted.index != .fullText else {
                throw .misuse(
                    "\(wanted.name) has a full-text index, which a primary key cannot have",
                    reason: "primary-key")
            }
        }
        try dropPrimaryKey(editor)
        if let column, let wanted {
            if wanted.index == .none {
                editor.columns[column] = wanted.changed(index: .general)
                try buildIndex(editor, editor.columns[column])
            }
            editor.primaryKey = wanted.key
        }
        editor.markSpecDirty()
        editor.markDirty()
        if !defersKeys { try Self.checkPrimaryKey(editor) }
    }

    private func dropPrimaryKey(_ editor: TableEditor) throws(RealmError) {
        guard let i = editor.primaryKeyIndex else { return }
        editor.primaryKey = nil
        let old = editor.columns[i]
        if old.isIndexed { return }
        try editor.dropIndex(old.leafIndex)
        editor.columns[i] = old.changed(index: IndexKind.none)
    }

    /// Throws `misuse` if two objects of a class have the same primary key. Checks the classes that
    /// this transaction has opened.
    func checkPrimaryKeys() throws(RealmError) {
        for case .open(let editor) in directory.slots { try Self.checkPrimaryKey(editor) }
    }

    private static func checkPrimaryKey(_ editor: TableEditor) throws(RealmError) {
        guard let column = editor.primaryKeyIndex.map({ editor.columns[$0] }) else { return }
        try editor.flushPending(isComplete: true)
        guard let index = try editor.index(column) else { return }
        try editor.forEachValue(column) { (key, value) throws(RealmError) in
            if try index.find(value) == key { return }
            throw .misuse(
                "Primary key property '\(editor.className).\(column.name)' has duplicate values after "
                    + "migration.", code: "MigrationFailed", reason: "duplicate-key")
        }
    }

    /// Makes the objects of a class top-level or embedded. An embedded object is owned by the only
    /// object that links to it.
    ///
    /// Throws `misuse`, without a change, if a class to be embedded has a primary key, or if one of
    /// its objects has no link, several links, or a link from a mixed property. Also throws it for
    /// asymmetric classes.
    func setKind(_ table: TableKey, _ kind: TableKind) throws(RealmError) {
        let editor = try openEditor(table)
        if editor.kind == kind { return }
        guard editor.kind != .asymmetric, kind != .asymmetric else {
            throw Self.migrationFailure(
                "Cannot change '\(editor.className)' from \(editor.kind.title) to \(kind.title)")
        }
        if kind == .embedded {
            guard editor.primaryKey == nil else {
                throw Self.migrationFailure(
                    "Cannot change '\(editor.className)' to embedded when using a primary key.")
            }
            for key in try keys(editor) { try checkHasOneOwner(editor, key) }
        }
        editor.kind = kind
        editor.markDirty()
    }

    private func checkHasOneOwner(_ editor: TableEditor, _ key: ObjectKey) throws(RealmError) {
        func refuse(_ why: String) -> RealmError {
            Self.migrationFailure("Cannot convert '\(editor.className)' to embedded: \(why)")
        }
        var owners = 0
        for backlink in editor.backlinks {
            let count = try editor.backlinkOrigins(backlink.leafIndex, of: key).count
            if count == 0 { continue }
            let origin = try self.editor(backlink.origin)
            if let i = origin.columnIndex(backlink.originColumn), origin.columns[i].type == .mixed {
                throw refuse(
                    "there is an incoming link from the Mixed property "
                        + "'\(origin.className).\(origin.columns[i].name)', which does not support "
                        + "linking to embedded objects.")
            }
            owners += count
        }
        guard owners > 0 else {
            throw refuse("at least one object has no incoming links and would be deleted.")
        }
        guard owners == 1 else {
            throw refuse("at least one object has more than one incoming link.")
        }
    }

    static func migrationFailure(_ message: String) -> RealmError {
        .misuse(message, code: "MigrationFailed", reason: "migration")
    }
}

extension TableKind {
    /// Name of the kind of class, as the error messages of the SDKs spell it.
    var title: String {
        switch self {
        case .topLevel: "TopLevel"
        case .embedded: "Embedded"
        case .asymmetric: "TopLevelAsymmetric"
        }
    }
}
