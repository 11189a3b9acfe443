/// The one transaction that may change a database: reads its own changes, publishes them all or
/// none.
///
/// Built from the newest version by copy-on-write: nothing an existing version uses is touched
/// before `commit`, so abandoning the transaction costs nothing. Confined to the thread that began
/// it.
///
/// In a group, a transaction takes over what the one before it worked with: a commit then leaves the
/// new nodes in the slab, and one taken back is forgotten by going on from the refs before it.
public final class WriteTransaction {
    let session: WriteSession
    /// The version in the file that this transaction, or its group, began with.
    let base: VersionState
    /// Version this transaction will become.
    public let version: UInt64
    let context: EditContext
    private(set) var memory: SpaceMemory
    /// What is free once nodes have been written ahead of the commit; nil before.
    private(set) var spilledSpace: FreeSpace?
    /// The table directory: slot by slot.
    var slots: [Slot] {
        didSet {
            lastEditor = nil
            context.schemaGeneration += 1
        }
    }
    /// The editor asked for last.
    private var lastEditor: TableEditor?
    var log = ChangeLogWriter()
    /// The beginning of the log, in blobs that are in the file.
    private(set) var writtenLog = Changeset.Written()
    /// Bytes of memory that the changes should take at most: while a commit puts much in order, it
    /// writes out as `spill` does.
    public var memoryLimit = Int.max
    /// Tables were added, removed or renamed.
    var isDirectoryDirty = false
    private(set) var isOpen = true
    /// Roots of what was flushed last.
    private(set) var names: Ref
    private(set) var tables: Ref
    /// The next collection key handed out.
    private var nextCollectionKey: Int32

    /// One slot of the table directory.
    enum Slot {
        /// Untouched so far.
        case stored(TableInfo)
        case open(TableEditor)
        /// Free, with the reuse tag for the next table placed here.
        case free(tag: UInt64)

        init(_ slot: SchemaReader.Slot) {
            switch slot {
            case .table(let info): self = .stored(info)
            case .free(let tag): self = .free(tag: tag)
            }
        }
    }

    init(_ session: WriteSession, base: VersionState) throws(RealmError) {
        self.session = session
        self.base = base
        version = base.version + 1
        memory = SpaceMemory(
            session.database.file.mapping, limit: base.limit, since: base.moment)
        session.slab.attach(memory)
        context = EditContext(
            space: memory.lookup, slab: session.slab, fanout: session.options.fanout)
        names = base.top?.names ?? .none
        tables = base.top?.tables ?? .none
        slots =
            base.top == nil
            ? []
            : try SchemaReader(space: memory.lookup, names: names, tables: tables)
                .slots(known: base.schema.tables)
                .map(Slot.init)
        nextCollectionKey = Int32(truncatingIfNeeded: base.version &* 0x9E37_79B1) & 0x3FFF_FFFF
    }

    /// Goes on from what `done` committed to its group, whose flush is to come.
    init(after done: WriteTransaction) {
        session = done.session
        base = done.base
        version = done.version + 1
        memory = done.memory
        spilledSpace = done.spilledSpace
        context = done.context
        (names, tables) = (done.names, done.tables)
        slots = done.slots
        nextCollectionKey = done.nextCollectionKey
        session.slab.seal()
        for case .open(let editor) in slots { editor.beginTransaction() }
    }

    /// As above, when transactions after `done` were taken back: their editors are forgotten with the
    /// space they let go.
    init(after done: WriteTransaction, freed: Int) throws(RealmError) {
        session = done.session
        base = done.base
        version = done.version + 1
        memory = SpaceMemory(done.memory.lookup)
        session.slab.reattach(memory)
        session.slab.seal()
        spilledSpace = done.spilledSpace
        context = EditContext(done.context, memory.lookup, freed: freed)
        (names, tables) = (done.names, done.tables)
        slots = try Self.slots(memory.lookup, names, tables)
        nextCollectionKey = done.nextCollectionKey
    }

    private static func slots(
        _ space: NodeSpace, _ names: Ref, _ tables: Ref
    ) throws(RealmError) -> [Slot] {
        try SchemaReader(space: space, names: names, tables: tables).slots().map(Slot.init)
    }

    // A transaction merely dropped gives up the writer's turn like one rolled back.
    deinit { if isOpen { session.end() } }

    /// Something was changed.
    var hasChanges: Bool { !log.bytes.isEmpty || writtenLog.count > 0 || isDirectoryDirty }

    /// Bytes of memory that the changes take.
    public var size: Int { context.usedBytes }

    // MARK: Tables

