/// A contiguous range of bytes of the file.
struct Extent: Hashable, Sendable {
    var start: UInt64
    var count: UInt64
    var end: UInt64 { start + count }
}

extension [Extent] {
    /// Returns the extent that contains the byte at `position`. The extents must be ascending
    /// without overlaps.
    func extent(with position: UInt64) -> Extent? {
        let i = partitionPoint { $0.end > position }
        return i < count && self[i].start <= position ? self[i] : nil
    }
}
