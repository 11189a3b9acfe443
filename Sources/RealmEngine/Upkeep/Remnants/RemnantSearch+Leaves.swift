/// Determines the class of each old leaf found, and the keys of its objects.
extension RemnantSearch {
    func findLeaves() {
        var bySlots: [Int: [(subject: Int, layout: Int)]] = [:]
        for (s, subject) in subjects.enumerated() {
            for (l, layout) in subject.layouts.enumerated() {
                bySlots[layout.slots, default: []].append((s, l))
            }
        }
        let positions = Dictionary(
            uniqueKeysWithValues: subjects.indices.map { (subjects[$0].info.key, $0) })
        for ref in candidates {
            guard work.spend(8), memory.reserveNode() else { return }
            guard let node = try? space.refNode(ref, slots: ClusterLeafShape.count(1), "cluster"),
                let leaf = try? ClusterLeaf(space, ref, node: node, base: 0), leaf.count > 0,
                (try? leaf.checkOrder()) != nil
            else { continue }
            let known = cachedOwners(of: leaf)
            let named = known.compactMap { positions[$0.table] }
            guard var found = bestOf(named, leaf) ?? shaped(leaf, bySlots) else { continue }
            let table = subjects[found.subject].info.key
            var bases: [UInt64] = []
            for place in known where place.table == table && !bases.contains(place.base) {
                bases.append(place.base)
            }
            found.base = base(of: leaf, found, bases)
            leaves.append(found)
        }
    }

    /// Returns the tables and bases that a leaf may have. They follow from nodes above the leaf,
    /// and from leaves of readable versions that share a column with it.
    private func cachedOwners(of leaf: ClusterLeaf) -> [NodeOwner] {
        var known = places[leaf.ref] ?? []
        for i in 1..<leaf.node.count {
            guard let child = leaf.node.slot(i).child, let owner = liveColumns[child],
                owner != Self.unknownOwner, !known.contains(liveOwners[Int(owner)])
            else { continue }
            known.append(liveOwners[Int(owner)])
        }
        return known
    }

    /// Interprets the leaf as a leaf of one of the classes `named`. Nodes above the leaf, or leaves
    /// with the same columns, show that one of these classes owns it. Chooses the layout with the
    /// fewest missing columns and unexplained slots. If several layouts have equally few, prefers
    /// the layout of a table whose tree contains the leaf. Nil if no layout fits.
    private func bestOf(_ named: [Int], _ leaf: ClusterLeaf) -> RemnantLeaf? {
        var best: (leaf: RemnantLeaf, faults: Int)?
        for subject in Set(named).sorted() {
            let table = subjects[subject].info.key
            let proven = Set(
                (places[leaf.ref] ?? []).filter { $0.table == table }.compactMap(\.layout))
            var fitting: [Int] = []
            var own: (leaf: RemnantLeaf, faults: Int)?
            for (i, layout) in subjects[subject].layouts.enumerated() {
                guard work.spend(layout.info.columns.count + leaf.node.count) else { continue }
                let faults = faults(of: leaf, layout)
                guard faults.contains(.none) else { continue }
                let strange = layout.unknownSlots(of: leaf)
                let count = faults.count { $0 != .none } + strange
                if let own, count > own.faults || count == own.faults && !proven.contains(i) {
                    if count == own.faults { fitting.append(i) }
                    continue
                }
                if count != own?.faults { fitting = [] }
                fitting.append(i)
                let found = RemnantLeaf(
                    ref: leaf.ref, base: nil, subject: subject, layout: i, isAmbiguous: false,
                    faults: faults, hasUnknownColumns: strange > 0)
                own = (found, count)
            }
            guard var found = own, best.map({ found.faults < $0.faults }) ?? true else { continue }
            let isProven = proven.contains(found.leaf.layout)
            if isProven { fitting.removeAll { !proven.contains($0) } }
            markUnproven(&found.leaf, fitting, isProven: isProven)
            best = found
        }
        return best?.leaf
    }

