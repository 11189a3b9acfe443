/// Rows put in order by several columns of codes; ties keep the order they are in.
struct SortOrder {
    private let columns: [(codes: SortCodes, isAscending: Bool)]
    private let count: Int

    /// Digits of this many bits are sorted at a time.
    private static let digitBits = 11

    init(_ columns: [SortColumn], count: Int) {
        self.columns = columns.map { ($0.codes(), $0.key.isAscending) }
        self.count = count
    }

    /// The rows in order: sorted by the least significant digit of the last column first, each pass
    /// keeping the order of the one before.
    func sorted() -> [UInt32] {
        var order = (0..<UInt32(count)).map { $0 }
        var spare = order
        for column in columns.reversed() {
            let bits = 64 - column.codes.highest.leadingZeroBitCount
            let turn = column.isAscending ? 0 : column.codes.highest
            for shift in stride(from: 0, to: bits, by: Self.digitBits) {
                Self.pass(column.codes.codes, turn, shift, order, &spare)
                swap(&order, &spare)
            }
        }
        return order
    }

    /// Distributes rows by one digit of their codes; with a `turn`, of what is missing to it.
    private static func pass(
        _ codes: [UInt64], _ turn: UInt64, _ shift: Int, _ order: [UInt32],
        _ result: inout [UInt32]
    ) {
        let mask = UInt64(1 << digitBits - 1)
        let shift = UInt64(shift)
        @inline(__always)
        func digit(_ row: UInt32) -> Int {
            let code = codes[Int(row)]
            return Int(((turn == 0 ? code : turn &- code) >> shift) & mask)
        }
        var starts = [Int](repeating: 0, count: 1 << digitBits)
        for row in order { starts[digit(row)] &+= 1 }
        var next = 0
        for i in starts.indices {
            let size = starts[i]
            starts[i] = next
            next &+= size
        }
        for row in order {
            let place = digit(row)
            result[starts[place]] = row
            starts[place] &+= 1
        }
    }
}

/// The first row of each set of equal keys.
struct DistinctSet {
    private let columns: [SortColumn]
    private let codes: [SortCodes]
    private let count: Int

    init(_ columns: [SortColumn], count: Int) {
        self.columns = columns
        codes = columns.map { $0.codes() }
        self.count = count
    }

    /// In the order they are in; rows behind a null link are left out.
    func firstRows() -> [UInt32] {
        var capacity = 1024
        while capacity < count * 2 { capacity *= 2 }
        var slots = [UInt32](repeating: .max, count: capacity)
        var result: [UInt32] = []
        rows: for row in 0..<count {
            for column in columns where column.ranks[row] == SortColumn.missing { continue rows }
            var slot = Int(truncatingIfNeeded: hash(row)) & (capacity - 1)
            while slots[slot] != .max {
                if areEqual(Int(slots[slot]), row) { continue rows }
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = UInt32(row)
            result.append(UInt32(row))
        }
        return result
    }

    private func hash(_ row: Int) -> UInt64 {
        var hash: UInt64 = 0
        for column in codes { hash = (hash ^ column.codes[row]) &* 0x9E37_79B9_7F4A_7C15 }
        return hash ^ hash >> 32
    }

    private func areEqual(_ a: Int, _ b: Int) -> Bool {
        for column in codes where column.codes[a] != column.codes[b] { return false }
        return true
    }
}
