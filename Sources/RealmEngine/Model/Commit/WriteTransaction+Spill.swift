/// Memory of a transaction, and spills that reduce it.
extension WriteTransaction {
    /// Whether `spill` should be called: the changes take too much memory, or most of it is nodes
    /// that will not change again, as after appending objects. Spilling those early distributes the
    /// writes over time.
    package var isSpillDue: Bool {
        size > memoryLimit
            || (context.slab.used > 6 << 20
                && context.editedBytes + context.changeableBytes < 1 << 20)
    }

    /// Reduces the transaction's memory: writes its nodes to space of the file that no version
    /// uses, and that no root references before the commit. Worthwhile only for transactions of
    /// many megabytes. Values and collections that the transaction made but has not stored yet are
    /// lost. A rehearsal uses a temporary file. Has no effect in a group with commits that are not
    /// in the file yet.
    ///
    /// Throws `output` when the file cannot be written; the transaction can then only be rolled
    /// back.
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

    /// Applies pending index changes in parts, spilling in between if memory exceeds the limit.
    func flushIndexes(onlyLarge: Bool) throws(RealmError) {
        // Changes are sorted before they are applied; larger batches rewrite fewer nodes.
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

    /// Moves the changeset so far to blobs, if it is at least 1 MiB long.
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

    /// Moves the nodes of a rehearsal to a file, and discards data that only a commit needs.
    private func moveOut(to directory: String) throws(RealmError) {
        try session.slab.moveOut(to: directory)
        log.pointee.discardBytes()
        context.discardFreed(after: 0)
        let fresh = ReadContext(memory.lookup)
        session.slab.reattach(fresh)
        try restart(fresh)
    }

    /// Continues with the nodes that the file now contains.
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
