/// Releases pages of a mapped file that a search has read, before they take much memory: pages of a
/// mapped file count as memory of the process. Confined to one thread.
struct PageReleaser {
    private let mapping: Mapping
    private var left = steps
    /// Resident file pages in bytes after the last release; nil where the system does not tell.
    private var floor: Int?

    /// Number of nodes read between two looks at the memory.
    private static let steps = 1 << 9
    /// Bytes of resident pages to keep.
    private static let maximumSize = 24 << 20

    init(_ mapping: Mapping) {
        self.mapping = mapping
        floor = ResidentMemory.filePages
    }

    /// Counts a node that was read.
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
