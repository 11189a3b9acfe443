/// A row, and the eight-byte word of its sort key by which rows are being sorted.
struct SortItem {
    var word: UInt64
    let row: UInt32
}

/// Stable sort of rows by several columns.
///
/// Keys are sequences of eight-byte words, whose unsigned order is the order of the keys. All rows
/// are sorted by the first word of the first column. Each run of equal words is then sorted by the
/// next word, then by the next column, and finally by the row number. Most words are never loaded.
struct RowSorter {
    private let columns: [SortColumn]
    private let items: UnsafeMutableBufferPointer<SortItem>

    /// Rows whose sort keys are equal in all columns before `column`, and in `column` in all
    /// eight-byte words before `part`. The run must still be sorted by the word `part`.
    private struct Run {
        let rows: Range<Int>
        let column: Int
        let part: SortPart
        /// Whether the items contain only the higher bits of the eight-byte word `part`, as they
        /// may after a sort by `JoinedWords`. Rows with equal items are then sorted by the whole
        /// word next.
        var isPartial = false
    }

    /// Maximum number of rows in a run that an insertion sort sorts, which compares whole keys.
    /// Longer runs are sorted by the first eight-byte word of the key, then by the next word, and
    /// so on.
    private static let maximumRowByRow = 12

    /// Bytes of memory per row for the array of `SortItem`s and for the resulting order of the
    /// rows. The memory of the sort columns is not included.
    static let rowSize = MemoryLayout<SortItem>.stride + MemoryLayout<UInt32>.stride

    private init(_ columns: [SortColumn], _ items: UnsafeMutableBufferPointer<SortItem>) {
        self.columns = columns
        self.items = items
    }

    /// Returns the `count` rows of `columns` in sorted order.
    static func order(_ columns: [SortColumn], count: Int) -> [UInt32] {
        let items = UnsafeMutableBufferPointer<SortItem>.allocate(capacity: count)
        defer { items.deallocate() }
        if let start = items.baseAddress {
            LargeMemory.requestHugePages(start, count * MemoryLayout<SortItem>.stride)
        }
        for column in columns { column.finish() }
        RowSorter(columns, items).sort()
        return [UInt32](unsafeUninitializedCapacity: count) { (order, used) in
            for i in 0..<count { order[i] = items[i].row }
            used = count
        }
    }

    private func sort() {
        guard let start = items.baseAddress else { return }
        guard let first = columns.first, let words = first.words(of: first.firstPart) else {
            for row in items.indices {
                (start + row).initialize(to: SortItem(word: 0, row: UInt32(row)))
            }
            if let first = columns.first { sort(by: first.firstPart, isLoaded: false) }
            return
        }
        if let joined = JoinedWords(columns) {
            WordSort.store(items, different: .max) { joined[$0] }
            let second = columns[1].firstPart
            return sort(
                Run(
                    rows: 0..<items.count, column: 1, part: second, isPartial: joined.isPartial),
                isLoaded: true)
        }
        let flip = first.flip
        WordSort.store(items, different: WordSort.difference(words)) { words[$0] ^ flip }
        sort(by: first.firstPart, isLoaded: true)
    }

    /// Sorts all rows, beginning with the part `part` of the keys in the first column.
    ///
    /// - Parameter isLoaded: whether `items` already contains the eight-byte words of this part,
    ///   and is sorted by these words.
    private func sort(by part: SortPart, isLoaded: Bool) {
        sort(Run(rows: 0..<items.count, column: 0, part: part), isLoaded: isLoaded)
    }

    private func sort(_ all: Run, isLoaded: Bool) {
        var runs: [Run] = []
        if isLoaded { split(all, items, &runs) } else { runs.append(all) }
        while let run = runs.popLast() { sort(run, &runs) }
    }

    /// Sorts the rows of a run by the eight-byte word of their keys that `run.part` selects.
    /// Appends each sequence of rows with equal words to `runs`, to be sorted by the next word.
    private func sort(_ run: Run, _ runs: inout [Run]) {
        let part = UnsafeMutableBufferPointer(rebasing: items[run.rows])
        if part.count <= Self.maximumRowByRow { return compareRows(part, from: run.column) }
        guard run.column < columns.count else { return sortByRow(part) }
        columns[run.column].load(run.part, part)
        WordSort.sort(part)
        split(run, part, &runs)
    }

