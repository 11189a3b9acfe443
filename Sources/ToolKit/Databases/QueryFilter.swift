import RealmEngine

/// A query with its arguments, under the options of a command.
package struct QueryFilter {
    package let text: String
    package let arguments: [QueryArgument]
    /// SORT and DISTINCT after the text.
    private let order: [QueryOrder]
    private let options: QueryOptions
    private let language: QueryLanguage

    /// Another query, under the options of the command.
    package init(
        text: String, _ order: [QueryOrder] = [], arguments: [QueryArgument],
        _ command: ParsedCommand
    ) {
        self.init(
            text: text, order, arguments: arguments, QueryOptions(command), QueryLanguage(command))
    }

    /// The same with more behind it.
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

    /// The plan for one class, of which `most` objects are enough. Throws `misuse` with the place of
    /// a mistake.
    ///
    /// - Parameters:
    ///   - usesIndexes: false for leaves that no index knows of.
    ///   - meter: told how many objects were looked at.
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
            bound = try query.bound(to: snapshot.table(table))
        } catch { throw Self.advised(error) }
        return try QueryPlan(bound, in: snapshot, options: options)
    }

    /// The error with the options by which dates are given, if it is about a date.
    private static func advised(_ error: RealmError) -> RealmError {
        guard let hint = error.hint, hint.hasSuffix(QueryAdvice.dates) else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason, error.message,
            hint: hint + ": $0, with --arg 2024-06-01T10:00:00+02:00 or --arg 2024-06-01")
    }
}

/// The language of predicates, and the time zone of its functions.
package struct QueryLanguage: Sendable {
    let dialect: QueryDialect
    let zone: ZoneRules

    package init(_ command: ParsedCommand) {
        (dialect, zone) = (command.queryDialect, command.zone)
    }
}

extension QueryOptions {
    /// Memory and temporary files as the command allows.
    package init(_ command: ParsedCommand) {
        self.init()
        memoryLimit = command.maxMemory
        spillDirectory = Terminal.temporaryDirectory
    }
}
