/// Limits the bytes of collections that a search reads.
///
/// Dead leaves share collections, so together they refer to more bytes than the file has. After many times
/// as much as a sound file has, nothing more is read. Confined to one thread.
struct RemnantWalkBudget {
    private let limit: Int
    /// Bytes that were read.
    private var walked = 0
    /// Bytes that the walk in progress may still read.
    private var budget = 0
    /// Whether something was not read.
    private(set) var isExhausted = false

    private static let maximumWalks = 256

    /// - Parameter bytes: size of the file.
    init(bytes: UInt64) { limit = Self.maximumWalks * (Int(bytes) + (1 << 20)) }

    /// Lets values of a leaf be read through both snapshots.
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

    /// Takes over the bytes that `other` counted.
    mutating func take(_ other: inout RemnantWalkBudget) {
        walked += other.walked
        if other.isExhausted { isExhausted = true }
        (other.walked, other.isExhausted) = (0, false)
        // The other one stops when this one has.
        if walked >= limit { other.walked = limit }
    }

    private static func left(_ a: Snapshot, _ b: Snapshot) -> Int {
        a.walk.state.pointee.budget + b.walk.state.pointee.budget
    }
}
