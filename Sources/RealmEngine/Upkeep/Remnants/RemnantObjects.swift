/// The states of one class's objects that the newest version does not have.
struct RemnantObjects {
    /// A leaf with the way to read it.
    struct Piece {
        let leaf: ClusterLeaf
        let layout: RemnantLayout
        let view: Int
        let source: Remnant.Source
        let faults: [RemnantLeaf.Fault]
        var cells: [RemnantLeaf.Cell: RemnantLeaf.Fault] = [:]
        let isDoubtful: Bool
        let versions: ClosedRange<UInt64>?
        let hasKeys: Bool
        /// A root that can be read leads to it.
        var isProven = false
    }

    struct Entry {
        /// `ObjectKey.none` where it is lost.
        var key: ObjectKey
        let digest: UInt64
        let piece: Int32
        let row: Int16
        let state: Remnant.State
        let certainty: Remnant.Certainty
        /// Positions in `sets`.
        let changed: Int32
        let missing: Int32
        var copies: Int32 = 1
    }

    private let search: RemnantSearch
    private let subject: RemnantSubject
    /// By view.
    private let digests: [ContentDigest]
    private let newest: ContentDigest
    private let readers: [Snapshot]
    private(set) var pieces: [Piece] = []
    private(set) var entries: [Entry] = []
    /// Sets of columns that entries name; the first is empty.
    private(set) var sets: [[Int]] = [[]]
    private var setPositions: [[Int]: Int32] = [[]: 0]
    private(set) var isCutShort = false
    private let most: Int
    /// Keys of the newest version's objects by what identifies them; nil before they are needed.
    private var identities: [UInt64: ObjectKey]?
    private var near: RemnantCells?

    /// - Parameters:
    ///   - readers: a snapshot for each view.
    ///   - most: states that are kept.
    init(
        _ search: RemnantSearch, _ subject: RemnantSubject, _ readers: [Snapshot], most: Int
    ) {
        (self.search, self.subject, self.readers, self.most) = (search, subject, readers, most)
        digests = readers.map { ContentDigest($0, links: .stored) }
        newest = ContentDigest(search.newest.snapshot, links: .stored)
    }

    // MARK: Adding

    /// Adds a leaf of which objects may be remnants.
    mutating func add(_ piece: Piece) {
        let cells = RemnantCells(piece.leaf, piece.layout.info)
        let position = pieces.count
        search.beginWalk(of: readers[piece.view])
        defer { search.endWalk(of: readers[piece.view]) }
        let agreement = piece.isProven ? nil : agreement(of: cells, piece)
        for row in 0..<piece.leaf.count {
            guard entries.count < most else {
                isCutShort = true
                return
            }
            guard search.work.spend(cells.columns.count) else { return }
            add(row, of: cells, piece, agreement, position)
        }
    }

    private mutating func add(
        _ row: Int, of cells: RemnantCells, _ piece: Piece, _ agreement: RemnantAgreement?,
        _ position: Int
    ) {
        var missing: [Int] = []
        var values: [Value?] = []
        var isDoubtful = piece.isDoubtful
        let schema = readers[piece.view].schema
        for (i, column) in cells.columns.enumerated() {
            let cell = piece.cells[RemnantLeaf.Cell(column: i, row: row)] ?? .none
            guard piece.faults[i] != .missing, cell != .missing, let column,
                let value = try? column.value(row),
                value.isReadable(schema)
            else {
                missing.append(i)
                values.append(nil)
                continue
            }
            if case .string(let text) = value, !text.isUTF8 { isDoubtful = true }
            if piece.faults[i] == .doubtful || cell == .doubtful { isDoubtful = true }
            if let agreement, agreement.isDoubtful[i] || agreement.isShifted(i, at: row) {
                isDoubtful = true
            }
            values.append(value)
        }
        guard missing.count < values.count || values.isEmpty else { return }
        let digest = digests[piece.view]
        guard let hash = Self.digest(of: values, piece.layout, digest, &missing) else { return }
        var key = piece.hasKeys ? piece.leaf.key(row) : ObjectKey.none
        if !piece.hasKeys {
            key = currentKey(values, piece.layout, hash, digest) ?? .none
            if subject.info.primaryKey == nil {
                // An equal object is there: no evidence that this is another one.
                if key != .none { return }
                isDoubtful = true
            }
        }
        guard let (state, changed) = compare(values, row, cells, key, piece.layout, digest) else {
            return
        }
        let certainty: Remnant.Certainty =
            isDoubtful ? .doubtful : missing.isEmpty ? .whole : .partial
        if pieces.count == position { pieces.append(piece) }
        entries.append(
            Entry(
                key: key, digest: hash, piece: Int32(position), row: Int16(row), state: state,
                certainty: certainty, changed: number(of: changed),
                missing: number(of: missing)))
    }

