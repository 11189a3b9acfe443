/// Free extents by size, to find the one that fits a node best.
///
/// Extents are identified by their index in the array of a `FreeSpace`. Each size below 1 KiB has
/// its own class; above, there are four classes for each power of two.
struct FreeExtentIndex {
    /// First extent of each class; -1 for an empty class.
    private var heads = [Int32](repeating: -1, count: 256)
    /// Next extent of the same class, for each extent; -1 at the end.
    private var links: [Int32]
    /// One bit per class: whether it has extents.
    private var filled = [UInt64](repeating: 0, count: 4)

    init(_ free: [Extent]) {
        links = [Int32](repeating: -1, count: free.count)
        // A file has thousands of extents, and every commit that places single nodes builds an
        // index.
        heads.withUnsafeMutableBufferPointer { heads in
            links.withUnsafeMutableBufferPointer { links in
                free.withUnsafeBufferPointer { free in
                    // Lists extents of equal size in file order.
                    var i = free.count &- 1
                    while i >= 0 {
                        if Self.isUseful(free[i]) {
                            let c = Self.sizeClass(free[i].count)
                            links[i] = heads[c]
                            heads[c] = Int32(truncatingIfNeeded: i)
                        }
                        i &-= 1
                    }
                }
            }
        }
        for c in 0..<256 where heads[c] >= 0 { filled[c >> 6] |= 1 << UInt64(c & 63) }
    }

    /// Whether single nodes can use an extent. Extents that cross a section boundary are left out.
    @inline(__always)
    private static func isUseful(_ extent: Extent) -> Bool {
        extent.count > 0
            && extent.start / NodeWriter.section == (extent.end &- 1) / NodeWriter.section
    }

    @inline(__always)
    private static func sizeClass(_ size: UInt64) -> Int {
        let words = Int(truncatingIfNeeded: size >> 3)
        if words < 128 { return words }
        let log = Int.bitWidth - 1 - words.leadingZeroBitCount
        return min(255, 128 + (log - 7) * 4 + (words >> (log - 2)) & 3)
    }

    /// Adds an extent if single nodes can use it.
    mutating func insert(_ i: Int, _ extent: Extent) {
        guard Self.isUseful(extent) else { return }
        while links.count <= i { links.append(-1) }
        let c = Self.sizeClass(extent.count)
        links[i] = heads[c]
        heads[c] = Int32(truncatingIfNeeded: i)
        filled[c >> 6] |= 1 << UInt64(c & 63)
    }

    mutating func remove(_ i: Int, _ extent: Extent) {
        let c = Self.sizeClass(extent.count)
        var before = -1
        var at = Int(heads[c])
        while at >= 0, at != i { (before, at) = (at, Int(links[at])) }
        if at == i { unlink(i, after: before, c) }
    }

    private mutating func unlink(_ i: Int, after before: Int, _ c: Int) {
        if before >= 0 {
            links[before] = links[i]
        } else {
            heads[c] = links[i]
            if heads[c] < 0 { filled[c >> 6] &= ~(1 << UInt64(c & 63)) }
        }
        links[i] = -1
    }

    /// Removes and returns an extent of exactly `size` bytes, or else the smallest one that leaves
    /// a usable rest; nil if there is none.
    ///
    /// - Parameter isTight: whether the rest may be less than a third of the extent.
    mutating func takeBestFit(_ size: UInt64, _ free: [Extent], isTight: Bool = false) -> Int? {
        let exact = Self.sizeClass(size)
        if let i = take(exact, atLeast: size, atMost: size, free) { return i }
        let least = size + (isTight ? Self.minimumRest : max(Self.minimumRest, size / 2))
        var c = Self.sizeClass(least)
        while let next = firstFilled(from: c) {
            if let i = take(next, atLeast: least, atMost: .max, free) { return i }
            c = next + 1
        }
        return nil
    }

    /// Minimum rest of an extent in bytes; hardly any node is smaller.
    private static let minimumRest: UInt64 = 16
    /// Maximum number of extents to compare in a class of several sizes.
    private static let maximumTries = 16

    private mutating func take(
        _ c: Int, atLeast least: UInt64, atMost most: UInt64, _ free: [Extent]
    ) -> Int? {
        var before = -1
        var at = Int(heads[c])
        var tries = 0
        while at >= 0, tries < Self.maximumTries {
            let count = free[at].count
            if count >= least, count <= most {
                unlink(at, after: before, c)
                return at
            }
            (before, at) = (at, Int(links[at]))
            tries += 1
        }
        return nil
    }

    private func firstFilled(from c: Int) -> Int? {
        guard c < 256 else { return nil }
        var word = c >> 6
        var bits = filled[word] & (~0 << UInt64(c & 63))
        while bits == 0 {
            word += 1
            if word == 4 { return nil }
            bits = filled[word]
        }
        return word << 6 + bits.trailingZeroBitCount
    }
}
