/// Extents in ascending order that are joined where one ends at the beginning of the next, in memory with
/// room for all of them.
struct JoinedExtents {
    private let memory: UnsafeMutablePointer<Extent>?
    private(set) var count = 0
    /// Of the last one.
    private var end: UInt64 = 0

    init(_ memory: UnsafeMutableBufferPointer<Extent>) { self.memory = memory.baseAddress }

    /// Adds an extent; one without bytes is left out.
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

    /// Two ascending lists as one, in memory with room for both; answers how many extents they are.
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
