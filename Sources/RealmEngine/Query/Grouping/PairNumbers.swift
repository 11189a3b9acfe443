/// Assigns the ordinals 0, 1, 2 ... to pairs of integers, in the order in which the pairs first
/// occur. Pairs of small integers are looked up in an array, others in a hash table.
///
/// Confined to one thread.
final class PairNumbers {
    private let pairs = ValueNumbers()
    /// Array of the ordinals of pairs of small integers. A pair has the index
    /// `first << shift | second`.
    private let known: UnsafeMutablePointer<UInt32>
    /// Number of low bits in the index of a pair in the array `known`. The low `shift` bits are the
    /// second integer of the pair; the bits above are the first integer.
    private var shift = 0

    private static let capacity = 1 << 14
    private static let unknown = UInt32.max

    init() {
        known = .allocate(capacity: Self.capacity)
        known.initialize(repeating: Self.unknown, count: Self.capacity)
    }

    deinit { known.deallocate() }

    /// Number of different pairs of integers so far; each has an ordinal.
    var count: Int { pairs.count }

    /// Memory in bytes of the hash table, which assigns ordinals to pairs of integers. The array
    /// `known` for pairs of small integers is not included.
    var size: Int { pairs.size }

    func removeAll() {
        pairs.removeAll()
        reset()
    }

    private func reset() { known.update(repeating: Self.unknown, count: Self.capacity) }

    /// Stores the ordinal of the pair (`firsts[row]`, `seconds[row]`) in `numbers[row]`, for each
    /// selected row.
    ///
    /// - Parameters:
    ///     - firstLimit: every selected integer in `firsts` is less than this number.
    ///     - limit: every selected integer in `seconds` is less than this number.
    ///     - numbers: output; may be the same buffer as `firsts` or `seconds`.
    func read(
        _ firsts: UnsafePointer<UInt32>, below firstLimit: Int,
        _ seconds: UnsafePointer<UInt32>, below limit: Int,
        _ rows: Selection, to numbers: UnsafeMutablePointer<UInt32>
    ) {
        let bits = Int.bitWidth - max(0, limit - 1).leadingZeroBitCount
        if bits > shift {
            shift = bits
            reset()
        }
        let (known, shift) = (known, UInt64(shift))
        if firstLimit <= Self.capacity >> Int(shift) {
            // All pairs that can occur have their own element in the array `known`.
            rows.each { row in
                let place = Int(firsts[row]) &<< Int(shift) | Int(seconds[row])
                let number = known[place]
                numbers[row] =
                    number != Self.unknown
                    ? number : self.number(firsts[row], seconds[row], place)
            }
            return
        }
        rows.each { row in
            let place = UInt64(firsts[row]) &<< shift | UInt64(seconds[row])
            if place < Self.capacity, known[Int(place)] != Self.unknown {
                numbers[row] = known[Int(place)]
            } else {
                numbers[row] = number(firsts[row], seconds[row], Int(truncatingIfNeeded: place))
            }
        }
    }

    @inline(never)
    private func number(_ first: UInt32, _ second: UInt32, _ place: Int) -> UInt32 {
        let number = pairs.number(of: Int64(first) << 32 | Int64(second))
        if place < Self.capacity { known[place] = number }
        return number
    }

    /// Returns the two integers of the pair with the ordinal `i`.
    subscript(i: Int) -> (first: Int, second: Int) {
        guard case .int(let both) = pairs.values.all[i] else { return (0, 0) }
        return (Int(both >> 32), Int(both & 0xFFFF_FFFF))
    }
}
