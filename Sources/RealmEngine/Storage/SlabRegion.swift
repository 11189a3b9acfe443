/// The part of the slab that one transaction or group uses. With the last reference its memory may
/// be used again. Free to cross threads.
final class SlabRegion: Sendable {
    private let regions: SlabRegions
    /// Where it begins, from the slab's start.
    let offset: Int
    /// Its first ref.
    let start: UInt64

    fileprivate init(_ regions: SlabRegions, offset: Int, start: UInt64) {
        self.regions = regions
        self.offset = offset
        self.start = start
    }

    deinit { regions.release(offset) }
}

/// The nodes of a region made up to some moment, which stay as they are while this is kept.
struct SlabView: Sendable {
    let region: SlabRegion
    /// The ref of what comes after them.
    let end: UInt64
}

/// Which parts of a slab are in use, as offsets from its start. Regions end on any thread; one mutex
/// guards the list.
final class SlabRegions: Sendable {
    private let mapping: Mapping
    private let start: Int
    /// The open region's is empty.
    private let taken = Guarded<[Range<Int>]>([])

    /// Bytes at the beginning that stay ready for the next transaction.
    private static let warm = 8 << 20

    init(_ mapping: Mapping, start: Int) {
        self.mapping = mapping
        self.start = start
    }

    /// A region in the largest gap there is; the one opened before is closed.
    func open(capacity: Int) -> (SlabRegion, Range<Int>) {
        let room = taken.withLock { taken in
            let room = Self.largestGap(taken, capacity)
            taken.append(room.lowerBound..<room.lowerBound)
            return room
        }
        let offset = room.lowerBound
        return (SlabRegion(self, offset: offset, start: UInt64(start + offset)), room)
    }

    private static func largestGap(_ taken: [Range<Int>], _ capacity: Int) -> Range<Int> {
        var best = 0..<0
        var from = 0
        for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound - from > best.count { best = from..<range.lowerBound }
            from = range.upperBound
        }
        return capacity - from > best.count ? from..<capacity : best
    }

    /// No more nodes come: the region ends at `end`.
    func close(_ region: SlabRegion, at end: Int) {
        let page = Mapping.pageSize
        let pages = max(1, (end - region.offset + page - 1) / page)
        taken.withLock { taken in
            guard let i = taken.firstIndex(where: { $0.lowerBound == region.offset }) else {
                return
            }
            taken[i] = region.offset..<region.offset + pages * page
        }
    }

    /// Nobody sees the nodes of a region any more: memory beyond a few MiB goes back to the system.
    fileprivate func release(_ offset: Int) {
        taken.withLock { taken in
            guard let i = taken.firstIndex(where: { $0.lowerBound == offset }) else { return }
            let range = taken.remove(at: i)
            let first = min(range.upperBound, max(range.lowerBound, Self.warm))
            let memory = UnsafeMutableRawPointer(mutating: mapping.base) + start
            ReservedMemory.giveBack(memory + first, range.upperBound - first)
        }
    }
}
