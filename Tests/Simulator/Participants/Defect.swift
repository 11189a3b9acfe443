/// A planted defect, and a seed that finds it.
struct Defect {
    let number: UInt32
    let name: String
    let seed: UInt64

    /// In the order of `enum planted`.
    static let all: [Defect] = [
        ("the sync before the flip is left out", 1),
        ("the sync after the flip is left out", 1),
        ("the header flips before the nodes are synced", 1),
        ("a mutex is not made consistent after its owner died", 1),
        ("the death of a mutex's owner is not noticed", 1),
        ("participants join and leave without the control mutex", 1),
        ("two writers have the turn", 1),
        ("a participant does not lock the lock file", 1),
        ("a wake-up is dropped", 1),
        ("a pin is not stored", 1),
        ("a version-list entry has the root of the version before", 1),
        ("the newest entry is not moved", 1),
        ("the file is not grown", 1),
        ("a short write is taken for a whole one", 1),
        ("a failed sync is taken for a success", 1),
        ("the size of the file is not synced", 1),
        ("the last sector of a write is not synced", 1),
        ("free space is one pinned version too far", 1),
        ("a leaving participant is counted twice", 1),
        ("an entry gets the number of the version after", 1),
        ("a version-list entry has the file size of the version before", 1),
        ("a lock file of an earlier session is not cleared", 1),
        ("an event that ends a wait is dropped", 1),
    ].enumerated().map { Defect(number: UInt32($0 + 1), name: $1.0, seed: $1.1) }
}
