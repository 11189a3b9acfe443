/// A text with which the texts of a leaf are compared in byte order. Their first eight bytes, as a
/// number, decide most comparisons.
struct TextOrder: Sendable {
    let text: ByteView
    /// The first eight bytes in big-endian order, padded with zeros.
    private let head: UInt64

    /// - Parameter text: must be valid as long as the query.
    init(_ text: ByteView) {
        self.text = text
        head = text.orderedHead
    }

    /// Result of comparing rows by their first bytes.
    struct Heads {
        /// Non-null rows whose text is less.
        fileprivate(set) var below = Selection.none
        /// Null rows, and rows whose whole text has to be compared.
        fileprivate(set) var unsure = Selection.none
        /// Non-null rows whose text is greater.
        fileprivate(set) var above = Selection.none
    }

    /// Compares cells of short texts. A cell has 4, 8 or more bytes, a power of two: the text, zeros,
    /// and in the last byte the number of zeros. For null that number equals the width.
    ///
    /// - Parameter width: at least 4.
    func heads(_ cells: UnsafeRawPointer, width: Int, count: Int, mayBeNull: Bool) -> Heads {
        var result =
            switch width {
            case 4:
                heads(count) { row in
                    UInt64((cells + 4 &* row).load(as: UInt32.self).bigEndian & 0xFFFF_FF00) &<< 32
                }
            case 8: heads(count) { (cells + 8 &* $0).load(as: UInt64.self).bigEndian & ~0xFF }
            default: heads(count) { (cells + width &* $0).load(as: UInt64.self).bigEndian }
            }
        guard mayBeNull else { return result }
        let nulls = Selection(count) { (from, n) in
            LaneBits.of(n) { i in
                let padding = (from &+ i &+ 1) &* width &- 1
                return Int(cells.load(fromByteOffset: padding, as: UInt8.self)) >= width
            }
        }
        result.doubt(nulls)
        return result
    }

    /// Compares texts in one area of bytes: text `row` is from `ends[row - 1]` to `ends[row]`,
    /// including a terminator; the first begins at 0.
    ///
    /// - Parameter ends: must ascend and end inside the area.
    /// - Parameter size: size of the area in bytes.
    /// - Parameter unsure: nulls, and texts of fewer than eight bytes, which other texts follow.
    @inline(__always)
    func heads<T: FixedWidthInteger>(
        _ area: UnsafeRawPointer, size: Int, _ ends: UnsafePointer<T>, count: Int,
        unsure: Selection
    ) -> Heads {
        // Loads eight bytes where as many are left in the area.
        let last = size &- 8
        var near = last < 0 ? 0 : count
        while near > 1, Int(ends[near &- 2]) > last { near &-= 1 }
        var start = 0
        var result = heads(near) { row in
            let word = area.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            start = Int(ends[row])
            return word.bigEndian
        }
        result.doubt(unsure | Selection(first: count).subtracting(Selection(first: near)))
        return result
    }

    @inline(__always)
    private func heads(_ count: Int, _ head: (Int) -> UInt64) -> Heads {
        let wanted = self.head
        var result = Heads()
        for part in 0..<4 {
            let from = part &* 64
            let n = min(64, count &- from)
            if n <= 0 { break }
            var below: UInt64 = 0
            let notAbove = LaneBits.of(n) { i in
                let word = head(from &+ i)
                below = below &+ below &+ (word < wanted ? 1 : 0)
                return word <= wanted
            }
            below = LaneBits.reversed(below, n)
            result.below[part] = below
            result.unsure[part] = notAbove & ~below
            result.above[part] = Selection.mask(n) & ~notAbove
        }
        return result
    }
}

extension TextOrder.Heads {
    /// Moves rows to `unsure`, so that their whole text is compared.
    fileprivate mutating func doubt(_ rows: Selection) {
        below = below.subtracting(rows)
        above = above.subtracting(rows)
        unsure = unsure | rows
    }
}

extension ByteView {
    /// The first eight bytes as a number in the order of texts, padded with zeros. If two numbers
    /// are equal, the texts may still differ.
    var orderedHead: UInt64 {
        if count >= 8 { return base.loadUnaligned(as: UInt64.self).bigEndian }
        var head: UInt64 = 0
        for i in 0..<count { head |= UInt64(self[i]) &<< UInt64(56 &- 8 &* i) }
        return head
    }
}
