/// The transaction that may change a database. It reads its own changes and publishes all of them
/// or none.
///
/// Copy-on-write from the newest version: nodes of existing versions do not change, so that a
/// rollback costs nothing. Confined to the thread that began it.
///
/// In a group, a transaction takes over the editors of the previous one, and a commit leaves the
/// new nodes in the slab. After a rollback the next transaction continues from the refs of the last
/// commit.
public final class WriteTransaction {
    let session: WriteSession
    /// The version in the file at which this transaction, or its group, began.
    let base: VersionState
    /// Number of the version that this transaction will commit.
    public let version: UInt64
    let context: EditContext
    var memory: ReadContext
    /// Free space after the last spill; nil before.
    var spilledSpace: FreeSpace?
    let directory: TableDirectory
    let log = UnsafeMutablePointer.holding(ChangeLogWriter())
    /// The beginning of the changeset, in blobs that are in the file.
    var writtenLog = Changeset.Written()
    /// Maximum memory, in bytes, for the changes. Bulk edits and commits spill if it is exceeded.
    package var memoryLimit = Int.max
    /// Largest memory, in bytes, of the changes before a spill.
    var largestSize = 0
    /// Whether a migration is in progress, in which primary keys may be set and repeated until
    /// `checkPrimaryKeys`.
    var defersKeys = false
    /// Whether a bulk edit is in progress, which may spill between two objects or leaves.
    var isBulk = false
    private(set) var isOpen = true
    /// Cached snapshot of the current state; valid until the next change.
    private var view: Snapshot?
    /// The collection changed last, open for more changes.
    @exclusivity(unchecked) var openCollection: CollectionEdit?
    /// Embedded objects created last, each nested in the previous one.
    @exclusivity(unchecked) var nesting: [NestedObject] = []
    /// The last key given to a nested collection.
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

    /// Continues after `done`, which was committed to an open group.
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

    /// Continues after `done`, when later transactions of the group were rolled back: discards
    /// their editors and the extents they freed.
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

    /// Memory, in bytes, that the changes take.
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

    /// Returns the key of the class with `name`; nil if there is none.
    public func table(named name: String) -> TableKey? {
        directory.key(stored: TableInfo.classPrefix + name)
    }

    /// Returns a key that no other nested collection of this transaction has.
    func makeCollectionKey() -> Int32 {
        nextCollectionKey = nextCollectionKey == 0x7FFF_FFFE ? 1 : nextCollectionKey + 1
        return nextCollectionKey
    }

    // MARK: Reading

    /// Returns a snapshot of the transaction's own state. Valid until the next change, spill or end
    /// of the transaction; later use throws.
    ///
    /// Returns the previous snapshot if nothing has changed since.
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

    /// Returns the last flushed state as a version.
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

    /// Commits the changes as one new version and returns its number. Durable when it returns,
    /// unless the session was opened without syncs.
    ///
    /// Throws `output` when the file cannot be written or synced: the previous version stays intact
    /// and the session rejects every later write.
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
            // Other errors occur before anything is written, except where `Commit` poisons the
            // database itself.
            if session.group == nil, error.kind == .output || error.kind == .internal {
                session.database.poison(error)
            }
            throw error
        }
    }

    /// The changeset so far; valid until the next change.
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