    /// Compares the columns of a leaf with the newest version. Where too few objects are there, columns have
    /// to be where they were written with the leaf.
    private mutating func agreement(
        of cells: RemnantCells, _ piece: Piece
    ) -> RemnantAgreement {
        let digest = digests[piece.view]
        let columns = piece.layout.info.columns
        var agreement = RemnantAgreement(columns: columns.count, rows: cells.leaf.count) {
            column, row in
            let now = piece.layout.positions[column]
            let isGone = subject.isOrphan || now >= subject.info.columns.count || !piece.hasKeys
            let cell = RemnantLeaf.Cell(column: column, row: row)
            if piece.cells[cell] != nil { return .some(nil) }
            guard piece.faults[column] == .none, let values = cells.columns[column] else {
                return nil
            }
            let ref = try? cells.leaf.columnRef(columns[column].leafIndex)
            if let ref, search.live.isTaken(ref) { return nil }
            if isGone { return .some(nil) }
            let key = cells.leaf.key(row)
            if near?.leaf.row(of: key) == nil { near = search.newestCells(subject.info, key) }
            guard let near, let other = near.leaf.row(of: key),
                let a = try? digest.digest(of: values.value(row)),
                let b = try? near.columns[now].map({ try newest.digest(of: $0.value(other)) })
            else { return .some(nil) }
            return (a, b)
        }
        for column in columns.indices where agreement.untold[column] {
            if let ref = try? cells.leaf.columnRef(columns[column].leafIndex),
                search.isWritten(ref, with: cells.leaf.ref)
            {
                continue
            }
            agreement.doubt(column)
        }
        return agreement
    }

    private mutating func number(of set: [Int]) -> Int32 {
        if let known = setPositions[set] { return known }
        let position = Int32(sets.count)
        sets.append(set)
        setPositions[set] = position
        return position
    }

    /// A digest of the values; those that cannot be read are missing, too. Nil where none is left.
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

    /// State of an object in the newest version; nil where that has it with the same values.
    private mutating func compare(
        _ values: [Value?], _ row: Int, _ cells: RemnantCells, _ key: ObjectKey,
        _ layout: RemnantLayout, _ digest: ContentDigest
    ) -> (Remnant.State, [Int])? {
        if subject.isOrphan { return (.orphan, []) }
        guard key != .none else { return (.deleted, []) }
        if near?.leaf.row(of: key) == nil { near = search.newestCells(subject.info, key) }
        guard let near, let other = near.leaf.row(of: key) else { return (.deleted, []) }
        var changed: [Int] = []
        for (i, value) in values.enumerated() {
            let now = layout.positions[i]
            guard let value, now < subject.info.columns.count else { continue }
            let column = layout.info.columns[i].leafIndex
            if row == other, let ref = try? cells.leaf.columnRef(column),
                ref == (try? near.leaf.columnRef(subject.info.columns[now].leafIndex))
            {
                continue
            }
            guard let current = try? near.columns[now]?.value(other) else { continue }
            let areSame = try? RemnantValues.areSame(value, current, digest, newest)
            if areSame == false { changed.append(now) }
        }
        return changed.isEmpty ? nil : (.changed, changed)
    }

