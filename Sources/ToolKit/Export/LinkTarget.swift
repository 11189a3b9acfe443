import RealmEngine

/// A table that links reference, with caches for rendering them. Confined to the renderer's thread.
package final class LinkTarget {
    package let table: Table
    package let key: TableKey
    package let isEmbedded: Bool
    /// Cache of rendered links to objects of the table.
    let cache = LinkCache()
    /// Plan for printing an object of this table inside another object, if no links of the printed
    /// object are expanded. Nil until it is first needed.
    var plan: ObjectPlan?
    /// Reads the primary keys of objects; nil in a class without primary key.
    private let keys: TableScan?
    /// Table scans of all columns, one for each depth of nesting. An object inside another object
    /// of the table needs a scan of its own: the outer object's scan must remain at its leaf.
    private var scans: [TableScan] = []
    private var depth = 0

    package init(_ table: Table) {
        self.table = table
        key = table.info.key
        isEmbedded = table.info.kind == .embedded
        keys = table.info.primaryKey.map { table.scan(columns: [$0]) }
    }

    deinit { cache.free() }

    /// Returns the primary key of the object with `key`; nil in a class without primary keys.
    /// Throws `corrupt` if the object does not exist.
    package func primaryKey(_ key: ObjectKey) throws(RealmError) -> Value? {
        guard let keys else { return nil }
        guard let row = try keys.seek(key) else { throw missing(key) }
        return try keys.value(row: row, column: 0)
    }

    /// Whether a link must be printed with its object key, because the target is embedded or
    /// missing.
    func isLost(_ key: ObjectKey) throws(RealmError) -> Bool {
        if isEmbedded { return true }
        return try table.row(key) == nil
    }

    /// Returns a table scan of all columns that no enclosing object uses. The caller must return
    /// the scan with `releaseScan`.
    package func borrowScan() -> TableScan {
        if depth == scans.count {
            scans.append(table.scan(columns: Array(table.info.columns.indices)))
        }
        depth += 1
        return scans[depth - 1]
    }

    package func releaseScan() { depth -= 1 }

    @inline(never)
    package func missing(_ key: ObjectKey) -> RealmError {
        .corrupt(
            "its target is object \(key.raw) of \(table.info.className), which does not exist",
            in: "link")
    }
}

/// The tables that links reference, one `LinkTarget` each.
package final class LinkTargets {
    /// A `LinkTarget` without reference counting. Valid as long as its `LinkTargets`.
    typealias Reference = Unmanaged<LinkTarget>

    private let snapshot: Snapshot
    /// Targets of links, indexed by the slot of their table (`TableKey.slot`).
    private let targets: UnsafeMutablePointer<Reference?>
    private let count: Int

    package init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        count = 1 + (snapshot.schema.tables.map(\.key.slot).max() ?? 0)
        targets = .allocate(capacity: count)
        targets.initialize(repeating: nil, count: count)
    }

    deinit {
        for slot in 0..<count { targets[slot]?.release() }
        targets.deallocate()
    }

    /// Returns the target for the table with `key`; throws `corrupt` if there is none.
    @inline(__always)
    func reference(_ key: TableKey) throws(RealmError) -> Reference {
        let slot = key.slot
        if slot < count, let target = targets[slot],
            target._withUnsafeGuaranteedRef({ $0.key == key })
        {
            return target
        }
        return try make(key)
    }

    package subscript(key: TableKey) -> LinkTarget {
        get throws(RealmError) { try reference(key).takeUnretainedValue() }
    }

    @inline(never)
    private func make(_ key: TableKey) throws(RealmError) -> Reference {
        let target = Unmanaged.passRetained(LinkTarget(try snapshot.table(key)))
        targets[key.slot] = target
        return target
    }
}
