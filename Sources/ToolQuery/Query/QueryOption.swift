import ToolKit

/// The options of `realm-query`.
enum QueryOption {
    static let table: [any OptionDeclaration] =
        selection + changes + remains + fieldsAndValues + recordsAndOutput + [
            SharedOptions.key, SharedOptions.access, SharedOptions.wait, SharedOptions.threads,
            SharedOptions.maxMemory,
        ] + SharedOptions.general + [SharedOptions.progress]
}

/// The ways to use `realm-query`. They determine which options apply.
enum QueryUse: Int, CommandUse, CaseIterable {
    case classes, objects, aggregates, batch, everything, directory, schema, digests, diff, watch,
        groups, remnants

    var objection: String {
        switch self {
        case .classes, .everything: "needs a CLASS"
        case .objects: "cannot be used with a CLASS"
        case .groups: "cannot be used with \(QueryOption.groupBy.spelling)"
        case .aggregates: "cannot be used with \(QueryOption.aggregate.spelling)"
        case .batch: "cannot be used with \(QueryOption.batch.spelling)"
        case .directory: "cannot be used with \(QueryOption.outputDirectory.spelling)"
        case .schema, .digests:
            "cannot be used with \(QueryOption.schema.spelling) or \(QueryOption.digest.spelling)"
        case .diff: "cannot be used with \(QueryOption.diff.spelling)"
        case .watch: "cannot be used with \(QueryOption.watch.spelling)"
        case .remnants: "cannot be used with \(QueryOption.remnants.spelling)"
        }
    }

    static func all(but use: Self) -> Uses { Uses(allCases.filter { $0 != use }) }

    /// Ways to use `realm-query` that run one query and print its result.
    static let queries = Uses([Self.objects, .aggregates, .groups])
    /// Ways to use `realm-query` with a predicate on the command line.
    static let predicates = Uses([Self.objects, .aggregates, .groups, .diff, .watch, .remnants])
    /// Ways to use `realm-query` with predicates, on the command line or in the requests of
    /// `--batch`.
    static let conditions = Uses([
        Self.objects, .aggregates, .groups, .diff, .watch, .remnants, .batch,
    ])
    /// Ways to use `realm-query` that print a list, of which a part can be selected.
    static let lists = Uses([Self.classes, .objects, .groups, .everything, .remnants])
    /// Ways to use `realm-query` whose exit status can report that nothing was found.
    static let outcomes = Uses([
        Self.classes, .objects, .aggregates, .groups, .everything, .directory, .remnants,
    ])
    static let counts = Uses([Self.classes, .objects, .batch, .everything, .diff, .remnants])
    /// Ways to use `realm-query` that print values.
    static let values = Uses([
        Self.objects, .groups, .batch, .everything, .directory, .diff, .watch, .remnants,
    ])
    /// Ways to use `realm-query` that print UUIDs or compare them.
    static let uuids = Uses([
        Self.objects, .aggregates, .groups, .batch, .everything, .directory, .diff, .watch,
        .remnants,
    ])
    /// Ways to use `realm-query` that print property values of objects.
    static let objectValues = Uses([
        Self.objects, .batch, .everything, .directory, .diff, .watch, .remnants,
    ])
    /// Ways to use `realm-query` that can print values as cells of a table.
    static let cells = Uses([Self.objects, .everything, .directory, .diff, .watch, .remnants])
    /// Ways to use `realm-query` that print objects of one class.
    static let single = Uses([Self.objects, .batch, .diff, .watch, .remnants])
    /// Ways to use `realm-query` that print whole objects.
    static let objectsAlone = Uses([Self.objects, .batch, .everything, .directory])
    /// Ways to use `realm-query` that permit several files.
    static let severalFiles = Uses([
        Self.classes, .objects, .everything, .schema, .digests,
    ])
    /// Ways to use `realm-query` that can print the location of objects in the file.
    static let placed = Uses([Self.objects, .everything])
    /// Ways to use `realm-query` for which a version can be selected.
    static let versions = Uses(allCases.filter { $0 != .watch && $0 != .remnants })
    static let everyClass = Uses([Self.everything, .directory])
}

extension QueryUse {
    /// Determines the way in which a command line uses `realm-query`, such as `watch`.
    init(_ command: ParsedCommand) {
        if command[QueryOption.watch] {
            self = .watch
        } else if command.isAnyGiven([QueryOption.diff, QueryOption.since]) {
            self = .diff
        } else if command[QueryOption.remnants] {
            self = .remnants
        } else if command[QueryOption.batch] {
            self = .batch
        } else if command[QueryOption.schema] {
            self = .schema
        } else if command[QueryOption.digest] {
            self = .digests
        } else if command[QueryOption.all] {
            self = command.isGiven(QueryOption.outputDirectory) ? .directory : .everything
        } else if command.operand(1) == nil {
            self = .classes
        } else {
            let isGrouped = command.isGiven(QueryOption.groupBy)
            self =
                !command.isGiven(QueryOption.aggregate)
                ? .objects : isGrouped ? .groups : .aggregates
        }
    }
}
