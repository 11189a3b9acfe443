/// Agreement of the columns of a leaf with the newest version, for the objects that both have.
///
/// A node that was written exactly over a column looks like that column. If it has values of other
/// objects, nearly all rows differ from the newest version, more than changes explain. If it has
/// values of the same leaf, after an object was removed and another one added, the rows from one
/// row on differ.
struct RemnantAgreement {
    enum Row: UInt8 {
        /// The newest version does not have the object, or the value cannot be read.
        case unknown
        case equal, different
    }

    /// By column, then by row; empty for columns that are shared with the newest version.
    private(set) var rows: [[Row]] = []
    /// Columns with too few rows to tell.
    private(set) var unverifiable: [Bool] = []
    private(set) var isDoubtful: [Bool] = []

    /// Rows that tell something.
    private static let minimumRowCount = 8
    /// Rows behind another one whose values all differ: that is no chance.
    private static let shiftedRows = 3
    /// Share of what is possible beyond chance that has to agree.
    private static let minimumAgreement = 0.5
    /// Standard deviations by which the agreement has to exceed the agreement of unrelated values.
    private static let significance = 4.0

    /// Adds a column.
    ///
    /// - Parameters:
    ///   - rows: nil for a column that is shared with the newest version.
    ///   - needsProof: whether the column is doubtful unless its values agree beyond chance.
    ///   - digests: digests of the value of a row, here and in the newest version.
    mutating func append(
        _ rows: [Row]?, needsProof: Bool, digests: (Int) -> (UInt64, UInt64)?
    ) {
        self.rows.append(rows ?? [])
        guard let rows else {
            unverifiable.append(false)
            return isDoubtful.append(false)
        }
        let (equal, different) = (rows.count { $0 == .equal }, rows.count { $0 == .different })
        let told = equal + different
        unverifiable.append(told < Self.minimumRowCount)
        guard told >= Self.minimumRowCount else { return isDoubtful.append(needsProof) }
        guard different > 0 || needsProof else { return isDoubtful.append(false) }
        var (here, there): ([UInt64: Int], [UInt64: Int]) = ([:], [:])
        for row in rows.indices where rows[row] != .unknown {
            guard let pair = digests(row) else { continue }
            here[pair.0, default: 0] += 1
            there[pair.1, default: 0] += 1
        }
        isDoubtful.append(!Self.agree(here, there, told, equal))
    }

    /// Whether the values agree beyond chance (Cohen's kappa and its deviation).
    private static func agree(
        _ here: [UInt64: Int], _ there: [UInt64: Int], _ told: Int, _ equal: Int
    ) -> Bool {
        let pairs = here.reduce(0.0) { $0 + Double($1.value) * Double(there[$1.key] ?? 0) }
        let count = Double(told)
        let chance = pairs / count / count
        guard chance < 1 else { return false }
        let kappa = (Double(equal) / count - chance) / (1 - chance)
        let deviation = (chance * (1 - chance) / count).squareRoot() / (1 - chance)
        return kappa >= minimumAgreement && kappa >= significance * deviation
    }

    /// Whether the newest version has the same value for the object in a row.
    func isEqual(_ column: Int, at row: Int) -> Bool {
        row < rows[column].count && rows[column][row] == .equal
    }

    /// Something else makes a column doubtful.
    mutating func doubt(_ column: Int) { isDoubtful[column] = true }

    /// Whether the objects behind a row have other values in a column: then the row's may be one of
    /// another object, too.
    func isShifted(_ column: Int, at row: Int) -> Bool {
        let rows = rows[column]
        guard !rows.isEmpty, rows[row] != .equal else { return false }
        var next = row + 1
        var different = 0
        while next < rows.count, different < Self.shiftedRows {
            switch rows[next] {
            case .equal: return false
            case .different: different += 1
            case .unknown: break
            }
            next += 1
        }
        return different > 0 && (different == Self.shiftedRows || next == rows.count)
    }
}
