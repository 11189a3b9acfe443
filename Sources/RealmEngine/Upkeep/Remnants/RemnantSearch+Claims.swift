/// Decides which columns of the old leaves found are still as they were when their leaf was
/// written.
///
/// Every node belongs to one tree. Two leaves may share a column only if they have the same keys,
/// and so are the same leaf in two versions. Two collections may share nodes only if they belong to
/// the same object. If anything else refers to a node of the column, or if another node begins
/// inside one, a later commit has written over the column.
extension RemnantSearch {
    /// A reference to a node from a column of a leaf, with the owner that the node has if the
    /// reference is right. Claims to the same node by different owners contradict each other.
    private struct Claim: SpilledRecord {
        let ref: Ref
        /// Hash that identifies the owner of the node, such as one object's value of one column.
        let part: UInt64
        let leaf: Int32
        let column: Int16
        /// Row of the object to which the node belongs; negative if the node belongs to all rows.
        let row: Int16

        func compare(_ other: Claim) -> Int {
            ref == other.ref ? 0 : ref.raw < other.ref.raw ? -1 : 1
        }
    }

    func checkClaims() throws(RealmError) {
        let most = memory.maximumKeyCount
        let sorter = RecordSorter<Claim>(memory.sorting(newest.snapshot), most: most)
        for i in leaves.indices {
            var claims: [Claim] = []
            check(i, &claims)
            for claim in claims { try sorter.append(claim) }
        }
        var group: [Claim] = []
        try sorter.visit { (claim) throws(RealmError) in
            if let last = group.last, last.ref != claim.ref {
                resolveClaims(group[...])
                group.removeAll(keepingCapacity: true)
            }
            // If there are more claims to one node than fit in memory, resolve them in portions.
            if group.count == most {
                resolveClaims(group[...])
                group.removeSubrange(1...)
            }
            group.append(claim)
            return true
        }
        resolveClaims(group[...])
    }

    /// Decides which owner a node belongs to. `claims` are all references to the node, each with
    /// the owner (`Claim.part`) that it implies; only one can be right. If they imply several
    /// owners, the order of nodes in the file may show which owner wrote the node last. For all
    /// other owners, the column or value is then missing. If the order does not show this, the
    /// column or value is doubtful for each owner, as it is for leaves with unknown keys.
    private func resolveClaims(_ claims: ArraySlice<Claim>) {
        if claims.count <= 1 { return }
        let known = claims.filter { $0.part != Self.unknownPart }
        var writer = known.first?.part
        if known.contains(where: { $0.part != writer }) {
            writer = self.writer(of: claims.first!.ref, among: known[...])
        }
        for claim in claims where claim.part != writer {
            if claim.part == Self.unknownPart {
                leaves[Int(claim.leaf)].raise(
                    .doubtful, column: Int(claim.column),
                    row: claim.row < 0 ? nil : Int(claim.row))
                continue
            }
            leaves[Int(claim.leaf)].raise(
                writer == nil ? .doubtful : .missing, column: Int(claim.column),
                row: claim.row < 0 ? nil : Int(claim.row))
        }
    }

    /// Owner of a node (`Claim.part`) to which a leaf with unknown keys refers.
    private static let unknownPart: UInt64 = 0

    /// Maximum number of nodes that a commit writes between a column and the leaf that refers to
    /// it.
    private static let maximumNodesBetween = 1 << 10

    /// Returns the owner (`Claim.part`) that the leaf written together with the node at `ref`
    /// claims. A commit writes each node after its children. So this leaf is the first one after
    /// the node in the file that has a claim to it. Nil if bytes that are no node come before that
    /// leaf.
    private func writer(of ref: Ref, among claims: ArraySlice<Claim>) -> UInt64? {
        var at = ref
        for _ in 0..<Self.maximumNodesBetween {
            guard work.spend(0), let node = try? space.node(at), node.hasSignature else {
                return nil
            }
            if at != ref, let claim = claims.first(where: { leaves[Int($0.leaf)].ref == at }) {
                return claim.part
            }
            at = Ref(at.raw + UInt64(node.byteSize))
        }
        return nil
    }

