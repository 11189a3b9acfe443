/// Releases pages of a mapped file that a search has read. Otherwise they would count as memory of
/// the process. Confined to one thread.
struct PageReleaser {
    private let mapping: Mapping
    /// Size in bytes of the resident file pages that are kept.
    private let maximumSize: Int
    private var left = steps
    /// Size in bytes of the resident file pages after the last release; nil if the system does not
    /// report it.
    private var floor: Int?

    /// Number of nodes read between two measurements of the resident memory.
    private static let steps = 1 << 9
    /// Size for a walk that visits most pages once.
    private static let usualSize = 24 << 20
    /// Size for a search that reads pages again and again, in no order: each node whose page was released
    /// costs a page fault. Larger sizes would take page tables of more than 2 MiB.
    static let searchSize = 1 << 30

    init(_ mapping: Mapping, keeping size: Int = usualSize) {
        self.mapping = mapping
        maximumSize = size
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
        if let floor, let now = ResidentMemory.filePages, now < floor + maximumSize { return }
        mapping.releasePages()
        floor = ResidentMemory.filePages
    }
}
