/// Compares the links from one column to one table with their backlinks, by a sum over each. If
/// both sums are equal, each link almost certainly has its backlink.
final class LinkAccount {
    /// Index of the origin table among the checked tables, and index of the link column among the
    /// columns of that table.
    let origin: Int
    let originColumn: Int
    let target: Int
    let backlink: Int
    /// Two sums over pairs (origin, target): `forward` over all links, read from the link column;
    /// `backward` over all backlinks, read from the backlink column. This type is a class because
    /// adding to a sum then needs no exclusive access to `IntegrityCheck`.
    var forward = PairSum()
    var backward = PairSum()

    init(origin: Int, originColumn: Int, target: Int, backlink: Int) {
        self.origin = origin
        self.originColumn = originColumn
        self.target = target
        self.backlink = backlink
    }
}

/// Compares links with backlinks (object format 11, invariants 24 to 26).
///
/// Each link is a pair (origin, target). Equal sums over all pairs show that both ends agree. Only
/// columns whose sums differ are walked again to find the objects.
extension IntegrityCheck {
    func prepareLinks() {
        columnTargets = tables.map { table in Array(repeating: [:], count: table.columns.count) }
        for target in tables.indices {
            for i in tables[target].backlinks.indices { prepareAccount(target, i) }
        }
    }

    private func prepareAccount(_ target: Int, _ i: Int) {
        let backlink = tables[target].backlinks[i]
        guard let origin = tableIndexes[backlink.origin],
            let column = tables[origin].columns.firstIndex(where: {
                sameColumn($0.key, backlink.originColumn)
            })
        else { return }
        let key = tables[target].key
        guard columnTargets[origin][column][key] == nil else {
            table = tables[target].name
            found(.opposite, tables[target].ref, "two backlink columns of one column")
            table = nil
            return
        }
        columnTargets[origin][column][key] = accounts.count
        tables[target].backlinks[i].account = accounts.count
        accounts.append(
            LinkAccount(origin: origin, originColumn: column, target: target, backlink: i))
    }

    /// Counts a link from the object and column that are being checked.
    func countLink(to link: ObjectLink) {
        if inTombstones { return found(.tombstoneLink, nil, "a tombstone with a link") }
        guard let account = account(of: link.table) else {
            return found(
                .linkTarget, nil, "a link to table \(link.table.raw), which has no backlinks of it")
        }
        let origin = UInt64(bitPattern: object?.raw ?? -1)
        let target = UInt64(bitPattern: link.key.raw)
        if let difference {
            if difference.account == account { difference.pairs.add(origin, target, to: .left) }
            return
        }
        accounts[account].forward.add(origin, target)
        linkCount += 1
    }

    /// Returns the index in `accounts` for links from the current column to `table`; nil if there
    /// is none. Caches the last result, because most columns link to one table.
    private func account(of table: TableKey) -> Int? {
        if let lastTarget, lastTarget.table == table { return lastTarget.account }
        guard let account = targets[table] else { return nil }
        lastTarget = (table, account)
        return account
    }

    // MARK: Backlinks

    /// Checks the backlink columns of one cluster leaf.
    func checkBacklinks(_ leaf: ClusterLeaf, _ table: CheckedTable, areTombstones: Bool) {
        var incoming = [Int](repeating: 0, count: leaf.count)
        for backlink in table.backlinks { checkBacklinks(leaf, backlink, &incoming) }
        object = nil
        guard !isSilent else { return }
        for row in 0..<leaf.count {
            if areTombstones, incoming[row] == 0 {
                object = leaf.key(row)
                found(.tombstoneUnlinked, leaf.ref, "a tombstone nothing links to")
            } else if !areTombstones, table.kind == .embedded, incoming[row] != 1 {
                object = leaf.key(row)
                found(
                    .embeddedParent, leaf.ref, "an embedded object with \(incoming[row]) parents")
            }
        }
        object = nil
    }

