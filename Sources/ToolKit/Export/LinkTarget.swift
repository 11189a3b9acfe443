import RealmEngine

/// What a renderer knows about one table that links lead to. Confined to the renderer's thread.
package final class LinkTarget {
    package let table: Table
    package let key: TableKey
    package let isEmbedded: Bool
    /// The rendered keys of objects met before.
    let cache = LinkCache()
    /// How its objects are printed when nested, without expansion.
    var plan: ObjectPlan?
    /// Reads primary keys and nothing else.
    private let keys: TableScan?
    /// Read the members of nested objects: one scan for each depth of nesting, since an inner
    /// object must not move the scan of the outer one.
    private var scans: [TableScan] = []
    private var depth = 0

    package init(_ table: Table) {
        self.table = table
        key = table.info.key
        isEmbedded = table.info.kind == .embedded
        keys = table.info.primaryKey.map { table.scan(columns: [$0]) }
    }

    deinit { cache.free() }

    /// The primary key of the object with `key`, nil in a class without primary keys; throws
    /// `corrupt` when the object does not exist.
    package func primaryKey(_ key: ObjectKey) throws(RealmError) -> Value? {
        guard let keys else { return nil }
        guard let row = try keys.seek(key) else { throw missing(key) }
        return try keys.value(row: row, column: 0)
    }

    /// Whether the object cannot be shown in place of a link: it is not there, or may be in another state.
    func isLost(_ key: ObjectKey) throws(RealmError) -> Bool {
        if isEmbedded { return true }
        return try table.row(key) == nil
    }

    /// A scan of all columns for the next depth of nesting; `release` gives it back.
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
            "it leads to object \(key.raw) of \(table.info.className), which does not exist",
            in: "link")
    }
}

/// The tables that links lead to.
package final class LinkTargets {
    /// A target that lives as long as its `LinkTargets`: looking it up for every link would
    /// otherwise count references.
    typealias Reference = Unmanaged<LinkTarget>

    private let snapshot: Snapshot
    /// By slot of the table's key.
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

    /// The table with `key`; throws `corrupt` when there is none.
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