    /// Whether the bytes from `ref` to `leaf` are only nodes, none of which a readable version
    /// uses.
    func isWritten(_ ref: Ref, with leaf: Ref) -> Bool {
        var at = ref
        for _ in 0..<Self.maximumNodesBetween {
            guard at.raw < leaf.raw, work.spend(0), let node = try? space.node(at),
                node.hasSignature,
                !live.isTaken(at)
            else { return at == leaf }
            at = Ref(at.raw + UInt64(node.byteSize))
        }
        return false
    }

    /// Checks the columns of the leaf at index `i`, and appends one `Claim` for each node to which
    /// a column refers.
    private func check(_ i: Int, _ claims: inout [Claim]) {
        let found = leaves[i]
        let layout = subjects[found.subject].layouts[found.layout]
        let table = layout.info.key
        guard let node = try? space.refNode(found.ref, slots: ClusterLeafShape.count(1), "cluster"),
            let leaf = try? ClusterLeaf(space, found.ref, node: node, base: found.base ?? 0)
        else { return }
        let identity = identity(of: leaf, found, table)
        if isOverwritten(found.ref, node)
            || node.slot(ClusterLeafShape.keys).child.map({ !isKept($0) }) ?? false
        {
            for column in found.faults.indices {
                leaves[i].raise(.doubtful, column: column, row: nil)
            }
        }
        for (c, column) in layout.info.columns.enumerated() where found.faults[c] == .none {
            guard let root = try? leaf.columnRef(column.leafIndex) else { continue }
            var state = PartWalk(
                leaf: leaf, column: column, table: table, identity: identity,
                base: found.base ?? 0, hasKeys: found.base != nil)
            let count = claims.count
            walk(root, &state, found) { fault, row in
                leaves[i].raise(fault, column: c, row: row)
            } claim: { ref, part, row in
                claims.append(
                    Claim(
                        ref: ref, part: part, leaf: Int32(i), column: Int16(c),
                        row: Int16(row ?? -1)))
            }
            // If the column was overwritten, its children are not nodes of this leaf: remove the
            // claims.
            if leaves[i].faults[c] == .missing { claims.removeSubrange(count...) }
        }
    }

    /// Returns a number that is equal for leaves of one table with the same keys.
    private func identity(
        of leaf: ClusterLeaf, _ found: RemnantLeaf, _ table: TableKey
    ) -> UInt64 {
        var hash = ContentHash(seed: UInt64(table.raw))
        hash.update(found.base ?? .max)
        hash.update(UInt64(leaf.count))
        for row in 0..<leaf.count { hash.update(UInt64(bitPattern: leaf.key(row).raw)) }
        return hash.value
    }

    /// State of the walk over the nodes of one column of a leaf.
    private struct PartWalk {
        let leaf: ClusterLeaf
        let column: ColumnInfo
        let table: TableKey
        let identity: UInt64
        let base: UInt64
        let hasKeys: Bool
        /// Nodes that readable versions use for `column`, in leaves that may contain keys of
        /// `leaf`. Nil until the nodes are first needed.
        var shared: Set<Ref>?

        func part(_ kind: UInt64, _ number: UInt64) -> UInt64 {
            if !hasKeys { return unknownPart }
            var hash = ContentHash(seed: kind)
            hash.update(UInt64(table.raw))
            hash.update(UInt64(bitPattern: column.key.raw))
            hash.update(number)
            return hash.value
        }

        /// Whether each child of the column leaf belongs to one object.
        func isByRow(_ node: NodeView) -> Bool {
            if column.collection != nil { return true }
            return node.context && (column.type == .string || column.type == .binary)
        }
    }

