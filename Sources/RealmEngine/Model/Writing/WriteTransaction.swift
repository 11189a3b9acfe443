/// A transaction that can change a database. It sees its own changes, and either all of them are
/// published or none.
///
/// Nodes of existing versions are never changed: the transaction changes copies. So a rollback
/// costs nothing. Confined to the thread that began it.
///
/// In a commit group, a transaction uses the editors of the transaction before it, and a commit
/// leaves new nodes in the slab. After a rollback, the next transaction makes new editors for the
/// state after the last commit.
public final class WriteTransaction {
    let session: WriteSession
    /// The newest version in the file when this transaction, or its group, began.
    let base: VersionState
    /// Number of the version that the commit of this transaction makes.
    public let version: UInt64
    let context: EditContext
    var memory: ReadContext
    /// Free space after the last spill; nil if there was none.
    var spilledSpace: FreeSpace?
    let directory: TableDirectory
    let log = UnsafeMutablePointer.holding(ChangeLogWriter())
    /// The part of the changeset that spills have moved to blobs.
    var writtenLog = Changeset.Written()
    /// Limit of the memory for changes, in bytes. Bulk edits and commits spill if it is exceeded.
    package var memoryLimit = Int.max
    /// Largest memory use, in bytes, among those measured at the start of each spill; 0 if there
    /// was no spill.
    var largestSize = 0
    /// Whether a migration is in progress. Primary keys may then be changed, and be equal until
    /// `checkPrimaryKeys` is called.
    var defersKeys = false
    /// Whether a bulk edit is in progress. It may spill, that is write nodes to the file before the
    /// commit, between two objects or leaves.
    var isBulk = false
    private(set) var isOpen = true
    /// Snapshot of the current state; nil or outdated after a change.
    private var view: Snapshot?
    /// The edit of the collection that was changed last; nil if there is none.
    @exclusivity(unchecked) var openCollection: CollectionEdit?
    /// Embedded objects created last, from the outermost inwards; each one owns the next.
    @exclusivity(unchecked) var nesting: [NestedObject] = []
    /// Key of the nested collection that was made last.
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

    /// Makes the next transaction in a commit group, after the commit of `done`.
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

    /// Makes the next transaction in a commit group after a rollback. `done` is the last committed
    /// transaction of the group. Does not use the editors of the transaction that was rolled back,
    /// and does not free the extents that it freed.
    ///
    /// - Parameter freed: number of extents that the committed transactions of the group freed.
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

    // Releasing an open transaction rolls it back, which releases the write mutex.
    deinit {
        if isOpen { end() }
        log.release()
    }

    /// Whether the transaction has made changes.
    var hasChanges: Bool { !log.pointee.bytes.isEmpty || writtenLog.count > 0 || directory.isDirty }

    /// Memory that the changes of this transaction use, in bytes.
    package var size: Int { context.usedBytes }

    // MARK: Tables

    /// Returns the editor of the table with `key`. Throws `corrupt` if there is no such table.
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

    /// Returns the key of the class with `name`; nil if there is none.
    public func table(named name: String) -> TableKey? {
        directory.key(stored: TableInfo.classPrefix + name)
    }

    /// Returns a new key for a nested collection; no other one made by this transaction has the
    /// same.
    func makeCollectionKey() -> Int32 {
        nextCollectionKey = nextCollectionKey == 0x7FFF_FFFE ? 1 : nextCollectionKey + 1
        return nextCollectionKey
    }

    // MARK: Reading

    /// Returns a snapshot of the transaction's current state. It is valid until the next change,
    /// spill or end of the transaction; after that, its use throws.
    ///
    /// Returns the same object as before if nothing has changed.
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

    /// Returns a version state for the tables as they were flushed last.
    ///
    /// - Parameter nodes: view that keeps the nodes in the slab alive; nil for the open
    ///   transaction.
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

    /// Discards all changes and ends the transaction.
    public func rollback() {
        guard isOpen else { return }
        isOpen = false
        end()
    }

    /// Commits all changes as one new version and returns its number. When it returns, the version
    /// is durable, unless the session was opened with `isDurable` false.
    ///
    /// Throws `output` if the file cannot be written or synced. The previous version then stays
    /// intact, and the session rejects all later writes.
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
            if memoryLimit < .max { try flushIndexes(onlyLarge: false) }
            try directory.flush()
            if let group = session.group {
                group.add(self)
            } else {
                _ = try Commit(self, version: version, changesets: [changeset]).run()
            }
            isCommitted = true
            return version
        } catch {
            // Errors of other kinds are thrown before anything is written, or `WriteSession` has
            // poisoned the database itself.
            if session.group == nil, error.kind == .output || error.kind == .internal {
                session.database.poison(error)
            }
            throw error
        }
    }

    /// The changeset of all changes so far; valid until the next change.
    var changeset: Changeset {
        let bytes = log.pointee.bytes
        let rest = bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty
        return Changeset(written: writtenLog, rest: rest)
    }

    private func end(isCommitted: Bool = false) {
        view = nil
        openCollection = nil
        context.invalidateReaders()
        session.end(isCommitted: isCommitted)
    }
}
