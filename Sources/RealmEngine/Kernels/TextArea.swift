/// The bytes of a leaf with texts of medium length. The text of row 0 begins at offset 0, and each
/// text ends, with its terminator, where the text of the next row begins. The end offsets are
/// stored in an array (object format 3.6).
///
/// Kernels read the packed offsets without decoding them, and check only those that they use. So
/// most rows cost only one comparison. If an offset that a kernel uses is outside the bytes, the
/// file is damaged and the kernel returns nil.
struct TextArea {
    let base: UnsafeRawPointer
    /// Number of bytes at `base`, which contain the texts of all rows.
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

    /// The end offsets of the texts as stored, without decoding.
    @inline(__always)
    private func ends<T: FixedWidthInteger & SignedInteger>(_: T.Type) -> UnsafePointer<T> {
        UnsafePointer(offsets.payload.assumingMemoryBound(to: T.self))
    }

    /// The end offsets, decoded to 64 bits. For leaves whose offsets have a rare width.
    private var unpackedEnds: UnsafePointer<Int64> {
        IntegerKernels.decode(offsets, first: 0, count: count, into: scratch.numbers)
        return UnsafePointer(scratch.numbers)
    }

    /// Returns the end offsets of the texts, decoded to 64 bits, with a 0 before the first; nil if
    /// they are damaged. Valid until the offsets of another leaf are read with the same
    /// `LeafScratch`.
    func ends() -> UnsafePointer<Int64>? {
        scratch.numbers[-1] = 0
        let ends = unpackedEnds
        return isSound(ends) ? ends : nil
    }

    /// Returns the 16-bit end offsets of the texts, with a 0 before the first; nil if they are
    /// damaged. Valid until the offsets of another leaf are read with the same `LeafScratch`.
    func shortEnds() -> UnsafePointer<Int16>? {
        guard isSound(ends(Int16.self)) else { return nil }
        let copy = UnsafeMutableRawPointer(scratch.numbers)
        copy.storeBytes(of: 0, toByteOffset: -2, as: Int16.self)
        copy.copyMemory(from: offsets.payload, byteCount: 2 &* count)
        return UnsafePointer(copy.assumingMemoryBound(to: Int16.self))
    }

    /// Whether the end offsets ascend and are within the bytes of the leaf.
    @inline(__always)
    private func isSound<T: FixedWidthInteger & SignedInteger>(_ ends: UnsafePointer<T>) -> Bool {
        if count == 0 { return true }
        let terminator = T(truncatingIfNeeded: terminator)
        // The sign bit is set if an end offset is negative, or if a text is shorter than its
        // terminator.
        var damage = ends[0] | (ends[0] &- terminator)
        for row in 1..<count {
            damage |= ends[row] | (ends[row] &- ends[row &- 1] &- terminator)
        }
        return damage >= 0 && Int(ends[count &- 1]) <= size
    }

    /// Returns the range of the text of `row`; nil if it is outside the bytes of the leaf.
    @inline(__always)
    private func range<T: FixedWidthInteger & SignedInteger>(
        _ row: Int, _ ends: UnsafePointer<T>
    ) -> Range<Int>? {
        let start = row == 0 ? 0 : Int(ends[row &- 1])
        let end = Int(ends[row])
        guard 0 <= start, start <= end, end <= size, end &- start >= terminator else { return nil }
        return start..<end &- terminator
    }

