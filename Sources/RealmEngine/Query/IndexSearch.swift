/// Looks terms up in the search indexes of one class.
struct IndexSearch {
    private let table: TableInfo
    private let snapshot: Snapshot
    private let space: NodeSpace
    private let tree: ClusterTree
    /// So many objects may be tested one by one: with more, visiting every leaf is faster.
    let limit: Int

    /// A part of all objects.
    private static let worthwhileShare = 16
    private static let leastLimit = 64

    init(_ table: TableInfo, _ snapshot: Snapshot) throws(RealmError) {
        self.table = table
        self.snapshot = snapshot
        space = snapshot.lookup
        tree = ClusterTree(space: space, root: table.root)
        limit = max(Self.leastLimit, try tree.count() / Self.worthwhileShare)
    }

    /// What an index holds for a term, before any object was looked at.
    struct Lookup {
        let term: IndexTerm
        /// For words one of each.
        fileprivate var words: [[SearchIndex.Entry]]
        fileprivate var excluded: [[SearchIndex.Entry]] = []
        /// At most so many objects.
        fileprivate(set) var count: Int
    }

    /// Looks up a direct term, nil when there is too much to look up.
    func lookUp(_ term: IndexTerm) throws(RealmError) -> Lookup? {
        let index = SearchIndex(space: space, root: term.column.indexRoot)
        var entries: [SearchIndex.Entry] = []
        switch term.question {
        case .equal(let values, _):
            guard values.count <= limit else { return nil }
            for value in values {
                if let entry = try index.entry(for: value) { entries.append(entry) }
            }
            if values.count > 1 { Self.removeRepeated(&entries) }
        case .folded(let text, _): try index.entries(forFolded: text, into: &entries)
        case .words(let terms): return try lookUp(terms, term, index)
        case .linked: return nil
        }
        return Lookup(term: term, words: [entries], count: try count(entries))
    }

    /// Different values may share an entry.
    private static func removeRepeated(_ entries: inout [SearchIndex.Entry]) {
        entries.sort { $0.slot.raw < $1.slot.raw }
        var last: UInt64 = 0
        entries.removeAll { entry in
            defer { last = entry.slot.raw }
            return entry.slot.raw == last
        }
    }

    private func count(_ entries: [SearchIndex.Entry]) throws(RealmError) -> Int {
        var total = 0
        for entry in entries { total += try count(entry) }
        return total
    }

    private func count(_ entry: SearchIndex.Entry) throws(RealmError) -> Int {
        entry.slot.isTagged ? 1 : try KeyList(space, entry.slot.ref).count()
    }

    // MARK: Looking at objects

    /// The objects for which a term that was looked up holds; nil when too many would have to be
    /// looked at.
    func objects(_ lookup: Lookup) throws(RealmError) -> FoundObjects? {
        let column = lookup.term.column
        switch lookup.term.question {
        case .equal(let values, let test):
            // Equal index strings of unequal values: numbers of different types, texts and data.
            let areAlike = column.type != .mixed
            let isOrdered = areAlike || values.allSatisfy(Self.isOfOneKind)
            let trust = isOrdered ? Trust(dropsUnlike: areAlike) : nil
            return try objects(lookup.words[0], column, trust, test.holds)
        case .folded(_, let test):
            let trust = column.type == .mixed ? nil : Trust(dropsUnlike: true)
            return try objects(lookup.words[0], column, trust, test.holds)
        case .words(let terms): return try objects(lookup, terms)
        case .linked: return nil
        }
    }

    /// In a list of mixed values, nothing equal is kept apart by what is not: texts and data
    /// interleave in files of old formats, and links that lead nowhere count as null.
    private static func isOfOneKind(_ value: Value) -> Bool {
        switch value {
        case .string, .binary, .null: false
        default: true
        }
    }

    /// A list may stand for its objects when the first and the last of them hold what is looked for.
    private struct Trust {
        /// The list as a whole is something else when neither of them does.
        let dropsUnlike: Bool
    }

    private func objects(
        _ entries: [SearchIndex.Entry], _ column: ColumnInfo, _ trust: Trust?,
        _ holds: (Value) -> Bool
    ) throws(RealmError) -> FoundObjects? {
        var lists: [FoundObjects] = []
        var open: [ObjectKey] = []
        for entry in entries {
            if let trust, !entry.slot.isTagged, column.holdsWords || entry.tellsApart {
                let outcome = try outcome(entry.slot.ref, column, holds)
                if case .same(let list) = outcome {
                    lists.append(list)
                    continue
                }
                if case .other = outcome, trust.dropsUnlike { continue }
            }
            guard try count(entry) + open.count <= limit else { return nil }
            try append(entry, to: &open)
        }
        open.arrange()
        open = try tested(open, column, holds)
        if lists.isEmpty { return .keys(open) }
        if lists.count == 1, open.isEmpty { return lists[0] }
        for list in lists { open += try list.keys(space) }
        open.arrange()
        return .keys(open)
    }

    private func append(
        _ entry: SearchIndex.Entry, to keys: inout [ObjectKey]
    ) throws(RealmError) {
        if entry.slot.isTagged {
            keys.append(ObjectKey(Int64(bitPattern: entry.slot.value)))
        } else {
            try KeyList(space, entry.slot.ref).append(to: &keys)
        }
    }

    private enum Outcome {
        case same(FoundObjects)
        case other
        case unknown
    }

