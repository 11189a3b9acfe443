/// A text that the texts of a leaf are compared with in byte order: most rows are decided by their first
/// eight bytes as one number.
struct TextOrder: Sendable {
    let text: ByteView
    /// The first eight bytes, the first of them highest; zeros after a shorter text.
    private let head: UInt64

    /// - Parameter text: lives as long as the query.
    init(_ text: ByteView) {
        self.text = text
        head = text.orderedHead
    }

    /// Rows by their first bytes.
    struct Heads {
        /// Rows whose text is below, not null.
        fileprivate(set) var below = Selection.none
        /// Rows whose text has to be compared whole, and nulls.
        fileprivate(set) var unsure = Selection.none
        /// Rows whose text is above, not null.
        fileprivate(set) var above = Selection.none
    }

    /// Cells of short texts, a power of two of bytes, the last of which counts the padding: zeros after
    /// the text. Null has as much padding as bytes.
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

    /// Texts in one area of bytes: text `row` lies from `ends[row - 1]` to `ends[row]`, a terminator
    /// included, the first from 0.
    ///
    /// - Parameter ends: ascending, the last within the area.
    /// - Parameter size: bytes of the area.
    /// - Parameter unsure: nulls, and texts of fewer than eight bytes: others follow them.
    @inline(__always)
    func heads<T: FixedWidthInteger>(
        _ area: UnsafeRawPointer, size: Int, _ ends: UnsafePointer<T>, count: Int,
        unsure: Selection
    ) -> Heads {
        // Eight bytes are loaded where as many are left in the area.
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
    /// These rows have to be compared whole, whatever their first bytes are.
    fileprivate mutating func doubt(_ rows: Selection) {
        below = below.subtracting(rows)
        above = above.subtracting(rows)
        unsure = unsure | rows
    }
}

extension ByteView {
    /// The first eight bytes as a number whose order is the order of texts, unless it is equal; zeros
    /// after a shorter text.
    var orderedHead: UInt64 {
        if count >= 8 { return base.loadUnaligned(as: UInt64.self).bigEndian }
        var head: UInt64 = 0
        for i in 0..<count { head |= UInt64(self[i]) &<< UInt64(56 &- 8 &* i) }
        return head
    }
}
