/// An old leaf, some of whose objects the newest version may lack or have with other values. Has
/// the data needed to read the objects.
struct RemnantPiece {
    private(set) var leaf: ClusterLeaf
    let layout: RemnantLayout
    let view: Int
    let source: Remnant.Source
    let faults: [RemnantLeaf.Fault]
    var cells: [RemnantLeaf.Cell: RemnantLeaf.Fault] = [:]
    let isDoubtful: Bool
    let versions: ClosedRange<UInt64>?
    let hasKeys: Bool
    /// Whether the tree of a readable version contains the leaf.
    var isProven = false
    /// Whether the leaf has columns that its layout does not have.
    var hasUnknownColumns = false
    /// Columns that are doubtful unless their values agree with the newest version.
    var unprovenColumns: Set<Int> = []

    /// The same leaf read in `space`, for another thread.
    func reading(in space: NodeSpace) -> RemnantPiece {
        var piece = self
        piece.leaf.space = space
        return piece
    }
}

/// The rows of a leaf, each with the object that has the same key in the newest version.
struct RemnantRows {
    let piece: RemnantPiece
    let cells: RemnantCells
    /// Leaves of the newest version that contain objects with the keys of this leaf's rows.
    private(set) var leaves: [RemnantCells] = []
    /// For each row, the index of a leaf in `leaves` and the row there. The row is negative if the
    /// newest version does not have the object.
    private(set) var others: [(leaf: Int16, row: Int16)] = []
    /// For each column and row, the result of comparing the value with the newest version. Empty
    /// for a column that the newest version does not have.
    var told: [[RemnantAgreement.Row]] = []
    /// For each row, whether any column has another value in the newest version.
    var differs: [Bool]
    /// Comparison that shows which columns were overwritten; nil for a leaf of a readable version.
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

    /// Returns the object that has the key of `row` in the newest version; nil if there is none.
    func other(_ row: Int) -> (cells: RemnantCells, row: Int)? {
        guard hasOther(row) else { return nil }
        return (leaves[Int(others[row].leaf)], Int(others[row].row))
    }

    /// Returns the damage of the value in a column and row; `missing` if the column cannot be read.
    func fault(_ column: Int, _ row: Int) -> RemnantLeaf.Fault {
        let own = piece.faults[column]
        if own == .missing || cells.column(column) == nil { return .missing }
        if piece.cells.isEmpty { return own }
        let cell = piece.cells[RemnantLeaf.Cell(column: column, row: row)] ?? .none
        return cell.rawValue > own.rawValue ? cell : own
    }
}
