/// Finds objects of the newest version by their keys. Caches the last leaf, because keys that are
/// close to each other are usually in one leaf.
struct NewestObjects {
    private let side: RemnantSide
    private let info: TableInfo
    /// Snapshot of the newest version, which must belong to the calling thread.
    private let snapshot: Snapshot
    /// Key range of the cached leaf; empty if no leaf is cached.
    private var keys: Range<UInt64> = 0..<0
    /// The cached leaf: the leaf whose key range contains the key that was looked up last. Nil if
    /// the newest version has no such leaf or the leaf cannot be opened.
    private(set) var cells: RemnantCells?

    /// - Parameter snapshot: snapshot through which leaves are read. If nil, leaves are read
    ///   through the snapshot of `side`, which only the searching thread may use.
    init(_ side: RemnantSide, _ info: TableInfo, _ snapshot: Snapshot? = nil) {
        (self.side, self.info, self.snapshot) = (side, info, snapshot ?? side.snapshot)
    }

    /// Returns the row in `cells`, the cached leaf, of the object with `key`. Nil if the newest
    /// version does not have the object.
    mutating func row(of key: ObjectKey) -> Int? {
        let raw = UInt64(bitPattern: key.raw)
        if !keys.contains(raw) { open(raw) }
        return cells?.leaf.row(of: key)
    }

    private mutating func open(_ key: UInt64) {
        (keys, cells) = (0..<0, nil)
        guard let found = side.leaf(info.key, covering: key) else { return }
        keys = found.keys
        cells = RemnantSide.open(found.ref, base: found.base, in: snapshot).map {
            RemnantCells($0, info)
        }
    }
}
