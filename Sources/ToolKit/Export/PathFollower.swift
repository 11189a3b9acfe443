import RealmEngine

/// Follows a field's path from value to value. Confined to its snapshot's thread.
package final class PathFollower {
    private let targets: LinkTargets
    private let snapshot: Snapshot
    private let steps: [Step]
    /// Function that is applied to the values at the end of the path; nil if there is none.
    private let function: BoundFunction?

    /// A name in the path. Caches the table in which the name was looked up last, and the property
    /// with this name in that table.
    private final class Step {
        let name: String
        let bytes: [UInt8]
        var table = TableKey.none
        /// Reads the property; nil if the table has no property of this name.
        var scan: TableScan?

        init(_ name: String) {
            self.name = name
            bytes = Array(name.utf8)
        }
    }

    init(
        _ steps: [String], _ targets: LinkTargets, _ snapshot: Snapshot,
        _ function: FieldFunction? = nil
    ) {
        self.function = function?.bound()
        self.steps = steps.map(Step.init)
        self.targets = targets
        self.snapshot = snapshot
    }

    package var count: Int { function == nil ? steps.count : steps.count + 1 }

    /// Follows the steps from `index` on and returns the value at the end. Stops at a list or set:
    /// the caller then continues with each element, from the updated `index`.
    func follow(_ start: Value, from index: inout Int) throws(RealmError) -> Value {
        var value = start
        while index < steps.count {
            switch value {
            case .link(let link): value = try property(steps[index], link)
            case .dictionary(let view): value = try entry(steps[index], view)
            case .list, .set: return value
            default:
                index = count
                return .null
            }
            index += 1
        }
        guard let function, index == steps.count else { return value }
        switch value {
        case .list, .set: return value
        default:
            index += 1
            return function.value(of: value)
        }
    }

    private func property(_ step: Step, _ link: ObjectLink) throws(RealmError) -> Value {
        if step.table != link.table {
            let table = try targets[link.table].table
            step.scan = table.info.columnIndex(named: step.name).map { table.scan(columns: [$0]) }
            step.table = link.table
        }
        guard let scan = step.scan else { return .null }
        guard let row = try scan.seek(link.key) else {
            throw try targets[link.table].missing(link.key)
        }
        return try scan.value(row: row, column: 0)
    }

    private func entry(_ step: Step, _ view: CollectionView) throws(RealmError) -> Value {
        var entries = try snapshot.entries(of: view)
        while let (key, value) = try entries.next() {
            switch key {
            case .string(let text): if text.equals(step.bytes) { return value }
            case .int(let number): if String(number) == step.name { return value }
            default: continue
            }
        }
        return .null
    }
}