    /// Returns the candidates in `rows` for which `test` is true. `test` receives the range of a
    /// row's text in the bytes of the leaf. Nil if an end offset of a text is damaged.
    @inline(__always)
    private func confirmed<T: FixedWidthInteger & SignedInteger>(
        _ rows: Selection, _ ends: UnsafePointer<T>, _ test: (Range<Int>) -> Bool
    ) -> Selection? {
        var result = rows
        for i in 0..<4 {
            var rest = rows[i]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                guard let range = range(i &* 64 &+ bit, ends) else { return nil }
                if !test(range) { result[i] &= ~(1 &<< UInt64(bit)) }
            }
        }
        return result
    }

    // MARK: Lengths

    /// Returns the rows whose length in bytes, including the terminator, passes `test`. Damaged
    /// offsets may give wrong rows; the caller must check them.
    @inline(__always)
    private func rows<T: FixedWidthInteger & SignedInteger>(
        _ ends: UnsafePointer<T>, length test: (T) -> Bool
    ) -> Selection {
        Selection(count) { (from, n) in
            LaneBits.of(n) { i in
                let row = from &+ i
                return test(ends[row] &- (row == 0 ? 0 : ends[row &- 1]))
            }
        }
    }

    /// Returns the rows whose length in bytes, including the terminator, passes `test`. Like
    /// `rows(_:length:)`, but for end offsets of 16 bits, of which `test` examines eight at a time.
    @inline(__always)
    private func rows(
        _ ends: UnsafePointer<Int16>, lengths test: (SIMD8<Int16>) -> SIMDMask<SIMD8<Int16>>
    ) -> Selection {
        let p = UnsafeRawPointer(ends)
        func lengths(_ row: Int) -> SIMDMask<SIMD8<Int16>> {
            let at = 2 &* row
            return test(
                p.loadUnaligned(fromByteOffset: at, as: SIMD8<Int16>.self)
                    &- p.loadUnaligned(fromByteOffset: at &- 2, as: SIMD8<Int16>.self))
        }
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            // Row 0 begins at offset 0; `ends` contains only the ends of the texts.
            var i = from == 0 ? 1 : 0
            if from == 0, test(SIMD8(repeating: ends[0]))[0] { bits = 1 }
            while i &+ 16 <= n {
                bits |=
                    LaneBits.of(lengths(from &+ i), lengths(from &+ i &+ 8)) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let row = from &+ i
                if test(SIMD8(repeating: ends[row] &- ends[row &- 1]))[0] {
                    bits |= 1 &<< UInt64(i)
                }
                i &+= 1
            }
            return bits
        }
    }

    // MARK: Equality

    /// Returns the rows whose text equals the needle; nil if an offset is damaged.
    func rows(equalTo search: NeedleSearch) -> Selection? {
        let length = search.count &+ terminator
        switch offsets.widthCode {
        case 5:
            let all = SIMD8(repeating: Int16(truncatingIfNeeded: length))
            let ends = ends(Int16.self)
            return equal(search, rows(ends) { $0 .== all }, ends)
        case 6: return equal(search, length, ends(Int32.self))
        case 7: return equal(search, length, ends(Int64.self))
        default: return equal(search, length, unpackedEnds)
        }
    }

    private func equal<T: FixedWidthInteger & SignedInteger>(
        _ search: NeedleSearch, _ length: Int, _ ends: UnsafePointer<T>
    ) -> Selection? {
        let length = T(truncatingIfNeeded: length)
        return equal(search, rows(ends) { $0 == length }, ends)
    }

    @inline(__always)
    private func equal<T: FixedWidthInteger & SignedInteger>(
        _ search: NeedleSearch, _ rows: Selection, _ ends: UnsafePointer<T>
    ) -> Selection? {
        confirmed(rows, ends) { range in
            range.count == search.count && search.matches(base + range.lowerBound)
        }
    }

    // MARK: Prefixes

    /// Returns the rows whose text begins with the needle, which must not be empty; nil if an end
    /// offset of a text is damaged.
    func rows(beginningWith search: NeedleSearch) -> Selection? {
        switch offsets.widthCode {
        case 5: rows(beginningWith: search, ends(Int16.self))
        case 6: rows(beginningWith: search, ends(Int32.self))
        case 7: rows(beginningWith: search, ends(Int64.self))
        default: rows(beginningWith: search, unpackedEnds)
        }
    }

    /// Compares the first eight bytes of all texts first, and the whole needle only if they match.
    /// Near the end of the leaf, where eight bytes cannot be loaded, compares the whole needle at
    /// once.
    @inline(__always)
    private func rows<T: FixedWidthInteger & SignedInteger>(
        beginningWith search: NeedleSearch, _ ends: UnsafePointer<T>
    ) -> Selection? {
        var rows = Selection(first: count)
        if size >= 8, count > 0 {
            // The text of a row begins at the end offset of the previous row.
            let range = IntegerRange(low: 0, high: Int64(size &- 8))
            let near =
                IntegerKernels.rows(in: range, offsets, first: 0, count: count &- 1).leadingCount
                &+ 1
            let found = Selection(near) { (from, n) in
                search.head.matches(n) { i in
                    let row = from &+ i
                    return base + (row == 0 ? 0 : Int(ends[row &- 1]))
                }
            }
            rows = found | rows.subtracting(Selection(first: near))
        }
        return confirmed(rows, ends) { range in
            range.count >= search.count && search.matches(base + range.lowerBound)
        }
    }

    // MARK: Substrings

    /// Returns the rows whose text contains the needle, which must not be empty; nil if an offset
    /// is damaged.
    ///
    /// Searches the bytes of all texts together for positions at which the first and the last byte
    /// of the needle match. Then determines the row of each position.
    func rows(containing search: NeedleSearch) -> Selection? {
        switch offsets.widthCode {
        case 5: rows(containing: search, ends(Int16.self))
        case 6: rows(containing: search, ends(Int32.self))
        case 7: rows(containing: search, ends(Int64.self))
        default: rows(containing: search, unpackedEnds)
        }
    }

    @inline(__always)
    private func rows<T: FixedWidthInteger & SignedInteger>(
        containing search: NeedleSearch, _ ends: UnsafePointer<T>
    ) -> Selection? {
        guard isSound(ends) else { return nil }
        if count == 0 { return Selection.none }
        let length = search.count &+ terminator
        var result = Selection.none
        var row = 0
        search.visitPositions(base, from: 0, to: Int(ends[count &- 1])) { place in
            // After the needle was found in a text, other positions in the same text are skipped.
            if Int(ends[row]) > place, result.contains(row) { return false }
            while row &+ 8 < count, Int(ends[row &+ 7]) <= place { row &+= 8 }
            while Int(ends[row]) <= place { row &+= 1 }
            if place &+ length <= Int(ends[row]) {
                let p = base + place
                let isFound =
                    place &+ 8 <= size
                    ? search.head.matches(p) && (search.count <= 8 || search.matches(p))
                    : search.matches(p)
                if isFound { result.insert(row) }
            }
            return false
        }
        return result
    }

    // MARK: Order

    /// Compares all rows by their first eight bytes; nil if an offset is damaged.
    func heads(_ order: TextOrder, nulls: Selection) -> TextOrder.Heads? {
        switch offsets.widthCode {
        case 5:
            let least = SIMD8(repeating: Int16(truncatingIfNeeded: 8 &+ terminator))
            let ends = ends(Int16.self)
            return heads(order, nulls, ends, shorter: rows(ends) { $0 .< least })
        case 6: return heads(order, nulls, ends(Int32.self))
        case 7: return heads(order, nulls, ends(Int64.self))
        default: return heads(order, nulls, unpackedEnds)
        }
    }

    private func heads<T: FixedWidthInteger & SignedInteger>(
        _ order: TextOrder, _ nulls: Selection, _ ends: UnsafePointer<T>
    ) -> TextOrder.Heads? {
        let least = T(truncatingIfNeeded: 8 &+ terminator)
        return heads(order, nulls, ends, shorter: rows(ends) { $0 < least })
    }

    @inline(__always)
    private func heads<T: FixedWidthInteger & SignedInteger>(
        _ order: TextOrder, _ nulls: Selection, _ ends: UnsafePointer<T>, shorter: Selection
    ) -> TextOrder.Heads? {
        guard isSound(ends) else { return nil }
        return order.heads(base, size: size, ends, count: count, unsure: shorter | nulls)
    }
}
