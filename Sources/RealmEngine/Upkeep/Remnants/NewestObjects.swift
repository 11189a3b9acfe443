/// Finds objects of the newest version by their keys. Keys near one another are found in one leaf.
struct NewestObjects {
    private let side: RemnantSide
    private let info: TableInfo
    /// Keys that the leaf opened last may hold.
    private var keys: Range<UInt64> = 0..<0
    /// The leaf opened last; nil where there is none for the last key.
    private(set) var cells: RemnantCells?

    init(_ side: RemnantSide, _ info: TableInfo) { (self.side, self.info) = (side, info) }

    /// Row of an object in `cells`; nil where the newest version does not have it.
    mutating func row(of key: ObjectKey) -> Int? {
        let raw = UInt64(bitPattern: key.raw)
        if !keys.contains(raw) { open(raw) }
        return cells?.leaf.row(of: key)
    }

    private mutating func open(_ key: UInt64) {
        (keys, cells) = (0..<0, nil)
        guard let found = side.leaf(info.key, covering: key) else { return }
        keys = found.keys
        cells = side.open(found).map { RemnantCells($0, info) }
    }
}
