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
        /// With a query: leaves of which only the matching rows are wanted.
        var units: ArraySlice<QueryUnit> = []
        /// Objects in an order of their own.
        var keys: Slice<RowKeys>?
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

    /// What a query narrows the first, then only, table to.
    private var units: ArraySlice<QueryUnit>?
    private var keys: Slice<RowKeys>?

    init(
        _ snapshot: Snapshot, _ plans: [RecordPlan], _ positions: [Range<Int>],
        _ choice: ObjectChoice
    ) throws(RealmError) {
        self.snapshot = snapshot
        self.plans = plans
        self.positions = positions
        switch choice {
        case .all: break
        case .matches(let plan): units = try plan.units(in: snapshot)[...]
        case .keys(let chosen): keys = chosen
        }
    }

    /// The next batch, nil when the tables are exhausted.
    func next() throws(RealmError) -> Batch? {
        guard plan < plans.count else { return nil }
        if let units { return nextMatches(units) }
        if let keys { return nextKeys(keys) }
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

    private static let keysPerBatch = 4096

    private func nextMatches(_ left: ArraySlice<QueryUnit>) -> Batch {
        let taken = left.prefix(Self.leavesPerBatch)
        units = left[taken.endIndex...]
        return batch(isLast: taken.endIndex == left.endIndex) { $0.units = taken }
    }

    private func nextKeys(_ left: Slice<RowKeys>) -> Batch {
        let taken = left.prefix(Self.keysPerBatch)
        keys = left[taken.endIndex...]
        return batch(isLast: taken.endIndex == left.endIndex) { $0.keys = taken }
    }

    private func batch(isLast: Bool, _ fill: (inout Batch) -> Void) -> Batch {
        var batch = Batch(
            number: number, plan: plan, leaves: [], positions: 0..<Int.max, isFirst: number == 0,
            isLast: isLast)
        fill(&batch)
        number += 1
        if isLast { plan += 1 }
        return batch
    }
}

/// Which objects of its table an export prints.
package enum ObjectChoice: Sendable {
    case all
    /// Those that match, in the order of the table.
    case matches(QueryPlan)
    /// These, in this order.
    case keys(Slice<RowKeys>)
}
