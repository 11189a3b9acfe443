/// A row and the part of its sort key that is being compared.
struct SortItem {
    var word: UInt64
    let row: UInt32
}

/// Puts rows in order by several columns; rows of equal keys keep the order they are in.
///
/// Keys are sequences of eight-byte words whose unsigned order is the order of the keys. All rows are
/// sorted by the first word of the first column; each run of equal words is sorted by the next word,
/// then by the next column, and at last by the number of the row. Most words are never loaded.
struct RowSorter {
    private let columns: [SortColumn]
    private let items: UnsafeMutableBufferPointer<SortItem>

    /// A run of rows whose keys are equal up to a word of a column.
    private struct Run {
        let rows: Range<Int>
        let column: Int
        let part: SortPart
    }

    /// Runs of no more rows are compared row by row.
    private static let fewRows = 12

    /// Bytes that sorting takes for each row, besides the columns: the items and the order.
    static let rowSize = MemoryLayout<SortItem>.stride + MemoryLayout<UInt32>.stride

    private init(_ columns: [SortColumn], _ items: UnsafeMutableBufferPointer<SortItem>) {
        self.columns = columns
        self.items = items
    }

    /// The rows of `columns`, `count` in number, in order.
    static func order(_ columns: [SortColumn], count: Int) -> [UInt32] {
        let items = UnsafeMutableBufferPointer<SortItem>.allocate(capacity: count)
        defer { items.deallocate() }
        for row in 0..<count {
            (items.baseAddress! + row).initialize(to: SortItem(word: 0, row: UInt32(row)))
        }
        for column in columns { column.finish() }
        RowSorter(columns, items).sort()
        return [UInt32](unsafeUninitializedCapacity: count) { (order, used) in
            for i in 0..<count { order[i] = items[i].row }
            used = count
        }
    }

    private func sort() {
        guard items.count > 1, let first = columns.first else { return }
        var runs = [Run(rows: 0..<items.count, column: 0, part: first.firstPart)]
        while let run = runs.popLast() { sort(run, &runs) }
    }

    /// Sorts a run by one word, and adds the runs of rows that it leaves equal.
    private func sort(_ run: Run, _ runs: inout [Run]) {
        let part = UnsafeMutableBufferPointer(rebasing: items[run.rows])
        if part.count <= Self.fewRows { return compareRows(part, from: run.column) }
        guard run.column < columns.count else { return sortByRow(part) }
        columns[run.column].load(run.part, part)
        WordSort.sort(part)
        var start = 0
        while start < part.count {
            let word = part[start].word
            var end = start &+ 1
            while end < part.count, part[end].word == word { end &+= 1 }
            if end &- start > 1 {
                let equal = UnsafeMutableBufferPointer(rebasing: part[start..<end])
                if equal.count <= Self.fewRows {
                    compareRows(equal, from: run.column)
                } else {
                    let first = run.rows.lowerBound
                    runs.append(
                        next(run, first &+ start..<first &+ end, equal))
                }
            }
            start = end
        }
    }

    /// The run with the next word in which its rows may differ.
    private func next(
        _ run: Run, _ rows: Range<Int>, _ equal: UnsafeMutableBufferPointer<SortItem>
    ) -> Run {
        if let part = columns[run.column].part(after: run.part, equal) {
            return Run(rows: rows, column: run.column, part: part)
        }
        let column = run.column + 1
        return Run(
            rows: rows, column: column,
            part: column < columns.count ? columns[column].firstPart : .rank)
    }

    /// Rows whose keys are equal, in the order of their numbers.
    private func sortByRow(_ items: UnsafeMutableBufferPointer<SortItem>) {
        for i in items.indices { items[i].word = UInt64(items[i].row) }
        WordSort.sort(items)
    }

    /// Sorts few rows by insertion; their keys are equal before `column`.
    private func compareRows(
        _ items: UnsafeMutableBufferPointer<SortItem>, from column: Int
    ) {
        var i = 1
        while i < items.count {
            let item = items[i]
            var place = i
            while place > 0, isBefore(item.row, items[place &- 1].row, from: column) {
                items[place] = items[place &- 1]
                place &-= 1
            }
            items[place] = item
            i &+= 1
        }
    }

    private func isBefore(_ a: UInt32, _ b: UInt32, from column: Int) -> Bool {
        for column in columns[column...] {
            let order = column.compare(Int(a), Int(b))
            if order != 0 { return column.key.isAscending ? order < 0 : order > 0 }
        }
        return a < b
    }
}

/// Sorts items by their words, in place: by the highest bits that differ, each bucket by the next ones.
/// Equal words end in any order.
enum WordSort {
    /// Buckets of no more items are sorted by insertion.
    private static let fewItems = 32
    private static let maximumBits = 11

    static func sort(_ items: UnsafeMutableBufferPointer<SortItem>) {
        guard items.count > 1 else { return }
        if items.count <= fewItems { return insert(items) }
        let first = items[0].word
        var different: UInt64 = 0
        var isOrdered = true
        var last = first
        for item in items {
            different |= item.word ^ first
            isOrdered = isOrdered && last <= item.word
            last = item.word
        }
        if different == 0 || isOrdered { return }
        distribute(items, different)
    }

    private static func distribute(
        _ items: UnsafeMutableBufferPointer<SortItem>, _ different: UInt64
    ) {
        // Buckets of about eight items.
        let wanted = Int.bitWidth - items.count.leadingZeroBitCount - 3
        let bits = min(max(wanted, 1), maximumBits)
        let top = 64 - different.leadingZeroBitCount
        let shift = UInt64(max(0, top - bits))
        let buckets = 1 << min(bits, top)
        let mask = UInt64(buckets - 1)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * buckets) { memory in
            let heads = memory.baseAddress!
            let ends = heads + buckets
            ends.initialize(repeating: 0, count: buckets)
            for item in items { ends[Int(item.word &>> shift & mask)] &+= 1 }
            var sum = 0
            for i in 0..<buckets {
                (heads + i).initialize(to: sum)
                sum &+= ends[i]
                ends[i] = sum
            }
            permute(items.baseAddress!, heads, ends, buckets, shift, mask)
            if shift == 0 { return }
            var start = 0
            for i in 0..<buckets {
                let end = ends[i]
                if end &- start > 1 {
                    sort(UnsafeMutableBufferPointer(rebasing: items[start..<end]))
                }
                start = end
            }
        }
    }

    /// Moves every item to its bucket, by cycles.
    private static func permute(
        _ items: UnsafeMutablePointer<SortItem>, _ heads: UnsafeMutablePointer<Int>,
        _ ends: UnsafeMutablePointer<Int>, _ buckets: Int, _ shift: UInt64, _ mask: UInt64
    ) {
        for bucket in 0..<buckets {
            while heads[bucket] < ends[bucket] {
                var item = items[heads[bucket]]
                var target = Int(item.word &>> shift & mask)
                while target != bucket {
                    let place = heads[target]
                    heads[target] = place &+ 1
                    swap(&item, &items[place])
                    target = Int(item.word &>> shift & mask)
                }
                items[heads[bucket]] = item
                heads[bucket] &+= 1
            }
        }
    }

    private static func insert(_ items: UnsafeMutableBufferPointer<SortItem>) {
        let items = items
        var i = 1
        while i < items.count {
            let item = items[i]
            var place = i
            while place > 0, item.word < items[place &- 1].word {
                items[place] = items[place &- 1]
                place &-= 1
            }
            items[place] = item
            i &+= 1
        }
    }
}
