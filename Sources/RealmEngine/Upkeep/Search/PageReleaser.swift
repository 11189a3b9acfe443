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
    /// Maximum size in bytes of the file pages that remain in memory.
    private static let maximumSize = 24 << 20

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

    @inline(never)
    private mutating func release() {
        left = Self.steps
        if let floor, let now = ResidentMemory.filePages, now < floor + Self.maximumSize { return }
        mapping.releasePages()
        floor = ResidentMemory.filePages
    }
}
