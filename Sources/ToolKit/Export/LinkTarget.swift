import RealmEngine

/// Cached facts about a table that links reference. Confined to the renderer's thread.
package final class LinkTarget {
    package let table: Table
    package let key: TableKey
    package let isEmbedded: Bool
    /// Rendered keys of objects.
    let cache = LinkCache()
    /// Plan for its objects when they are nested without expansion.
    var plan: ObjectPlan?
    /// Scan of the primary key only; nil in a class without primary key.
    private let keys: TableScan?
    /// Scan of all columns for each depth of nesting: an inner object must not move the scan of the
    /// outer one.
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

    /// Whether a link to the object has to be printed by its object key: the object is embedded or
    /// missing.
    func isLost(_ key: ObjectKey) throws(RealmError) -> Bool {
        if isEmbedded { return true }
        return try table.row(key) == nil
    }

    /// Returns a scan of all columns for the next depth of nesting. The caller ends its use with
    /// `releaseScan`.
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

/// Targets of links, one for each table.
package final class LinkTargets {
    /// An unretained target, valid as long as its `LinkTargets`. Avoids reference counting for each
    /// link.
    typealias Reference = Unmanaged<LinkTarget>

    private let snapshot: Snapshot
    /// Targets by slot of the table key.
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
