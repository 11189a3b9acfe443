/// Old states of the objects of one class: values that the newest version does not have.
///
/// A *state* of an object is its values in one leaf. The file may contain several leaves with the
/// object, written by different versions.
struct RemnantObjects {
    private let search: RemnantSearch
    private let subject: RemnantSubject
    /// One digest calculator for each of `readers`.
    private let digests: [ContentDigest]
    private let newest: ContentDigest
    private let readers: [Snapshot]
    private let sorter: RecordSorter<RemnantEntry>
    /// Maximum number of states of one object that are compared with each other. A state is the
    /// values that the object has in one leaf.
    private let most: Int
    private(set) var pieces: [RemnantPiece] = []
    /// Sets of column indexes. `RemnantEntry.changed` and `missing` are indexes in this array. The
    /// first set is empty.
    private(set) var sets: [[Int]] = [[]]
    private var setPositions: [[Int]: Int32] = [[]: 0]
    /// Digests of the newest version's objects, ascending; nil until they are first needed.
    private var currentDigests: [UInt64]?

    /// - Parameter readers: one snapshot for each database handle in `Remnants.views`.
    init(_ search: RemnantSearch, _ subject: RemnantSubject, _ readers: [Snapshot]) {
        (self.search, self.subject, self.readers) = (search, subject, readers)
        digests = readers.map { ContentDigest($0, links: .stored) }
        newest = ContentDigest(search.newest.snapshot, links: .stored)
        most = search.memory.maximumEntryCount
        sorter = RecordSorter(search.memory.sorting(search.newest.snapshot), most: most)
    }

    // MARK: Adding

    /// Adds the objects of a leaf that the newest version does not have with these values. Throws
    /// `output` when the disk is full.
    ///
    /// - Parameter compared: rows of the leaf, already compared with the newest version.
    mutating func add(_ compared: RemnantRows) throws(RealmError) {
        var rows = compared
        let piece = rows.piece.reading(in: readers[rows.piece.view].lookup)
        search.walks.begin(readers[piece.view], search.newest.snapshot)
        defer { search.walks.end(readers[piece.view], search.newest.snapshot) }
        if !piece.isProven { rows.agreement = agreement(of: rows) }
        let position = pieces.count
        for row in 0..<piece.leaf.count {
            guard search.work.spend(rows.cells.refs.count) else { return }
            if isUnchanged(row, rows) { continue }
            guard let entry = entry(row, rows, position) else { continue }
            if pieces.count == position { pieces.append(piece) }
            try sorter.append(entry)
        }
    }

    /// Whether the newest version has the object with equal values, as far as the values can be
    /// read.
    private func isUnchanged(_ row: Int, _ rows: RemnantRows) -> Bool {
        guard !subject.isOrphan, rows.hasOther(row) else { return false }
        return !rows.differs[row] || changes(row, rows).isEmpty
    }

    private mutating func entry(
        _ row: Int, _ rows: RemnantRows, _ position: Int
    ) -> RemnantEntry? {
        let piece = rows.piece
        let (values, unread, isUnsure) = self.values(row, rows)
        var (missing, isDoubtful) = (unread, isUnsure)
        guard missing.count < values.count || values.isEmpty else { return nil }
        let digest = digests[piece.view]
        guard let hash = Self.digest(of: values, piece.layout, digest, &missing) else { return nil }
        var key = piece.hasKeys ? piece.leaf.key(row) : ObjectKey.none
        if !piece.hasKeys {
            if subject.info.primaryKey == nil {
                // The newest version has an object with equal values. The row may be this object,
                // so it is not reported.
                if hasEqual(hash) { return nil }
                isDoubtful = true
            } else {
                key = currentKey(values, piece.layout) ?? .none
                // The table of primary keys is incomplete, so the newest version may have the
                // object.
                if key == .none, search.primaryKeys(of: subject)?.isCutShort ?? false {
                    search.noteCut()
                    isDoubtful = true
                }
            }
        }
        guard let (state, changed) = compare(row, rows, key) else { return nil }
        let certainty: Remnant.Certainty =
            isDoubtful
            ? .doubtful : missing.isEmpty && !piece.hasUnknownColumns ? .whole : .partial
        return RemnantEntry(
            key: key, digest: hash,
            version: piece.isProven ? piece.versions?.upperBound ?? 0 : 0,
            offset: piece.leaf.ref.raw, piece: Int32(position), changed: number(of: changed),
            missing: number(of: missing), row: Int16(row), state: state, certainty: certainty)
    }