    /// Marks a column as doubtful if another layout in `fitting` has a different column in the same
    /// slot. Marks a column as unproven if its slot may have belonged to a column that was removed.
    ///
    /// - Parameters:
    ///   - fitting: indexes of the layouts that explain the leaf equally well.
    ///   - isProven: whether the tree of a table with the chosen layout contains the leaf.
    private func markUnproven(_ found: inout RemnantLeaf, _ fitting: [Int], isProven: Bool) {
        let layouts = subjects[found.subject].layouts
        let table = subjects[found.subject].info.key
        for (i, column) in layouts[found.layout].info.columns.enumerated() {
            let isAmbiguous = fitting.contains { other in
                layouts[other].info.columns.contains {
                    $0.leafIndex == column.leafIndex && $0.key != column.key
                }
            }
            if isAmbiguous { found.raise(.doubtful, column: i, row: nil) }
            if !isProven, column.isReplacement(in: table) { found.unprovenColumns.insert(i) }
        }
    }

    /// Interprets the leaf by its form: the number of slots and the types of the columns. Chooses
    /// the first class with such leaves, and marks the result as ambiguous if another class has
    /// them too.
    private func shaped(
        _ leaf: ClusterLeaf, _ bySlots: [Int: [(subject: Int, layout: Int)]]
    ) -> RemnantLeaf? {
        var fitting: [RemnantLeaf] = []
        var partial: [RemnantLeaf] = []
        for (s, l) in bySlots[leaf.node.count] ?? [] {
            let layout = subjects[s].layouts[l]
            guard work.spend(layout.info.columns.count) else { return nil }
            let faults = faults(of: leaf, layout)
            let open = faults.count { $0 == .none }
            guard open > 0 else { continue }
            let isWhole =
                open == faults.count && leaf.fits(layout.info)
                && layout.unknownSlots(of: leaf) == 0
            guard isWhole || open >= 2 && 3 * open >= 2 * faults.count else { continue }
            var found = RemnantLeaf(
                ref: leaf.ref, base: nil, subject: s, layout: l, isAmbiguous: false,
                faults: faults, hasUnknownColumns: layout.unknownSlots(of: leaf) > 0)
            markUnproven(&found, [], isProven: false)
            if isWhole { fitting.append(found) } else { partial.append(found) }
        }
        guard var first = fitting.first ?? partial.first else { return nil }
        let others = fitting.isEmpty ? partial : fitting
        first.isAmbiguous = fitting.isEmpty || others.contains { $0.subject != first.subject }
        if !first.isAmbiguous {
            markUnproven(&first, others.map(\.layout), isProven: false)
        }
        return first
    }

    private func faults(of leaf: ClusterLeaf, _ layout: RemnantLayout) -> [RemnantLeaf.Fault] {
        layout.info.columns.map { column in
            (try? leaf.column(column.leafIndex, column.layout)) == nil ? .missing : .none
        }
    }

    /// Returns the base of a leaf: an object's key is the base plus the key stored in the leaf. Nil
    /// if the base cannot be determined. A base is accepted if objects of the newest version
    /// confirm it, or if a node above the leaf gives it and no object contradicts it. A node above
    /// may be older or newer than the leaf.
    private func base(
        of leaf: ClusterLeaf, _ found: RemnantLeaf, _ bases: [UInt64]
    ) -> UInt64? {
        var bases = bases
        let root = subjects[found.subject].info.root
        if bases.isEmpty, !root.isNone, let node = try? space.node(root), !node.isInner {
            bases = [0]
        }
        var open: [UInt64] = []
        for base in bases {
            switch isConfirmed(base, leaf, found) {
            case true?: return base
            case false?: continue
            case nil: open.append(base)
            }
        }
        let votes = votes(for: leaf, found)
        if let best = votes.max(by: { $0.value < $1.value }), best.value > 1 {
            return isConfirmed(best.key, leaf, found) == true ? best.key : nil
        }
        return open.count == 1 ? open[0] : nil
    }

    /// Number of objects that must imply the same base of a leaf. An object's key is the base plus
    /// the key stored in the leaf. Once this number implies one base, no further objects are looked
    /// up.
    private static let sufficientVotes = 8