    /// The editor of the table in `slot`, opened on first use.
    func editor(slot: Int) throws(RealmError) -> TableEditor {
        switch slots[slot] {
        case .open(let editor): return editor
        case .stored(let info):
            try checkRoots(info)
            let editor = TableEditor(info, context)
            slots[slot] = .open(editor)
            try expandEnumerated(editor)
            return editor
        case .free: throw .corrupt("table slot \(slot) is free", in: "table directory")
        }
    }

    /// What leads into a table comes from a version before this one, and must not pose as nodes of
    /// this transaction.
    private func checkRoots(_ info: TableInfo) throws(RealmError) {
        let lists = info.columns.map(\.indexRoot) + info.columns.map(\.distinct)
        for ref in [info.root, info.tombstones] + lists {
            guard !context.owns(ref) else { throw context.space.badRef(ref) }
        }
    }

    /// The editor of the table with `key`.
    func editor(_ key: TableKey) throws(RealmError) -> TableEditor {
        if let lastEditor, lastEditor.key == key { return lastEditor }
        let found = try findEditor(key)
        lastEditor = found
        return found
    }

    private func findEditor(_ key: TableKey) throws(RealmError) -> TableEditor {
        guard key.slot < slots.count else {
            throw .corrupt("table \(key.raw) does not exist", in: "table directory")
        }
        let editor = try editor(slot: key.slot)
        guard editor.key == key else {
            throw .corrupt("table \(key.raw) does not exist", in: "table directory")
        }
        return editor
    }

    /// Key of the table with the stored name `name`.
    func tableKey(stored name: String) -> TableKey? {
        for slot in slots {
            switch slot {
            case .stored(let info): if info.name == name { return info.key }
            case .open(let editor): if editor.name == name { return editor.key }
            case .free: continue
            }
        }
        return nil
    }

    /// Key of the class called `name`; nil when there is none.
    public func table(named name: String) -> TableKey? {
        tableKey(stored: TableInfo.classPrefix + name)
    }

    /// A collection key no other nested collection of this transaction has.
    func makeCollectionKey() -> Int32 {
        nextCollectionKey = nextCollectionKey == 0x7FFF_FFFE ? 1 : nextCollectionKey + 1
        return nextCollectionKey
    }

    // MARK: Reading

    /// A snapshot of the transaction's own state, valid until the next change or the end.
    public func snapshot() throws(RealmError) -> Snapshot {
        try checkOpen()
        try flush()
        return Snapshot(unpinned: session.database, try state(), memory: memory)
    }

    /// What was flushed last, as a version.
    func state(_ nodes: SlabView? = nil) throws(RealmError) -> VersionState {
        let reader = SchemaReader(
            space: memory.lookup, names: names, tables: tables, known: SchemaReader.Known(base))
        return VersionState(
            version: version, format: 24, top: base.top, limit: memory.lookup.limit,
            schema: slots.isEmpty ? Schema(tables: [], version: nil) : try reader.schema(),
            moment: base.moment, nodes: nodes)
    }

    // MARK: Memory

    /// Whether it is time for `spill`: the changes take too much memory, or a good deal of it is nodes
    /// that nothing will change any more, as while objects are appended. Those are better written
    /// while there is something else to do than all at the end.
    public var isSpillDue: Bool {
        size > memoryLimit
            || (context.slab.used > 6 << 20
                && context.editedBytes + context.changeableBytes < 1 << 20)
    }

    /// Makes the transaction take little memory again: what it has made so far goes to the file, into
    /// space that no version uses, where nothing refers to it before the commit. Worth it for
    /// transactions of many megabytes only. Values and collections made by the transaction but not
    /// stored yet are lost. A rehearsal uses a temporary file; a group that has commits which are not
    /// in the file yet keeps everything.
    ///
    /// Throws `output` when the file cannot be written, and the transaction can only be rolled back.
    public func spill() throws(RealmError) {
        try checkOpen()
        guard canWriteOut else { return }
        try settleIndexes(onlyMost: true)
        try writeOut()
    }

    private var canWriteOut: Bool {
        session.group.map { $0.count == 0 } ?? true
    }

    private func writeOut() throws(RealmError) {
        try flush(isComplete: false)
        if let directory = session.rehearsalDirectory { return try moveOut(to: directory) }
        let logged = try cutLog()
        do throws(RealmError) {
            let written = try Spill(self, spilledSpace).run(
                names: names, tables: tables, others: logged)
            (names, tables) = (written.names, written.tables)
            writtenLog.parts += written.others
            spilledSpace = written.space
            try restart(limit: written.space.logicalSize)
        } catch {
            if error.kind == .output { session.database.poison(error) }
            throw error
        }
    }

    /// Adds what waits for indexes to them, part by part, without taking more memory than is due.
    private func settleIndexes(onlyMost: Bool) throws(RealmError) {
        for i in slots.indices {
            while case .open(let editor) = slots[i],
                try editor.settleSomeWaiting(onlyMost: onlyMost)
            {
                if size > memoryLimit, canWriteOut { try writeOut() }
            }
        }
    }

