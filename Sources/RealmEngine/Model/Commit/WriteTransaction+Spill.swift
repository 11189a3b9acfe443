/// How much memory a transaction takes, and how it takes little again.
extension WriteTransaction {
    /// Whether it is time for `spill`: the changes take too much memory, or a good deal of it is nodes
    /// that nothing will change any more, as while objects are appended. Those are better written
    /// while there is something else to do than all at the end.
    package var isSpillDue: Bool {
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
    package func spill() throws(RealmError) {
        try checkOpen()
        guard canWriteOut else { return }
        try settleIndexes(onlyMost: true)
        try writeOut()
    }

    private var canWriteOut: Bool {
        session.group.map { $0.count == 0 } ?? true
    }

    private func writeOut() throws(RealmError) {
        context.outdateReaders()
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

    /// Adds what waits for indexes to them, part by part, without taking more memory than is due.
    func settleIndexes(onlyMost: Bool) throws(RealmError) {
        // Changes are sorted before they are added: the more at a time, the fewer nodes are rewritten.
        let changes =
            !onlyMost || memoryLimit == .max || context.waitingBytes.value > memoryLimit / 2
        for i in directory.slots.indices {
            while case .open(let editor) = directory.slots[i],
                try editor.settleSomeWaiting(onlyMost: onlyMost, changes: changes)
            {
                if size > memoryLimit, canWriteOut { try writeOut() }
            }
        }
    }

    /// The log so far as blobs, where it is long enough to be worth it.
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
        log.pointee.forgetBytes()
        return refs
    }

    /// Has the nodes of a rehearsal out of memory, and nothing kept that only a commit needs.
    private func moveOut(to directory: String) throws(RealmError) {
        try session.slab.moveOut(to: directory)
        log.pointee.forgetBytes()
        context.forgetFreed(after: 0)
        let fresh = ReadContext(memory.lookup)
        session.slab.reattach(fresh)
        try restart(fresh)
    }

    /// Goes on with what the file holds.
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
