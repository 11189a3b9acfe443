/// The tables of an open write transaction. Contains the slots of the table directory, the editors
/// of tables that are in use, and the refs of the directory's nodes when they were last written.
///
/// Confined to the writer.
final class TableDirectory {
    let context: EditContext
    @exclusivity(unchecked) private(set) var slots: [Slot]
    /// Refs of the arrays of names and of tables when they were last written.
    private(set) var names: Ref
    private(set) var tables: Ref
    /// Whether tables were added, removed or renamed.
    var isDirty = false { didSet { context.invalidateReaders() } }
    /// Editors of tables in use, by slot. Duplicates the editors in `slots` for faster access.
    @exclusivity(unchecked) private var editors: ContiguousArray<Unmanaged<TableEditor>?> = []
    /// The last schema; nil after a table was added, removed or renamed, after a spill, and after a
    /// rollback in a commit group.
    private var cachedSchema: Schema?
    /// Key of each table by stored name. Nil until it is needed, and if two tables have the same
    /// name.
    private var keysByName: [String: TableKey]?
    /// Index before which no slot of the directory is free.
    private var firstFree = 0

    enum Slot {
        /// A table that this transaction has not opened for editing.
        case stored(TableInfo)
        case open(TableEditor)
        /// A free slot. `tag` becomes part of the key of the next table in this slot, so that keys
        /// are not reused.
        case free(tag: UInt64)

        init(_ slot: SchemaReader.Slot) {
            switch slot {
            case .table(let info): self = .stored(info)
            case .free(let tag): self = .free(tag: tag)
            }
        }

        /// Key of the table; nil for a free slot.
        fileprivate var key: TableKey? {
            switch self {
            case .stored(let info): info.key
            case .open(let editor): editor.key
            case .free: nil
            }
        }

        fileprivate var name: String {
            switch self {
            case .stored(let info): info.name
            case .open(let editor): editor.name
            case .free: ""
            }
        }
    }

    /// Makes the table directory for the version at which a transaction begins.
    init(_ context: EditContext, base: VersionState) throws(RealmError) {
        self.context = context
        guard let top = base.top else {
            (names, tables, slots) = (.none, .none, [])
            return
        }
        (names, tables) = (top.names, top.tables)
        slots = try SchemaReader(space: context.space, names: names, tables: tables)
            .slots(known: base.schema.tables).map(Slot.init)
        cachedSchema = base.schema
    }

    /// Makes the table directory of the next transaction in a commit group, after `done` was
    /// committed. Uses the table editors of `done`, with all their changes.
    init(after done: TableDirectory) {
        context = done.context
        (names, tables, slots) = (done.names, done.tables, done.slots)
        cachedSchema = done.cachedSchema
        for case .open(let editor) in slots { editor.beginTransaction() }
    }

    /// Makes the table directory of the next transaction in a commit group, after a rollback. Makes
    /// new table editors for the state that the last committed transaction, `done`, left.
    init(_ context: EditContext, after done: TableDirectory) throws(RealmError) {
        self.context = context
        (names, tables) = (done.names, done.tables)
        slots = try SchemaReader(space: context.space, names: names, tables: tables)
            .slots().map(Slot.init)
    }

    // MARK: Tables

    /// Returns the editor of the table in `slot`; opens the table if necessary.
    func editor(slot: Int) throws(RealmError) -> TableEditor {
        switch slots[slot] {
        case .open(let editor): return editor
        case .stored(let info):
            try checkRoots(info)
            let editor = TableEditor(info, context)
            slots[slot] = .open(editor)
            return editor
        case .free: throw .corrupt("table slot \(slot) is free", in: "table directory")
        }
    }

    /// Throws `corrupt` if a ref of a table equals the ref of a node of this transaction, as is
    /// possible in a damaged file.
    private func checkRoots(_ info: TableInfo) throws(RealmError) {
        try checkRoot(info.root)
        try checkRoot(info.tombstones)
        for i in info.columns.indices {
            try checkRoot(info.columns[i].indexRoot)
            try checkRoot(info.columns[i].distinct)
        }
    }

    @inline(__always)
    private func checkRoot(_ ref: Ref) throws(RealmError) {
        guard !context.nodes.owns(ref) else { throw context.space.badRef(ref) }
    }

    /// Returns the editor of the table with `key` if it was cached by `cache`; nil otherwise.
    @inline(__always)
    func cachedEditor(_ key: TableKey) -> TableEditor? {
        cachedUnretained(key)?.takeUnretainedValue()
    }

    /// Returns the cached editor of the table with `key`, without retaining it: this directory
    /// retains it.
    @inline(__always)
    func cachedUnretained(_ key: TableKey) -> Unmanaged<TableEditor>? {
        guard key.slot < editors.count, let editor = editors[key.slot],
            borrowing(editor, { $0.key == key })
        else { return nil }
        return editor
    }

    /// Caches the editor of a table for fast access.
    func cache(_ editor: TableEditor) {
        if editors.count != slots.count { clearEditors() }
        editors[editor.key.slot] = .passUnretained(editor)
    }

    private func clearEditors() {
        editors = ContiguousArray(repeating: nil, count: slots.count)
    }

    /// Returns the key of the table with the stored name `name`; nil if there is none.
    func key(stored name: String) -> TableKey? {
        // The names in the schema are already sorted, and most transactions look up only a few.
        if let cachedSchema {
            return cachedSchema.tableNames.position(of: name).map { cachedSchema.tables[$0].key }
        }
        if keysByName == nil { keysByName = makeKeysByName() }
        if let keysByName { return keysByName[name] }
        return slots.first { $0.key != nil && $0.name == name }?.key
    }

