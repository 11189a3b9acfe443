/// Finds the objects of one class that match parts of a query, by the class's search indexes. The
/// struct has only unretained references, so copying it needs no reference counting: the caller
/// must retain the class and the snapshot.
struct IndexSearch {
    private unowned(unsafe) let table: TableInfo
    private unowned(unsafe) let snapshot: Snapshot
    private let space: NodeSpace
    private let tree: ClusterTree

    /// The objects that an index finds are read one by one if they are at most 1/`worthwhileShare`
    /// of all objects. If there are more, visiting every leaf is faster.
    private static let worthwhileShare = 16
    private static let limitDivisor = 64

    init(_ table: TableInfo, _ snapshot: Snapshot) {
        self.table = table
        self.snapshot = snapshot
        space = snapshot.lookup
        tree = ClusterTree(space: space, root: table.root)
    }

    /// Whether reading `count` objects one by one is faster than visiting every leaf of the table.
    private func isWorthwhile(_ count: Int) throws(RealmError) -> Bool {
        if count <= Self.limitDivisor { return true }
        let most = try tree.count() / Self.worthwhileShare
        return count <= most
    }

    /// An entry of the search index that was found for one of the wanted values, and the position
    /// of this value among the wanted values.
    struct Hit {
        let entry: SearchIndex.Entry
        let value: Int
    }

    /// Returns the objects whose property equals the constant of `test`. Reads only the first and
    /// the last object of the list that the search index stores for the constant. Nil if `test` has
    /// several constants, or if these two objects do not decide whether all objects of the list
    /// have the value.
    func objects(_ test: ColumnTest, _ place: Int) throws(RealmError) -> FoundObjects? {
        guard case .strict(let wanted) = test.operand, test.folding.isNone else { return nil }
        let type = test.column.layout.type
        guard type.mayBeIndexed, type != .mixed else { return nil }
        let index = SearchIndex(space: space, root: table.columns[place].indexRoot)
        guard let entry = try index.entry(for: wanted) else { return .keys([]) }
        let cells = Cells(test.column, tree)
        guard entry.slot.isTagged else {
            guard entry.areValuesEqual else { return nil }
            switch try outcome(
                entry.slot.ref, cells, Trust(dropsUnlike: true), { ValueOrder.compare($0, wanted) })
            {
            case .same(let list): return list
            case .other: return .keys([])
            case .unknown: return nil
            }
        }
        let key = ObjectKey(Int64(bitPattern: entry.slot.value))
        guard let value = try cells.value(of: key), ValueOrder.compare(value, wanted) == 0 else {
            return .keys([])
        }
        return .keys([key])
    }

    /// Index entries found for a term, before any object was read.
    struct Lookup {
        fileprivate var hits = SmallArray<Hit>()
        /// For a full-text search, the index entries of each required word. `excluded` contains the
        /// index entries of each excluded word.
        fileprivate var words: [SmallArray<Hit>] = []
        fileprivate var excluded: [SmallArray<Hit>] = []
        /// Upper limit of the number of objects that the search will find, computed from the
        /// lengths of the key lists in the index.
        fileprivate(set) var count = 0
    }

    /// Searches the index for a term on the queried class; nil if using the index is not
    /// worthwhile.
    func lookUp(_ term: IndexTerm) throws(RealmError) -> Lookup? {
        let index = SearchIndex(space: space, root: term.column.indexRoot)
        var lookup = Lookup()
        switch term.question {
        case .equal(let values, _):
            guard try isWorthwhile(values.count) else { return nil }
            for i in values.indices {
                guard let entry = try index.entry(for: values[i]) else { continue }
                lookup.hits.append(Hit(entry: entry, value: i))
            }
        case .folded(let text, _):
            var entries: [SearchIndex.Entry] = []
            try index.entries(forFolded: text, into: &entries)
            lookup.hits = SmallArray(entries.map { Hit(entry: $0, value: 0) })
        case .words(let terms):
            try lookUp(terms, index, &lookup)
            return lookup
        case .linked: return nil
        }
        lookup.count = try count(lookup.hits)
        return lookup
    }

    private func count(_ hits: SmallArray<Hit>) throws(RealmError) -> Int {
        var total = 0
        for hit in hits { total += try count(hit.entry) }
        return total
    }

    private func count(_ entry: SearchIndex.Entry) throws(RealmError) -> Int {
        entry.slot.isTagged ? 1 : try KeyList(space, entry.slot.ref).count()
    }

    // MARK: Objects of a term

