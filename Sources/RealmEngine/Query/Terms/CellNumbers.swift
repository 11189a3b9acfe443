/// Cache of the ordinals that `ValueNumbers` assigned to short texts. Leaves store short texts as
/// cells, padded to one width, and a lookup compares whole cells. A cached text need not be read
/// again. Used by one thread.
final class CellNumbers {
    /// Size of a cell in bytes. Cells of different widths are padded differently, so the cache is
    /// for one width only.
    let width: Int
    private let cached = WordNumbers()
    /// Second hash table of the texts in `cached`, with the same ordinals. It holds only a few
    /// texts, but without collisions, so that a lookup is one comparison. Used only if cells have
    /// 16 bytes.
    private let few = FewCells()

    /// Placeholder in `numbers` for the ordinal of a row whose text is not cached.
    static let unknown = WordNumbers.unknown

    init(width: Int) { self.width = width }

    /// Looks up the text of each selected row, which the leaf stores as a cell of `width` bytes.
    /// Stores the text's ordinal (its number in `ValueNumbers`) in `numbers`, or `unknown` if the
    /// text is not cached. Returns whether some text was not cached.
    func find(
        _ cells: UnsafeRawPointer, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        switch width {
        case 16 where few.isComplete: return few.find(cells, rows, numbers)
        case 16: return find(rows, numbers) { Self.wide(cells, $0) }
        case 8: return find(rows, numbers) { (Self.cell(cells, $0, UInt64.self), 0) }
        case 4: return find(rows, numbers) { (Self.cell(cells, $0, UInt32.self), 0) }
        case 2: return find(rows, numbers) { (Self.cell(cells, $0, UInt16.self), 0) }
        default: return find(rows, numbers) { (Self.cell(cells, $0, UInt8.self), 0) }
        }
    }

    /// Whether a quick check finds that the texts of all selected rows are cached. False if a text
    /// is not cached, and also if only a search of the hash table could decide.
    func hasAll(_ cells: UnsafeRawPointer, _ rows: Selection) -> Bool {
        width == 16 && few.isComplete && few.hasAll(cells, rows)
    }

    /// Caches the ordinal `number` for the text in row `row` of a leaf. The leaf's cells, which are
    /// padded texts, begin at `cells`.
    func insert(_ cells: UnsafeRawPointer, _ row: Int, _ number: UInt32) {
        let (low, high) =
            switch width {
            case 16: Self.wide(cells, row)
            case 8: (Self.cell(cells, row, UInt64.self), 0)
            case 4: (Self.cell(cells, row, UInt32.self), 0)
            case 2: (Self.cell(cells, row, UInt16.self), 0)
            default: (Self.cell(cells, row, UInt8.self), 0)
            }
        cached.insert(low, high, 0, number)
        if width == 16 { few.insert(FewCells.Entry(low: low, high: high, number: number)) }
    }

    @inline(__always)
    private func find(
        _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>,
        _ cell: (Int) -> (low: UInt64, high: UInt64)
    ) -> Bool {
        let table = cached.table
        var highest: UInt32 = 0
        rows.each { row in
            let (low, high) = cell(row)
            let number = table.number(low, high, 0)
            numbers[row] = number
            highest = max(highest, number)
        }
        return highest == Self.unknown
    }

    @inline(__always)
    private static func wide(_ cells: UnsafeRawPointer, _ row: Int) -> (UInt64, UInt64) {
        let cell = cells + row &* 16
        return (cell.load(as: UInt64.self), cell.load(fromByteOffset: 8, as: UInt64.self))
    }

    @inline(__always)
    private static func cell<Word: FixedWidthInteger & BitwiseCopyable>(
        _ cells: UnsafeRawPointer, _ row: Int, _ type: Word.Type
    ) -> UInt64 {
        UInt64(
            truncatingIfNeeded: cells.load(
                fromByteOffset: row &* MemoryLayout<Word>.size, as: type))
    }
}
