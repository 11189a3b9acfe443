/// The part of the slab that one transaction, or one group of transactions with a common commit,
/// uses. When the last reference to the region is released, its memory can be reused. Free to cross
/// threads.
final class SlabRegion: Sendable {
    private let regions: SlabRegions
    /// Offset from the slab's start.
    let offset: Int
    /// Ref of the first byte of this region.
    let start: UInt64

    fileprivate init(_ regions: SlabRegions, offset: Int, start: UInt64) {
        self.regions = regions
        self.offset = offset
        self.start = start
    }

    deinit { regions.release(offset) }
}

/// The nodes that a write transaction had created when this view was made. As long as the view
/// exists, the nodes exist and stay unchanged.
struct SlabView: Sendable {
    let region: SlabRegion
    /// End of the last node, as a ref: the ref of the next node to be created.
    let end: UInt64
}

/// The regions of a slab that are in use, as offsets from its start. A region contains the nodes of
/// one transaction, or of a group of transactions with one commit. Regions are released on any
/// thread; a mutex protects the list.
///
/// The slab has two halves, and a region normally begins at the start of one of them. Successive
/// transactions (or groups) thus use the halves in turn. While readers still use the nodes in one
/// half, the next transaction reuses the memory in the other half that was not returned to the
/// system.
final class SlabRegions: Sendable {
    private let mapping: Mapping
    private let start: Int
    /// Size of each half of the slab in bytes.
    let half: Int
    private let taken = LockedValue(Taken())

    /// Content of the mutex `taken`. A struct instead of an array, because the runtime would search
    /// conformances for the array's type when a program starts.
    private struct Taken {
        /// Ranges of the slab's regions, as offsets from its start. The range of the region of the
        /// open transaction is empty until `close` sets its end.
        var ranges: [Range<Int>] = []
    }

    /// Number of bytes at the start of each half of the slab that are not returned to the system
    /// when a region is released.
    private static let warm = 16 << 20

    init(_ mapping: Mapping, start: Int, capacity: Int) {
        self.mapping = mapping
        self.start = start
        half = capacity / 2 / AddressSpace.pageSize * AddressSpace.pageSize
    }

    /// Opens a region of unused memory for the nodes of a transaction. The region begins at the
    /// start of one half of the slab, if more than half of the bytes there are unused; otherwise in
    /// the largest gap. The region opened before must be closed.
    func open() -> (SlabRegion, Range<Int>) {
        let room = taken.withLock { taken in
            let room = self.room(beside: taken.ranges.sorted { $0.lowerBound < $1.lowerBound })
            taken.ranges.append(room.lowerBound..<room.lowerBound)
            return room
        }
        let offset = room.lowerBound
        return (SlabRegion(self, offset: offset, start: UInt64(start + offset)), room)
    }

    private func room(beside taken: [Range<Int>]) -> Range<Int> {
        let gaps = self.gaps(in: 0..<half, taken) + self.gaps(in: half..<2 * half, taken)
        let free = gaps.first { $0.lowerBound % half == 0 && $0.count > half / 2 }
        return free ?? gaps.max { $0.count < $1.count } ?? 0..<0
    }

    private func gaps(in part: Range<Int>, _ taken: [Range<Int>]) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var from = part.lowerBound
        for range in taken where part.contains(range.lowerBound) {
            gaps.append(from..<range.lowerBound)
            from = range.upperBound
        }
        return gaps + [from..<part.upperBound]
    }

    /// Records that the last node of the region ends at `end`, so that the next region can begin
    /// after it.
    func close(_ region: SlabRegion, at end: Int) {
        let page = AddressSpace.pageSize
        let pages = max(1, (end - region.offset + page - 1) / page)
        taken.withLock { taken in
            guard let i = taken.ranges.firstIndex(where: { $0.lowerBound == region.offset }) else {
                return
            }
            taken.ranges[i] = region.offset..<region.offset + pages * page
        }
    }

    /// Removes the region at `offset` after its last reference, for example in a `SlabView`, was
    /// released. Returns the region's memory to the system, except for the part in the first 16 MiB
    /// of either half of the slab.
    fileprivate func release(_ offset: Int) {
        taken.withLock { taken in
            guard let i = taken.ranges.firstIndex(where: { $0.lowerBound == offset }) else {
                return
            }
            let range = taken.ranges.remove(at: i)
            let warm = (range.lowerBound < half ? 0 : half) + Self.warm
            let first = min(range.upperBound, max(range.lowerBound, warm))
            let memory = UnsafeMutableRawPointer(mutating: mapping.base) + start
            ReservedMemory.freePages(memory + first, range.upperBound - first)
        }
    }
}