    /// Returns the objects for which `term` is true, given the index entries that `lookUp` found
    /// for the term; nil if too many objects would have to be read.
    func objects(_ term: IndexTerm, _ lookup: Lookup) throws(RealmError) -> FoundObjects? {
        let cells = Cells(BoundColumn(term.column), tree, holdsWords: term.column.holdsWords)
        switch term.question {
        case .equal(let values, let test):
            if cells.column.layout.type != .mixed {
                return try objects(lookup.hits, cells, Trust(dropsUnlike: true)) {
                    ValueOrder.compare($0, values[$1])
                }
            }
            // A search index may store different values under one string: equal numbers of
            // different types, or a text and the same bytes. So compare the values.
            guard case .general(let constant) = test.operand, Self.isOfOneKind(constant) else {
                return try objects(lookup.hits, cells, nil) { (value, _) in
                    test.matches(value) ? 0 : 1
                }
            }
            let trust = Trust(dropsUnlike: true, isSorted: true)
            return try objects(lookup.hits, cells, trust) { (value, _) in
                ValueRules.compare(value, constant)
            }
        case .folded(_, let test):
            let trust = cells.column.layout.type == .mixed ? nil : Trust(dropsUnlike: true)
            return try objects(lookup.hits, cells, trust) { (value, _) in
                test.matches(value) ? 0 : 1
            }
        case .words(let terms): return try objects(lookup, terms, cells)
        case .linked: return nil
        }
    }

    /// Whether the objects whose value equals the constant are adjacent in a list of object keys
    /// that is sorted by mixed values.
    ///
    /// False for texts and bytes, because files of old formats mix them. False for null, because
    /// unresolved links count as null, too. False for large numbers, because a large float may
    /// equal an integer without equalling the decimal that equals the same integer.
    private static func isOfOneKind(_ constant: Value) -> Bool {
        switch constant {
        case .string, .binary, .null: false
        case .int(let number): exactNumbers.contains(Double(number))
        case .float(let number): exactNumbers.contains(Double(number))
        case .double(let number): exactNumbers.contains(number)
        case .decimal(let number):
            number.truncatedToInt64.map { exactNumbers.contains(Double($0)) } ?? false
        default: true
        }
    }

    private static let exactNumbers = -9_999_999.0...9_999_999.0

    /// Reader for the values of one property by object key. A trivial value, so that loops copy it
    /// without reference counting.
    private struct Cells {
        let column: BoundColumn
        let holdsWords: Bool
        private let tree: ClusterTree

        init(_ column: BoundColumn, _ tree: ClusterTree, holdsWords: Bool = false) {
            self.column = column
            self.holdsWords = holdsWords
            self.tree = tree
        }

        /// Returns the property's value for the object with `key`; nil if the object does not
        /// exist.
        func value(of key: ObjectKey) throws(RealmError) -> Value? {
            guard let (leaf, row) = try tree.find(key) else { return nil }
            return try RowLocation(leaf: leaf, row: row).value(column)
        }
    }

    /// Properties of a list of object keys in a search index. They permit reading the first and the
    /// last object of the list, or a bisection, instead of every object.
    private struct Trust {
        /// Whether the search may skip a whole list after reading only its first and its last
        /// object. It skips the list if neither object has the value that it looks for.
        var dropsUnlike = false
        /// Whether the list is sorted by the values of the objects. The objects with the value that
        /// the search looks for are then adjacent.
        var isSorted = false
    }

    /// Compares a value with one of the values that the search looks for, given by its index among
    /// them. Returns zero if both are equal, otherwise a negative or positive number.
    private typealias Comparison = (Value, Int) -> Int

    /// Returns the objects that have one of the wanted values. `hits` are the index entries that
    /// were found for these values. An object is returned only if its own value, read from the
    /// table, equals the wanted value. Nil if too many objects would have to be read.
    ///
    /// `dynamic` keeps the compiler from making a copy of this function for each `compare`.
    dynamic private func objects(
        _ hits: SmallArray<Hit>, _ cells: Cells, _ trust: Trust?, _ compare: Comparison
    ) throws(RealmError) -> FoundObjects? {
        var lists = SmallArray<FoundObjects>()
        var open: [ObjectKey] = []
        var tested = 0
        for hit in hits {
            let entry = hit.entry
            if entry.slot.isTagged {
                let key = ObjectKey(Int64(bitPattern: entry.slot.value))
                tested += 1
                guard try isWorthwhile(tested) else { return nil }
                if let value = try cells.value(of: key), compare(value, hit.value) == 0 {
                    open.append(key)
                }
                continue
            }
            if let trust, cells.holdsWords || entry.areValuesEqual {
                let outcome = try outcome(entry.slot.ref, cells, trust) {
                    compare($0, hit.value)
                }
                if case .same(let list) = outcome {
                    lists.append(list)
                    continue
                }
                if case .other = outcome, trust.dropsUnlike { continue }
            }
            tested += try count(entry)
            guard try isWorthwhile(tested) else { return nil }
            try KeyList(space, entry.slot.ref).visit { (part) throws(RealmError) in
                for key in part {
                    guard let value = try cells.value(of: ObjectKey(key)) else { continue }
                    if compare(value, hit.value) == 0 { open.append(ObjectKey(key)) }
                }
                return true
            }
        }
        if lists.count == 1, open.isEmpty { return lists[0] }
        for list in lists { open += try list.keys(space) }
        open.arrange()
        return .keys(open)
    }

