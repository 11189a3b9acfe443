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
        switch width {
        case 4:
            heads(count) { row in
                UInt64((cells + 4 &* row).load(as: UInt32.self).bigEndian & 0xFFFF_FF00) &<< 32
            } isNull: {
                mayBeNull && isNull(cells, width, $0)
            }
        case 8:
            heads(count) { row in
                (cells + 8 &* row).load(as: UInt64.self).bigEndian & ~0xFF
            } isNull: {
                mayBeNull && isNull(cells, width, $0)
            }
        default:
            heads(count) { row in
                (cells + width &* row).load(as: UInt64.self).bigEndian
            } isNull: {
                mayBeNull && isNull(cells, width, $0)
            }
        }
    }

    @inline(__always)
    private func isNull(_ cells: UnsafeRawPointer, _ width: Int, _ row: Int) -> Bool {
        Int(cells.load(fromByteOffset: (row &+ 1) &* width &- 1, as: UInt8.self)) >= width
    }

    /// Texts in one area of bytes: text `row` lies from `ends[row - 1]` to `ends[row]`, a terminator
    /// included.
    ///
    /// - Parameter ends: ascending, the last within the area; 0 before the first.
    /// - Parameter size: bytes of the area.
    func heads(
        _ area: UnsafeRawPointer, size: Int, _ ends: UnsafePointer<Int64>, terminator: Int,
        count: Int, nulls: Selection
    ) -> Heads {
        // Eight bytes are loaded where as many are left in the area.
        let last = Int64(size &- 8)
        var near = count
        while near > 0, ends[near &- 2] > last { near &-= 1 }
        var result = heads(near) { row in
            area.loadUnaligned(fromByteOffset: Int(ends[row &- 1]), as: UInt64.self).bigEndian
        } isNull: { _ in
            false
        }
        // Bytes after a shorter text are no part of it.
        let unsure = shortRows(ends, terminator, count) | nulls
        result.below = result.below.subtracting(unsure)
        result.above = result.above.subtracting(unsure)
        result.unsure =
            result.unsure | unsure | Selection(first: count).subtracting(Selection(first: near))
        return result
    }

    /// Rows whose text has fewer than eight bytes.
    private func shortRows(
        _ ends: UnsafePointer<Int64>, _ terminator: Int, _ count: Int
    ) -> Selection {
        let length = Int64(8 &+ terminator)
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            for i in 0..<n {
                let row = from &+ i
                bits |= (ends[row] &- ends[row &- 1] < length ? 1 : 0) &<< UInt64(i)
            }
            return bits
        }
    }

    @inline(__always)
    private func heads(
        _ count: Int, _ head: (Int) -> UInt64, isNull: (Int) -> Bool
    ) -> Heads {
        let wanted = self.head
        var result = Heads()
        for part in 0..<4 {
            let from = part &* 64
            let n = min(64, count &- from)
            if n <= 0 { break }
            var below: UInt64 = 0
            var equal: UInt64 = 0
            var nulls: UInt64 = 0
            for i in 0..<n {
                let word = head(from &+ i)
                let bit = UInt64(i)
                below |= (word < wanted ? 1 : 0) &<< bit
                equal |= (word == wanted ? 1 : 0) &<< bit
                nulls |= (isNull(from &+ i) ? 1 : 0) &<< bit
            }
            result.below[part] = below & ~nulls
            result.unsure[part] = equal | nulls
            result.above[part] = Selection.mask(n) & ~(below | equal | nulls)
        }
        return result
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
