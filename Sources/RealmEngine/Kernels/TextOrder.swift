/// A text with which all texts of a leaf are compared, byte by byte. Usually the first eight bytes,
/// compared as a number, decide.
struct TextOrder: Sendable {
    let text: ByteView
    /// The first eight bytes of `text` as a big-endian number. If `text` is shorter, zeros follow.
    private let head: UInt64

    /// - Parameter text: its bytes must stay valid as long as the query.
    init(_ text: ByteView) {
        self.text = text
        head = text.orderedHead
    }

    /// The result of comparing rows by their first eight bytes.
    struct Heads {
        /// Rows whose text is less than the text compared with; none of them is null.
        fileprivate(set) var below = Selection.none
        /// Rows that are null, and rows whose whole text must be compared.
        fileprivate(set) var unsure = Selection.none
        /// Rows whose text is greater than the text compared with; none of them is null.
        fileprivate(set) var above = Selection.none
    }

    /// Compares texts that are stored in short cells. The size of a cell in bytes is a power of
    /// two. A cell contains the text, zeros, and in the last byte the number of zeros. For null
    /// that number equals the size of the cell.
    ///
    /// - Parameter width: size of a cell in bytes, at least 4.
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

    /// Compares texts that are stored one after the other in one area of bytes. The text of a row
    /// begins at `ends[row - 1]`, the first at 0, and ends at `ends[row]`, with its terminator.
    ///
    /// - Parameter ends: the end offsets; they must ascend and be within the area.
    /// - Parameter size: size of the area in bytes.
    /// - Parameter unsure: rows that this function cannot decide. The caller passes rows that are
    ///   null, and rows whose text has fewer than eight bytes: for these, bytes of the next text
    ///   would be compared too.
    @inline(__always)
    func heads<T: FixedWidthInteger>(
        _ area: UnsafeRawPointer, size: Int, _ ends: UnsafePointer<T>, count: Int,
        unsure: Selection
    ) -> Heads {
        // Only rows are compared whose texts begin at least eight bytes before the end of the area.
        // The other rows become `unsure`.
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
    /// Moves `rows` to `unsure`, because the first eight bytes of their texts do not decide the
    /// order. The caller must compare their whole texts.
    fileprivate mutating func doubt(_ rows: Selection) {
        below = below.subtracting(rows)
        above = above.subtracting(rows)
        unsure = unsure | rows
    }
}

extension ByteView {
    /// The first eight bytes as a big-endian number, whose order is the order of the texts. A
    /// shorter text is padded with zeros. If the numbers of two texts are equal, the texts may
    /// differ.
    var orderedHead: UInt64 {
        if count >= 8 { return base.loadUnaligned(as: UInt64.self).bigEndian }
        var head: UInt64 = 0
        for i in 0..<count { head |= UInt64(self[i]) &<< UInt64(56 &- 8 &* i) }
        return head
    }
}
