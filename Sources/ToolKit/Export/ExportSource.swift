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
        let objects: Objects
        let isFirst: Bool
        let isLast: Bool
    }

    /// The objects of a batch.
    enum Objects {
        /// Those in the leaves, as far as they are at these positions of the table.
        case leaves([LeafSlice], at: Range<Int>)
        /// Those that match in the leaves.
        case matches(ArraySlice<LeafSlice>)
        /// These, in an order of their own.
        case keys(Slice<RowKeys>)
    }

    /// Leaves of 256 objects each.
    private static let leavesPerBatch = 16

    private let snapshot: Snapshot
    private let plans: [RecordPlan]
    /// Positions of the objects wanted of each table.
    private let positions: [Range<Int>]
    private var plan = 0
    private var cursor: LeafCursor?
    private var number = 0

    /// What a query narrows the first, then only, table to.
    private var matches: ArraySlice<LeafSlice>?
    private var keys: Slice<RowKeys>?
    private let keysPerBatch: Int

    init(
        _ snapshot: Snapshot, _ plans: [RecordPlan], _ positions: [Range<Int>],
        _ choice: ObjectChoice, keysPerBatch: Int
    ) throws(RealmError) {
        self.snapshot = snapshot
        self.plans = plans
        self.positions = positions
        self.keysPerBatch = keysPerBatch
        switch choice {
        case .all: break
        case .matches(let plan): matches = try plan.parts(in: snapshot)[...]
        case .keys(let chosen): keys = chosen
        }
    }

    /// The next batch, nil when the tables are exhausted.
    func next() throws(RealmError) -> Batch? {
        guard plan < plans.count else { return nil }
        if let matches { return nextMatches(matches) }
        if let keys { return nextKeys(keys) }
        return try nextLeaves(positions[plan])
    }

    private func nextLeaves(_ wanted: Range<Int>) throws(RealmError) -> Batch {
        let isFirst = self.cursor == nil
        var cursor =
            self.cursor ?? snapshot.table(plans[plan].table).leaves(from: wanted.lowerBound)
        var leaves: [LeafSlice] = []
        var isLast = wanted.isEmpty
        while !isLast, leaves.count < Self.leavesPerBatch {
            guard let leaf = try cursor.nextPart() else {
                isLast = true
                break
            }
            leaves.append(leaf)
            isLast = leaf.position + leaf.count >= wanted.upperBound
        }
        self.cursor = isLast ? nil : cursor
        return batch(.leaves(leaves, at: wanted), isFirst: isFirst, isLast: isLast)
    }

    /// Keys that one worker looks up in their order.
    static let keysPerBatch = 4096

    private func nextMatches(_ left: ArraySlice<LeafSlice>) -> Batch {
        let taken = left.prefix(Self.leavesPerBatch)
        matches = left[taken.endIndex...]
        return batch(.matches(taken), isLast: taken.endIndex == left.endIndex)
    }

    private func nextKeys(_ left: Slice<RowKeys>) -> Batch {
        let taken = left.prefix(keysPerBatch)
        keys = left[taken.endIndex...]
        return batch(.keys(taken), isLast: taken.endIndex == left.endIndex)
    }

    private func batch(_ objects: Objects, isFirst: Bool? = nil, isLast: Bool) -> Batch {
        defer {
            number += 1
            if isLast { plan += 1 }
        }
        return Batch(
            number: number, plan: plan, objects: objects, isFirst: isFirst ?? (number == 0),
            isLast: isLast)
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