    /// What the ends of a list say about all of it.
    private func outcome(
        _ list: Ref, _ column: ColumnInfo, _ holds: (Value) -> Bool
    ) throws(RealmError) -> Outcome {
        let keys = KeyList(space, list)
        let count = try keys.count()
        guard count > 0, let first = try value(of: keys.key(0), column),
            let last = try value(of: keys.key(count - 1), column)
        else { return .unknown }
        switch (holds(first), holds(last)) {
        case (true, true): return try isSound(list) ? .same(.list(list, count: count)) : .unknown
        case (false, false): return .other
        default: return .unknown
        }
    }

    private func isSound(_ list: Ref) throws(RealmError) -> Bool {
        if let lists = snapshot.boundQueries?.lists {
            return try lists.isSound(list, in: table, space)
        }
        return try KeyList(space, list).isSound(in: tree)
    }

    private func value(of key: ObjectKey, _ column: ColumnInfo) throws(RealmError) -> Value? {
        guard let (leaf, row) = try tree.find(key) else { return nil }
        return try Spot(leaf: leaf, row: row).value(BoundColumn(column))
    }

    /// Those of arranged keys whose objects exist and hold what is looked for.
    private func tested(
        _ keys: [ObjectKey], _ column: ColumnInfo, _ holds: (Value) -> Bool
    ) throws(RealmError) -> [ObjectKey] {
        var result: [ObjectKey] = []
        var current: (leaf: ClusterLeaf, cells: ColumnLeaf)?
        for key in keys {
            if current?.leaf.row(of: key) == nil {
                guard let (leaf, _) = try tree.find(key) else { continue }
                current = (leaf, try leaf.column(column.leafIndex, column.layout))
            }
            guard let (leaf, cells) = current, let row = leaf.row(of: key) else { continue }
            if holds(try cells.value(row)) { result.append(key) }
        }
        return result
    }
}

// MARK: - Words

extension IndexSearch {
    private func lookUp(
        _ terms: FullTextTerms, _ term: IndexTerm, _ index: SearchIndex
    ) throws(RealmError) -> Lookup {
        var lookup = Lookup(term: term, words: [], count: .max)
        if terms.matchesNothing {
            lookup.count = 0
            return lookup
        }
        for word in terms.required {
            let entries = try entries(word, index)
            lookup.words.append(entries)
            lookup.count = min(lookup.count, try count(entries))
        }
        for word in terms.excluded { lookup.excluded.append(try entries(word, index)) }
        return lookup
    }

    private func entries(
        _ word: FullTextTerms.Word, _ index: SearchIndex
    ) throws(RealmError) -> [SearchIndex.Entry] {
        var entries: [SearchIndex.Entry] = []
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, word.bytes.count), alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: word.bytes)
        let text = ByteView(UnsafeRawPointer(bytes.baseAddress!), count: word.bytes.count)
        if word.isPrefix {
            try index.entries(forPrefix: text, into: &entries)
        } else if let entry = try index.entry(for: .string(text)) {
            entries.append(entry)
        }
        return entries
    }

    /// What has all words that are wanted and none of the others.
    private func objects(
        _ lookup: Lookup, _ terms: FullTextTerms
    ) throws(RealmError) -> FoundObjects? {
        if lookup.count == 0 { return .keys([]) }
        var found: FoundObjects?
        for (word, entries) in zip(terms.required, lookup.words) {
            guard let next = try objects(word, entries, lookup.term.column) else { return nil }
            found = try found?.intersection(next, space) ?? next
        }
        for (word, entries) in zip(terms.excluded, lookup.excluded) {
            guard let next = try objects(word, entries, lookup.term.column) else { return nil }
            if next.count > 0 { found = try found?.subtracting(next, space) }
        }
        return found
    }

    private func objects(
        _ word: FullTextTerms.Word, _ entries: [SearchIndex.Entry], _ column: ColumnInfo
    ) throws(RealmError) -> FoundObjects? {
        try objects(entries, column, Trust(dropsUnlike: false)) { value in
            guard case .string(let text) = value else { return false }
            return FullTextTerms.has(text, word)
        }
    }
}

// MARK: - Links

extension IndexSearch {
    /// Objects that link to those a term holds for, nil when they are more than `limit`. The links
    /// were not looked at from this side.
    func linking(_ path: PathTest, _ target: TableInfo, _ term: IndexTerm) throws(RealmError)
        -> FoundObjects?
    {
        let search = try IndexSearch(target, snapshot)
        guard let lookup = try search.lookUp(term), lookup.count <= limit,
            let found = try search.objects(lookup)
        else { return nil }
        var keys = try found.keys(space)
        for hop in path.path.hops.reversed() {
            guard let next = try origins(of: keys, hop) else { return nil }
            keys = next
        }
        return .keys(keys)
    }

    /// The objects at the near end of a hop, nil when they are too many.
    private func origins(of keys: [ObjectKey], _ hop: PathHop) throws(RealmError) -> [ObjectKey]? {
        guard let source = snapshot.schema.table(hop.source.key),
            let link = source.columns.first(where: { $0.leafIndex == hop.column.leafIndex })
        else { return nil }
        var origins: [ObjectKey] = []
        let tree = ClusterTree(space: space, root: hop.target.root)
        for key in keys {
            guard let (leaf, row) = try tree.find(key) else { continue }
            let column = try BacklinkLeaf(
                space, try leaf.columnRef(link.targetColumn.leafIndex))
            guard row < column.count else {
                throw .corrupt("a backlink leaf shorter than its cluster", at: leaf.ref)
            }
            var cursor = BacklinkCursor(space, slot: column.slot(row))
            while let origin = try cursor.next() {
                origins.append(origin)
                if origins.count > limit { return nil }
            }
        }
        origins.arrange()
        return origins
    }
}
