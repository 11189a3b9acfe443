/// Releases pages of a mapped file that a search has read. Otherwise they would count as memory of
/// the process. Confined to one thread.
struct PageReleaser {
    private let mapping: Mapping
    private var left = steps
    /// Size in bytes of the resident file pages after the last release; nil if the system does not
    /// report it.
    private var floor: Int?

    /// Number of nodes read between two measurements of the resident memory.
    private static let steps = 1 << 9
    /// Size in bytes of the resident file pages that are kept. A search reads pages again and again,
    /// in no order, and each node whose page was released costs a page fault. A larger size would
    /// take page tables of more than 2 MiB.
    private static let maximumSize = 1 << 30

    init(_ mapping: Mapping) {
        self.mapping = mapping
        floor = ResidentMemory.filePages
    }

    /// Counts a node that was read. Releases pages if they take too much memory.
    @inline(__always)
    mutating func step() {
        left &-= 1
        if left < 0 { release() }
    }

    /// Releases pages if they take too much memory.
    @inline(never)
    mutating func release() {
        left = Self.steps
        if let floor, let now = ResidentMemory.filePages, now < floor + Self.maximumSize { return }
        mapping.releasePages()
        floor = ResidentMemory.filePages
    }
}
