/// Read budget of a search through a damaged file. An intact file needs few reads of each node;
/// overlapping nodes could make the search endless.
final class SearchWork {
    // Changed for each node that is read.
    @exclusivity(unchecked) private var left: Int
    let memory: SearchMemoryLimit
    private(set) var isExhausted = false
    /// Releases the pages of the file that the search has read; nil if they stay in memory.
    @exclusivity(unchecked) private var releaser: PageReleaser?

    /// Makes the read budget of one search through a file of `bytes` bytes: 16 slots for each byte
    /// of the file. A search of an intact file stays far below this number.
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
