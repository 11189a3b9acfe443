/// Finds objects of the newest version by their keys. Caches the last leaf, because keys that are
/// close to each other are usually in one leaf.
struct NewestObjects {
    private let side: RemnantSide
    private let info: TableInfo
    /// The newest version, in the thread of the caller.
    private let snapshot: Snapshot
    /// Keys that the leaf opened last may hold.
    private var keys: Range<UInt64> = 0..<0
    /// The cached leaf; nil if no leaf may contain the last key.
    private(set) var cells: RemnantCells?

    /// - Parameter snapshot: nil to read in the thread of the search.
    init(_ side: RemnantSide, _ info: TableInfo, _ snapshot: Snapshot? = nil) {
        (self.side, self.info, self.snapshot) = (side, info, snapshot ?? side.snapshot)
    }

    /// Returns the row of an object in `cells`; nil if the newest version does not have the object.
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
