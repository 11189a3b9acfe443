/// Commits a write transaction: makes its nodes a new version of the file (storage format section
/// 5).
///
/// The order of writes makes a crash harmless: all new nodes and the inactive header slot, a sync,
/// the select bit of the header, another sync. So the header always selects a complete version.
struct Commit {
    private let transaction: WriteTransaction
    private let names: Ref
    private let tables: Ref
    private let base: VersionState
    private let context: EditContext
    private let newVersion: UInt64
    private let changesets: [Changeset]

    /// - Parameter changesets: one for each version after the transaction's base; the last one is
    ///   the changeset of `version`.
    init(_ transaction: WriteTransaction, version: UInt64, changesets: [Changeset]) {
        self.transaction = transaction
        names = transaction.directory.names
        tables = transaction.directory.tables
        base = transaction.base
        context = transaction.context
        newVersion = version
        self.changesets = changesets
    }

    private var session: WriteSession { transaction.session }
    static let page = UInt64(4096)

    /// A version whose nodes are in the file, before the header selects it.
    struct Stored {
        let version: UInt64
        let top: Ref
        let logicalSize: UInt64
        /// Number of versions that participants could still read when the new version was made.
        let reachable: UInt64
        let space: CommittedSpace
    }

    func run() throws(RealmError) -> UInt64 {
        let stored = try write()
        try session.flipHeader(top: stored.top)
        try session.checkHasName()
        try session.publish(stored)
        session.database.remember(stored.space)
        if context.hasBatches {
            session.database.remember(transaction.directory.bounds(version: newVersion))
        }
        return stored.version
    }

    /// Writes the nodes of the new version to the file; the header does not reference them yet.
    func write() throws(RealmError) -> Stored {
        let reachable = try session.database.session!.purge()
        let history = try appendedHistory(oldestLive: reachable.oldestLive)
        if let top = base.top {
            // `evacuation` is the state of an online compaction by another engine, which ends when
            // the state is freed.
            for ref in [
                top.freePositions, top.freeLengths, top.freeVersions, top.evacuation, top.ref,
            ] { try context.free(ref) }
        }
        var space: FreeSpace
        if let known = transaction.spilledSpace {
            space = known
            // In a group, snapshots of earlier transactions may still read spilled nodes that later
            // transactions freed.
            if session.group == nil { space.addUnused(context.takeSpilledExtents()) }
        } else {
            space = try session.freeSpace(of: base, context.space, reachable)
        }
        var released = FreeSpace.released(context.freed)
        ListWriter.shorten(&space, &released, newVersion)
        let extra = ListWriter.bound(space, released, newVersion)
        var writer = try writer(consume space, history, extra: extra)
        let roots = try writer.write()
        let root = TopArray.Content(
            names: roots[0], tables: roots[1], version: newVersion,
            history: .init(
                type: TopArray.localHistory, ref: roots[2], schema: Self.historySchema))
        var listWriter = ListWriter(
            space: writer.finish(), released: released, version: newVersion, page: Self.page,
            reserve: writer.reserve, last: writer.lastRun, root: root)
        let lists = try listWriter.run()
        // From here on, only writes can fail; the header still selects the old version.
        try session.store(
            writer.runs + (lists.run.map { [$0] } ?? []), logicalSize: lists.logicalSize)
        return Stored(
            version: newVersion, top: lists.top, logicalSize: lists.logicalSize,
            reachable: reachable.count, space: lists.committed)
    }

    private static let historySchema: UInt64 = 1

    /// - Parameter extra: maximum size in bytes of the free lists and the root.
    private func writer(
        _ space: consuming FreeSpace, _ history: Ref, extra: UInt64
    ) throws(RealmError) -> NodeWriter {
        var order = NodeOrder(context.space, context.slab, fileSize: space.logicalSize)
        for ref in [names, tables, history] { try order.add(ref) }
        return NodeWriter(order, free: space, extra: extra, page: Self.page)
    }

    /// Appends the new changesets to the history. Removes those that no live version needs (storage
    /// format 7.2).
    private func appendedHistory(oldestLive: UInt64) throws(RealmError) -> Ref {
        var root = Ref.none
        if let top = base.top, top.historyType == TopArray.localHistory { root = top.history }
        // Changeset i describes the changes from version newVersion - count + i to the next.
        let needed = max(1, Int(clamping: newVersion &- oldestLive))
        if needed <= changesets.count {
            try context.freeDeep(root)
            root = .none
        }
        guard !context.nodes.owns(root) else { throw context.space.badRef(root) }
        let new = changesets.suffix(needed)
        for part in changesets.dropLast(needed).flatMap(\.written.parts) {
            try context.freeDeep(part)
        }
        let element = ElementType(type: .binary, isNullable: false)
        // Fast path: most commits replace all of the history by one changeset.
        if root.isNone, new.allSatisfy({ $0.written.parts.isEmpty }) {
            return try transaction.encodeElements(new.map { .binary($0.rest) }, element)
        }
        let history = try SequenceEditor(context, root: root, element: element)
        for changes in new { try append(changes, to: history) }
        while history.count > needed { try history.remove(at: 0) }
        return try history.finish()
    }

    private func append(_ changes: Changeset, to history: SequenceEditor) throws(RealmError) {
        let (written, rest) = (changes.written, changes.rest)
        if written.parts.isEmpty { return try history.append(.binary(rest)) }
        let parts = written.parts.map(\.raw) + [try context.encoder.blob(rest).raw]
        try history.append(
            blob: try context.encoder.refs(parts, flags: NodeView.contextFlag),
            count: written.count + rest.count)
    }
}
