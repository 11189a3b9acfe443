import RealmEngine

/// Cuts the tables of an export into batches of leaves, in the order of the output.
///
/// Used with a lock held when there are several workers.
final class ExportSource {
    /// What one worker renders in one go.
    struct Batch {
        /// Its place in the output.
        let number: Int
        /// Index into the export's plans.
        let plan: Int
        let leaves: [LeafLocation]
        /// Positions in the table of the objects that are wanted.
        let positions: Range<Int>
        let isFirst: Bool
        let isLast: Bool
    }

    /// Leaves of 256 objects each.
    private static let leavesPerBatch = 16

    private let snapshot: Snapshot
    private let plans: [RecordPlan]
    /// Positions of the objects wanted of each table.
    private let positions: [Range<Int>]
    private var plan = 0
    private var locations: LeafLocations?
    private var number = 0

    init(_ snapshot: Snapshot, _ plans: [RecordPlan], _ positions: [Range<Int>]) {
        self.snapshot = snapshot
        self.plans = plans
        self.positions = positions
    }

    /// The next batch, nil when the tables are exhausted.
    func next() throws(RealmError) -> Batch? {
        guard plan < plans.count else { return nil }
        let wanted = positions[plan]
        let isFirst = locations == nil
        var cursor =
            locations ?? snapshot.table(plans[plan].table).leafLocations(from: wanted.lowerBound)
        var leaves: [LeafLocation] = []
        var isLast = wanted.isEmpty
        while !isLast, leaves.count < Self.leavesPerBatch {
            guard let leaf = try cursor.next() else {
                isLast = true
                break
            }
            leaves.append(leaf)
            isLast = leaf.position + leaf.count >= wanted.upperBound
        }
        let batch = Batch(
            number: number, plan: plan, leaves: leaves, positions: wanted, isFirst: isFirst,
            isLast: isLast)
        number += 1
        locations = isLast ? nil : cursor
        if isLast { plan += 1 }
        return batch
    }
}
