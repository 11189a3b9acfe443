/// Positions of the properties and incoming ends of a table, kept while others are added to it.
struct ColumnPositions {
    /// Positions of properties by name, the first of several with one name; nil until some were looked up.
    private var byName: [String: Int]?
    /// Positions of incoming ends by where they come from; nil until some were looked up.
    private var byOrigin: [Origin: Int]?
    /// One more than the highest leaf index in use; nil until it is needed.
    private var leafIndexCount: Int?
    private var searchCount = 0

    /// Number of look-ups that compare names one by one; positions are stored after that.
    private static let fewSearches = 16

    private struct Origin: Hashable {
        let table: TableKey
        let column: ColumnKey
    }

    // MARK: Finding

    mutating func position(of name: String, in columns: [ColumnInfo]) -> Int? {
        if let byName { return byName[name] }
        if isFirstSearch() { return columns.firstIndex { $0.name == name } }
        let fresh = Dictionary(
            columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        byName = fresh
        return fresh[name]
    }

    /// Position of the incoming end of the links of `column` in `table`.
    mutating func position(
        of column: ColumnKey, in table: TableKey, among backlinks: [BacklinkInfo]
    ) -> Int? {
        if let byOrigin { return byOrigin[Origin(table: table, column: column)] }
        if backlinks.count < Self.fewSearches || isFirstSearch() {
            return backlinks.firstIndex { $0.origin == table && $0.originColumn == column }
        }
        let fresh = Dictionary(
            backlinks.enumerated().map {
                (Origin(table: $1.origin, column: $1.originColumn), $0)
            }, uniquingKeysWith: { first, _ in first })
        byOrigin = fresh
        return fresh[Origin(table: table, column: column)]
    }

    private mutating func isFirstSearch() -> Bool {
        searchCount += 1
        return searchCount <= Self.fewSearches
    }

    mutating func leafIndexCount(_ columns: [ColumnInfo], _ backlinks: [BacklinkInfo]) -> Int {
        if let leafIndexCount { return leafIndexCount }
        var highest = -1
        for column in columns { highest = max(highest, column.leafIndex) }
        for backlink in backlinks { highest = max(highest, backlink.leafIndex) }
        leafIndexCount = highest + 1
        return highest + 1
    }

    // MARK: Changes

    /// A property was added at `position`.
    mutating func add(_ column: ColumnInfo, at position: Int) {
        if byName?[column.name] == nil { byName?[column.name] = position }
        leafIndexCount = leafIndexCount.map { max($0, column.leafIndex + 1) }
    }

    /// An incoming end was added at `position`.
    mutating func add(_ backlink: BacklinkInfo, at position: Int) {
        let origin = Origin(table: backlink.origin, column: backlink.originColumn)
        if byOrigin?[origin] == nil { byOrigin?[origin] = position }
        leafIndexCount = leafIndexCount.map { max($0, backlink.leafIndex + 1) }
    }

    /// One of `count` properties has another name now, which no other one has.
    mutating func rename(_ old: String, to new: String, count: Int) {
        if byName?.count == count {
            let position = byName?.removeValue(forKey: old)
            byName?[new] = position
        } else {
            // Another one of that name may be the one that is found.
            byName = nil
        }
    }
}
