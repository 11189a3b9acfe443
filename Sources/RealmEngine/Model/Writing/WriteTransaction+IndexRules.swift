/// Checks for edits that could break a rule of indexes: primary keys must be unique, and strings of
/// indexed lists must not be too long (object format 5.6). The checks run before anything is
/// changed.
extension WriteTransaction {
    /// Maximum number of objects that an error message names.
    private static let maximumNamedObjects = 10

    /// Throws `misuse` if two objects would have the same primary key after `column` becomes
    /// required. Each null then becomes the zero of its type.
    func checkKeysStayDistinct(
        _ editor: TableEditor, requiring column: ColumnInfo
    ) throws(RealmError) {
        let zero = Defaults.zero(column.type)
        var (nulls, count) = (0, 0)
        var named: [String] = []
        try editor.forEachValue(column) { (key, value) throws(RealmError) in
            if case .null = value {
                nulls += 1
            } else if !ValueOrder.areEqual(value, zero) {
                return
            }
            count += 1
            if named.count < Self.maximumNamedObjects { named.append("\(key.raw)") }
        }
        guard nulls > 0, count > 1 else { return }
        let rest = count > named.count ? " …" : ""
        throw .misuse(
            "\(count) objects of \(Self.className(editor)) would have the same primary key: "
                + "\(column.name) is null or \(Self.text(zero)) in the objects "
                + "\(named.joined(separator: ", "))\(rest)", code: "ObjectAlreadyExists",
            reason: "duplicate-key", hint: "remove all but one of them first")
    }

    /// Throws `misuse` if a list in `column` contains a string that is too long for an index.
    func checkListsFitIndex(
        _ editor: TableEditor, _ column: ColumnInfo
    ) throws(RealmError) {
        guard column.collection == .list else { return }
        var count = 0
        var named: [String] = []
        try editor.forEachValue(column) { (key, value) throws(RealmError) in
            guard case .list(let view) = value else { return }
            var cursor = ElementCursor(context.space, view)
            while let element = try cursor.nextStored() {
                guard case .string(let bytes) = element, !IndexEditor.fits(word: bytes) else {
                    continue
                }
                count += 1
                if named.count < Self.maximumNamedObjects { named.append("\(key.raw)") }
                return
            }
        }
        if count == 0 { return }
        let rest = count > named.count ? " …" : ""
        throw .misuse(
            "\(Self.className(editor)).\(column.name) cannot be indexed: in \(count) objects it "
                + "holds strings of more than \(SearchIndex.maximumOffset) bytes: "
                + "\(named.joined(separator: ", "))\(rest)", code: "LimitExceeded",
            reason: "too-long")
    }

    /// Throws `data` if one of `values`, for an indexed list, is too long for the index.
    static func checkIndexed(_ values: [Value], _ column: ColumnInfo) throws(RealmError) {
        guard column.index != .none else { return }
        for case .string(let bytes) in values where !IndexEditor.fits(word: bytes) {
            throw RealmError(
                .data, code: "LimitExceeded", reason: "too-long",
                "\(column.name) is an indexed list, whose strings have at most "
                    + "\(SearchIndex.maximumOffset) bytes, not \(bytes.count)")
        }
    }

    private static func className(_ editor: TableEditor) -> String {
        let prefix = TableInfo.classPrefix
        return editor.name.hasPrefix(prefix)
            ? String(editor.name.dropFirst(prefix.count)) : editor.name
    }

    private static func text(_ zero: Value) -> String {
        switch zero {
        case .int: "0"
        case .string: "an empty string"
        default: "all zeros"
        }
    }
}
