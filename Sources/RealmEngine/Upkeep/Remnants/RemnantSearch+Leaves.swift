/// Which class a leaf belongs to, and which keys its objects had.
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
            let bases = known.filter { $0.table == table }.map(\.base)
            found.base = base(of: leaf, found, bases)
            leaves.append(found)
        }
    }

    /// Places that nodes above the leaf, or leaves that share a column with it, tell.
    private func cachedOwners(of leaf: ClusterLeaf) -> [NodeOwner] {
        var known = places[leaf.ref] ?? []
        for i in 1..<leaf.node.count {
            guard let child = leaf.node.slot(i).child, let place = liveColumns[child],
                !known.contains(place)
            else { continue }
            known.append(place)
        }
        return known
    }

    /// The leaf as one of a subject that is known to own it, by the layout that most of its columns have.
    private func bestOf(_ named: [Int], _ leaf: ClusterLeaf) -> RemnantLeaf? {
        var best: (leaf: RemnantLeaf, faults: Int)?
        for subject in Set(named) {
            for (i, layout) in subjects[subject].layouts.enumerated() {
                guard work.spend(layout.info.columns.count),
                    layout.slots >= leaf.node.count || i > 0
                else { continue }
                let faults = faults(of: leaf, layout)
                let count = faults.count { $0 != .none } + abs(layout.slots - leaf.node.count)
                guard faults.contains(.none), best.map({ count < $0.faults }) ?? true else {
                    continue
                }
                let found = RemnantLeaf(
                    ref: leaf.ref, base: nil, subject: subject, layout: i, isAmbiguous: false,
                    faults: faults)
                best = (found, count)
            }
        }
        return best?.leaf
    }

    /// The leaf as one of the only class that has such leaves; of several the first, as ambiguous.
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
            let isWhole = open == faults.count && leaf.fits(layout.info)
            guard isWhole || open >= 2 && 3 * open >= 2 * faults.count else { continue }
            let found = RemnantLeaf(
                ref: leaf.ref, base: nil, subject: s, layout: l, isAmbiguous: false,
                faults: faults)
            if isWhole { fitting.append(found) } else { partial.append(found) }
        }
        guard let first = fitting.first ?? partial.first else { return nil }
        let others = fitting.isEmpty ? partial : fitting
        let isCertain = !fitting.isEmpty && others.allSatisfy { $0.subject == first.subject }
        return RemnantLeaf(
            ref: first.ref, base: nil, subject: first.subject, layout: first.layout,
            isAmbiguous: !isCertain, faults: first.faults)
    }

    private func faults(of leaf: ClusterLeaf, _ layout: RemnantLayout) -> [RemnantLeaf.Fault] {
        layout.info.columns.map { column in
            (try? leaf.column(column.leafIndex, column.layout)) == nil ? .missing : .none
        }
    }

    /// The base that objects of the newest version confirm, or else the only one that is told.
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
        if open.count == 1 { return open[0] }
        guard let base = likelyBase(of: leaf, found) else { return nil }
        return isConfirmed(base, leaf, found) == true ? base : nil
    }

    /// The base by which most objects have the keys that the newest version's with the same primary keys
    /// have.
    private func likelyBase(of leaf: ClusterLeaf, _ found: RemnantLeaf) -> UInt64? {
        let subject = subjects[found.subject]
        let layout = subject.layouts[found.layout]
        guard !subject.isOrphan, let key = subject.info.primaryKey,
            let column = layout.positions.firstIndex(of: key), found.faults[column] == .none,
            work.spend(leaf.count)
        else { return nil }
        let values = RemnantCells(leaf, layout.info, only: [column]).columns[column]
        let known = primaryKeys(of: found.subject)
        var votes: [UInt64: Int] = [:]
        for row in 0..<leaf.count {
            guard let value = try? values?.value(row), let own = try? keyDigest.digest(of: value),
                let now = known[own]
            else { continue }
            votes[now &- UInt64(bitPattern: leaf.key(row).raw), default: 0] += 1
        }
        guard let best = votes.max(by: { $0.value < $1.value }), best.value > 1 else { return nil }
        return best.key
    }

    /// Object keys of a class of the newest version by digests of the primary keys, as far as there is room.
    private func primaryKeys(of number: Int) -> [UInt64: UInt64] {
        if let known = keysOfSubjects[number] { return known }
        let info = subjects[number].info
        var keys: [UInt64: UInt64] = [:]
        for found in newest.leaves[info.key] ?? [] {
            guard keys.count < memory.maximumKeyCount, let leaf = newest.open(found) else { break }
            let column = info.primaryKey!
            let values = RemnantCells(leaf, info, only: [column]).columns[column]
            for row in 0..<leaf.count {
                guard let value = try? values?.value(row),
                    let own = try? keyDigest.digest(of: value)
                else { continue }
                keys[own] = UInt64(bitPattern: leaf.key(row).raw)
            }
        }
        keysOfSubjects[number] = keys
        return keys
    }

    /// Whether the objects that the newest version still has under these keys are the same ones; nil where
    /// there are none.
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
        var objects = NewestObjects(newest, subject.info, only: columns.map(\.now))
        let cells = RemnantCells(based, layout.info, only: columns.map(\.column))
        for row in 0..<based.count {
            guard let other = objects.row(of: based.key(row)), let near = objects.cells,
                work.spend(columns.count)
            else { continue }
            for (column, now) in columns {
                guard let a = try? cells.columns[column]?.stored(row),
                    let b = try? near.columns[now]?.stored(other)
                else { continue }
                all += 1
                if let isSame = RemnantValues.areSame(a, b), isSame { equal += 1 }
            }
        }
        if all == 0 { return nil }
        return columns.count == 1 && subject.info.primaryKey != nil
            ? equal == all : 2 * equal >= all
    }

    /// The primary key, which never changes; in classes without one all single values.
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
