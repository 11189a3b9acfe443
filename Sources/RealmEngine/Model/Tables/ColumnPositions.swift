/// Finds the properties and backlink columns of a table. The cached positions stay valid when
/// columns are appended.
struct ColumnPositions {
    /// Index of each property by name; of properties with equal names, the first. Nil until it is
    /// built.
    private var byName: [String: Int]?
    /// Index of each backlink column by its origin; nil until it is built.
    private var byOrigin: [Origin: Int]?
    /// The highest position of a column in a cluster leaf (leaf index), plus one; nil until it is
    /// computed.
    private var leafIndexCount: Int?
    private var searchCount = 0

    /// Number of linear searches for a column after which `byName` and `byOrigin` are built.
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

    /// Index of the backlink column for links from `column` of `table`; nil if there is none.
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

    /// Records that a property was added at index `position`.
    mutating func add(_ column: ColumnInfo, at position: Int) {
        if byName?[column.name] == nil { byName?[column.name] = position }
        leafIndexCount = leafIndexCount.map { max($0, column.leafIndex + 1) }
    }

    /// Updates the cached positions after a backlink column was added at index `position`.
    mutating func add(_ backlink: BacklinkInfo, at position: Int) {
        let origin = Origin(table: backlink.origin, column: backlink.originColumn)
        if byOrigin?[origin] == nil { byOrigin?[origin] = position }
        leafIndexCount = leafIndexCount.map { max($0, backlink.leafIndex + 1) }
    }

    /// Records that one of `count` properties was renamed. The new name must be unique.
    mutating func rename(_ old: String, to new: String, count: Int) {
        if byName?.count == count {
            let position = byName?.removeValue(forKey: old)
            byName?[new] = position
        } else {
            // Two properties have the same name, so the other property may now be the first one
            // with the name `old`.
            byName = nil
        }
    }
}
