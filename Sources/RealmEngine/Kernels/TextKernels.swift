/// String tests over whole leaves of short cells or of one byte area (object format 3.5).
enum TextKernels {
    // MARK: Cells of a power of two of bytes, the last of which counts the padding

    /// The cell a text of `text.count < width` bytes is stored in.
    static func cell(_ text: ByteView, width: Int) -> [UInt8] {
        var cell = text.bytes
        let padding = width - 1 - cell.count
        cell += [UInt8](repeating: 0, count: padding)
        cell.append(UInt8(padding))
        return cell
    }

    /// Rows whose cell has exactly these bytes.
    static func rows(
        _ cells: UnsafeRawPointer, width: Int, count: Int, equalTo cell: [UInt8]
    ) -> Selection {
        cell.withUnsafeBytes {
            let wanted = $0.baseAddress!
            switch width {
            case 16:
                let first = wanted.loadUnaligned(as: UInt64.self)
                let second = wanted.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                return rows(count) {
                    let p = cells + $0 &* 16
                    let difference =
                        p.load(as: UInt64.self) ^ first
                        | p.load(fromByteOffset: 8, as: UInt64.self) ^ second
                    return difference == 0
                }
            case 8:
                let key = wanted.loadUnaligned(as: UInt64.self)
                return rows(count) { (cells + $0 &* 8).load(as: UInt64.self) == key }
            case 4:
                let key = wanted.loadUnaligned(as: UInt32.self)
                return rows(count) { (cells + $0 &* 4).load(as: UInt32.self) == key }
            default:
                return rows(count) { row in
                    for i in 0..<width
                    where cells.load(fromByteOffset: row &* width &+ i, as: UInt8.self)
                        != wanted.load(fromByteOffset: i, as: UInt8.self)
                    {
                        return false
                    }
                    return true
                }
            }
        }
    }

    @inline(__always)
    private static func rows(_ count: Int, _ test: (Int) -> Bool) -> Selection {
        Selection(count) { (from, n) in
            var bits: UInt64 = 0
            for i in 0..<n {
                let isTrue: UInt64 = test(from &+ i) ? 1 : 0
                bits |= isTrue &<< UInt64(i)
            }
            return bits
        }
    }

    /// Rows whose cell holds the needle, which is not empty.
    static func rows(
        _ cells: UnsafeRawPointer, width: Int, count: Int, containing search: NeedleSearch
    ) -> Selection {
        var result = Selection.none
        let shift = width.trailingZeroBitCount
        let end = count &<< shift
        var at = 0
        while let hit = search.first(cells, from: at, to: end) {
            let row = hit &>> shift
            let next = (row &+ 1) &<< shift
            let padding = Int(cells.load(fromByteOffset: next &- 1, as: UInt8.self))
            if hit &+ search.count <= next &- 1 &- padding {
                result.insert(row)
                at = next
            } else {
                // Across cells, or inside the padding: not a hit.
                at = hit &+ 1
            }
        }
        return result
    }

    // MARK: One area with end offsets

    /// Rows whose text holds the needle, which is not empty. Offsets ascend and end inside the
    /// area, or the leaf is damaged and nil is returned.
    static func rows(
        _ area: NodeView, _ offsets: NodeView, terminator: Int, containing search: NeedleSearch
    ) -> Selection? {
        var result = Selection.none
        let count = offsets.count
        var row = 0
        var rowEnd = -1
        var at = 0
        while let hit = search.first(area.payload, from: at, to: area.count) {
            while rowEnd <= hit {
                guard row < count else { return result }
                let end = offsets.integer(row)
                guard end >= Int64(max(0, rowEnd)), end <= Int64(area.count) else { return nil }
                rowEnd = Int(end)
                row &+= 1
            }
            if hit &+ search.count <= rowEnd &- terminator {
                result.insert(row &- 1)
                at = rowEnd
            } else {
                at = hit &+ 1
            }
        }
        return result
    }

    /// Rows whose text has the length of `text`; false hits of other texts of that length remain.
    /// Nil as above.
    static func rows(
        _ offsets: NodeView, terminator: Int, length: Int
    ) -> Selection {
        var result = Selection.none
        var start: Int64 = 0
        let wanted = Int64(length &+ terminator)
        for row in 0..<min(offsets.count, ClusterRows.maximum) {
            let end = offsets.integer(row)
            if end &- start == wanted { result.insert(row) }
            start = end
        }
        return result
    }
}

/// Rows of a cluster leaf.
enum ClusterRows {
    static let maximum = 256
}
