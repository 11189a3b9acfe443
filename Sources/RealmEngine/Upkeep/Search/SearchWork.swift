/// Read budget of a search through a damaged file. Overlapping nodes could otherwise make it
/// endless; in an intact file each node is read a few times.
final class SearchWork {
    private var left: Int
    let memory: SearchMemoryLimit
    private(set) var isExhausted = false
    /// File whose pages are released now and then; nil to keep them.
    private let mapping: Mapping?
    private var callsToRelease = callsPerRelease

    /// Calls of `spend` after which pages are released.
    private static let callsPerRelease = 1 << 13

    /// Makes the budget for a file of `bytes` bytes.
    init(bytes: UInt64, _ memory: SearchMemoryLimit, releasing mapping: Mapping? = nil) {
        left = 16 &* Int(bytes) &+ 1 << 20
        self.memory = memory
        self.mapping = mapping
    }

    /// Charges `slots` slots of a node. Returns false if the budget is spent.
    func spend(_ slots: Int) -> Bool {
        callsToRelease &-= 1
        if callsToRelease < 0 { releasePages() }
        left &-= slots &+ 8
        if left < 0 { isExhausted = true }
        return left >= 0
    }

    @inline(never)
    private func releasePages() {
        callsToRelease = Self.callsPerRelease
        mapping?.releasePages()
    }
}