    /// Finds the runs of rows whose items contain the same eight-byte word. Sorts short runs at
    /// once, and appends the others to `runs`.
    private func split(
        _ run: Run, _ part: UnsafeMutableBufferPointer<SortItem>, _ runs: inout [Run]
    ) {
        var start = 0
        while start < part.count {
            let word = part[start].word
            var end = start &+ 1
            while end < part.count, part[end].word == word { end &+= 1 }
            if end &- start > 1 {
                let equal = UnsafeMutableBufferPointer(rebasing: part[start..<end])
                if equal.count <= Self.maximumRowByRow {
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

    /// Returns the run to sort next: the rows `rows`, whose keys are equal up to the present
    /// eight-byte word. The returned run is sorted by the next word in which the keys may differ.
    private func next(
        _ run: Run, _ rows: Range<Int>, _ equal: UnsafeMutableBufferPointer<SortItem>
    ) -> Run {
        if run.isPartial { return Run(rows: rows, column: run.column, part: run.part) }
        if let part = columns[run.column].part(after: run.part, equal) {
            return Run(rows: rows, column: run.column, part: part)
        }
        let column = run.column + 1
        return Run(
            rows: rows, column: column,
            part: column < columns.count ? columns[column].firstPart : .rank)
    }

    /// Sorts rows whose keys are completely equal by row number, so that the sort is stable.
    private func sortByRow(_ items: UnsafeMutableBufferPointer<SortItem>) {
        for i in items.indices { items[i].word = UInt64(items[i].row) }
        WordSort.sort(items)
    }

    /// Sorts a few rows by insertion. Their keys are known to be equal in all sort columns before
    /// the column with the index `column`.
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

/// In-place radix sort of items by their eight-byte words. Each pass sorts a range of items by the
/// highest bits that differ between their words. Not stable.
enum WordSort {
    /// Maximum size of a bucket that is sorted by insertion.
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

    /// Returns a mask of the bits that are not equal in all words.
    static func difference(_ words: UnsafeBufferPointer<UInt64>) -> UInt64 {
        guard let first = words.first else { return 0 }
        var different: UInt64 = 0
        for word in words { different |= word ^ first }
        return different
    }

    /// Initializes the items: item i gets the number i of a row and the eight-byte word of this
    /// row. Then sorts the items by their words. The first pass stores each item directly in its
    /// bucket.
    ///
    /// - Parameter different: mask of the bits that are not equal in all words; may contain other
    ///   bits, too.
    /// - Parameter word: returns the word of a row; must return the same word in each call.
    @inline(__always)
    static func store(
        _ items: UnsafeMutableBufferPointer<SortItem>, different: UInt64,
        _ word: (Int) -> UInt64
    ) {
        guard let start = items.baseAddress, items.count > 0 else { return }
        let buckets = Buckets(items.count, different)
        buckets.withHeads { (heads, ends) in
            for row in 0..<items.count { ends[buckets.of(word(row))] &+= 1 }
            buckets.setHeads(heads, ends)
            for row in 0..<items.count {
                let word = word(row)
                let bucket = buckets.of(word)
                (start + heads[bucket]).initialize(to: SortItem(word: word, row: UInt32(row)))
                heads[bucket] &+= 1
            }
            buckets.sort(items, ends)
        }
    }

    private static func distribute(
        _ items: UnsafeMutableBufferPointer<SortItem>, _ different: UInt64
    ) {
        let buckets = Buckets(items.count, different)
        buckets.withHeads { (heads, ends) in
            for item in items { ends[buckets.of(item.word)] &+= 1 }
            buckets.setHeads(heads, ends)
            permute(items.baseAddress!, heads, ends, buckets)
            buckets.sort(items, ends)
        }
    }

    /// Buckets of one pass of the radix sort. Of the bits that are not equal in all words, the
    /// highest ones select the bucket.
    private struct Buckets {
        let count: Int
        private let shift: UInt64
        private let mask: UInt64

        /// Makes buckets of about eight items each, for `items` items.
        ///
        /// - Parameter different: bits in which the words of the items differ.
        init(_ items: Int, _ different: UInt64) {
            let wanted = Int.bitWidth - items.leadingZeroBitCount - 3
            let top = 64 - different.leadingZeroBitCount
            let bits = min(max(wanted, 1), WordSort.maximumBits, top)
            shift = UInt64(top - bits)
            count = 1 << bits
            mask = UInt64(count - 1)
        }

        @inline(__always)
        func of(_ word: UInt64) -> Int { Int(word &>> shift & mask) }

        /// Calls `body` with two arrays that have an element for each bucket, initialized to 0. The
        /// sort stores in `heads` the index of the bucket's next item, and in `ends` the end of the
        /// bucket.
        func withHeads(
            _ body: (_ heads: UnsafeMutablePointer<Int>, _ ends: UnsafeMutablePointer<Int>) -> Void
        ) {
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * count) { memory in
                let heads = memory.baseAddress!
                heads.initialize(repeating: 0, count: 2 * count)
                body(heads, heads + count)
            }
        }

        /// Replaces the number of items per bucket in `ends` by the end offset of each bucket, and
        /// stores the start offsets in `heads`.
        func setHeads(_ heads: UnsafeMutablePointer<Int>, _ ends: UnsafeMutablePointer<Int>) {
            var sum = 0
            for i in 0..<count {
                heads[i] = sum
                sum &+= ends[i]
                ends[i] = sum
            }
        }

        /// Sorts the items of each bucket by the bits that did not select the bucket.
        func sort(
            _ items: UnsafeMutableBufferPointer<SortItem>, _ ends: UnsafeMutablePointer<Int>
        ) {
            if shift == 0 { return }
            var start = 0
            for i in 0..<count {
                let end = ends[i]
                if end &- start > 1 {
                    WordSort.sort(UnsafeMutableBufferPointer(rebasing: items[start..<end]))
                }
                start = end
            }
        }
    }

    /// Moves every item to its bucket in place, by following the cycles of the permutation.
    private static func permute(
        _ items: UnsafeMutablePointer<SortItem>, _ heads: UnsafeMutablePointer<Int>,
        _ ends: UnsafeMutablePointer<Int>, _ buckets: Buckets
    ) {
        for bucket in 0..<buckets.count {
            while heads[bucket] < ends[bucket] {
                var item = items[heads[bucket]]
                var target = buckets.of(item.word)
                while target != bucket {
                    let place = heads[target]
                    heads[target] = place &+ 1
                    swap(&item, &items[place])
                    target = buckets.of(item.word)
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
