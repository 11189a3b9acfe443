/// Equality of a mixed column with one constant. The type is part of the eight-byte word stored for
/// a value, so most values are rejected without reading more than this word.
final class MixedTerm: QueryTerm {
    private let test: ColumnTest
    /// Types of mixed values that may equal the constant, as one bit per type. Values of other
    /// types are not compared.
    private let kinds: UInt32
    /// The constant if it is an integer; otherwise nil. A small integer is compared directly with
    /// the eight-byte word that the leaf stores for a value.
    private let number: Int64?
    private let isNegated: Bool

    override var label: String { "types first, then value by value" }

    /// Nil unless the test is for equality of a mixed property with one constant.
    init?(_ test: ColumnTest) {
        guard test.relation == .equal || test.relation == .notEqual,
            case .general(let constant) = test.operand
        else { return nil }
        self.test = test
        isNegated = test.relation == .notEqual
        let wanted = ValueOrder.rank(constant)
        kinds = Self.ranks.reduce(UInt32.max) {
            $1.rank == wanted ? $0 : $0 & ~(1 << UInt32($1.kind.rawValue))
        }
        if case .int(let number) = constant { self.number = number } else { number = nil }
    }

    /// Rank of each type of mixed value. Links, which may be read as null, and unknown types are
    /// not included.
    private static let ranks: [(kind: MixedKind, rank: Int)] = [
        (.int, ValueOrder.rank(.int(0))), (.bool, ValueOrder.rank(.bool(false))),
        (.string, ValueOrder.rank(.string(.empty))),
        (.binary, ValueOrder.rank(.binary(.empty))),
        (.timestamp, ValueOrder.rank(.timestamp(Timestamp(seconds: 0, nanoseconds: 0)))),
        (.float, ValueOrder.rank(.float(0))), (.double, ValueOrder.rank(.double(0))),
        (.decimal, ValueOrder.rank(.decimal(.zero))),
        (.objectID, ValueOrder.rank(.objectID(ObjectID(high: 0, low: 0)))),
        (.uuid, ValueOrder.rank(.uuid(UUIDValue(high: 0, low: 0)))),
    ]

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let column = try MixedLeaf(leaf.space, try leaf.columnRef(test.column.leafIndex))
        guard column.count == leaf.count else { throw leaf.unevenColumn(test.column.leafIndex) }
        return try among.filter { (row) throws(RealmError) in
            let word = column.words.integer(row)
            if kinds >> UInt32(truncatingIfNeeded: word & MixedKind.mask) & 1 == 0 {
                return isNegated
            }
            if word & 0xFF == Self.smallNumber, let number {
                return (word >> 8 == number) != isNegated
            }
            return test.matches(try column.value(row).shown)
        }
    }

    /// Type bits of a stored eight-byte word whose other bits are a small integer. A larger integer
    /// is stored in the pool of the column.
    private static let smallNumber = MixedKind.int.rawValue
}
