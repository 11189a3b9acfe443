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
}

/// The rows of a leaf beside the objects that the newest version has under the same keys.
struct RemnantRows {
    let piece: RemnantPiece
    let cells: RemnantCells
    /// Leaves of the newest version.
    private(set) var leaves: [RemnantCells] = []
    /// By row the position in `leaves`, and the row there; negative where there is no such object.
    private var others: [(leaf: Int16, row: Int16)] = []
    /// Nil for a leaf that a readable version has.
    var agreement: RemnantAgreement?

    init(_ piece: RemnantPiece, _ newest: NewestObjects) {
        self.piece = piece
        cells = RemnantCells(piece.leaf, piece.layout.info)
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

    /// The object of the newest version with the key of `row`; nil where there is none.
    func other(_ row: Int) -> (cells: RemnantCells, row: Int)? {
        guard row < others.count, others[row].row >= 0 else { return nil }
        return (leaves[Int(others[row].leaf)], Int(others[row].row))
    }

    /// The fault of a value; `missing` where its column cannot be read.
    func fault(_ column: Int, _ row: Int) -> RemnantLeaf.Fault {
        let own = piece.faults[column]
        if own == .missing || cells.columns[column] == nil { return .missing }
        if piece.cells.isEmpty { return own }
        let cell = piece.cells[RemnantLeaf.Cell(column: column, row: row)] ?? .none
        return cell.rawValue > own.rawValue ? cell : own
    }
}
