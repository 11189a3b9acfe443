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
    var memory: ReadContext
    /// What is free once nodes have been written ahead of the commit; nil before.
    var spilledSpace: FreeSpace?
    let directory: TableDirectory
    let log = UnsafeMutablePointer.holding(ChangeLogWriter())
    /// The beginning of the log, in blobs that are in the file.
    var writtenLog = Changeset.Written()
    /// Bytes of memory that the changes should take at most: while a commit puts much in order, it
    /// writes out as `spill` does.
    package var memoryLimit = Int.max
    /// Bytes of memory that the changes took at most before they were written out.
    var largestSize = 0
    /// Primary keys may be set and may be there twice, until `checkPrimaryKeys` says that all is well:
    /// a migration is under way.
    var defersKeys = false
    /// An edit is under way that holds nothing between two objects or leaves.
    var isBulk = false
    private(set) var isOpen = true
    /// The state as it is now, until something changes.
    private var view: Snapshot?
    /// The collection changed last, open for more changes.
    @exclusivity(unchecked) var openCollection: CollectionEdit?
    /// Embedded objects created last, each in the one before, as far as they are in one another.
    @exclusivity(unchecked) var nesting: [NestedObject] = []
    /// The next collection key handed out.
    private var nextCollectionKey: Int32

    init(_ session: WriteSession, base: VersionState) throws(RealmError) {
        self.session = session
        self.base = base
        version = base.version + 1
        memory = ReadContext(
            session.database.file.mapping, limit: base.limit, since: base.moment)
        session.slab.attach(memory)
        context = EditContext(
            space: memory.lookup, slab: session.slab, fanout: session.options.fanout)
        context.bounds = session.database.bounds(version: base.version)
        directory = try TableDirectory(context, base: base)
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
        directory = TableDirectory(after: done.directory)
        nextCollectionKey = done.nextCollectionKey
        session.slab.seal()
    }

    /// As above, when transactions after `done` were taken back: their editors are forgotten with the
    /// space they let go.
    init(after done: WriteTransaction, freed: Int) throws(RealmError) {
        session = done.session
        base = done.base
        version = done.version + 1
        memory = ReadContext(done.memory.lookup)
        session.slab.reattach(memory)
        session.slab.seal()
        spilledSpace = done.spilledSpace
        context = EditContext(done.context, memory.lookup, freed: freed)
        directory = try TableDirectory(context, after: done.directory)
        nextCollectionKey = done.nextCollectionKey
    }

    // A transaction merely dropped gives up the writer's turn like one rolled back.
    deinit {
        if isOpen { end() }
        log.release()
    }

    /// Something was changed.
    var hasChanges: Bool { !log.pointee.bytes.isEmpty || writtenLog.count > 0 || directory.isDirty }

    /// Bytes of memory that the changes take.
    package var size: Int { context.usedBytes }

    // MARK: Tables

    /// The editor of the table with `key`.
    @inline(__always)
    func editor(_ key: TableKey) throws(RealmError) -> TableEditor {
        if let known = directory.cachedEditor(key) { return known }
        return try openedEditor(key)
    }

    @inline(never)
    private func openedEditor(_ key: TableKey) throws(RealmError) -> TableEditor {
        guard key.slot < directory.slots.count else { throw Self.noTable(key) }
        let editor = try directory.editor(slot: key.slot)
        guard editor.key == key else { throw Self.noTable(key) }
        directory.cache(editor)
        return editor
    }

    private static func noTable(_ key: TableKey) -> RealmError {
        .corrupt("table \(key.raw) does not exist", in: "table directory")
    }

    /// Key of the class called `name`; nil when there is none.
    public func table(named name: String) -> TableKey? {
        directory.key(stored: TableInfo.classPrefix + name)
    }

    /// A collection key no other nested collection of this transaction has.
    func makeCollectionKey() -> Int32 {
        nextCollectionKey = nextCollectionKey == 0x7FFF_FFFE ? 1 : nextCollectionKey + 1
        return nextCollectionKey
    }

    // MARK: Reading

    /// The transaction's own state, to be read like any version. Valid until the next change, spill or
    /// end of the transaction; whoever uses it after that gets an error, never something else.
    ///
    /// Costs nothing when nothing changed since the last one.
    public func snapshot() throws(RealmError) -> Snapshot {
        try checkOpen()
        if let view, !view.memory.isOutdated { return view }
        try directory.flushPending()
        let readers = ReadContext(memory.lookup)
        readers.setSlab(session.slab.view)
        let state = VersionState(
            version: version, format: FileFormat.current, top: base.top, limit: memory.lookup.limit,
            schema: try directory.schema(), moment: base.moment)
        let fresh = Snapshot(unpinned: session.database, state, memory: readers)
        context.readers = readers
        view = fresh
        return fresh
    }

    /// What was flushed last, as a version.
    func state(_ nodes: SlabView?) throws(RealmError) -> VersionState {
        let reader = SchemaReader(
            space: memory.lookup, names: directory.names, tables: directory.tables,
            known: SchemaReader.Known(base))
        return VersionState(
            version: version, format: FileFormat.current, top: base.top, limit: memory.lookup.limit,
            schema: directory.slots.isEmpty
                ? Schema(tables: [], version: nil) : try reader.schema(),
            moment: base.moment, nodes: nodes)
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
        end()
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
        defer { end(isCommitted: isCommitted) }
        do throws(RealmError) {
            if memoryLimit < .max { try settleIndexes(onlyMost: false) }
            try directory.flush()
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
        let bytes = log.pointee.bytes
        let rest = bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty
        return Changeset(written: writtenLog, rest: rest)
    }

    private func end(isCommitted: Bool = false) {
        view = nil
        openCollection = nil
        context.outdateReaders()
        session.end(isCommitted: isCommitted)
    }
}
