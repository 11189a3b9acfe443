/// Index of the free extents by size; finds the extent that fits a node best.
///
/// An extent is identified by its index in the array of a `FreeSpace`. Each size below 1 KiB has
/// its own size class; larger sizes have four classes for each power of two.
struct FreeExtentIndex {
    /// Index of the first free extent of each size class, a range of sizes; -1 if the class is
    /// empty.
    private var heads = [Int32](repeating: -1, count: 256)
    /// For each extent, the index of the next extent in the same size class; -1 for the last one.
    private var links: [Int32]
    /// Bit set of the size classes that contain at least one free extent. A size class is a range
    /// of sizes, such as 1024 to 1279 bytes.
    private var filled = [UInt64](repeating: 0, count: 4)

    init(_ free: [Extent]) {
        links = [Int32](repeating: -1, count: free.count)
        // Uses unsafe buffers: every commit that places single nodes builds an index, of thousands
        // of extents.
        heads.withUnsafeMutableBufferPointer { heads in
            links.withUnsafeMutableBufferPointer { links in
                free.withUnsafeBufferPointer { free in
                    // Goes backwards, so that extents of a size class are linked in file order.
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

    /// Whether single nodes can be placed in the extent: it is not empty and does not cross a
    /// boundary of the 64 MiB sections of a file.
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

    /// Adds the extent at index `i` of the `FreeSpace`, if single nodes can use it.
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

    /// Removes the extent that fits `size` bytes best from this index, and returns its position in
    /// `free`. Prefers an extent of exactly `size` bytes. Otherwise takes the smallest extent that
    /// leaves a rest large enough for other nodes. Returns nil if there is none.
    ///
    /// - Parameter isTight: if true, a rest of `minimumRest` bytes is large enough. Otherwise the
    ///   rest must be at least a third of the extent.
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

    /// An extent is used for a node only if nothing or at least this number of bytes is left;
    /// almost every node is larger.
    private static let minimumRest: UInt64 = 16
    /// Maximum number of extents whose sizes are compared in one size class. Classes from 1 KiB on
    /// contain extents of different sizes.
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
