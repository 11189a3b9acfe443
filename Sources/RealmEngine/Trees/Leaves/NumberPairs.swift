/// A number by which pairs are sorted, and a number that is moved with it.
struct NumberPair {
    var number: Int64
    var payload: Int64
}

/// A growing array of pairs, with a radix sort.
struct NumberPairs: ~Copyable {
    private(set) var base: UnsafeMutablePointer<NumberPair>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        self.capacity = max(1, capacity)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// Memory, in bytes, that the pairs take.
    var byteSize: Int { capacity * MemoryLayout<NumberPair>.stride }

    @inline(__always)
    mutating func append(_ number: Int64, _ payload: Int64) {
        if count == capacity { grow() }
        base[count] = NumberPair(number: number, payload: payload)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let fresh = UnsafeMutablePointer<NumberPair>.allocate(capacity: capacity * 2)
        fresh.update(from: base, count: count)
        base.deallocate()
        base = fresh
        capacity *= 2
    }

    mutating func removeAll() { count = 0 }

    /// Sorts the pairs by number with a stable radix sort. Skips groups of bits that are equal in
    /// all numbers.
    mutating func sort() {
        var low = Int64.max
        var high = Int64.min
        var isSorted = true
        for i in 0..<count {
            let number = base[i].number
            isSorted = isSorted && number >= high
            low = min(low, number)
            high = max(high, number)
        }
        if count < 2 || isSorted { return }
        let range = UInt64(bitPattern: high &- low)
        let scratch = UnsafeMutablePointer<NumberPair>.allocate(capacity: capacity)
        var (from, to) = (base, scratch)
        // A small array uses small digits, because each pass clears a counter for every value of a
        // digit.
        let digit = Digit(bits: count < 1 << 10 ? 6 : 11)
        defer { digit.starts.deallocate() }
        var shift: UInt64 = 0
        while shift < 64, range >> shift != 0 {
            if distribute(from, &to, digit, low, shift) { (from, to) = (to, from) }
            shift += UInt64(digit.bits)
        }
        base = from
        to.deallocate()
    }

    /// Counters of one pass of the radix sort, which sorts by one group of bits (a digit) of the
    /// numbers. While the pass moves pairs, `starts` has for each value of the digit the index at
    /// which the next pair with this value is stored.
    private struct Digit {
        let bits: Int
        let starts: UnsafeMutablePointer<Int>
        var size: Int { 1 << bits }

        init(bits: Int) {
            self.bits = bits
            starts = .allocate(capacity: 1 << bits)
        }
    }

    /// Moves all pairs from `from` to `to`, sorted by the digit that begins at bit `shift`. If all
    /// pairs have the same digit, returns false and moves nothing.
    private func distribute(
        _ from: UnsafeMutablePointer<NumberPair>, _ to: inout UnsafeMutablePointer<NumberPair>,
        _ digit: Digit, _ low: Int64, _ shift: UInt64
    ) -> Bool {
        let (starts, mask) = (digit.starts, UInt64(digit.size - 1))
        func place(_ pair: NumberPair) -> Int {
            Int(truncatingIfNeeded: UInt64(bitPattern: pair.number &- low) >> shift & mask)
        }
        starts.initialize(repeating: 0, count: digit.size)
        for i in 0..<count { starts[place(from[i])] &+= 1 }
        if starts[place(from[0])] == count { return false }
        var sum = 0
        for i in 0..<digit.size { (starts[i], sum) = (sum, sum &+ starts[i]) }
        for i in 0..<count {
            let p = place(from[i])
            to[starts[p]] = from[i]
            starts[p] &+= 1
        }
        return true
    }
}