    /// Returns the values of a row, the indexes of the columns whose values are missing, and
    /// whether any value is doubtful. A missing value is nil.
    private func values(
        _ row: Int, _ rows: RemnantRows
    ) -> (values: [Value?], missing: [Int], isDoubtful: Bool) {
        var missing: [Int] = []
        var values: [Value?] = []
        values.reserveCapacity(rows.cells.refs.count)
        var isDoubtful = rows.piece.isDoubtful
        let schema = readers[rows.piece.view].schema
        for i in rows.cells.refs.indices {
            let fault = rows.fault(i, row)
            guard fault != .missing, let value = rows.cells.value(i, row, schema) else {
                missing.append(i)
                values.append(nil)
                continue
            }
            if case .string(let text) = value, !text.isUTF8 { isDoubtful = true }
            if fault == .doubtful { isDoubtful = true }
            if let agreement = rows.agreement,
                agreement.isDoubtful[i] || agreement.isShifted(i, at: row)
            {
                isDoubtful = true
            }
            values.append(value)
        }
        return (values, missing, isDoubtful)
    }

    // MARK: Comparing

    /// Compares the columns of a leaf with the newest version, to detect overwritten columns. A
    /// column is doubtful if too few of its rows can be compared, unless the order of nodes in the
    /// file shows that one commit wrote the column and the leaf.
    private func agreement(of rows: RemnantRows) -> RemnantAgreement {
        let piece = rows.piece
        let digest = digests[piece.view]
        var agreement = RemnantAgreement()
        for column in rows.cells.refs.indices {
            let now = piece.layout.positions[column]
            let needsProof = piece.unprovenColumns.contains(column)
            agreement.append(comparison(column, rows), needsProof: needsProof) { row in
                guard let (near, other) = rows.other(row),
                    let a = try? rows.cells.column(column).map({
                        try digest.digest(of: $0.value(row))
                    }),
                    let b = try? near.column(now).map({ try newest.digest(of: $0.value(other)) })
                else { return nil }
                return (a, b)
            }
            let isWritten =
                !agreement.unverifiable[column]
                || search.isWritten(rows.cells.refs[column], with: piece.leaf.ref)
            if !isWritten { agreement.doubt(column) }
        }
        return agreement
    }

    /// Compares a column with the newest version, row by row. Nil if the column cannot be read or a
    /// readable version uses its node.
    private func comparison(_ column: Int, _ rows: RemnantRows) -> [RemnantAgreement.Row]? {
        let piece = rows.piece
        guard piece.faults[column] == .none, rows.cells.column(column) != nil,
            !search.live.isTaken(rows.cells.refs[column])
        else { return nil }
        let told = rows.told[column]
        return (0..<piece.leaf.count).map { row in
            row < told.count && rows.fault(column, row) == .none ? told[row] : .unknown
        }
    }

    /// Returns whether an object is deleted, changed or of a removed class, compared with the
    /// newest version, and the changed columns. Nil if the newest version has the object with equal
    /// values.
    private func compare(
        _ row: Int, _ rows: RemnantRows, _ key: ObjectKey
    ) -> (Remnant.State, [Int])? {
        if subject.isOrphan { return (.orphan, []) }
        guard key != .none else { return (.deleted, []) }
        let changed: [Int]
        if rows.piece.hasKeys {
            guard rows.hasOther(row) else { return (.deleted, []) }
            changed = changes(row, rows)
        } else {
            var objects = NewestObjects(search.newest, subject.info)
            guard let other = objects.row(of: key), let near = objects.cells else {
                return (.deleted, [])
            }
            changed = changes(row, rows, near, other)
        }
        return changed.isEmpty ? nil : (.changed, changed)
    }

    /// Returns the columns in which a row differs from the object that has its key in the newest
    /// version.
    private func changes(_ row: Int, _ rows: RemnantRows) -> [Int] {
        rows.told.indices.filter { i in
            row < rows.told[i].count && rows.told[i][row] == .different
                && rows.fault(i, row) != .missing
        }.map { rows.piece.layout.positions[$0] }
    }

    /// Returns the indexes of the columns in which the object in `row` differs from the object in
    /// row `other` of `near`, a leaf of the newest version.
    private func changes(
        _ row: Int, _ rows: RemnantRows, _ near: RemnantCells, _ other: Int
    ) -> [Int] {
        let (piece, cells) = (rows.piece, rows.cells)
        let schema = readers[piece.view].schema
        return cells.refs.indices.filter { i in
            let now = piece.layout.positions[i]
            guard now < subject.info.columns.count, rows.fault(i, row) != .missing,
                let value = cells.value(i, row, schema),
                let current = try? near.column(now)?.value(other)
            else { return false }
            return (try? RemnantValues.areSame(value, current, digests[piece.view], newest))
                == false
        }.map { piece.layout.positions[$0] }
    }

    private mutating func number(of set: [Int]) -> Int32 {
        if set.isEmpty { return 0 }
        if let known = setPositions[set] { return known }
        let position = Int32(sets.count)
        sets.append(set)
        setPositions[set] = position
        return position
    }

