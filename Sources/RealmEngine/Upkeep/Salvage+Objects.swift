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
        } lost: { (count, why) throws(RealmError) in
            try lose(.objects(className: info.className, count: count, why: why))
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
                var wanted: ObjectKey? = key
                if let primaryKey = target.source.primaryKey, !target.keepsKeys {
                    wanted = try wantedKey(values[target.columns[primaryKey] ?? 0], in: target)
                }
                let new = try create(target.key, values, wanted)
                try didCreate(key, as: new, in: place)
            } catch {
                if [.output, .internal, .incompatible].contains(error.kind) { throw error }
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
    /// Calls `body` with each leaf, in order, and `lost` for what cannot be reached below a node,
    /// with the number of its objects where the node tells.
    func forEachLeaf(
        _ info: TableInfo, _ body: (ClusterLeaf) throws(RealmError) -> Void,
        lost: (Int?, String) throws(RealmError) -> Void
    ) throws(RealmError) {
        let walk = ClusterWalk(self)
        // What `body` throws is no damage and ends the walk.
        let root = try walk.visit(Branch(ref: info.root, base: 0, depth: 0), body, lost)
        if case .lost(let error) = root { try lost(nil, error.message) }
    }

    private struct Branch {
        let ref: Ref
        let base: UInt64
        let depth: Int
    }

    /// What became of a branch: so many of its objects were met or reported lost; or nobody could
    /// enter it.
    private enum Outcome {
        case accounted(Int)
        case lost(RealmError)
    }

    private final class ClusterWalk {
        private let salvage: Salvage
        private var seen: Set<Ref> = []

        init(_ salvage: Salvage) { self.salvage = salvage }

        private enum Opened {
            case leaf(ClusterLeaf)
            case inner(InnerCluster)
        }

        private func open(_ branch: Branch) throws(RealmError) -> Opened {
            let ref = branch.ref
            guard seen.insert(ref).inserted else {
                throw .corrupt("a node that was met before", at: ref)
            }
            guard branch.depth <= ClusterTree.maximumDepth else {
                throw salvage.lookup.exhausted(ref)
            }
            let space = salvage.space
            let node = try space.treeNode(ref, slots: 1, "cluster")
            if node.isInner {
                return .inner(try InnerCluster(space, ref, node: node, base: branch.base))
            }
            let leaf = try ClusterLeaf(space, ref, node: node, base: branch.base)
            try leaf.checkOrder()
            return .leaf(leaf)
        }

        func visit(
            _ branch: Branch, _ body: (ClusterLeaf) throws(RealmError) -> Void,
            _ lost: (Int?, String) throws(RealmError) -> Void
        ) throws(RealmError) -> Outcome {
            let opened: Opened
            do throws(RealmError) { opened = try open(branch) } catch { return .lost(error) }
            switch opened {
            case .leaf(let leaf):
                try body(leaf)
                return .accounted(leaf.count)
            case .inner(let inner): return try visit(inner, branch.depth, body, lost)
            }
        }

        private func visit(
            _ inner: InnerCluster, _ depth: Int,
            _ body: (ClusterLeaf) throws(RealmError) -> Void,
            _ lost: (Int?, String) throws(RealmError) -> Void
        ) throws(RealmError) -> Outcome {
            var accounted = 0
            var failures = 0
            var first: RealmError?
            for i in 0..<inner.childCount {
                var outcome = Outcome.lost(
                    .corrupt("an inner node without a child", at: inner.ref))
                if let child = inner.node.slot(i + 3).child {
                    let base = inner.base &+ inner.offset(i)
                    outcome = try visit(
                        Branch(ref: child, base: base, depth: depth + 1), body, lost)
                }
                switch outcome {
                case .accounted(let count): accounted += count
                case .lost(let error):
                    failures += 1
                    first = first ?? error
                }
            }
            let missing = Self.missing(inner, accounted, failures)
            if let first {
                let others = failures > 1 ? ", and \(failures - 1) more branches" : ""
                try lost(missing, first.message + others)
            } else if let missing {
                try lost(missing, "\(inner.count) objects are announced, \(accounted) are there")
            }
            return .accounted(accounted + (missing ?? 0))
        }

        /// How many objects a node announces beyond those accounted for; nil for none, and for more
        /// than the branches that could not be entered can have held.
        private static func missing(
            _ inner: InnerCluster, _ accounted: Int, _ failures: Int
        ) -> Int? {
            let missing = inner.count - accounted
            let branches = failures > 0 ? failures : inner.childCount
            let room = inner.depth > 4 ? .max : branches << (8 * inner.depth)
            return missing > 0 && missing <= room ? missing : nil
        }
    }
}
