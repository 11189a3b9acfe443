/// Read budget of a search through a damaged file. An intact file needs few reads of each node;
/// overlapping nodes could make the search endless.
final class SearchWork {
    // Changed for each node that is read.
    @exclusivity(unchecked) private var left: Int
    let memory: SearchMemoryLimit
    private(set) var isExhausted = false
    /// Releases pages of the file that were read; nil to keep them.
    @exclusivity(unchecked) private var releaser: PageReleaser?

    /// Makes the budget for a file of `bytes` bytes.
    init(bytes: UInt64, _ memory: SearchMemoryLimit, releasing mapping: Mapping? = nil) {
        left = 16 &* Int(bytes) &+ 1 << 20
        self.memory = memory
        releaser = mapping.map { PageReleaser($0) }
    }

    /// Charges the reading of `slots` slots of a node to the budget. Returns false if the budget is
    /// spent.
    func spend(_ slots: Int) -> Bool {
        releaser?.step()
        left &-= slots &+ 8
        if left < 0 { isExhausted = true }
        return left >= 0
    }
}
