/// First round: objects and their plain values.
extension Salvage {
    /// A column of one leaf, opened as far as that goes.
    struct OpenColumn {
        let index: Int
        let info: ColumnInfo
        /// Nil when the leaf cannot be read.
        let leaf: ColumnLeaf?
    }

    func copyObjects(_ place: Int) throws(RealmError) {
        let info = targets[place].source
        try forEachLeaf(info) { (leaf) throws(RealmError) in
            let columns = try open(leaf, info) { !Self.isStructure($0) }
            try create(leaf, columns, place)
        } lost: { (count, error) throws(RealmError) in
            try lose(.objects(className: info.className, count: count, why: error.message))
        }
    }

    /// What may lead to other objects, or is stored in trees of its own.
    static func isStructure(_ column: ColumnInfo) -> Bool {
        column.collection != nil || [.link, .typedLink, .mixed].contains(column.type)
    }

    /// Opens the leaf's columns that `isWanted`; what cannot be opened is reported lost.
    func open(
        _ leaf: ClusterLeaf, _ info: TableInfo, isWanted: (ColumnInfo) -> Bool
    ) throws(RealmError) -> [OpenColumn] {
        var columns: [OpenColumn] = []
        for (i, column) in info.columns.enumerated() where isWanted(column) {
            var opened: ColumnLeaf?
            do throws(RealmError) {
                opened = try leaf.column(column.leafIndex, column.layout)
            } catch {
                // Objects without their primary key are reported as such.
                if i != info.primaryKey, leaf.count > 0 {
                    try lose(
                        .values(
                            className: info.className, property: column.name, key: leaf.key(0),
                            count: leaf.count, why: error.message))
                }
            }
            columns.append(OpenColumn(index: i, info: column, leaf: opened))
        }
        return columns
    }

    private func create(
        _ leaf: ClusterLeaf, _ columns: [OpenColumn], _ place: Int
    ) throws(RealmError) {
        let target = targets[place]
        let width = target.columns.count { $0 != nil }
        for row in 0..<leaf.count {
            let key = leaf.key(row)
            var values = defaults(target, width)
            do throws(RealmError) {
                for column in columns {
                    guard let to = target.columns[column.index] else { continue }
                    let isKey = column.index == target.source.primaryKey
                    guard let stored = column.leaf else {
                        if isKey { throw .corrupt("its primary key is lost", in: "object") }
                        continue
                    }
                    if let value = try read(column, stored, row, key, target, isKey: isKey) {
                        values[to] = value
                    }
                }
                guard key.raw >= 0 else { throw .corrupt("its key is negative", in: "object") }
                let wanted = target.source.primaryKey == nil ? key : nil
                let new = try create(target.key, values, wanted)
                didCreate(key, as: new, in: place)
            } catch {
                if error.kind == .output || error.kind == .internal { throw error }
                try lose(
                    .object(
                        className: target.source.className, key: key, why: error.message))
            }
            try changed()
        }
    }

    private func create(
        _ table: TableKey, _ values: [Value], _ key: ObjectKey?
    ) throws(RealmError) -> ObjectKey {
        let result = values.withUnsafeBufferPointer { values -> Result<ObjectKey, RealmError> in
            Result { () throws(RealmError) in
                try transaction.create(in: table, values: values, key: key)
            }
        }
        return try result.get()
    }

    /// What a new object has where nothing is known.
    private func defaults(_ target: Target, _ width: Int) -> [Value] {
        var values = [Value](repeating: .null, count: width)
        for (i, column) in target.source.columns.enumerated() {
            if let to = target.columns[i] { values[to] = Defaults.value(column) }
        }
        return values
    }

    /// A plain value; nil when it is lost, unless the object is lost with it.
    private func read(
        _ column: OpenColumn, _ leaf: ColumnLeaf, _ row: Int, _ key: ObjectKey, _ target: Target,
        isKey: Bool
    ) throws(RealmError) -> Value? {
        do throws(RealmError) {
            let value = try leaf.value(row)
            try ValueCheck.check(value, column.info)
            return value
        } catch {
            if isKey { throw error }
            try lose(
                .values(
                    className: target.source.className, property: column.info.name, key: key,
                    count: 1, why: error.message))
            return nil
        }
    }
}

/// Walks what can be walked of a cluster tree.
extension Salvage {
    /// Calls `body` with each leaf, in order, and `lost` for each subtree that cannot be entered,
    /// with the number of its objects where a parent tells.
    func forEachLeaf(
        _ info: TableInfo, _ body: (ClusterLeaf) throws(RealmError) -> Void,
        lost: (Int?, RealmError) throws(RealmError) -> Void
    ) throws(RealmError) {
        var pending = [(ref: info.root, base: UInt64(0), depth: 0)]
        var seen: Set<Ref> = []
        while let (ref, base, depth) = pending.popLast() {
            var leaf: ClusterLeaf?
            do throws(RealmError) {
                guard seen.insert(ref).inserted else {
                    throw .corrupt("a node that was met before", at: ref)
                }
                guard depth <= ClusterTree.maximumDepth else { throw lookup.exhausted(ref) }
                let node = try space.treeNode(ref, slots: 1, "cluster")
                if node.isInner {
                    let inner = try InnerCluster(space, ref, node: node, base: base)
                    for i in (0..<inner.childCount).reversed() {
                        guard let child = node.slot(i + 3).child else {
                            try lost(nil, .corrupt("an inner node without a child", at: ref))
                            continue
                        }
                        pending.append((child, base &+ inner.offset(i), depth + 1))
                    }
                } else {
                    let opened = try ClusterLeaf(space, ref, node: node, base: base)
                    try opened.checkOrder()
                    leaf = opened
                }
            } catch {
                try lost(nil, error)
            }
            if let leaf { try body(leaf) }
        }
    }
}
