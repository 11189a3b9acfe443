/// Builds a list of ascending extents and joins adjacent ones. The memory must have room for all
/// extents that are appended.
struct JoinedExtents {
    private let memory: UnsafeMutablePointer<Extent>?
    private(set) var count = 0
    /// End, as an offset in the file, of the last extent appended.
    private var end: UInt64 = 0

    init(_ memory: UnsafeMutableBufferPointer<Extent>) { self.memory = memory.baseAddress }

    /// Appends an extent, or extends the last one if they are adjacent; ignores an empty extent.
    @inline(__always)
    mutating func append(_ start: UInt64, _ length: UInt64) {
        if length == 0 { return }
        if start == end, count > 0 {
            memory![count &- 1].count &+= length
        } else {
            (memory! + count).initialize(to: Extent(start: start, count: length))
            count &+= 1
        }
        end = start &+ length
    }

    /// Appends non-empty extents of which no two are adjacent.
    @inline(__always)
    private mutating func append(_ extents: Slice<UnsafeBufferPointer<Extent>>) {
        guard let first = extents.first else { return }
        append(first.start, first.count)
        let rest = UnsafeBufferPointer(rebasing: extents.dropFirst())
        guard let base = rest.baseAddress, rest.count > 0 else { return }
        (memory! + count).initialize(from: base, count: rest.count)
        count &+= rest.count
        end = base[rest.count &- 1].end
    }

    /// Copies `a` and `b` in ascending order to memory with room for both, and joins adjacent
    /// extents. Returns the number of extents. The extents of `a` must not be empty, and no two may
    /// be adjacent.
    static func insert(
        _ b: UnsafeBufferPointer<Extent>, among a: UnsafeBufferPointer<Extent>,
        into memory: UnsafeMutableBufferPointer<Extent>
    ) -> Int {
        var all = JoinedExtents(memory)
        var i = 0
        for extent in b {
            let next = (i..<a.count).partitionPoint { a[$0].start >= extent.start }
            all.append(a[i..<next])
            all.append(extent.start, extent.count)
            i = next
        }
        all.append(a[i...])
        return all.count
    }

    /// Merges two ascending arrays of extents into memory with room for both; returns the number of
    /// extents.
    static func merge(
        _ a: UnsafeBufferPointer<Extent>, _ b: UnsafeBufferPointer<Extent>,
        into memory: UnsafeMutableBufferPointer<Extent>
    ) -> Int {
        var all = JoinedExtents(memory)
        var (i, j) = (0, 0)
        while j < b.count {
            let next = b[j].start
            while i < a.count, a[i].start < next {
                all.append(a[i].start, a[i].count)
                i &+= 1
            }
            all.append(next, b[j].count)
            j &+= 1
        }
        while i < a.count {
            all.append(a[i].start, a[i].count)
            i &+= 1
        }
        return all.count
    }
}
