import RealmEngine

/// A query, its arguments, and the options of the command that affect it.
package struct QueryFilter {
    package let text: String
    package let arguments: [QueryArgument]
    /// Clauses from `--sort` and `--distinct`, which follow the clauses in the text.
    private let order: [QueryOrder]
    private let options: QueryOptions
    private let language: QueryLanguage

    /// Creates a query with the options and the query language of the command.
    package init(
        text: String, _ order: [QueryOrder] = [], arguments: [QueryArgument],
        _ command: ParsedCommand
    ) {
        self.init(
            text: text, order, arguments: arguments, QueryOptions(command), QueryLanguage(command))
    }

    /// Returns this query with one more clause at the end.
    func ordered(_ last: QueryOrder) -> QueryFilter {
        QueryFilter(text: text, order + [last], arguments: arguments, options, language)
    }

    package init(
        text: String, _ order: [QueryOrder], arguments: [QueryArgument], _ options: QueryOptions,
        _ language: QueryLanguage
    ) {
        self.text = text
        self.order = order
        self.arguments = arguments
        self.options = options
        self.language = language
    }

    /// Plans the query for one class. Throws `misuse` with the position of a mistake in the text.
    ///
    /// - Parameters:
    ///   - most: number of objects after which the query stops.
    ///   - usesIndexes: whether search indexes may be used. False to query leaves whose objects are
    ///     not in the indexes.
    ///   - meter: counts the objects that were examined.
    package func plan(
        _ table: TableInfo, _ snapshot: Snapshot, most: Int = .max, usesIndexes: Bool = true,
        meter: ProgressCounter? = nil
    ) throws(RealmError) -> QueryPlan {
        var clauses: [QueryClause] = []
        for part in order { clauses.append(try part.clause(table, snapshot.schema)) }
        if most < .max { clauses.append(.limit(most)) }
        var options = options
        options.meter = meter
        if !usesIndexes { options.usesIndexes = false }
        let bound: BoundQuery
        do throws(RealmError) {
            var query = try Query(text, clauses, arguments: arguments, dialect: language.dialect)
            query.zone = language.zone
            query.uuidOrder = language.uuidOrder
            bound = try query.bound(to: snapshot.table(table))
        } catch { throw Self.advised(error) }
        return try QueryPlan(bound, in: snapshot, options: options)
    }

    /// Adds examples of `--arg` to the hint of an error about a date; returns other errors
    /// unchanged.
    private static func advised(_ error: RealmError) -> RealmError {
        guard let hint = error.hint, hint.hasSuffix(QueryAdvice.dates) else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason, error.message,
            hint: hint + ": $0, with --arg 2024-06-01T10:00:00+02:00 or --arg 2024-06-01")
    }
}

/// The dialect of predicates, and the time zone and byte order of UUIDs that functions in
/// predicates use.
package struct QueryLanguage: Sendable {
    let dialect: QueryDialect
    let zone: ZoneRules
    let uuidOrder: UUIDOrder

    package init(_ command: ParsedCommand) {
        (dialect, zone) = (command.queryDialect, command.zone)
        uuidOrder = command.uuidOrder
    }
}

extension QueryOptions {
    /// Sets the memory limit and the directory for temporary files as in the command.
    package init(_ command: ParsedCommand) {
        self.init()
        memoryLimit = command.maxMemory
        spillDirectory = Terminal.temporaryDirectory
    }
}
