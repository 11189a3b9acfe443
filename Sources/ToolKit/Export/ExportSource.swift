import RealmEngine

/// Divides the tables of an export into batches of leaves, in the order of the output.
///
/// If there are several workers, each calls `next` with the lock of `ExportStage` held.
final class ExportSource {
    /// Objects that one worker renders at a time, before it takes the next batch.
    struct Batch {
        /// Number of the batch in the output, from 0.
        let number: Int
        /// Index into the export's plans.
        let plan: Int
        let objects: Objects
        let isFirst: Bool
        let isLast: Bool
    }

    /// The objects of a batch.
    enum Objects {
        /// Objects in the given leaves whose positions in the table are in a range.
        case leaves([LeafSlice], at: Range<Int>)
        /// Objects in the given leaves that match the query.
        case matches(ArraySlice<LeafSlice>)
        /// Objects with the given keys, in the order of the keys.
        case keys(Slice<RowKeys>)
    }

    /// Number of leaves, of up to 256 objects each, in a batch.
    private static let leavesPerBatch = 16

    private let snapshot: Snapshot
    private let plans: [RecordPlan]
    /// For each table, the range of positions of the objects to print.
    private let positions: [Range<Int>]
    private var plan = 0
    private var cursor: LeafCursor?
    private var number = 0

    /// Leaves in which the query may find objects; nil without a query. A query applies to a single
    /// table.
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

    /// Returns the next batch; nil after the last one.
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

    /// Number of keys that one worker looks up in a batch.
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

/// The objects of a table that an export prints.
package enum ObjectChoice: Sendable {
    case all
    /// Objects that match the query, in the order of the table.
    case matches(QueryPlan)
    /// Objects with the given keys, in the order of the keys.
    case keys(Slice<RowKeys>)
}
