/// The byte area of a leaf of medium texts: text `row` lies from where the one before it ends to
/// offset `row`, a terminator included (object format 3.6).
///
/// Kernels read the packed offsets as they are and check only those they follow, so that most rows
/// cost one comparison. An offset they follow that leads outside the area is damage: nil.
struct TextArea {
    let base: UnsafeRawPointer
    /// Bytes of the area.
    let size: Int
    let offsets: NodeView
    let count: Int
    let terminator: Int
    private let scratch: LeafScratch

    init(_ area: NodeView, _ offsets: NodeView, terminator: Int, _ scratch: LeafScratch) {
        base = area.payload
        size = area.count
        self.offsets = offsets
        self.terminator = terminator
        self.scratch = scratch
        count = min(offsets.count, ClusterRows.maximum)
    }

    /// Where the text of `row` lies, nil when that is outside the area.
    @inline(__always)
    private func range(_ row: Int) -> Range<Int>? {
        let start = row == 0 ? 0 : offsets.integer(row &- 1)
        let end = offsets.integer(row)
        guard 0 <= start, start <= end, end <= Int64(size), end &- start >= Int64(terminator)
        else { return nil }
        return Int(start)..<Int(end) &- terminator
    }

    /// Keeps the rows for which `test` holds; nil on damage.
    @inline(__always)
    private func confirmed(
        _ rows: Selection, _ test: (Range<Int>) -> Bool
    ) -> Selection? {
        var result = rows
        for i in 0..<4 {
            var rest = rows[i]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                guard let range = range(i &* 64 &+ bit) else { return nil }
                if !test(range) { result[i] &= ~(1 &<< UInt64(bit)) }
            }
        }
        return result
    }

    // MARK: Equality

    /// Rows whose text is the needle; nil on damage.
    func rows(equalTo search: NeedleSearch) -> Selection? {
        let length = Int64(search.count &+ terminator)
        let rows: Selection
        switch offsets.widthCode {
        case 5: rows = shortLengths(length)
        case 6: rows = lengths(length, Int32.self)
        case 7: rows = lengths(length, Int64.self)
        default:
            rows = Selection(count) { (from, n) in
                bits(n) { row in
                    let row = from &+ row
                    let start = row == 0 ? 0 : offsets.integer(row &- 1)
                    return offsets.integer(row) &- start == length
                }
            }
        }
        return confirmed(rows) { range in
            range.count == search.count && search.matches(base + range.lowerBound)
        }
    }

    @inline(__always)
    private func bits(_ n: Int, _ test: (Int) -> Bool) -> UInt64 {
        var bits: UInt64 = 0
        var i = 0
        while i < n {
            let isTrue: UInt64 = test(i) ? 1 : 0
            bits |= isTrue &<< UInt64(i)
            i &+= 1
        }
        return bits
    }

    /// Rows whose bytes are that many, but for carries, by offsets of 16 bits.
    private func shortLengths(_ length: Int64) -> Selection {
        let p = offsets.payload
        let wanted = Int16(truncatingIfNeeded: length)
        let all = SIMD8<Int16>(repeating: wanted)
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            // The first text begins at 0 and not at an offset.
            if from == 0 {
                bits = p.load(as: Int16.self) == wanted ? 1 : 0
                i = 1
            }
            while i &+ 16 <= n {
                let at = 2 &* (from &+ i)
                let a =
                    p.loadUnaligned(fromByteOffset: at, as: SIMD8<Int16>.self)
                    &- p.loadUnaligned(fromByteOffset: at &- 2, as: SIMD8<Int16>.self)
                let b =
                    p.loadUnaligned(fromByteOffset: at &+ 16, as: SIMD8<Int16>.self)
                    &- p.loadUnaligned(fromByteOffset: at &+ 14, as: SIMD8<Int16>.self)
                bits |= LaneBits.of(a .== all, b .== all) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let at = 2 &* (from &+ i)
                let a =
                    p.load(fromByteOffset: at, as: Int16.self)
                    &- p.load(fromByteOffset: at &- 2, as: Int16.self)
                if a == wanted { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    /// The same by offsets of another width.
    @inline(__always)
    private func lengths<T: FixedWidthInteger & SignedInteger>(
        _ length: Int64, _: T.Type
    ) -> Selection {
        let p = offsets.payload.assumingMemoryBound(to: T.self)
        let wanted = T(truncatingIfNeeded: length)
        return Selection(count) { (from, n) in
            bits(n) { i in
                let row = from &+ i
                let start: T = row == 0 ? 0 : p[row &- 1]
                return p[row] &- start == wanted
            }
        }
    }

    // MARK: Beginnings

    /// Rows whose text begins with the needle, which is not empty; nil on damage.
    func rows(beginningWith search: NeedleSearch) -> Selection? {
        let rows: Selection
        switch offsets.widthCode {
        case 5: rows = beginnings(search.head, Int16.self)
        case 6: rows = beginnings(search.head, Int32.self)
        case 7: rows = beginnings(search.head, Int64.self)
        default: rows = Selection(first: count)
        }
        return confirmed(rows) { range in
            range.count >= search.count && search.matches(base + range.lowerBound)
        }
    }

    /// Rows where the needle's first bytes stand, and those too near the end to be looked at
    /// eight bytes at a time.
    @inline(__always)
    private func beginnings<T: FixedWidthInteger & SignedInteger>(
        _ head: NeedleSearch.Head, _: T.Type
    ) -> Selection {
        let all = Selection(first: count)
        guard size >= 8, count > 0 else { return all }
        // Text `row` begins where the one before it ends.
        let range = IntegerRange(low: 0, high: Int64(size &- 8))
        let ends = IntegerKernels.rows(in: range, offsets, first: 0, count: count &- 1)
        let near = ends.leadingCount &+ 1
        let p = offsets.payload.assumingMemoryBound(to: T.self)
        var rows = Selection(near) { (from, n) in
            if from > 0 { return head.matches(n) { base + Int(p[from &+ $0 &- 1]) } }
            let first: UInt64 = head.matches(base) ? 1 : 0
            return first | head.matches(n &- 1) { base + Int(p[$0]) } &<< 1
        }
        if near < count { rows = rows | all.subtracting(Selection(first: near)) }
        return rows
    }

    // MARK: Parts

    /// Rows whose text holds the needle, which is not empty; nil on damage.
    ///
    /// The places of the needle's first and last byte are found in the whole area first.
    func rows(containing search: NeedleSearch) -> Selection? {
        let ends = scratch.numbers
        guard count > 0, unpack(ends) else { return count == 0 ? Selection.none : nil }
        let end = Int(ends[count &- 1])
        let length = Int64(search.count &+ terminator)
        var result = Selection.none
        var row = 0
        search.visitPlaces(base, to: end) { place in
            // The rest of a text that has the needle is passed over.
            if ends[row] > Int64(place), result.contains(row) { return }
            while ends[row] <= Int64(place) { row &+= 1 }
            if Int64(place) &+ length <= ends[row], search.matches(base + place) {
                result.insert(row)
            }
        }
        return result
    }

    // MARK: Order

    /// All rows by their first bytes; nil on damage.
    func heads(_ order: TextOrder, nulls: Selection) -> TextOrder.Heads? {
        let ends = scratch.numbers
        guard count > 0 else { return TextOrder.Heads() }
        guard unpack(ends) else { return nil }
        return order.heads(
            base, size: size, ends, terminator: terminator, count: count, nulls: nulls)
    }

    /// The unpacked end offsets, and 0 before the first; nil on damage. Valid until the next leaf.
    func ends() -> UnsafePointer<Int64>? {
        unpack(scratch.numbers) ? UnsafePointer(scratch.numbers) : nil
    }

    /// Unpacks the offsets; false unless they ascend and end inside the area.
    private func unpack(_ ends: UnsafeMutablePointer<Int64>) -> Bool {
        IntegerKernels.decode(offsets, first: 0, count: count, into: ends)
        ends[-1] = 0
        var damage: Int64 = 0
        // An end before the area, and a text shorter than the terminator, have their sign bits set.
        for row in 0..<count {
            damage |= ends[row] | (ends[row] &- ends[row &- 1] &- Int64(terminator))
        }
        return damage >= 0 && (count == 0 || ends[count &- 1] <= Int64(size))
    }
}
