/// Combines the sort keys of two columns in one word of eight bytes per row. From each column's
/// words, the lowest word of the column is subtracted. The difference of the first column becomes
/// the higher bits of the joined word, the difference of the second column the lower bits. If there
/// are too few bits, the lowest bits of the second difference are left out.
///
/// Rows are then sorted by both columns at once.
struct JoinedWords {
    private let first: Part
    private let second: Part
    /// Whether the words of both columns together need more than 64 bits. A joined word then
    /// contains only the higher bits of the second column's words.
    let isPartial: Bool

    /// Computes the bits of one column in the joined words, which combine the sort keys of two
    /// columns. Subtracts the lowest word of the column from each of its words, and shifts the
    /// difference to the bits of the column.
    private struct Part {
        private let words: UnsafePointer<UInt64>
        private let flip: UInt64
        private let least: UInt64
        /// Number of bits of the difference between the highest and the lowest eight-byte word of
        /// the column.
        let bits: Int
        private var left: UInt64 = 0
        private var right: UInt64 = 0

        /// Nil if the column computes the eight-byte word of a row's sort key when needed, and does
        /// not store the words of all rows in an array.
        init?(_ column: SortColumn) {
            guard let all = column.words(of: column.firstPart), let start = all.baseAddress,
                !all.isEmpty
            else { return nil }
            words = start
            flip = column.flip
            var (lowest, highest) = (UInt64.max, UInt64.min)
            for word in all {
                lowest = min(lowest, word)
                highest = max(highest, word)
            }
            least = min(lowest ^ column.flip, highest ^ column.flip)
            bits = UInt64.bitWidth - (highest - lowest).leadingZeroBitCount
        }

        /// Selects the bits that the column has in each joined word. The highest of these bits is
        /// bit `end - 1`.
        mutating func place(below end: Int) {
            left = UInt64(max(0, end - bits))
            right = UInt64(max(0, bits - end))
        }

        /// Returns the bits of the column in the joined word of a row. If all words of the column
        /// are equal, `bits` is 0 and the shift may be too small, but a shifted 0 stays 0.
        @inline(__always)
        subscript(row: Int) -> UInt64 { (((words[row] ^ flip) &- least) &<< left) &>> right }
    }

    /// Maximum number of bits of the first column's words, after the lowest word of the column is
    /// subtracted. The words of the second column get the remaining bits of the 64.
    private static let maximumBits = 32

    /// Prepares sorting by the first two columns at once. Nil if there is only one column, or if a
    /// column computes its words row by row. Also nil if a word does not represent the whole key of
    /// the first column, or if the first column needs more than 32 bits.
    init?(_ columns: [SortColumn]) {
        guard columns.count > 1, columns[0].form == .exact, var first = Part(columns[0]),
            first.bits <= Self.maximumBits, var second = Part(columns[1])
        else { return nil }
        first.place(below: UInt64.bitWidth)
        second.place(below: UInt64.bitWidth - first.bits)
        (self.first, self.second) = (first, second)
        isPartial = first.bits + second.bits > UInt64.bitWidth
    }

    @inline(__always)
    subscript(row: Int) -> UInt64 { first[row] | second[row] }
}