    /// The log so far as blobs, where it is long enough to be worth it.
    private func cutLog() throws(RealmError) -> [Ref] {
        let bytes = log.bytes
        guard bytes.count >= 1 << 20, let base = bytes.baseAddress else { return [] }
        var refs: [Ref] = []
        var at = 0
        while at < bytes.count {
            let count = min(1 << 22, bytes.count - at)
            refs.append(try context.encoder.blob(ByteView(base + at, count: count)))
            at += count
        }
        writtenLog.count += bytes.count
        log.forgetBytes()
        return refs
    }

    /// Has the nodes of a rehearsal out of memory, and nothing kept that only a commit needs.
    private func moveOut(to directory: String) throws(RealmError) {
        try session.slab.moveOut(to: directory)
        log.forgetBytes()
        context.forgetFreed(after: 0)
        let fresh = SpaceMemory(memory.lookup)
        session.slab.reattach(fresh)
        try restart(fresh)
    }

    /// Goes on with what the file holds.
    private func restart(limit: UInt64) throws(RealmError) {
        let fresh = SpaceMemory(session.database.file.mapping, limit: limit)
        session.slab.attach(fresh)
        try restart(fresh)
    }

    private func restart(_ fresh: SpaceMemory) throws(RealmError) {
        memory = fresh
        context.restart(fresh.lookup)
        let stored = try SchemaReader(space: fresh.lookup, names: names, tables: tables).slots()
        for (i, slot) in stored.enumerated() {
            guard case .open(let old) = slots[i], case .table(let info) = slot else { continue }
            slots[i] = .open(TableEditor(info, continuing: old))
        }
    }

    // MARK: Ending

    func checkOpen() throws(RealmError) {
        guard isOpen else {
            throw .misuse("the write transaction has ended", code: "WrongTransactionState")
        }
    }

    /// Forgets all changes.
    public func rollback() {
        guard isOpen else { return }
        isOpen = false
        session.end()
    }

    /// Publishes the changes as one new version and returns its number, durable when it returns
    /// unless the session was opened without syncs.
    ///
    /// Throws `output` when the file cannot be written or synced: the previous version stays
    /// intact and the session refuses every later write.
    @discardableResult
    public func commit() throws(RealmError) -> UInt64 {
        try checkOpen()
        guard !session.isRehearsal else {
            throw .misuse("a rehearsal cannot commit", code: "WrongTransactionState")
        }
        isOpen = false
        var isCommitted = false
        defer { session.end(isCommitted: isCommitted) }
        do throws(RealmError) {
            if memoryLimit < .max { try settleIndexes(onlyMost: false) }
            try flush()
            if let group = session.group {
                group.add(self)
            } else {
                _ = try Commit(self, version: version, changesets: [changeset]).run()
            }
            isCommitted = true
            return version
        } catch {
            // Nothing was written by an error of another kind, except where `Commit` says so.
            if session.group == nil, error.kind == .output || error.kind == .internal {
                session.database.poison(error)
            }
            throw error
        }
    }

    /// What changed; valid until the transaction goes on.
    var changeset: Changeset {
        let bytes = log.bytes
        let rest = bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty
        return Changeset(written: writtenLog, rest: rest)
    }

    /// Writes all editors into the slab and makes the directory refer to what they wrote.
    ///
    /// - Parameter isComplete: false when the transaction goes on and nobody reads the indexes.
    func flush(isComplete: Bool = true) throws(RealmError) {
        // Tables with open editors whose columns changed may touch other tables while flushing;
        // flushing an editor only ever writes its own table.
        var refs: [UInt64] = []
        var changed = isDirectoryDirty
        let old = tables.isNone ? nil : try memory.lookup.node(tables)
        for (i, slot) in slots.enumerated() {
            let before = old.flatMap { i < $0.count ? $0.slot(i).raw : nil }
            switch slot {
            case .stored(let info): refs.append(info.top.raw)
            case .open(let editor): refs.append(try editor.flush(isComplete: isComplete).raw)
            case .free(let tag): refs.append(NodeEncoder.tag(tag))
            }
            if refs[i] != before { changed = true }
        }
        if names.isNone || isDirectoryDirty {
            try context.free(names)
            names = try context.encoder.names(slots.map(Self.name))
        }
        if changed || tables.isNone {
            try context.free(tables)
            tables = try context.encoder.refs(refs)
        }
        isDirectoryDirty = false
    }

    private static func name(_ slot: Slot) -> String {
        switch slot {
        case .stored(let info): info.name
        case .open(let editor): editor.name
        case .free: ""
        }
    }
}