    // MARK: Objects without keys

    /// The key of the object of the newest version with the same primary key, or in a class without one
    /// with the same values.
    private mutating func currentKey(
        _ values: [Value?], _ layout: RemnantLayout, _ hash: UInt64, _ digest: ContentDigest
    ) -> ObjectKey? {
        if subject.isOrphan { return nil }
        if identities == nil { identities = currentIdentities() }
        guard let column = subject.info.primaryKey else { return identities?[hash] }
        guard let i = layout.positions.firstIndex(of: column), let value = values[i],
            let own = try? digest.digest(of: value)
        else { return nil }
        return identities?[own]
    }

    private func currentIdentities() -> [UInt64: ObjectKey] {
        var found: [UInt64: ObjectKey] = [:]
        let layout = subject.layouts[0]
        if subject.isOrphan { return [:] }
        for leaf in search.newest.leaves[subject.info.key] ?? [] {
            guard let open = search.newest.open(leaf), found.count < search.memory.mostKeys else {
                continue
            }
            let cells = RemnantCells(open, subject.info)
            for row in 0..<open.count {
                var none: [Int] = []
                if let column = subject.info.primaryKey {
                    guard let value = try? cells.columns[column]?.value(row),
                        let own = try? newest.digest(of: value)
                    else { continue }
                    found[own] = open.key(row)
                } else if let own = Self.digest(
                    of: cells.columns.map { try? $0?.value(row) }, layout, newest, &none)
                {
                    found[own] = open.key(row)
                }
            }
        }
        return found
    }

    // MARK: Order

    /// Puts the entries in order and equal ones together.
    mutating func finish() {
        let pieces = pieces
        // States of readable versions are the newest; of the others, the one at the higher offset was as
        // a rule written later.
        func rank(_ entry: Entry) -> (UInt64, UInt64) {
            let piece = pieces[Int(entry.piece)]
            let version = piece.isProven ? piece.versions?.upperBound ?? 0 : 0
            return (version, piece.leaf.ref.raw)
        }
        entries.sort { a, b in
            if a.key != b.key { return a.key < b.key }
            if a.digest != b.digest { return a.digest < b.digest }
            if a.certainty != b.certainty { return a.certainty < b.certainty }
            return rank(a) > rank(b)
        }
        var kept: [Entry] = []
        for entry in entries {
            if let last = kept.last, last.key == entry.key, last.digest == entry.digest {
                kept[kept.count - 1].copies += entry.copies
            } else {
                kept.append(entry)
            }
        }
        entries = kept
        foldParts()
        entries.sort { a, b in
            if a.key != b.key {
                // Those without a key come last.
                return a.key == .none ? false : b.key == .none ? true : a.key < b.key
            }
            return rank(a) > rank(b)
        }
    }

    /// Parts of a state that is there as a whole are copies of it.
    private mutating func foldParts() {
        var kept: [Entry] = []
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].key == entries[start].key { end += 1 }
            let group = entries[start..<end]
            start = end
            var whole = group.filter { $0.certainty == .whole }
            let isKnown = group.first!.key != .none
            guard isKnown, !whole.isEmpty, whole.count < group.count else {
                kept += group
                continue
            }
            for entry in group where entry.certainty != .whole {
                if let i = whole.firstIndex(where: { isPart(entry, of: $0) }) {
                    whole[i].copies += entry.copies
                } else {
                    kept.append(entry)
                }
            }
            kept += whole
        }
        entries = kept
    }

    private func isPart(_ entry: Entry, of whole: Entry) -> Bool {
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

extension Value {
    /// Whether the class a link leads to is known.
    fileprivate func isReadable(_ schema: Schema) -> Bool {
        switch self {
        case .link(let link): schema.table(link.table) != nil
        case .list(let view), .set(let view), .dictionary(let view):
            view.element.type != .link || schema.table(view.element.target) != nil
        default: true
        }
    }
}
