extension WriteTransaction {
    /// Creates an object and returns its key.
    ///
    /// `primaryKey` must be passed if the table has a primary key, and must be nil otherwise. Other
    /// properties get their default values: null, zero or empty. Throws `data` if the primary key
    /// does not fit or an object has it already.
    public func create(in table: TableKey, primaryKey: Value? = nil) throws(RealmError) -> ObjectKey
    {
        let editor = try openEditor(table)
        let shape = try editor.shape()
        shape.begin()
        guard let index = shape.primaryKey.map({ shape.indexes[$0] }) else {
            guard primaryKey == nil else {
                throw .misuse("class \(editor.className) has no primary key", reason: "primary-key")
            }
            return try createRow(editor, shape, key: nil)
        }
        let column = editor.columns[index.column]
        guard let value = primaryKey else {
            throw RealmError(
                .data, code: "MissingPropertyValue", reason: "primary-key",
                "the primary key \(column.name) is missing")
        }
        try ValueCheck.check(value, column)
        shape.row[column.leafIndex] = copyToArena(value)
        return try createRow(editor, shape, key: nil)
    }

    /// Creates an object with a value for each property, in the order of the columns, and returns
    /// its key. Collections are empty; values passed for them are ignored.
    ///
    /// - Parameters:
    ///   - key: the object key; nil for the next unused one.
    ///   - hasFoundTargets: whether the caller has just looked up the targets of all links, so that
    ///     they need no check.
    ///
    /// Throws `data` if a value does not fit, or if an object has the primary key or `key` already.
    public func create(
        in table: TableKey, values: UnsafeBufferPointer<Value>, key: ObjectKey? = nil,
        hasFoundTargets: Bool = false
    ) throws(RealmError) -> ObjectKey {
        let editor = try openEditor(table)
        let shape = try editor.shape()
        precondition(values.count == shape.fields.count)
        shape.begin()
        for i in 0..<values.count {
            let field = shape.fields[i]
            if field.isCollection { continue }
            if !field.accepts(values[i]) { try ValueCheck.check(values[i], editor.columns[i]) }
            // If storing the value changes only the cell, the bytes of the value are copied to the
            // leaf before any node moves. Other values are copied to the arena first.
            shape.row[field.leafIndex] = field.isPlain ? values[i] : copyToArena(values[i])
        }
        if !hasFoundTargets {
            for link in shape.links { try checkTarget(values[link.column]) }
        }
        for i in shape.mixed { try checkTarget(values[i]) }
        return try createRow(editor, shape, key: key)
    }

    /// Creates a top-level object from the row in `shape`, which has been checked. Throws `data` if
    /// an object has the primary key already.
    private func createRow(
        _ editor: TableEditor, _ shape: RowShape, key: ObjectKey?
    ) throws(RealmError) -> ObjectKey {
        guard editor.kind == .topLevel else { throw Self.cannotStandAlone(editor) }
        guard let position = shape.primaryKey else {
            return try insertRow(editor, shape, wanted: key)
        }
        let index = shape.indexes[position]
        if try index.editor.find(shape.row[index.leafIndex]) != nil {
            throw RealmError(
                .data, code: "ObjectAlreadyExists", reason: "duplicate-key",
                "an object with this \(editor.columns[index.column].name) exists already")
        }
        return try insertRow(editor, shape, wanted: key)
    }

    private static func cannotStandAlone(_ editor: TableEditor) -> RealmError {
        editor.kind == .embedded
            ? .misuse(
                "an object of embedded class \(editor.className) exists only inside its parent",
                reason: "embedded")
            : .misuse("class \(editor.className) is asymmetric", reason: "asymmetric")
    }

    /// Inserts the row in `shape` with the object key `wanted`. Then raises the table's sequence
    /// number, from which later keys are computed, so that it does not yield `wanted` again.
    private func claim(
        _ wanted: ObjectKey, _ editor: TableEditor, _ shape: RowShape
    ) throws(RealmError) {
        guard wanted.raw >= 0, wanted.raw < 1 << 62 else {
            throw RealmError(
                .data, code: "KeyNotFound", reason: "object-key",
                "\(wanted.raw) cannot be an object key")
        }
        guard try editor.insertNew(wanted, shape.row) else {
            throw RealmError(
                .data, code: "ObjectAlreadyExists", reason: "duplicate-key",
                "an object with the key \(wanted.raw) exists already")
        }
        // Computes the sequence number from the key: the inverse of `insertNext`, whose keys have
        // at most 40 bits.
        let raw = UInt64(wanted.raw)
        if raw >> 40 == 0 {
            let number = (raw & 0xFF) | (raw >> 8 & ~0xFF)
            editor.counters.nextSequenceNumber = max(editor.counters.nextSequenceNumber, number + 1)
        }
    }

    /// Returns the key of the object with this primary key; nil if there is none.
    public func find(in table: TableKey, primaryKey: Value) throws(RealmError) -> ObjectKey? {
        let shape = try openEditor(table).shape()
        guard let index = shape.primaryKey else { return nil }
        return try shape.indexes[index].editor.find(primaryKey)
    }

    func openEditor(_ table: TableKey) throws(RealmError) -> TableEditor {
        try checkOpen()
        return try editor(table)
    }

    /// Inserts an object with default values into the table of an embedded class.
    func insertEmbedded(_ editor: TableEditor) throws(RealmError) -> ObjectKey {
        let shape = try editor.shape()
        shape.begin()
        return try insertRow(editor, shape)
    }

