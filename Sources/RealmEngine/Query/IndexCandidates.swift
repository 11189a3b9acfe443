/// The objects that search indexes name for a query, and what is still asked about them.
///
/// What a term says of an object is either tested, or follows from the way an index keeps its
/// objects, as far as the format promises that (object format 5.5): results do not depend on indexes
/// (query language 23).
struct IndexCandidates: Sendable {
    let objects: FoundObjects
    /// The terms that hold for all of them.
    let settled: [BoundCondition]
    /// What the others are.
    let rest: BoundCondition
    /// The term that was asked first.
    private let first: IndexTerm?

    /// Class and name of the property whose index was used first.
    var property: String { first.map { "\($0.table.className).\($0.column.name)" } ?? "" }

    /// Every one of the objects matches.
    var isFinal: Bool {
        if case .constant(true) = rest { return true }
        return false
    }

    var count: Int { objects.count }

    /// With more than a part of all objects, testing the rest of every object is faster.
    private static let worthwhileShare = 4

    /// Nil when no index helps with `condition`.
    init?(
        _ condition: BoundCondition, _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        if case .test(let test) = condition {
            guard let term = IndexTerm(test, table) else { return nil }
            let search = try IndexSearch(table, snapshot)
            guard let lookup = try search.lookUp(term), let found = try search.objects(lookup)
            else { return nil }
            (objects, settled, rest, first) = (found, [condition], .constant(true), term)
            return
        }
        var terms: [BoundCondition] = [condition]
        if case .and(let children) = condition { terms = children }
        var answers = try IndexAnswers(terms, table, snapshot)
        try answers.ask()
        guard let objects = answers.objects else { return nil }
        self.objects = objects
        first = answers.first
        guard answers.settled.count < terms.count else {
            (settled, rest) = (terms, .constant(true))
            return
        }
        let total = try ClusterTree(space: snapshot.lookup, root: table.root).count()
        let most = max(IndexAnswers.fewObjects, total / Self.worthwhileShare)
        guard objects.count <= most else { return nil }
        settled = answers.settled.map { terms[$0] }
        let rest = terms.indices.filter { !answers.settled.contains($0) }.map { terms[$0] }
        self.rest = rest.count == 1 ? rest[0] : .and(rest)
    }
}

/// What indexes say about the terms of an AND, one after the other.
private struct IndexAnswers {
    private let table: TableInfo
    private let snapshot: Snapshot
    private let terms: [Numbered]
    /// What all terms asked so far have in common; nil when none was answered.
    private(set) var objects: FoundObjects?
    /// Places of the terms that need no test any more.
    private(set) var settled: [Int] = []
    private(set) var first: IndexTerm?

    private struct Numbered {
        let place: Int
        let term: IndexTerm
    }

    /// Looking through another list is worth so many objects less to test.
    private static let intersectionShare = 32
    /// So few objects are tested sooner than links are followed back.
    static let fewObjects = 64

    init(
        _ conditions: [BoundCondition], _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        self.table = table
        self.snapshot = snapshot
        var terms: [Numbered] = []
        for (place, condition) in conditions.enumerated() {
            guard let term = IndexTerm(condition, table, snapshot.schema) else { continue }
            terms.append(Numbered(place: place, term: term))
        }
        self.terms = terms
    }

    mutating func ask() throws(RealmError) {
        if terms.isEmpty { return }
        let search = try IndexSearch(table, snapshot)
        try askForProperties(search)
        if (objects?.count ?? .max) > Self.fewObjects { try askForLinks(search) }
    }

    /// Those with the fewest objects first.
    private mutating func askForProperties(_ search: IndexSearch) throws(RealmError) {
        var lookups: [(place: Int, lookup: IndexSearch.Lookup)] = []
        for numbered in unique.map({ [$0] }) ?? terms where numbered.term.isDirect {
            guard let lookup = try search.lookUp(numbered.term) else { continue }
            lookups.append((numbered.place, lookup))
        }
        if lookups.count > 1 { lookups.sort { $0.lookup.count < $1.lookup.count } }
        for (place, lookup) in lookups {
            if let known = objects, lookup.count / Self.intersectionShare > known.count { return }
            guard let found = try search.objects(lookup) else { continue }
            try add(found, lookup.term)
            settled.append(place)
        }
    }

    /// The term that leaves one object at most: a primary key.
    private var unique: Numbered? {
        guard let key = table.primaryKey else { return nil }
        return terms.first {
            guard case .equal(let values, _) = $0.term.question, values.count == 1 else {
                return false
            }
            return $0.term.column.key == table.columns[key].key
        }
    }

    private mutating func askForLinks(_ search: IndexSearch) throws(RealmError) {
        for numbered in terms {
            guard case .linked(let path, let test, let target) = numbered.term.question,
                let end = IndexTerm(test, target),
                let found = try search.linking(path, target, end)
            else { continue }
            try add(found, end)
        }
    }

    private mutating func add(_ found: FoundObjects, _ term: IndexTerm) throws(RealmError) {
        if let known = objects {
            objects = try known.intersection(found, snapshot.lookup)
        } else {
            objects = found
            first = term
        }
    }
}