    /// Returns a digest of the values. Columns whose values cannot be read are added to `missing`.
    /// Nil if no value is left.
    private static func digest(
        of values: [Value?], _ layout: RemnantLayout, _ digest: ContentDigest,
        _ missing: inout [Int]
    ) -> UInt64? {
        var hash = ContentHash()
        var isEmpty = true
        for (i, value) in values.enumerated() {
            guard let value else { continue }
            guard let own = try? digest.digest(of: value) else {
                missing.append(i)
                continue
            }
            isEmpty = false
            hash.update(UInt64(bitPattern: layout.info.columns[i].key.raw))
            hash.update(own)
        }
        missing.sort()
        return isEmpty && !values.isEmpty ? nil : hash.value
    }

    // MARK: Objects without keys

    /// Returns the key of the object that has the same primary key in the newest version; nil if
    /// there is none.
    private func currentKey(_ values: [Value?], _ layout: RemnantLayout) -> ObjectKey? {
        guard let keys = search.primaryKeys(of: subject), let column = subject.info.primaryKey,
            let i = layout.positions.firstIndex(of: column), let value = values[i]
        else { return nil }
        return keys.key(of: value)
    }

    /// Whether the newest version has an object whose values have this digest.
    private mutating func hasEqual(_ digest: UInt64) -> Bool {
        if subject.isOrphan { return false }
        if currentDigests == nil { currentDigests = digestsOfNewest() }
        guard let all = currentDigests else { return false }
        let i = all.place(of: digest)
        return i < all.count && all[i] == digest
    }

    private func digestsOfNewest() -> [UInt64] {
        var found: [UInt64] = []
        let most = search.memory.maximumKeyCount
        let layout = subject.layouts[0]
        defer { if found.count >= most { search.noteCut() } }
        for leaf in search.newest.leaves[subject.info.key] ?? [] where found.count < most {
            guard let open = search.newest.open(leaf) else { continue }
            let cells = RemnantCells(open, subject.info)
            for row in 0..<open.count {
                var none: [Int] = []
                let values = cells.refs.indices.map { try? cells.column($0)?.value(row) }
                if let own = Self.digest(of: values, layout, newest, &none) { found.append(own) }
            }
        }
        found.sort()
        return found
    }

    // MARK: Order

    /// Calls `body` with the entries until it returns false. Entries are sorted by object key;
    /// entries with the same key are sorted from newest to oldest. Equal states of one object are
    /// one entry. No leaf may be added afterwards.
    func visit(
        _ body: (RemnantEntry) throws(RealmError) -> Bool
    ) throws(RealmError) {
        var group: [RemnantEntry] = []
        var isEnough = false
        try sorter.visit { (entry) throws(RealmError) in
            if let last = group.last, last.key == entry.key {
                if last.digest == entry.digest {
                    group[group.count - 1].copies &+= entry.copies
                    return true
                }
                if group.count < most {
                    group.append(entry)
                    return true
                }
            }
            isEnough = try !emit(group, body)
            group = [entry]
            return !isEnough
        }
        if !isEnough { _ = try emit(group, body) }
    }

    /// Calls `body` with the states of one object, newest first, until it returns false. Returns
    /// false in that case.
    private func emit(
        _ group: [RemnantEntry], _ body: (RemnantEntry) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        for entry in folded(group).sorted(by: { $0.isNewer(than: $1) }) where try !body(entry) {
            return false
        }
        return true
    }

    /// Removes each state with missing columns whose other values equal the values of a complete
    /// state of the same object. Adds the number of its copies to the copies of the complete state.
    private func folded(_ group: [RemnantEntry]) -> [RemnantEntry] {
        var whole = group.filter { $0.certainty == .whole }
        guard !whole.isEmpty, whole.count < group.count, group[0].key != .none else {
            return group
        }
        var kept: [RemnantEntry] = []
        for entry in group where entry.certainty != .whole {
            if let i = whole.firstIndex(where: { isPart(entry, of: $0) }) {
                whole[i].copies &+= entry.copies
            } else {
                kept.append(entry)
            }
        }
        return kept + whole
    }

    private func isPart(_ entry: RemnantEntry, of whole: RemnantEntry) -> Bool {
        guard search.work.spend(64) else { return false }
        let (a, b) = (pieces[Int(entry.piece)], pieces[Int(whole.piece)])
        let missing = sets[Int(entry.missing)]
        return a.layout.info.columns.indices.allSatisfy { i in
            if missing.contains(i) { return true }
            let column = a.layout.info.columns[i]
            guard let j = b.layout.info.columns.firstIndex(where: { $0.key == column.key }),
                let first = try? a.leaf.column(column.leafIndex, column.layout)
                    .value(Int(entry.row)),
                let second = try? b.leaf.column(column.leafIndex, b.layout.info.columns[j].layout)
                    .value(Int(whole.row))
            else { return false }
            return (try? RemnantValues.areSame(first, second, digests[a.view], digests[b.view]))
                ?? false
        }
    }
}
