/// A stretch of the file in bytes.
struct Extent: Hashable, Sendable {
    var start: UInt64
    var count: UInt64
    var end: UInt64 { start + count }
}

extension [Extent] {
    /// The one of these extents, which ascend and do not overlap, that has the byte at `position`.
    func extent(with position: UInt64) -> Extent? {
        let i = partitionPoint { $0.end > position }
        return i < count && self[i].start <= position ? self[i] : nil
    }
}
