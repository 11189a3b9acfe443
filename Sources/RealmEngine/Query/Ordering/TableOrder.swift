/// The distinct object keys of a list in table order. The objects are read leaf by leaf in table
/// order, and then used in the order of the list.
package struct TableOrder: Sendable {
    private let keys: Slice<RowKeys>
    private let form: Form
    /// Number of distinct keys in the list.
    package let count: Int

    private enum Form: Sendable {
        /// A bit set of the keys: `words` has one bit per key, beginning at the key `first`.
        /// Element i of `before` is the number of bits that are set in the words before word i.
        case bits(first: UInt64, words: [UInt64], before: [UInt32])
        /// All keys from `first` on, without gaps.
        case all(first: UInt64)
        /// Sorted distinct keys, and for each list element the index of its key.
        case sorted([ObjectKey], places: [UInt32])
    }

    package init(_ keys: Slice<RowKeys>) {
        self.keys = keys
        if let (form, count) = Self.bits(keys) {
            (self.form, self.count) = (form, count)
        } else {
            let (form, count) = Self.sorted(keys)
            (self.form, self.count) = (form, count)
        }
    }

    /// Builds the bit set of the keys; nil if it would need more memory than the list of keys.
    private static func bits(_ keys: Slice<RowKeys>) -> (Form, Int)? {
        var (least, greatest) = (UInt64.max, UInt64.min)
        keys.base.visit(keys.startIndex..<keys.endIndex) { (_, key) in
            least = min(least, UInt64(bitPattern: key.raw))
            greatest = max(greatest, UInt64(bitPattern: key.raw))
        }
        guard least <= greatest, greatest - least < UInt64(keys.count) * 32 else { return nil }
        var words = [UInt64](repeating: 0, count: Int((greatest - least) >> 6) + 1)
        words.withUnsafeMutableBufferPointer { words in
            keys.base.visit(keys.startIndex..<keys.endIndex) { (_, key) in
                let bit = UInt64(bitPattern: key.raw) &- least
                words[Int(bit &>> 6)] |= 1 &<< (bit & 63)
            }
        }
        var before = [UInt32](repeating: 0, count: words.count)
        var count = 0
        for (i, word) in words.enumerated() {
            before[i] = UInt32(count)
            count += word.nonzeroBitCount
        }
        if greatest - least == UInt64(count - 1) { return (.all(first: least), count) }
        return (.bits(first: least, words: words, before: before), count)
    }

    private static func sorted(_ keys: Slice<RowKeys>) -> (Form, Int) {
        let items = UnsafeMutableBufferPointer<SortItem>.allocate(capacity: keys.count)
        defer { items.deallocate() }
        keys.base.visit(keys.startIndex..<keys.endIndex) { (i, key) in
            let item = SortItem(
                word: UInt64(bitPattern: key.raw), row: UInt32(i - keys.startIndex))
            (items.baseAddress! + i - keys.startIndex).initialize(to: item)
        }
        WordSort.sort(items)
        var order: [ObjectKey] = []
        var places = [UInt32](repeating: 0, count: items.count)
        for item in items {
            let key = ObjectKey(Int64(bitPattern: item.word))
            if order.last != key { order.append(key) }
            places[Int(item.row)] = UInt32(order.count - 1)
        }
        return (.sorted(order, places: places), order.count)
    }

    /// Visits the distinct object keys of the list, in table order.
    package func visit(_ body: (ObjectKey) throws(RealmError) -> Void) throws(RealmError) {
        switch form {
        case .sorted(let order, _): for key in order { try body(key) }
        case .all(let first):
            for i in 0..<count { try body(ObjectKey(Int64(bitPattern: first &+ UInt64(i)))) }
        case .bits(let first, let words, _):
            for (i, word) in words.enumerated() {
                var rest = word
                while rest != 0 {
                    let bit = UInt64(i &* 64 &+ rest.trailingZeroBitCount)
                    try body(ObjectKey(Int64(bitPattern: first &+ bit)))
                    rest &= rest &- 1
                }
            }
        }
    }

    /// Visits the distinct keys in table order as ranges of consecutive keys: the first key and the
    /// number of keys.
    package func visitRanges(
        _ body: (ObjectKey, Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        if case .all(let first) = form {
            return try body(ObjectKey(Int64(bitPattern: first)), count)
        }
        var (first, length): (Int64, Int) = (0, 0)
        try visit { (key) throws(RealmError) in
            if key.raw == first &+ Int64(length), length > 0 {
                length &+= 1
            } else {
                if length > 0 { try body(ObjectKey(first), length) }
                (first, length) = (key.raw, 1)
            }
        }
        if length > 0 { try body(ObjectKey(first), length) }
    }

    /// Calls `body` for each list element, in list order, until `body` returns false. Passes the
    /// index of the element's key among the distinct keys in table order. Returns whether all
    /// elements were visited.
    package func visitPositions(
        _ body: (Int) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        let places = UnsafeMutablePointer<Int>.allocate(capacity: Self.fetched)
        defer { places.deallocate() }
        var next = 0
        while next < keys.count {
            let count = min(Self.fetched, keys.count - next)
            store(next..<next + count, to: places)
            for i in 0..<count where try !body(places[i]) { return false }
            next += count
        }
        return true
    }

    /// Appends the records of list elements in list order, from element `next` on, until the buffer
    /// contains `limit` bytes or no element is left. Returns the number of non-empty records.
    ///
    /// Records that are adjacent in list order are scattered in memory, so they are prefetched in
    /// batches before they are copied.
    ///
    /// - Parameter starts: offsets in bytes of the records in table order, and the end of the last
    ///   record.
    package func append(
        _ records: UnsafeRawBufferPointer, _ starts: UnsafeBufferPointer<Int>,
        from next: inout Int, to out: inout ByteBuffer, until limit: Int
    ) -> Int {
        guard let bytes = records.baseAddress, let starts = starts.baseAddress else {
            next = keys.count
            return 0
        }
        let places = UnsafeMutablePointer<Int>.allocate(capacity: Self.fetched)
        defer { places.deallocate() }
        var total = 0
        while next < keys.count, out.count < limit {
            let count = min(Self.fetched, keys.count - next)
            store(next..<next + count, to: places)
            for i in 0..<count { Prefetch.line(starts + places[i]) }
            for i in 0..<count { Prefetch.line(bytes + starts[places[i]]) }
            for i in 0..<count {
                let (start, end) = (starts[places[i]], starts[places[i] &+ 1])
                if start == end { continue }
                total &+= 1
                let room = out.reserve(max(Self.copied, end &- start))
                if end &- start <= Self.copied, start &+ Self.copied <= records.count {
                    let words = (bytes + start).loadUnaligned(as: SIMD2<UInt64>.self)
                    let more = (bytes + start).loadUnaligned(
                        fromByteOffset: 16, as: SIMD2<UInt64>.self)
                    room.storeBytes(of: words, as: SIMD2<UInt64>.self)
                    room.storeBytes(of: more, toByteOffset: 16, as: SIMD2<UInt64>.self)
                } else {
                    room.copyMemory(from: bytes + start, byteCount: end &- start)
                }
                out.advance(by: end &- start)
                if out.count >= limit {
                    next += i + 1
                    return total
                }
            }
            next += count
        }
        return total
    }

    /// Number of records that are prefetched before they are copied.
    private static let fetched = 128
    /// Number of bytes that are copied at once for every record of at most this size. The copy may
    /// include bytes after the record.
    private static let copied = 32

    /// Stores, for each list element in `part`, the index of the element's key among the distinct
    /// keys in table order.
    func store(_ part: Range<Int>, to places: UnsafeMutablePointer<Int>) {
        switch form {
        case .sorted(_, let all): for i in part { places[i - part.lowerBound] = Int(all[i]) }
        case .all(let first):
            let start = keys.startIndex + part.lowerBound
            keys.base.visit(start..<start + part.count) { (i, key) in
                places[i &- start] = Int(
                    truncatingIfNeeded: UInt64(bitPattern: key.raw) &- first)
            }
        case .bits(let first, let words, let before):
            let start = keys.startIndex + part.lowerBound
            keys.base.visit(start..<start + part.count) { (i, key) in
                let bit = UInt64(bitPattern: key.raw) &- first
                let word = Int(bit &>> 6)
                let lower = words[word] & ((1 &<< (bit & 63)) &- 1)
                places[i &- start] = Int(before[word]) &+ lower.nonzeroBitCount
            }
        }
    }
}
