import Glibc

/// Private memory inside a reserved stretch of addresses, made usable piece by piece.
struct ReservedMemory: ~Copyable {
    let start: UnsafeMutableRawPointer
    let capacity: Int
    private(set) var usable = 0

    private static let step = 1 << 20

    /// Takes over `capacity` reserved bytes at `start`, which is page-aligned.
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
        else { throw systemError("mprotect", nil, errno: ENOMEM) }
        usable = wanted
    }

    /// Gives the memory beyond the first `count` bytes back; it reads as zero afterwards.
    mutating func trim(to count: Int) {
        let keep = (count + Self.step - 1) / Self.step * Self.step
        guard usable > keep else { return }
        madvise(start + keep, usable - keep, MADV_DONTNEED)
    }
}