    private func checkBacklinks(
        _ leaf: ClusterLeaf, _ backlink: CheckedBacklink, _ incoming: inout [Int]
    ) {
        let opened = reading(leaf.ref, .columnMissing) { () throws(RealmError) in
            let ref = try leaf.columnRef(backlink.key.leafIndex)
            return (try BacklinkLeaf(space, ref), ref)
        }
        guard let (cells, ref) = opened else { return }
        guard cells.count == leaf.count else {
            return found(.columnCount, ref, "\(cells.count) values among \(leaf.count) objects")
        }
        for row in 0..<leaf.count where !cells.slot(row).isNone {
            object = leaf.key(row)
            incoming[row] += countBacklinks(cells.slot(row), backlink)
        }
    }

    /// Counts the backlinks of the current object that belong to one link column. Returns their
    /// number.
    private func countBacklinks(_ slot: NodeSlot, _ backlink: CheckedBacklink) -> Int {
        if slot.isTagged {
            countBacklink(from: slot.value, backlink)
            return 1
        }
        let count = visitTree(slot.ref, areBacklinks: true) { ref in
            guard let keys = integers(ref, "backlinks") else { return nil }
            for i in 0..<keys.count {
                countBacklink(from: UInt64(bitPattern: keys.integer(i)), backlink)
            }
            return keys.count
        }
        if let count, count < 2 {
            found(.backlinkForm, slot.ref, "a list of \(count) backlinks")
        }
        return count ?? 0
    }

    private func countBacklink(from origin: UInt64, _ backlink: CheckedBacklink) {
        guard let account = backlink.account else { return }
        let target = UInt64(bitPattern: object?.raw ?? -1)
        if let difference {
            if difference.account == account { difference.pairs.add(origin, target, to: .right) }
        } else {
            accounts[account].backward.add(origin, target)
        }
    }

    // MARK: Differences

    /// Reports the links of all columns whose links and backlinks do not agree.
    func checkLinks() {
        for i in accounts.indices where accounts[i].forward != accounts[i].backward {
            let account = accounts[i]
            // If a part could not be read, the sums differ without a contradiction in the file.
            if tables[account.origin].isIncomplete || tables[account.target].isIncomplete {
                continue
            }
            let pairs = PairDifference()
            table = tables[account.origin].name
            column = tables[account.origin].columns[account.originColumn].name
            difference = (i, pairs)
            pairs.run(visit: { walkLinks(i) }, report: { reportLink(account, $0, $1, $2) })
            difference = nil
            table = nil
            column = nil
            object = nil
        }
    }

    /// Visits all links from one column to one table, which one `LinkAccount` counts, and all
    /// backlinks for these links.
    private func walkLinks(_ index: Int) {
        let account = accounts[index]
        let (origin, target) = (tables[account.origin], tables[account.target])
        let (oldTable, oldColumn) = (table, column)
        isSilent = true
        targets = columnTargets[account.origin][account.originColumn]
        _ = visitClusters(origin.root) { leaf in
            checkColumn(leaf, origin.columns[account.originColumn], areTombstones: false)
        }
        for root in [target.root, target.tombstones] where !root.isNone {
            _ = visitClusters(root) { leaf in
                var incoming = [Int](repeating: 0, count: leaf.count)
                checkBacklinks(leaf, target.backlinks[account.backlink], &incoming)
            }
        }
        isSilent = false
        (table, column) = (oldTable, oldColumn)
    }

    private func reportLink(
        _ account: LinkAccount, _ origin: UInt64, _ target: UInt64, _ surplus: Int
    ) {
        let (from, to) = (Int64(bitPattern: origin), ObjectKey(Int64(bitPattern: target)))
        let table = tables[account.target]
        object = ObjectKey(from)
        guard surplus < 0 else {
            let root = to.isUnresolved ? table.tombstones : table.root
            let isThere = (try? ClusterTree(space: space, root: root).find(to)) ?? nil != nil
            return found(
                isThere ? .backlinkMissing : .linkTarget, nil,
                isThere
                    ? "\(surplus) links to \(table.className) \(to.raw) that it does not know of"
                    : "a link to \(table.className) \(to.raw), which does not exist")
        }
        let type = tables[account.origin].columns[account.originColumn].layout.type
        found(
            type == .mixed ? .backlinkStale : .backlinkExtra, nil,
            "\(table.className) \(to.raw) knows of \(-surplus) links that do not exist")
    }
}
