/// Text tests of whole leaves whose texts are stored in short cells (object format 3.5.1).
enum TextKernels {
    // The size of a cell in bytes is a power of two. Its last byte is the number of padding bytes.

    /// Returns the rows whose cell, the padded text of the row, equals `cell`. `cell` also says
    /// whether case is ignored.
    static func rows(
        _ cells: UnsafeRawPointer, width: Int, count: Int, equalTo cell: TextCell
    ) -> Selection {
        cell.bytes.withUnsafeBytes { wanted in
            cell.folds.withUnsafeBytes { folds in
                let wanted = wanted.baseAddress!
                let folds = folds.baseAddress!
                switch width {
                case 16:
                    let first = NeedleSearch.Head(wanted, folds: folds)
                    let second = NeedleSearch.Head(wanted + 8, folds: folds + 8)
                    // The second eight bytes are compared only if the first match.
                    var result = Selection(count) { (from, n) in
                        first.matches(n) { cells + (from &+ $0) &* 16 }
                    }
                    result.filterRows { second.matches(cells + ($0 &* 16 &+ 8)) }
                    return result
                case 8:
                    let head = NeedleSearch.Head(wanted, folds: folds)
                    return Selection(count) { (from, n) in
                        head.matches(n) { cells + (from &+ $0) &* 8 }
                    }
                case 4:
                    let key = wanted.loadUnaligned(as: UInt32.self)
                    let bits = folds.loadUnaligned(as: UInt32.self)
                    return rows(count) { (cells + $0 &* 4).load(as: UInt32.self) | bits == key }
                default:
                    return rows(count) { row in
                        for i in 0..<width {
                            let byte = cells.load(fromByteOffset: row &* width &+ i, as: UInt8.self)
                            if byte | folds.load(fromByteOffset: i, as: UInt8.self)
                                != wanted.load(fromByteOffset: i, as: UInt8.self)
                            {
                                return false
                            }
                        }
                        return true
                    }
                }
            }
        }
    }

    /// Returns the rows whose text begins with the needle, which must not be empty. Cells must have
    /// at least eight bytes.
    static func rows(
        _ cells: UnsafeRawPointer, width: Int, count: Int, beginningWith search: NeedleSearch
    ) -> Selection {
        let head = search.head
        var result = Selection(count) { (from, n) in
            head.matches(n) { cells + (from &+ $0) &* width }
        }
        result.filterRows { row in
            let cell = cells + row &* width
            let padding = Int(cell.load(fromByteOffset: width &- 1, as: UInt8.self))
            // Zeros that are padding do not belong to the text.
            return search.count <= width &- 1 &- padding && search.matches(cell)
        }
        return result
    }

    @inline(__always)
    private static func rows(_ count: Int, _ test: (Int) -> Bool) -> Selection {
        Selection(count) { (from, n) in LaneBits.of(n) { test(from &+ $0) } }
    }

    /// Returns the rows whose text contains the needle, which must not be empty.
    static func rows(
        _ cells: UnsafeRawPointer, width: Int, count: Int, containing search: NeedleSearch
    ) -> Selection {
        if width == 16, search.count < 16, count > 1 {
            return wideRows(cells, count: count, containing: search)
        }
        return anyRows(cells, width: width, count: count, containing: search)
    }

    /// Searches texts that are stored in cells of sixteen bytes. Finds the positions of the
    /// needle's first and last byte in all cells before comparing the whole needle at any.
    private static func wideRows(
        _ cells: UnsafeRawPointer, count: Int, containing search: NeedleSearch
    ) -> Selection {
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 64) { places in
            let places = places.baseAddress!
            // The last cell is searched separately. Loading sixteen bytes from inside of a cell
            // reads into the next cell, and there is none after it.
            var result = Selection(count &- 1) { (from, n) in
                let cells = cells + from &* 16
                var rest = search.places(cells, n, into: places)
                var bits: UInt64 = 0
                while rest != 0 {
                    let row = rest.trailingZeroBitCount
                    rest &= rest &- 1
                    let cell = cells + row &* 16
                    let padding = Int(cell.load(fromByteOffset: 15, as: UInt8.self))
                    var found = places[row]
                    while found != 0 {
                        let at = found.trailingZeroBitCount
                        found &= found &- 1
                        if at &+ search.count > 15 &- padding { break }
                        if search.matches(cell + at) {
                            bits |= 1 &<< UInt64(row)
                            break
                        }
                    }
                }
                return bits
            }
            let last = anyRows(
                cells + (count &- 1) &* 16, width: 16, count: 1, containing: search)
            if !last.isEmpty { result.insert(count &- 1) }
            return result
        }
    }

    private static func anyRows(
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
                // A match that extends beyond its cell, or into the padding, does not count.
                at = hit &+ 1
            }
        }
        return result
    }
}

/// Constants for the rows of a cluster leaf.
enum ClusterRows {
    static let maximum = 256
}

/// Memory for one number per row of a leaf. A caller of kernels reuses the memory for each leaf
/// that it reads. Confined to one thread.
final class LeafScratch {
    /// Array with one number per row, such as the end offset of the row's text. Index -1 is valid,
    /// too, for a number before the first row, such as the start of the first text.
    let numbers: UnsafeMutablePointer<Int64>

    init() {
        let memory = UnsafeMutablePointer<Int64>.allocate(capacity: ClusterRows.maximum + 1)
        memory.initialize(repeating: 0, count: ClusterRows.maximum + 1)
        numbers = memory + 1
    }

    deinit { (numbers - 1).deallocate() }
}