    /// Inserts the row in `shape` into the tree and into all indexes, and adds the backlinks of its
    /// links.
    private func insertRow(
        _ editor: TableEditor, _ shape: RowShape, wanted: ObjectKey? = nil
    ) throws(RealmError) -> ObjectKey {
        editor.markDirty()
        let key: ObjectKey
        if let wanted {
            try claim(wanted, editor, shape)
            key = wanted
        } else {
            key = try insertNext(editor, shape)
        }
        for index in shape.indexes {
            try index.editor.insert(shape.row[index.leafIndex].indexed, key)
        }
        if !shape.links.isEmpty { try addBacklinks(editor, shape, key) }
        if !shape.mixed.isEmpty { try addMixedBacklinks(editor, shape, key) }
        if editor.kind != .embedded { log.pointee.createObject(editor.key, key) }
        editor.created.pointee.insert(key.raw)
        return key
    }

    /// Adds the backlinks of all links in a new row.
    private func addBacklinks(
        _ editor: TableEditor, _ shape: RowShape, _ key: ObjectKey
    ) throws(RealmError) {
        for i in shape.links.indices {
            guard case .link(let link) = shape.row[shape.links[i].leafIndex] else { continue }
            if shape.links[i].target == nil { try learnTarget(editor, shape, i) }
            let other = shape.links[i]
            try other.target!.takeUnretainedValue().addBacklink(
                other.backlink, of: link.key, from: key)
        }
    }

    @inline(never)
    private func addMixedBacklinks(
        _ editor: TableEditor, _ shape: RowShape, _ key: ObjectKey
    ) throws(RealmError) {
        for i in shape.mixed {
            switch shape.row[shape.fields[i].leafIndex] {
            case .link, .list, .set, .dictionary:
                let value = shape.row[shape.fields[i].leafIndex]
                try addBacklinks(editor, key, editor.columns[i], of: value)
            default: continue
            }
        }
    }

    private func learnTarget(
        _ editor: TableEditor, _ shape: RowShape, _ i: Int
    ) throws(RealmError) {
        let column = editor.columns[shape.links[i].column]
        let target = try self.editor(column.target)
        let backlink = try backlinkColumn(editor, column, in: target)
        shape.recordTarget(i, target, backlink: backlink.leafIndex)
    }

    /// Inserts the row in `shape` with the next key, which is computed in the same way as in the
    /// reference engine (object format 1.12).
    private func insertNext(
        _ editor: TableEditor, _ shape: RowShape
    ) throws(RealmError) -> ObjectKey {
        let isPlain = editor.primaryKey != nil
        while true {
            let n = editor.counters.nextSequenceNumber
            editor.counters.nextSequenceNumber += 1
            let key = ObjectKey(
                Int64(bitPattern: isPlain ? n : (n & 0xFF) | (n & 0xFFFF_FF00) << 8))
            guard key.raw >= 0, n < 1 << 62 else {
                throw .corrupt("the object keys of \(editor.className) are used up", in: "table")
            }
            // If the key exists, the next one is tried. This happens only in files written before
            // tables had a sequence number.
            if try editor.insertNew(key, shape.row) { return key }
        }
    }

    /// Sets a single-valued property: a scalar, a link or a mixed value.
    ///
    /// Throws `data` when the value does not fit the property's type.
    public func set(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) {
        if isOpen, let editor = directory.cachedUnretained(table) {
            let isSet = try borrowing(editor) { (editor) throws(RealmError) in
                try setPlain(editor, object, column, value)
            }
            if isSet { return }
        }
        let editor = try openEditor(table)
        if try setPlain(editor, object, column, value) { return }
        let info = editor.columns[column]
        try ValueCheck.check(value, info)
        guard info.key != editor.primaryKey || defersKeys else {
            throw .misuse("the primary key \(info.name) cannot change", reason: "primary-key")
        }
        try checkTarget(value)
        try setCell(editor, object, info, copyToArena(value))
    }

    /// Sets a property that has no index and contains no links. Returns false for other properties,
    /// without a change.
    @inline(__always)
    private func setPlain(
        _ editor: TableEditor, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        let fields = editor.fields()
        precondition(column >= 0 && column < fields.count)
        let field = fields[column]
        guard field.isPlain, field.accepts(value) else { return false }
        guard try editor.setIfPresent(object, field.leafIndex, value) else {
            throw Self.noObject(editor, object)
        }
        if !editor.created.pointee.contains(object.raw) {
            log.pointee.set(editor.key, field.key, object)
        }
        return true
    }

    /// Sets a property after all checks. Updates indexes and backlinks, and deletes an embedded
    /// object that is no longer linked.
    func setCell(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, _ value: Value
    ) throws(RealmError) {
        guard try editor.reaches(object), let old = try editor.value(object, column) else {
            throw Self.noObject(editor, object)
        }
        if column.index != .none {
            try editor.changeIndex(column, object, from: old, to: value)
        }
        try editor.setCell(object, column.leafIndex, value)
        if column.collection != nil || column.layout.element.mayHoldLinks {
            try linkChange(editor, object, column, from: old, to: value)
        }
        if !editor.created.pointee.contains(object.raw) {
            log.pointee.set(editor.key, column.key, object)
        }
    }

    static func noObject(_ editor: TableEditor, _ object: ObjectKey) -> RealmError {
        RealmError(
            .misuse, code: "NoSuchObject", reason: "no-object",
            "\(editor.className) has no object \(object.raw)")
    }

    /// Returns a copy of the value, whose bytes are valid until the end of the transaction.
    func copyToArena(_ value: Value) -> Value { context.arena.copy(value) }
}
