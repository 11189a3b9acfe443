import Glibc

/// Private memory in a reserved range of addresses. It is made accessible as needed, from the start
/// of the range on.
struct ReservedMemory: ~Copyable {
    let start: UnsafeMutableRawPointer
    let capacity: Int
    private(set) var usable = 0

    private static let step = 1 << 20

    /// Takes ownership of `capacity` reserved bytes at `start`, which is page-aligned.
    init(start: UnsafeMutableRawPointer, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    /// Makes at least the first `count` bytes readable and writable.
    mutating func ensure(_ count: Int) throws(RealmError) {
        if count <= usable { return }
        let wanted = min(capacity, (count + Self.step - 1) / Self.step * Self.step)
        guard wanted >= count,
            mprotect(start + usable, wanted - usable, PROT_READ | PROT_WRITE) == 0
        else { throw exhausted }
        usable = wanted
    }

    var exhausted: RealmError { systemError("mprotect", nil, errno: ENOMEM) }

    /// Returns the memory of whole unused pages to the system. The pages read as zero afterwards.
    static func freePages(_ first: UnsafeMutableRawPointer, _ count: Int) {
        if count > 0 { madvise(first, count, MADV_DONTNEED) }
    }
}