    private enum Outcome {
        case same(FoundObjects)
        case other
        case unknown
    }

    /// Reads a few objects of a list of object keys in the index. Returns `.same` with the part of
    /// the list whose objects have the wanted value, `.other` if no object of the list seems to
    /// have the value, and `.unknown` if these few objects do not decide.
    private func outcome(
        _ list: Ref, _ cells: Cells, _ trust: Trust, _ compare: (Value) -> Int
    ) throws(RealmError) -> Outcome {
        let keys = KeyList(space, list)
        var part = 0..<(try keys.count())
        if trust.isSorted {
            guard
                let start = try place(in: part, keys, cells, { compare($0) >= 0 }),
                let end = try place(in: start..<part.upperBound, keys, cells, { compare($0) > 0 })
            else { return .unknown }
            if start == end { return .other }
            part = start..<end
        }
        guard !part.isEmpty, let first = try cells.value(of: keys.key(part.lowerBound)),
            let last = try cells.value(of: keys.key(part.upperBound - 1))
        else { return .unknown }
        switch (compare(first) == 0, compare(last) == 0) {
        case (true, true): return try isSound(list, part) ? .same(.list(list, part)) : .unknown
        case (false, false): return .other
        default: return .unknown
        }
    }

    /// Returns the first position in a list at which `test` is true for the object's value. The
    /// list contains object keys, sorted by the objects' values. Nil if an object in the list does
    /// not exist.
    private func place(
        in part: Range<Int>, _ keys: KeyList, _ cells: Cells, _ test: (Value) -> Bool
    ) throws(RealmError) -> Int? {
        var (low, high) = (part.lowerBound, part.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            guard let value = try cells.value(of: keys.key(middle)) else { return nil }
            if test(value) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func isSound(_ list: Ref, _ part: Range<Int>) throws(RealmError) -> Bool {
        if let queries = snapshot.queries {
            return try queries.isSound(list, part, in: table, space)
        }
        return try KeyList(space, list, part).isSound(in: tree)
    }
}

// MARK: - Words

extension IndexSearch {
    private func lookUp(
        _ terms: FullTextTerms, _ index: SearchIndex, _ lookup: inout Lookup
    ) throws(RealmError) {
        if terms.matchesNothing { return }
        lookup.count = .max
        for word in terms.required {
            let hits = try hits(word, index)
            lookup.words.append(hits)
            lookup.count = min(lookup.count, try count(hits))
        }
        for word in terms.excluded { lookup.excluded.append(try hits(word, index)) }
    }

    private func hits(
        _ word: FullTextTerms.Word, _ index: SearchIndex
    ) throws(RealmError) -> SmallArray<Hit> {
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
        return SmallArray(entries.map { Hit(entry: $0, value: 0) })
    }

    /// Returns the objects with all required words and none of the excluded ones.
    private func objects(
        _ lookup: Lookup, _ terms: FullTextTerms, _ cells: Cells
    ) throws(RealmError) -> FoundObjects? {
        if lookup.count == 0 { return .keys([]) }
        var found: FoundObjects?
        for (word, hits) in zip(terms.required, lookup.words) {
            guard let next = try objects(word, hits, cells) else { return nil }
            found = try found?.intersection(next, space) ?? next
        }
        for (word, hits) in zip(terms.excluded, lookup.excluded) {
            guard let next = try objects(word, hits, cells) else { return nil }
            if next.count > 0 { found = try found?.subtracting(next, space) }
        }
        return found
    }

    private func objects(
        _ word: FullTextTerms.Word, _ hits: SmallArray<Hit>, _ cells: Cells
    ) throws(RealmError) -> FoundObjects? {
        try objects(hits, cells, Trust()) { (value, _) in
            guard case .string(let text) = value else { return 1 }
            return FullTextTerms.has(text, word) ? 0 : 1
        }
    }
}

// MARK: - Links

extension IndexSearch {
    /// Returns the queried objects from which a path leads to the objects found by the term; nil if
    /// there are so many that testing every object is faster. Follows backlinks and does not read
    /// the links themselves.
    func linking(_ path: PathTest, _ target: TableInfo, _ term: IndexTerm) throws(RealmError)
        -> FoundObjects?
    {
        let search = IndexSearch(target, snapshot)
        guard let lookup = try search.lookUp(term), try isWorthwhile(lookup.count),
            let found = try search.objects(term, lookup)
        else { return nil }
        var keys = try found.keys(space)
        for hop in path.path.hops.reversed() {
            guard let next = try origins(of: keys, hop) else { return nil }
            keys = next
        }
        return .keys(keys)
    }

    /// Returns the objects that link to the objects `keys` by the property of `hop`; nil if there
    /// are so many that testing every object is faster.
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
                guard try isWorthwhile(origins.count) else { return nil }
            }
        }
        origins.arrange()
        return origins
    }
}
