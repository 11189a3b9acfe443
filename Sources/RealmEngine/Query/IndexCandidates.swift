/// The objects a search index names for one term of a query, gathered by leaf.
///
/// An index narrows down; every candidate is still tested, so results never depend on it (query
/// language 23).
struct IndexCandidates: Sendable {
    /// Leaves that hold candidates, in table order.
    let units: [QueryUnit]
    /// Name of the property whose index was used.
    let property: String
    let count: Int

    /// With more than one candidate in this many objects, visiting every leaf is faster.
    private static let worthwhileShare = 16

    /// Nil when no index helps with `condition`.
    init?(
        _ condition: BoundCondition, _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        guard let lookup = Self.lookup(for: condition, table) else { return nil }
        let total = try ClusterTree(space: snapshot.lookup, root: table.root).count()
        let keys = try lookup.keys(snapshot.lookup)
        guard keys.count <= max(64, total / Self.worthwhileShare) else { return nil }
        units = try Self.units(keys, table, snapshot)
        count = units.reduce(0) { $0 + $1.among.count }
        property = lookup.column.name
    }

    /// Sorted keys as selections of leaves; repeated ones and those without an object vanish.
    private static func units(
        _ keys: [ObjectKey], _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) -> [QueryUnit] {
        let tree = ClusterTree(space: snapshot.lookup, root: table.root)
        var units: [QueryUnit] = []
        var current: (leaf: ClusterLeaf, among: Selection)?
        func close() {
            guard let (leaf, among) = current else { return }
            let location = LeafLocation(
                ref: leaf.ref, base: leaf.base, position: 0, count: leaf.count)
            units.append(QueryUnit(location: location, among: among))
            current = nil
        }
        for key in keys {
            if let leaf = current?.leaf, let row = leaf.row(of: key) {
                current!.among.insert(row)
                continue
            }
            guard let (leaf, row) = try tree.find(key) else { continue }
            close()
            current = (leaf, .none)
            current!.among.insert(row)
        }
        close()
        return units
    }
}

/// What is looked up in the index of one column.
private struct IndexLookup {
    let column: ColumnInfo
    /// Equality with any of these.
    var values: [Value] = []
    /// All of these words.
    var words: [FullTextTerms.Word] = []

    /// Keys of all candidates, in table order.
    func keys(_ space: NodeSpace) throws(RealmError) -> [ObjectKey] {
        let index = SearchIndex(space: space, root: column.indexRoot)
        var keys: [ObjectKey] = []
        for value in values { try index.candidates(for: value, into: &keys) }
        for (i, word) in words.enumerated() {
            var found: [ObjectKey] = []
            try Self.find(word, index, &found)
            Self.arrange(&found)
            keys = i == 0 ? found : Self.common(keys, found)
        }
        Self.arrange(&keys)
        return keys
    }

    private static func find(
        _ word: FullTextTerms.Word, _ index: SearchIndex, _ keys: inout [ObjectKey]
    ) throws(RealmError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, word.bytes.count), alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: word.bytes)
        let text = ByteView(UnsafeRawPointer(bytes.baseAddress!), count: word.bytes.count)
        if word.isPrefix {
            try index.candidates(forPrefix: text, into: &keys)
        } else {
            try index.candidates(for: .string(text), into: &keys)
        }
    }

    private static func arrange(_ keys: inout [ObjectKey]) {
        if keys.count < 2 { return }
        keys.sort { UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw) }
    }

    /// What both sorted lists hold.
    private static func common(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
        var result: [ObjectKey] = []
        var i = 0
        for key in a where result.last != key {
            while i < b.count, UInt64(bitPattern: b[i].raw) < UInt64(bitPattern: key.raw) { i += 1 }
            if i < b.count, b[i] == key { result.append(key) }
        }
        return result
    }
}

extension IndexCandidates {
    /// The term an index serves best, itself or in an AND.
    fileprivate static func lookup(
        for condition: BoundCondition, _ table: TableInfo
    ) -> IndexLookup? {
        switch condition {
        case .test(let test): return lookup(for: test, table)
        case .fullText(let search): return lookup(for: search, table)
        case .and(let children):
            var best: IndexLookup?
            for child in children {
                guard let found = lookup(forTerm: child, table) else { continue }
                // A unique key beats everything, otherwise fewer look-ups win.
                if found.column.key == table.primaryKey.map({ table.columns[$0].key }) {
                    return found
                }
                if best == nil || found.values.count < best!.values.count { best = found }
            }
            return best
        default: return nil
        }
    }

    private static func lookup(
        forTerm condition: BoundCondition, _ table: TableInfo
    ) -> IndexLookup? {
        switch condition {
        case .test(let test): lookup(for: test, table)
        case .fullText(let search): lookup(for: search, table)
        default: nil
        }
    }

    private static func lookup(
        for search: BoundFullText, _ table: TableInfo
    ) -> IndexLookup? {
        guard search.path.hops.isEmpty, !search.terms.required.isEmpty,
            let column = table.columns.first(where: { $0.leafIndex == search.column.leafIndex })
        else { return nil }
        return IndexLookup(column: column, words: search.terms.required)
    }

    private static func lookup(for test: ColumnTest, _ table: TableInfo) -> IndexLookup? {
        guard !test.foldsCase, test.relation == .equal,
            let column = table.columns.first(where: { $0.leafIndex == test.column.leafIndex }),
            column.index == .general, column.collection == nil
        else { return nil }
        let values: [Value]
        switch test.operand {
        case .strict(let value): values = [value]
        case .members(let members): values = members
        case .general(.null): values = [.null]
        case .general, .anyOf, .range: return nil
        }
        switch column.type {
        case .int, .string, .timestamp, .objectID, .uuid: break
        default: return nil
        }
        return IndexLookup(column: column, values: values)
    }
}
