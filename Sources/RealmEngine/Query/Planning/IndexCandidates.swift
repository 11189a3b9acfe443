/// Objects found by search indexes for a query, and the condition that must still be tested for
/// them.
///
/// A term that used an index is tested again, unless its result follows from the order that the
/// format guarantees for indexes (object format 5.5). The results of a query thus never depend on
/// an index (query language 23).
final class IndexCandidates: Sendable {
    let objects: FoundObjects
    /// Condition that must still be tested for each object that the indexes found.
    let rest: BoundCondition
    /// Terms of an AND that are true for all objects found by indexes. Empty if all terms are true
    /// for these objects, so that none must be tested. `trueTerms(of:)` then returns the terms of
    /// the whole condition.
    private let someTrueTerms: [BoundCondition]
    /// The property whose search index was used first for the query: its class, and the position of
    /// its column in the class.
    private let index: (table: TableInfo, place: Int)?

    /// Class and name of the property whose search index was used first for the query; empty if
    /// there is none.
    var property: String {
        guard let (table, place) = index else { return "" }
        return "\(table.className).\(table.columns[place].name)"
    }

    /// Whether every object that the indexes found matches the whole query, so that no test
    /// remains.
    var isFinal: Bool {
        if case .constant(true) = rest { return true }
        return false
    }

    var count: Int { objects.count }

    /// Returns the terms of `condition` that are true for all objects that the indexes found.
    /// `condition` must be the query's condition.
    func trueTerms(of condition: BoundCondition) -> [BoundCondition] {
        guard isFinal, someTrueTerms.isEmpty else { return someTrueTerms }
        if case .and(let children) = condition { return children }
        return [condition]
    }

    /// Indexes are used if they find at most 1/`worthwhileShare` of all objects. If they find more,
    /// testing every object is faster.
    private static let worthwhileShare = 4

    /// Nil if no index helps with `condition`.
    init?(
        _ condition: BoundCondition, _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        if case .test(let test) = condition {
            guard let place = IndexTerm.place(of: test, table) else { return nil }
            let search = IndexSearch(table, snapshot)
            if let found = try search.objects(test, place) {
                objects = found
            } else {
                guard let term = IndexTerm(test, table), let lookup = try search.lookUp(term),
                    let found = try search.objects(term, lookup)
                else { return nil }
                objects = found
            }
            (rest, someTrueTerms, index) = (.constant(true), [], (table, place))
            return
        }
        var terms: [BoundCondition] = [condition]
        if case .and(let children) = condition { terms = children }
        var answers = try IndexAnswers(terms, table, snapshot)
        try answers.ask()
        guard let objects = answers.objects else { return nil }
        self.objects = objects
        index = answers.first.map { ($0.table, $0.place) }
        guard answers.trueTerms.count < terms.count else {
            (rest, someTrueTerms) = (.constant(true), [])
            return
        }
        let total = try ClusterTree(space: snapshot.lookup, root: table.root).count()
        let most = max(IndexAnswers.fewObjects, total / Self.worthwhileShare)
        guard objects.count <= most else { return nil }
        someTrueTerms = answers.trueTerms.map { terms[$0] }
        let rest = terms.indices.filter { !answers.trueTerms.contains($0) }.map { terms[$0] }
        self.rest = rest.count == 1 ? rest[0] : .and(rest)
    }
}

/// Results of index searches for the terms of an AND, intersected after each search.
private struct IndexAnswers {
    private let table: TableInfo
    private let snapshot: Snapshot
    private let terms: [Numbered]
    /// Objects that all index searches so far have found; nil before the first search.
    private(set) var objects: FoundObjects?
    /// Terms that are true for all objects in `objects` and need no test, as indexes into the terms
    /// of the AND.
    private(set) var trueTerms: [Int] = []
    private(set) var first: IndexTerm?

    private struct Numbered {
        let place: Int
        let term: IndexTerm
    }

    /// Limits the index searches for the further terms of an AND. If a term's key lists have more
    /// than `intersectionShare` keys for each object found so far, they are not read.
    private static let intersectionShare = 32
    /// If at most this number of objects was found so far, testing each is faster than following
    /// links backwards.
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
        let search = IndexSearch(table, snapshot)
        try askForProperties(search)
        if (objects?.count ?? .max) > Self.fewObjects { try askForLinks(search) }
    }

    /// Searches the indexes of properties for the terms of the AND. Terms for which the indexes
    /// list the fewest objects come first.
    private mutating func askForProperties(_ search: IndexSearch) throws(RealmError) {
        var lookups: [(asked: Numbered, lookup: IndexSearch.Lookup)] = []
        for numbered in unique.map({ [$0] }) ?? terms where numbered.term.isDirect {
            guard let lookup = try search.lookUp(numbered.term) else { continue }
            lookups.append((numbered, lookup))
        }
        if lookups.count > 1 { lookups.order { $0.lookup.count < $1.lookup.count } }
        for (asked, lookup) in lookups {
            if let known = objects, lookup.count / Self.intersectionShare > known.count { return }
            guard let found = try search.objects(asked.term, lookup) else { continue }
            try add(found, asked.term)
            trueTerms.append(asked.place)
        }
    }

    /// The term that compares the primary key with a single value, so that at most one object
    /// matches; nil if there is no such term.
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
