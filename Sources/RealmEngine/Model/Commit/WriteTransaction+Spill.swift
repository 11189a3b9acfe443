/// Memory use of a transaction, and spills, which reduce it.
extension WriteTransaction {
    /// Whether `spill` should be called: the changes use too much memory, or most of the nodes will
    /// not change again, as after appending objects. Spilling such nodes early distributes the
    /// writes over time.
    package var isSpillDue: Bool {
        size > memoryLimit
            || (context.slab.used > 6 << 20
                && context.editedBytes + context.changeableBytes < 1 << 20)
    }

    /// Frees memory by writing the transaction's nodes to space of the file that no version uses.
    /// No root references them before the commit. Worthwhile only for transactions of many
    /// megabytes.
    ///
    /// Values and collections that the transaction made and has not stored are lost. A rehearsal (a
    /// dry run) writes to a temporary file. Does nothing in a commit group with commits that have
    /// not been flushed.
    ///
    /// Throws `output` if the file cannot be written; the transaction must then be rolled back.
    package func spill() throws(RealmError) {
        try checkOpen()
        guard canWriteOut else { return }
        try flushIndexes(onlyLarge: true)
        try writeOut()
    }

    private var canWriteOut: Bool {
        session.group.map { $0.count == 0 } ?? true
    }

    private func writeOut() throws(RealmError) {
        context.invalidateReaders()
        try directory.flush(isComplete: false)
        largestSize = max(largestSize, size)
        if let directory = session.rehearsalDirectory { return try moveOut(to: directory) }
        let logged = try cutLog()
        do throws(RealmError) {
            let written = try Spill(self, spilledSpace).run(
                names: directory.names, tables: directory.tables, others: logged)
            directory.moved(names: written.names, tables: written.tables)
            writtenLog.parts += written.others
            spilledSpace = written.space
            try restart(limit: written.space.logicalSize)
        } catch {
            if error.kind == .output { session.database.poison(error) }
            throw error
        }
    }

    /// Applies pending index changes in parts. Spills in between if memory exceeds the limit.
    func flushIndexes(onlyLarge: Bool) throws(RealmError) {
        // Changes are sorted before they are applied, so larger batches rewrite fewer nodes. While
        // memory suffices, changes therefore stay pending.
        let changes =
            !onlyLarge || memoryLimit == .max || context.waitingBytes.value > memoryLimit / 2
        for i in directory.slots.indices {
            while case .open(let editor) = directory.slots[i],
                try editor.flushSomePendingEntries(onlyLarge: onlyLarge, changes: changes)
            {
                if size > memoryLimit, canWriteOut { try writeOut() }
            }
        }
    }

    /// Moves the changeset so far from memory to blobs, if it has at least 1 MiB. Returns their
    /// refs.
    private func cutLog() throws(RealmError) -> [Ref] {
        let bytes = log.pointee.bytes
        guard bytes.count >= 1 << 20, let base = bytes.baseAddress else { return [] }
        var refs: [Ref] = []
        var at = 0
        while at < bytes.count {
            let count = min(1 << 22, bytes.count - at)
            refs.append(try context.encoder.blob(ByteView(base + at, count: count)))
            at += count
        }
        writtenLog.count += bytes.count
        log.pointee.discardBytes()
        return refs
    }

    /// Moves the nodes of a rehearsal (a dry run) to a temporary file, and discards data that only
    /// a commit needs.
    private func moveOut(to directory: String) throws(RealmError) {
        try session.slab.moveOut(to: directory)
        log.pointee.discardBytes()
        context.discardFreed(after: 0)
        let fresh = ReadContext(memory.lookup)
        session.slab.reattach(fresh)
        try restart(fresh)
    }

    /// Continues the transaction after its nodes were written to the file, which now ends at
    /// `limit`.
    private func restart(limit: UInt64) throws(RealmError) {
        let fresh = ReadContext(session.database.file.mapping, limit: limit)
        session.slab.attach(fresh)
        try restart(fresh)
    }

    private func restart(_ fresh: ReadContext) throws(RealmError) {
        memory = fresh
        context.restart(fresh.lookup)
        try directory.restart()
    }
}
