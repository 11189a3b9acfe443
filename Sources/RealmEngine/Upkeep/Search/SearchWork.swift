/// How much a search through damage may still look at. Nodes that overlap could keep it busy without
/// end; those of a sound file are looked at a few times.
final class SearchWork {
    private var left: Int
    let memory: SearchMemory
    private(set) var isExhausted = false

    /// For a file of `bytes`.
    init(bytes: UInt64, _ memory: SearchMemory) {
        left = 16 &* Int(bytes) &+ 1 << 20
        self.memory = memory
    }

    /// Asks leave to look at `slots` slots of a node.
    func spend(_ slots: Int) -> Bool {
        left &-= slots &+ 8
        if left < 0 { isExhausted = true }
        return left >= 0
    }
}