    /// Counts the leaf's objects by the base that they imply. If the newest version has an object
    /// with the same primary key, the implied base is that object's key less the key stored in the
    /// leaf.
    private func votes(for leaf: ClusterLeaf, _ found: RemnantLeaf) -> [UInt64: Int] {
        let subject = subjects[found.subject]
        let layout = subject.layouts[found.layout]
        guard let keys = primaryKeys(of: subject), let key = subject.info.primaryKey,
            let i = layout.positions.firstIndex(of: key), found.faults[i] == .none,
            work.spend(leaf.count),
            let values = try? leaf.column(
                layout.info.columns[i].leafIndex, layout.info.columns[i].layout)
        else { return [:] }
        var votes: [UInt64: Int] = [:]
        for row in 0..<leaf.count {
            guard let value = try? values.value(row), let now = keys.key(of: value) else {
                continue
            }
            let own = UInt64(bitPattern: leaf.key(row).raw)
            let base = UInt64(bitPattern: now.raw) &- own
            votes[base, default: 0] += 1
            if votes[base] == Self.sufficientVotes { return votes }
        }
        return votes
    }

    /// Returns the table for finding objects of the newest version by primary key; nil for a class
    /// without a primary key.
    func primaryKeys(of subject: RemnantSubject) -> PrimaryKeyTable? {
        if subject.isOrphan { return nil }
        if let known = keysOfSubjects[subject.info.key] { return known }
        let keys = PrimaryKeyTable(
            newest.snapshot.table(subject.info), keyDigest, work)
        keysOfSubjects[subject.info.key] = keys
        return keys
    }

    /// Whether the leaf's objects, with `base` added to their stored keys, equal the newest
    /// version's objects with these keys. Nil if the newest version has none of these objects.
    private func isConfirmed(_ base: UInt64, _ leaf: ClusterLeaf, _ found: RemnantLeaf) -> Bool? {
        let subject = subjects[found.subject]
        let layout = subject.layouts[found.layout]
        guard var based = try? ClusterLeaf(space, leaf.ref, node: leaf.node, base: base) else {
            return false
        }
        based.space = space
        let last = based.key(based.count - 1).raw
        guard last >= 0, based.key(0).raw >= 0 else { return false }
        if subject.isOrphan { return nil }
        let columns = comparedColumns(found)
        var (all, equal) = (0, 0)
        var objects = NewestObjects(newest, subject.info)
        let cells = RemnantCells(based, layout.info)
        for row in 0..<based.count {
            guard let other = objects.row(of: based.key(row)), let near = objects.cells,
                work.spend(columns.count)
            else { continue }
            for (column, now) in columns {
                guard let a = try? cells.column(column)?.stored(row),
                    let b = try? near.column(now)?.stored(other)
                else { continue }
                all += 1
                if let isSame = RemnantValues.areSame(a, b), isSame { equal += 1 }
            }
        }
        if all == 0 { return nil }
        return columns.count == 1 && subject.info.primaryKey != nil
            ? equal == all : 2 * equal >= all
    }

    /// Returns the columns to compare: the primary key, because it never changes; in a class
    /// without a primary key, all columns of single values.
    private func comparedColumns(_ found: RemnantLeaf) -> [(column: Int, now: Int)] {
        let subject = subjects[found.subject]
        let layout = subject.layouts[found.layout]
        let readable = layout.positions.enumerated().filter { i, position in
            position < subject.info.columns.count && found.faults[i] != .missing
        }.map { (column: $0, now: $1) }
        if let key = readable.first(where: { $0.now == subject.info.primaryKey }) { return [key] }
        return readable.filter {
            let column = layout.info.columns[$0.column]
            return column.collection == nil && column.type != .mixed
        }
    }
}

extension ColumnInfo {
    /// Whether the column was added after another column of the table was removed. It may have the
    /// slot of that column (object format 1.4).
    fileprivate func isReplacement(in table: TableKey) -> Bool { key.tag != table.raw }
}
