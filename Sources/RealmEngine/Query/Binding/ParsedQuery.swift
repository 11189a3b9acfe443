/// A query tree and its source text, which is empty for trees built by a program. Recently used
/// texts are cached. Safe to use from any thread.
final class ParsedQuery: Sendable {
    let source: QuerySource
    let tree: QueryTree
    /// Whether the bound form of this query is cached in each version. True for short texts.
    let isCached: Bool

    init(_ source: QuerySource, _ tree: QueryTree, isCached: Bool = false) {
        self.source = source
        self.tree = tree
        self.isCached = isCached
    }

    /// Returns the parsed query of `text`, from the cache if possible.
    ///
    /// - Throws: `misuse` if the text is no query.
    static func of(_ text: String, _ dialect: QueryDialect = .language) throws(RealmError)
        -> ParsedQuery
    {
        var text = text
        let key = text.withUTF8 { Self.key($0, dialect) }
        if let key {
            let known = kept.withLock { $0[key] }
            if let known, known.source.dialect == dialect,
                text.withUTF8({ known.source.text.elementsEqual($0) })
            {
                return known
            }
        }
        let source = QuerySource(text: [UInt8](text.utf8), dialect: dialect)
        let tree = try QueryParser.parse(source)
        let isCached = key != nil && !tree.isMomentary
        let parsed = ParsedQuery(source, tree, isCached: isCached)
        if let key, isCached { kept.withLock { $0[key] = parsed } }
        return parsed
    }

    private static let kept = LockedValue(QuerySlots<ParsedQuery>())

    /// Maximum length in bytes of a query text that is cached.
    private static let maximumLength = 2048

    private static func key(
        _ text: UnsafeBufferPointer<UInt8>, _ dialect: QueryDialect
    ) -> UInt64? {
        guard text.count <= maximumLength else { return nil }
        var hash = ContentHash()
        hash.update(UnsafeRawBufferPointer(text))
        return hash.value ^ (dialect.isExtended ? 1 : 0)
    }
}

/// Cache with a fixed number of slots, each selected by hash; a new element replaces the previous
/// element in its slot.
struct QuerySlots<Element: AnyObject> {
    private static var count: Int { 256 }

    private var slots: [(key: UInt64, element: Element)?] = []

    subscript(key: UInt64) -> Element? {
        get {
            let place = Int(key % UInt64(Self.count))
            guard place < slots.count, let slot = slots[place], slot.key == key else { return nil }
            return slot.element
        }
        set {
            guard let newValue else { return }
            if slots.isEmpty { slots = .init(repeating: nil, count: Self.count) }
            slots[Int(key % UInt64(Self.count))] = (key, newValue)
        }
    }
}

/// Cache of the queries bound to one version's classes, owned by the version. Safe to use from any
/// thread.
final class BoundQueries: Sendable {
    private final class Entry: Sendable {
        let parsed: ParsedQuery
        let query: BoundQuery

        init(_ parsed: ParsedQuery, _ query: BoundQuery) {
            self.parsed = parsed
            self.query = query
        }
    }

    private let slots = LockedValue(QuerySlots<Entry>())
    /// Cached results of a check of object key lists in search indexes: whether the keys of a list
    /// ascend and identify objects.
    let lists = VerifiedPostings()

    /// Returns the query bound to `table`, from the cache if possible. Throws `misuse` for a
    /// mistake in the query.
    func query(
        _ parsed: ParsedQuery, _ table: Table
    ) throws(RealmError) -> BoundQuery {
        let place = UInt64(UInt(bitPattern: ObjectIdentifier(parsed))) >> 4
        let key = place ^ UInt64(table.info.key.raw) &* 0x9E37_79B1
        let known = slots.withLock { $0[key] }
        if let known, known.parsed === parsed, known.query.table === table.info {
            return known.query
        }
        let query = try Self.bound(parsed, table)
        slots.withLock { $0[key] = Entry(parsed, query) }
        return query
    }

    private static func bound(
        _ parsed: ParsedQuery, _ table: Table
    ) throws(RealmError) -> BoundQuery {
        let aliases = KeyPathAliases()
        if let query = BoundQuery(shortcut: parsed, [], aliases, table, isCached: true) {
            return query
        }
        var binder = QueryBinder(
            parsed.source, parsed.tree.dialect, arguments: [], aliases: aliases, table: table)
        return try binder.bind(parsed.tree, isCached: true)
    }
}

/// Lock-free cache for the queries of one snapshot. Confined to the snapshot's thread.
final class SnapshotQueries {
    /// Cache of bound queries that all snapshots of this version share.
    let shared: BoundQueries
    /// Lists of object keys in search indexes whose keys were checked: they ascend and identify
    /// objects. The ref of a list selects its element of this array.
    private var sound: [VerifiedPostings.ListID?]

    private static let places = 64

    fileprivate init(_ shared: BoundQueries) {
        self.shared = shared
        sound = .init(repeating: nil, count: Self.places)
    }

    /// Whether the keys of the list, or of a part of it, ascend and identify objects of `table`;
    /// see `VerifiedPostings.isSound`. Cached.
    func isSound(
        _ list: Ref, _ part: Range<Int>, in table: TableInfo, _ space: NodeSpace
    ) throws(RealmError) -> Bool {
        let place = VerifiedPostings.ListID(table: table.key, list: list, part: part)
        let i = Int(truncatingIfNeeded: list.raw &>> 3) & (Self.places - 1)
        if let known = sound[i], known == place { return true }
        guard try shared.lists.isSound(place, in: table, space) else { return false }
        sound[i] = place
        return true
    }
}

extension Snapshot {
    /// Query cache of this snapshot; nil in an open write transaction, because its tables still
    /// change.
    var queries: SnapshotQueries? {
        // `queryMemory` is only assigned here, so it is always a `SnapshotQueries`.
        if let queryMemory { return unsafeDowncast(queryMemory, to: SnapshotQueries.self) }
        guard isStored else { return nil }
        let shared = state.queries.withLock { queries in
            if let known = queries { return unsafeDowncast(known, to: BoundQueries.self) }
            let made = BoundQueries()
            queries = made
            return made
        }
        let made = SnapshotQueries(shared)
        queryMemory = made
        return made
    }
}