    /// Visits the nodes of a column.
    ///
    /// - Parameters:
    ///   - fault: called for damage, with the row of the damaged value, or nil for the whole
    ///     column.
    ///   - claim: called for each node, with the node's owner and the row to which the node
    ///     belongs, or nil for all rows.
    private func walk(
        _ root: Ref, _ state: inout PartWalk, _ found: RemnantLeaf,
        fault: (RemnantLeaf.Fault, Int?) -> Void, claim: (Ref, UInt64, Int?) -> Void
    ) {
        if live.isTaken(root) {
            if !isShared(root, state, found) { fault(.missing, nil) }
            return
        }
        var open: [(Ref, UInt64, Int?)] = [(root, state.part(0, state.identity), nil)]
        while let (ref, part, row) = open.popLast() {
            if live.isTaken(ref) {
                if state.shared == nil { state.shared = sharedNodes(state, found) }
                if !state.shared!.contains(ref) { fault(.missing, row) }
                continue
            }
            guard work.spend(0), let node = try? space.node(ref), node.hasSignature,
                !isOverwritten(ref, node)
            else {
                fault(.missing, row)
                continue
            }
            if holdsSignature(node) { fault(.doubtful, row) }
            claim(ref, part, row)
            guard node.hasRefs, node.widthType == 0, node.width > 0 else { continue }
            guard work.spend(node.count) else { return fault(.doubtful, nil) }
            let isByRow = ref == root && state.isByRow(node)
            for slot in 0..<node.count {
                guard let child = node.slot(slot).child else { continue }
                var (below, belowRow) = (part, row)
                if isByRow, slot < state.leaf.count {
                    belowRow = slot
                    let key = UInt64(bitPattern: state.leaf.key(slot).raw)
                    below = state.part(1, key)
                } else if ref == root {
                    below = state.part(2, state.base)
                }
                open.append((child, below, belowRow))
            }
        }
    }

    /// Whether a readable version has a cluster leaf with the same keys that refers to the same
    /// node for this column.
    private func isShared(_ ref: Ref, _ state: PartWalk, _ found: RemnantLeaf) -> Bool {
        overlapping(state, found).contains { leaf in
            guard leaf.count == state.leaf.count,
                (try? leaf.columnRef(state.column.leafIndex)) == ref
            else { return false }
            return (0..<leaf.count).allSatisfy { leaf.key($0) == state.leaf.key($0) }
        }
    }

    /// Returns the nodes that readable versions use for the same column, in all leaves that may
    /// contain keys of this leaf.
    private func sharedNodes(_ state: PartWalk, _ found: RemnantLeaf) -> Set<Ref> {
        let roots = overlapping(state, found).compactMap {
            try? $0.columnRef(state.column.leafIndex)
        }
        return live.nodes(below: roots)
    }

    private func overlapping(_ state: PartWalk, _ found: RemnantLeaf) -> [ClusterLeaf] {
        guard found.base != nil, state.leaf.count > 0 else { return [] }
        let first = UInt64(bitPattern: state.leaf.key(0).raw)
        let last = UInt64(bitPattern: state.leaf.key(state.leaf.count - 1).raw)
        guard first <= last else { return [] }
        return sides.flatMap { side in
            side.leaves(state.table, in: first...last).compactMap { side.open($0) }
        }
    }

    // MARK: Bytes

    /// Whether the node has a header and is not overwritten by a readable version.
    private func isKept(_ ref: Ref) -> Bool {
        guard let node = try? space.node(ref), node.hasSignature else { return false }
        return live.isTaken(ref) || !isOverwritten(ref, node)
    }

    private func isOverwritten(_ ref: Ref, _ node: NodeView) -> Bool {
        live.takesPart(of: ref.raw..<ref.raw + UInt64(node.byteSize))
    }

    /// Whether a node seems to begin inside this node.
    private func holdsSignature(_ node: NodeView) -> Bool {
        let count = (node.byteSize - NodeView.headerSize) >> 3
        guard work.spend(count >> 3) else { return true }
        for i in 0..<count {
            let word = node.payload.load(fromByteOffset: i << 3, as: UInt64.self)
            if UInt32(truncatingIfNeeded: word) == NodeScan.signature { return true }
        }
        return false
    }
}
