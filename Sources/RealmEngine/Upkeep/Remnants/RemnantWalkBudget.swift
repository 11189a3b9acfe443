/// Limits the bytes of collections that a search for old objects reads.
///
/// Leaves of different versions share collections, so together they may refer to more bytes than
/// the file has. The limit is 256 times the size of the file; then no more collections are read.
/// Confined to one thread.
struct RemnantWalkBudget {
    private let limit: Int
    /// Bytes that were read.
    private var walked = 0
    /// Bytes that the walk in progress may still read.
    private var budget = 0
    /// Whether collections were skipped because the limit was reached.
    private(set) var isExhausted = false

    private static let maximumWalks = 256

    /// - Parameter bytes: size of the file.
    init(bytes: UInt64) { limit = Self.maximumWalks * (Int(bytes) + (1 << 20)) }

    /// Starts reading one leaf: gives both snapshots a new read budget, so that collections can be
    /// read through them. Does nothing if the limit was reached.
    mutating func begin(_ a: Snapshot, _ b: Snapshot) {
        guard walked < limit else {
            isExhausted = true
            return
        }
        a.beginWalk()
        b.beginWalk()
        budget = Self.left(a, b)
    }

    mutating func end(_ a: Snapshot, _ b: Snapshot) {
        let left = Self.left(a, b)
        walked += max(0, budget - left)
        budget = left
    }

    /// Adds the bytes that `other` counted, and resets its count.
    mutating func take(_ other: inout RemnantWalkBudget) {
        walked += other.walked
        if other.isExhausted { isExhausted = true }
        (other.walked, other.isExhausted) = (0, false)
        // Both budgets stop at the same limit.
        if walked >= limit { other.walked = limit }
    }

    private static func left(_ a: Snapshot, _ b: Snapshot) -> Int {
        a.walk.state.pointee.budget + b.walk.state.pointee.budget
    }
}
