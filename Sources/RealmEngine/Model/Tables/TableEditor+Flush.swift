/// Writes a changed table, and describes it to readers of the open transaction.
extension TableEditor {
    /// Stores queued backlinks and applies pending index changes.
    ///
    /// - Parameter isComplete: whether all index changes are applied. False during a spill, when no
    ///   index is read; the changes then stay pending.
    func flushPending(isComplete: Bool) throws(RealmError) {
        if !pendingBacklinks.isEmpty { try flushBacklinks() }
        if !enumerated.isEmpty { flushDistinct() }
        if isComplete { try openWaitingIndexes() }
        guard changed != .nothing else { return }
        if trees.top.isNone { _ = try clusters() }
        try trees.objects.finish()
        try trees.tombstones.finish()
        for (leafIndex, editor) in indexes.editors {
            if isComplete { try editor.flushPendingEntries() }
            if editor.isStale, let column = columns.first(where: { $0.leafIndex == leafIndex }) {
                try fillIndex(column)
            }
            indexes.setRoot(try editor.finish(keepsPending: !isComplete), leafIndex)
        }
    }

    /// Opens the indexes whose changes have been pending since before a spill.
    private func openWaitingIndexes() throws(RealmError) {
        if indexes.waiting.isEmpty { return }
        for column in columns where indexes.waiting[column.leafIndex] != nil {
            _ = try index(column)
        }
        indexes.clearWaiting()
        if indexes.editors.values.contains(where: { $0.isWaiting }) { markTopDirty() }
    }

    /// Describes the current state of the table; call `flushPending` first. Returns the same object
    /// as in the previous call if no node has moved.
    func info() throws(RealmError) -> TableInfo {
        let last =
            caches.info
            ?? TableInfo(
                key: key, name: name, columns: columns, backlinks: backlinks,
                primaryKey: primaryKeyIndex,
                origin: TableInfo.Origin(spec: .none, targets: .none, targetColumns: .none), state)
        let isSame =
            caches.info != nil && last.root == trees.objects.root
            && last.tombstones == trees.tombstones.root && last.name == name
            && last.nextSequenceNumber == counters.nextSequenceNumber
            && last.contentVersion == counters.contentVersion
            && last.columns.allSatisfy {
                $0.index == .none || $0.indexRoot == indexes.root($0.leafIndex)
            }
        if isSame { return last }
        let fresh = TableInfo(last, name: name, state) { self.indexes.root($0) }
        caches.info = fresh
        return fresh
    }

    private var state: TableInfo.State {
        TableInfo.State(
            kind: kind, contentVersion: counters.contentVersion,
            nextSequenceNumber: counters.nextSequenceNumber, columnCounter: counters.columnCounter,
            collisions: trees.collisions, root: trees.objects.root,
            tombstones: trees.tombstones.root, top: trees.top)
    }

    // MARK: Writing

    /// Writes the changed nodes of the table and returns the ref of its top array.
    ///
    /// - Parameter isComplete: false during a spill; index changes then stay pending.
    func flush(isComplete: Bool = true) throws(RealmError) -> Ref {
        try flushPending(isComplete: isComplete)
        guard changed != .nothing else { return trees.top }
        if isComplete, let editor = trees.objects.editor {
            try editor.divideScattered()
            try trees.objects.finish()
        }
        let old = trees.top.isNone ? nil : try context.space.node(trees.top)
        if let old { try freeParts(old) }
        let keepsSpec = changed < .spec
        trees.top = try TableTopWriter(
            table: self, trees: trees, indexRoots: indexes.roots,
            oldSpec: keepsSpec ? old.map { $0.slot(TableShape.spec).ref } : nil,
            oldTargets: keepsSpec
                ? old.map {
                    (
                        $0.slot(TableShape.oppositeTables).ref,
                        $0.slot(TableShape.oppositeColumns).ref
                    )
                }
                : nil
        ).write()
        markWritten()
        return trees.top
    }

    /// Frees the old top array and its array of index roots and, if the spec has changed, the old
    /// spec.
    private func freeParts(_ old: NodeView) throws(RealmError) {
        if let indexes = old.slot(TableShape.indexes).child { try context.free(indexes) }
        if changed == .spec {
            if let spec = old.slot(TableShape.spec).child { try freeSpec(spec) }
            for slot in [TableShape.oppositeTables, TableShape.oppositeColumns] {
                if let ref = old.slot(slot).child { try context.free(ref) }
            }
        }
        try context.free(trees.top)
    }

    private func freeSpec(_ spec: Ref) throws(RealmError) {
        let node = try context.space.node(spec)
        for i in SpecShape.refs {
            if let child = node.slot(i).child { try context.free(child) }
        }
        try context.free(spec)
    }
}
