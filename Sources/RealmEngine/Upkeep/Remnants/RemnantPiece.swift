/// A leaf whose objects may be remnants, with the way to read it.
struct RemnantPiece {
    let leaf: ClusterLeaf
    let layout: RemnantLayout
    let view: Int
    let source: Remnant.Source
    let faults: [RemnantLeaf.Fault]
    var cells: [RemnantLeaf.Cell: RemnantLeaf.Fault] = [:]
    let isDoubtful: Bool
    let versions: ClosedRange<UInt64>?
    let hasKeys: Bool
    /// A root that can be read leads to it.
    var isProven = false
    /// Whether the leaf has columns that the layout does not have.
    var hasUnknownColumns = false
    /// Columns that count only where values agree with the newest version's.
    var unprovenColumns: Set<Int> = []
}

/// The rows of a leaf beside the objects that the newest version has under the same keys.
struct RemnantRows {
    let piece: RemnantPiece
    let cells: RemnantCells
    /// Leaves of the newest version.
    private(set) var leaves: [RemnantCells] = []
    /// By row the position in `leaves`, and the row there; negative where there is no such object.
    private(set) var others: [(leaf: Int16, row: Int16)] = []
    /// Comparison with the newest version by column, then by row; empty for a column that it does not have.
    var told: [[RemnantAgreement.Row]] = []
    /// By row whether the newest version has another value in some column.
    var differs: [Bool]
    /// Nil for a leaf that a readable version has.
    var agreement: RemnantAgreement?

    init(_ piece: RemnantPiece, _ newest: NewestObjects) {
        self.piece = piece
        cells = RemnantCells(piece.leaf, piece.layout.info)
        differs = Array(repeating: false, count: piece.leaf.count)
        guard piece.hasKeys else { return }
        others.reserveCapacity(piece.leaf.count)
        var newest = newest
        var last = Ref.none
        for row in 0..<piece.leaf.count {
            let other = newest.row(of: piece.leaf.key(row))
            if other != nil, let cells = newest.cells, cells.leaf.ref != last {
                leaves.append(cells)
                last = cells.leaf.ref
            }
            others.append((Int16(leaves.count - 1), Int16(other ?? -1)))
        }
    }

    /// Whether the newest version has an object with the key of `row`.
    func hasOther(_ row: Int) -> Bool { row < others.count && others[row].row >= 0 }

    /// The object of the newest version with the key of `row`; nil where there is none.
    func other(_ row: Int) -> (cells: RemnantCells, row: Int)? {
        guard hasOther(row) else { return nil }
        return (leaves[Int(others[row].leaf)], Int(others[row].row))
    }

    /// The fault of a value; `missing` if its column cannot be read.
    func fault(_ column: Int, _ row: Int) -> RemnantLeaf.Fault {
        let own = piece.faults[column]
        if own == .missing || cells.column(column) == nil { return .missing }
        if piece.cells.isEmpty { return own }
        let cell = piece.cells[RemnantLeaf.Cell(column: column, row: row)] ?? .none
        return cell.rawValue > own.rawValue ? cell : own
    }
}
