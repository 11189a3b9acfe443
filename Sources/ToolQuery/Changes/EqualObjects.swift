import RealmEngine

/// Objects that are equal in two files for certain, because their leaves have the same bytes.
///
/// A link is stored as the key of its target. Equal leaves have equal links only if each key refers
/// to the same object in both files. Embedded objects are a part of their owners, so they must be
/// equal, too.
struct EqualObjects {
    private var keys: [String: [ClosedRange<ObjectKey>]] = [:]

    /// Compares the leaves of two files.
    ///
    /// A damaged table gets no entry in `keys`. Its objects are then compared one by one, which
    /// reports the damage.
    init(_ old: Snapshot, _ new: Snapshot) {
        var leaves: [String: EqualLeaves] = [:]
        let earlier = Dictionary(old.schema.tables.map { ($0.name, $0) }) { first, _ in first }
        for table in new.schema.tables {
            guard let before = earlier[table.name] else { continue }
            leaves[table.name] = try? EqualLeaves(old: (old, before), new: (new, table))
        }
        let isSameKeys =
            old.schema.tables.map(\.key) == new.schema.tables.map(\.key)
            && old.schema.tables.map(\.name) == new.schema.tables.map(\.name)
        let usable = Self.usable(new.schema, leaves, mayLinkAnywhere: isSameKeys)
        for table in new.schema.tables where usable.contains(table.name) {
            keys[table.className] = leaves[table.name]?.keys
        }
    }

    /// Returns the names of the tables in which leaves with equal bytes contain equal objects. This
    /// requires that equal link values refer to objects with the same primary keys in both files.
    private static func usable(
        _ schema: Schema, _ leaves: [String: EqualLeaves], mayLinkAnywhere: Bool
    ) -> Set<String> {
        let haveEqualKeys = schema.tables.allSatisfy {
            $0.kind == .embedded || leaves[$0.name]?.hasEqualKeys == true
        }
        let tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
        var usable = Set(leaves.keys)
        while true {
            let wrong = usable.filter { name in
                guard let table = tables[name] else { return true }
                return !table.columns.allSatisfy { column in
                    if column.type == .mixed { return mayLinkAnywhere && haveEqualKeys }
                    guard column.type == .link else { return true }
                    guard let target = schema.table(column.target) else { return false }
                    guard target.kind == .embedded else {
                        return leaves[target.name]?.hasEqualKeys == true
                    }
                    return usable.contains(target.name)
                        && leaves[target.name]?.isComplete == true
                }
            }
            if wrong.isEmpty { return usable }
            usable.subtract(wrong)
        }
    }

    /// Looks up whether objects of one class are the same in the old and in the new file. Must be
    /// called with ascending keys.
    struct Cursor {
        private let ranges: [ClosedRange<ObjectKey>]
        private var next = 0

        fileprivate init(_ ranges: [ClosedRange<ObjectKey>]) { self.ranges = ranges }

        /// Whether each object with a key from `first` to `last` is the same in the old and in the
        /// new file.
        mutating func contains(_ first: ObjectKey, _ last: ObjectKey) -> Bool {
            while next < ranges.count, ranges[next].upperBound < first { next += 1 }
            return next < ranges.count && ranges[next].contains(first)
                && ranges[next].contains(last)
        }
    }

    func cursor(_ className: String) -> Cursor { Cursor(keys[className] ?? []) }
}
