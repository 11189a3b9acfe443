/// Comparison of the columns of an old cluster leaf with the same objects in the newest version.
/// Detects columns that were overwritten.
///
/// A node that was written exactly over a column looks like the column, but has other values. If
/// they are values of other objects, nearly all rows differ from the newest version: more than real
/// changes explain. If they are values of the same leaf after one object was removed and another
/// added, all rows after a certain row differ.
struct RemnantAgreement {
    enum Row: UInt8 {
        /// The newest version does not have the object, or one of the two values cannot be read.
        case unknown
        case equal, different
    }

    /// For each column, the result of the comparison for each row. Empty for a column that was not
    /// compared.
    private(set) var rows: [[Row]] = []
    /// For each column, whether too few rows were compared to tell whether it was overwritten.
    private(set) var unverifiable: [Bool] = []
    private(set) var isDoubtful: [Bool] = []

    /// Minimum number of compared rows that can show whether a column was overwritten.
    private static let minimumRowCount = 8
    /// Number of consecutive compared rows that must have different values to show a shift: the
    /// column was then written for other rows. Chance does not explain so many differences.
    private static let shiftedRows = 3
    /// Minimum agreement by Cohen's kappa, `(equal - chance) / (1 - chance)`. `equal` is the share
    /// of rows with equal values, `chance` the share expected of unrelated values.
    private static let minimumAgreement = 0.5
    /// Minimum of Cohen's kappa as a multiple of its standard deviation. The deviation is the one
    /// that kappa has if the values are unrelated.
    private static let significance = 4.0

    /// Appends the result for one column.
    ///
    /// - Parameters:
    ///   - rows: result for each row; nil for a column that is not compared, because it cannot be
    ///     read or because a readable version uses its node.
    ///   - needsProof: whether the column is doubtful unless its values agree with the newest
    ///     version more often than chance explains.
    ///   - digests: returns the digests of a row's value in the leaf and in the newest version.
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

    /// Whether two columns agree more often than chance explains, by Cohen's kappa and its standard
    /// deviation.
    ///
    /// - Parameters:
    ///   - here: number of rows of the leaf with each digest.
    ///   - there: number of rows of the newest version with each digest.
    ///   - told: number of compared rows.
    ///   - equal: number of rows with equal values.
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

    /// Marks a column as doubtful, whatever the comparison of its values showed.
    mutating func doubt(_ column: Int) { isDoubtful[column] = true }

    /// Whether the column differs from the newest version in the compared rows that follow `row`:
    /// in the next three, or in all if fewer are left. The column was then probably written for
    /// other rows, so its value in `row` may belong to another object. False if the newest version
    /// has the same value in `row`.
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
