/// Numbers of the cells of short texts that were met lately, by the bytes of a cell, padding and all:
/// what a cell says is not looked at again as long as its bytes are known. Used by one thread.
final class CellNumbers {
    /// Bytes of a cell. The same text has other bytes in cells of another width.
    let width: Int
    /// What is known: the halves of a cell and its number, by their hash.
    private let lows = UnsafeMutablePointer<UInt64>.allocate(capacity: CellNumbers.capacity)
    private let highs = UnsafeMutablePointer<UInt64>.allocate(capacity: CellNumbers.capacity)
    private let known = UnsafeMutablePointer<UInt32>.allocate(capacity: CellNumbers.capacity)

    /// Stands for cells that are not known.
    static let unknown = UInt32.max
    private static let capacity = 512
    private static let shift: UInt64 = 55

    init(width: Int) {
        self.width = width
        lows.initialize(repeating: 0, count: Self.capacity)
        highs.initialize(repeating: 0, count: Self.capacity)
        known.initialize(repeating: Self.unknown, count: Self.capacity)
    }

    deinit {
        lows.deallocate()
        highs.deallocate()
        known.deallocate()
    }

    /// Puts the numbers of known cells into `numbers`, and `unknown` for others; whether there were any.
    func find(
        _ cells: UnsafeRawPointer, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        switch width {
        case 16: find(rows, numbers) { Self.wide(cells, $0) }
        case 8: find(rows, numbers) { (Self.cell(cells, $0, UInt64.self), 0) }
        case 4: find(rows, numbers) { (Self.cell(cells, $0, UInt32.self), 0) }
        case 2: find(rows, numbers) { (Self.cell(cells, $0, UInt16.self), 0) }
        default: find(rows, numbers) { (Self.cell(cells, $0, UInt8.self), 0) }
        }
    }

    /// The number of the cell of `row` from now on.
    func know(_ cells: UnsafeRawPointer, _ row: Int, _ number: UInt32) {
        let (low, high) =
            switch width {
            case 16: Self.wide(cells, row)
            case 8: (Self.cell(cells, row, UInt64.self), 0)
            case 4: (Self.cell(cells, row, UInt32.self), 0)
            case 2: (Self.cell(cells, row, UInt16.self), 0)
            default: (Self.cell(cells, row, UInt8.self), 0)
            }
        let place = Self.place(low, high)
        (lows[place], highs[place], known[place]) = (low, high, number)
    }

    @inline(__always)
    private func find(
        _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>,
        _ cell: (Int) -> (low: UInt64, high: UInt64)
    ) -> Bool {
        let (lows, highs, known) = (lows, highs, known)
        var highest: UInt32 = 0
        rows.each { row in
            let (low, high) = cell(row)
            let place = Self.place(low, high)
            let difference = lows[place] ^ low | highs[place] ^ high
            let number = difference == 0 ? known[place] : Self.unknown
            numbers[row] = number
            highest = max(highest, number)
        }
        return highest == Self.unknown
    }

    @inline(__always)
    private static func place(_ low: UInt64, _ high: UInt64) -> Int {
        let mixed = (low ^ (high &<< 29 | high &>> 35)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> shift)
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
