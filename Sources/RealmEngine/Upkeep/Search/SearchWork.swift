/// Read budget of a search through a damaged file. Overlapping nodes could otherwise make it
/// endless; in an intact file each node is read a few times.
final class SearchWork {
    private var left: Int
    let memory: SearchMemory
    private(set) var isExhausted = false

    /// Makes the budget for a file of `bytes` bytes.
    init(bytes: UInt64, _ memory: SearchMemory) {
        left = 16 &* Int(bytes) &+ 1 << 20
        self.memory = memory
    }

    /// Charges `slots` slots of a node. Returns false if the budget is spent.
    func spend(_ slots: Int) -> Bool {
        left &-= slots &+ 8
        if left < 0 { isExhausted = true }
        return left >= 0
    }
}
