/// Tables whose conversion to format 10 an upgrade has begun and not completed (specification of
/// the legacy formats, 10.2).
extension LegacyTable.Unlinked {
    /// Minimum number of slots of the root of a table in format 10.
    static let upgradedSlots = 12

    /// Reads a table whose root has the form of format 10. The table may still have a columns
    /// array, with the roots of the B+trees that the columns had before the upgrade to clusters.
    ///
    /// The upgrade first creates the objects in clusters, unless the clusters already contain as
    /// many objects as the columns have rows. Then it sets the links. The commit that moves the
    /// values of a column to the clusters also empties the column. So a column that still has a
    /// B+tree has all its values there, and they are read from the B+tree, not from the clusters.
    init(
        upgrading space: NodeSpace, _ top: NodeView, _ ref: Ref, index: Int, name: String
    ) throws(RealmError) {
        let columns = try top.slot(1).child.map { (ref) throws(RealmError) in
            try space.refNode(ref, slots: 0, "columns")
        }
        var reader = try UpgradingSpec(space, top, ref)
        let spec = try reader.spec(slots: columns?.count ?? 0)
        let roots = try Self.remainingRoots(columns, spec, at: ref)
        let size = try Self.size(space, spec, roots, of: name)
        let count = try Self.clusterCount(space, top, ref)
        var objects: UpgradedObjects?
        if count > 0, size?.rows ?? count == count {
            let hasLeft = zip(spec.columns, roots).contains {
                $0.type != .backlink && !$1.isNone
            }
            objects = try Self.objects(space, top.slot(2).ref, spec, needsRows: hasLeft, at: ref)
        } else if let size, size.rows > 0 {
            try Self.checkComplete(spec, roots, at: ref)
        }
        (self.spec, self.roots, self.objects) = (spec, roots, objects)
        (self.index, self.name, self.ref) = (index, name, ref)
        rows = objects?.keys.count ?? size?.rows ?? 0
        grid =
            objects.map { LegacyGrid(starts: $0.starts) }
            ?? LegacyGrid(rows: rows, leaf: size?.leaf)
        stage = columns == nil ? .done : .begun
    }

    private static func clusterCount(
        _ space: NodeSpace, _ top: NodeView, _ ref: Ref
    ) throws(RealmError) -> Int {
        guard let root = top.slot(2).child else {
            throw .corrupt("a table without its clusters", at: ref)
        }
        return try ClusterTree(space: space, root: root).count()
    }

    /// - Parameter needsRows: whether some columns still have their B+trees from before the upgrade
    ///   to clusters. Then each object's row in these B+trees must be known; throws `corrupt` if it
    ///   is not.
    private static func objects(
        _ space: NodeSpace, _ root: Ref, _ spec: LegacySpec, needsRows: Bool, at ref: Ref
    ) throws(RealmError) -> UpgradedObjects {
        let rowColumn = spec.columns.first { $0.name == UpgradedObjects.rowColumn }
        let objects = try UpgradedObjects(space, root, rowIndex: rowColumn?.leafIndex)
        guard !needsRows || objects.oldRows != nil || objects.keysAreRows else {
            throw .corrupt("objects whose keys are not the rows of their links", at: ref)
        }
        return objects
    }

    /// Returns the root of each column's B+tree; `Ref.none` for columns whose values the upgrade
    /// has already moved to clusters.
    private static func remainingRoots(
        _ columns: NodeView?, _ spec: LegacySpec, at ref: Ref
    ) throws(RealmError) -> [Ref] {
        guard let columns else { return spec.columns.map { _ in .none } }
        var roots: [Ref] = []
        for column in spec.columns {
            // The upgrade adds this column only to the clusters. It contains the row that each
            // object had before the upgrade.
            let isNew = column.name == UpgradedObjects.rowColumn
            let slot = isNew ? nil : columns.slot(column.slot)
            guard slot?.isTagged != true else {
                throw .corrupt("a number where a column's root belongs", at: ref)
            }
            roots.append(slot?.child ?? .none)
        }
        return roots
    }

    /// Throws if a property has no B+tree. To be called only for a table whose objects the upgrade
    /// has not moved to clusters.
    private static func checkComplete(
        _ spec: LegacySpec, _ roots: [Ref], at ref: Ref
    ) throws(RealmError) {
        for (column, root) in zip(spec.columns, roots) {
            guard column.type == .backlink || !root.isNone else {
                throw .corrupt("a column '\(column.name)' without its root", at: ref)
            }
        }
    }
}