    private func makeKeysByName() -> [String: TableKey]? {
        var keys: [String: TableKey] = [:]
        keys.reserveCapacity(slots.count)
        for slot in slots {
            guard let key = slot.key else { continue }
            guard keys.updateValue(key, forKey: slot.name) == nil else { return nil }
        }
        return keys
    }

    /// Changes the stored name of a table.
    func rename(_ editor: TableEditor, to name: String) {
        keysByName?[editor.name] = nil
        editor.name = name
        if keysByName?.updateValue(editor.key, forKey: name) != nil { keysByName = nil }
        isDirty = true
        cachedSchema = nil
    }

    /// Returns the first free slot, and the tag for the key of its next table.
    func freeSlot() -> (slot: Int, tag: UInt64) {
        while firstFree < slots.count {
            if case .free(let tag) = slots[firstFree] { return (firstFree, tag) }
            firstFree += 1
        }
        return (slots.count, 0)
    }

    /// Replaces the content of slot `i`; appends a slot if `i` is the number of slots.
    func place(_ slot: Slot, at i: Int) {
        if i == slots.count {
            slots.append(slot)
            if editors.count == i { editors.append(nil) } else { clearEditors() }
        } else {
            if slots[i].key != nil { keysByName?[slots[i].name] = nil }
            slots[i] = slot
            if i < editors.count { editors[i] = nil }
        }
        if let key = slot.key {
            if keysByName?.updateValue(key, forKey: slot.name) != nil { keysByName = nil }
        } else {
            firstFree = min(firstFree, i)
        }
        isDirty = true
        cachedSchema = nil
        context.schemaGeneration += 1
    }

    // MARK: Reading

    /// Returns the current schema. It is the same object as in the previous call if no node of a
    /// table has moved.
    func schema() throws(RealmError) -> Schema {
        var all: [TableInfo] = []
        all.reserveCapacity(slots.count)
        var metadata: TableInfo?
        for slot in slots {
            switch slot {
            case .stored(let info): all.append(info)
            case .open(let editor):
                all.append(try editor.info())
                if editor.name == "metadata" { metadata = all[all.count - 1] }
            case .free: continue
            }
        }
        guard let cached = cachedSchema, cached.tables.count == all.count,
            zip(cached.tables, all).allSatisfy({
                $0 === $1 || $0.key == $1.key && $0.name == $1.name
            })
        else {
            let reader = SchemaReader(space: context.space, names: names, tables: tables)
            let fresh = Schema(tables: all, version: try reader.schemaVersion(all))
            cachedSchema = fresh
            return fresh
        }
        let number =
            try metadata.map { (info) throws(RealmError) in
                try SchemaReader(space: context.space, names: names, tables: tables)
                    .schemaVersion([info])
            } ?? cached.version
        if number == cached.version, zip(cached.tables, all).allSatisfy({ $0 === $1 }) {
            return cached
        }
        let fresh = Schema(cached, tables: all, version: number)
        cachedSchema = fresh
        return fresh
    }

    /// Stores pending backlinks and applies pending index changes, so that the nodes describe the
    /// current state.
    func flushPending() throws(RealmError) {
        for case .open(let editor) in slots { try editor.flushPending(isComplete: true) }
    }

    // MARK: Writing

    /// Writes the top arrays of changed tables, and then the table directory with their refs.
    ///
    /// - Parameter isComplete: false during a spill; index changes then stay pending.
    func flush(isComplete: Bool = true) throws(RealmError) {
        // Flushing an editor changes only the editor's own table, so the editors can be flushed in
        // turn.
        var refs: [UInt64] = []
        var changed = isDirty
        let old = tables.isNone ? nil : try context.space.node(tables)
        for (i, slot) in slots.enumerated() {
            let before = old.flatMap { i < $0.count ? $0.slot(i).raw : nil }
            switch slot {
            case .stored(let info): refs.append(info.top.raw)
            case .open(let editor): refs.append(try editor.flush(isComplete: isComplete).raw)
            case .free(let tag): refs.append(NodeEncoder.tag(tag))
            }
            if refs[i] != before { changed = true }
        }
        if names.isNone || isDirty {
            try context.free(names)
            names = try context.encoder.names(slots.map(\.name))
        }
        if changed || tables.isNone {
            try context.free(tables)
            tables = try context.encoder.refs(refs)
        }
        isDirty = false
    }

    /// Returns upper bounds of the integers in the indexes of open tables, for `version`.
    func bounds(version: UInt64) -> IntegerBounds {
        var largest = context.bounds.filter { (place, _) in
            guard place.table.slot < slots.count,
                case .stored(let info) = slots[place.table.slot]
            else { return false }
            return info.key == place.table
        }
        for case .open(let editor) in slots { largest.merge(editor.bounds()) { $1 } }
        return IntegerBounds(version: version, largest: largest)
    }

    /// Sets the refs of the table directory's nodes, which a spill has moved.
    func moved(names: Ref, tables: Ref) { (self.names, self.tables) = (names, tables) }

    /// Continues after a spill. The editors of tables stay the same.
    func restart() throws(RealmError) {
        let stored = try SchemaReader(space: context.space, names: names, tables: tables).slots()
        for (i, slot) in stored.enumerated() {
            guard case .open(let editor) = slots[i], case .table(let info) = slot else { continue }
            editor.resume(info)
        }
        cachedSchema = nil
        context.schemaGeneration += 1
    }
}
