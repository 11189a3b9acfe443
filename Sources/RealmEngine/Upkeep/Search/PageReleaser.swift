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
    /// Size in bytes of resident file pages that a search may keep in memory. A search reads pages
    /// again and again, in no order, so each page that is released too early costs a page fault. A
    /// larger size would save faults, but the page tables of the process would then exceed 2 MiB.
    private static let maximumSize = 1 << 30

    init(_ mapping: Mapping) {
        self.mapping = mapping
        floor = ResidentMemory.filePages
    }

    /// Counts a node that was read. Every 512 nodes, releases the file's pages if they take more
    /// than `maximumSize` bytes of memory.
    @inline(__always)
    mutating func step() {
        left &-= 1
        if left < 0 { release() }
    }

    /// Releases the file's pages if they take more than `maximumSize` bytes of memory.
    @inline(never)
    mutating func release() {
        left = Self.steps
        if let floor, let now = ResidentMemory.filePages, now < floor + Self.maximumSize { return }
        mapping.releasePages()
        floor = ResidentMemory.filePages
    }
}
