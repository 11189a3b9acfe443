import RealmEngine

/// A query with its arguments, under the options of a command.
package struct QueryFilter {
    package let text: String
    package let arguments: [QueryArgument]
    private let options: QueryOptions

    /// Another query, under the options of the command.
    package init(text: String, arguments: [QueryArgument], _ command: ParsedCommand) {
        self.text = text
        self.arguments = arguments
        options = QueryOptions(command)
    }

    /// The same with more behind it.
    func ending(with words: String) -> QueryFilter {
        QueryFilter(text: "\(text) \(words)", arguments: arguments, options)
    }

    private init(text: String, arguments: [QueryArgument], _ options: QueryOptions) {
        self.text = text
        self.arguments = arguments
        self.options = options
    }

    /// The plan for one class, of which `most` objects are enough. Throws `misuse` with the place of
    /// a mistake.
    ///
    /// - Parameter meter: told how many objects were looked at.
    package func plan(
        _ table: TableInfo, _ snapshot: Snapshot, most: Int = .max, meter: WorkMeter? = nil
    ) throws(RealmError) -> QueryPlan {
        let limited = most == .max ? text : "\(text) LIMIT(\(most))"
        var options = options
        options.meter = meter
        let query = try Query(limited, arguments: arguments)
        return try QueryPlan(
            try query.bound(to: snapshot.table(table)), in: snapshot, options: options)
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
