import RealmEngine
import ToolKit

/// Options that select the objects to print.
extension QueryOption {
    static let selection: [any OptionDeclaration] = [
        sort, distinct, arg, argjson, queryFile, caseRule, zone, aggregate, groupBy, batch, explain,
        limit, offset,
        all,
        count,
        exitStatus, schema, digest, internals, withFilename, noFilename, className, predicate,
    ]

    static let sort = Option(
        "sort", "s", .required("LIST", .sortKeys), in: .selection,
        "order by these key paths, -PATH descending",
        "Order the objects by the key paths in LIST, which are separated by commas; `-PATH` is "
            + "descending. The same as SORT at the end of the predicate, but that a path may also end "
            + "in a count or an aggregate of a collection: `friends.@count`, `scores.@max`.",
        uses: QueryUse.queries)

    static let distinct = Option(
        "distinct", nil, .required("LIST", .keyPaths), in: .selection,
        "the first object of each combination",
        "Keep only the first object of each combination of values of the key paths in LIST. The "
            + "same as DISTINCT at the end of the predicate, after `--sort`.",
        uses: QueryUse.queries)

    static let arg = SharedOptions.arg.saying(
        "bind $0, $1 ... to a text",
        "Bind the next of `$0`, `$1` and so on in the predicate to TEXT, read as a value of the "
            + "type it is compared with, or as a key path where it is written `$K0`, `$K1` and so "
            + "on. A date without a time is its midnight, and one without a zone is in UTC. No quoting is needed and none is possible: this is "
            + "how a script passes text it did not write.",
        uses: QueryUse.predicates)

    static let argjson = SharedOptions.argjson.saying(
        "bind $0, $1 ... to a JSON value",
        "As `--arg`, with a JSON value: a number, a string, `true`, `false`, `null`, an array of "
            + "those, or the extended form of another type.",
        uses: QueryUse.predicates)

    static let caseRule = SharedOptions.caseRule.meant(for: QueryUse.conditions)

    static let zone = SharedOptions.zone.meant(for: QueryUse.conditions)

    static let queryFile = Option(
        "query-file", "Q", .required("FILE", .file), in: .selection,
        "read the predicate from a file",
        "Read the predicate from FILE, `-` for standard input.",
        uses: QueryUse.predicates)

    static let aggregate = Option(
        "aggregate", nil, .required("LIST", .text), in: .selection,
        "\(AggregateFunction.names) of properties",
        "Print one record with the aggregates in LIST, separated by commas. P is a property with "
            + "single values. See AGGREGATES. One pass computes all.",
        excludes: [all, schema, digest],
        uses: Uses([QueryUse.aggregates, .groups]))

    static let groupBy = Option(
        "group-by", nil, .required("LIST", .keyPaths), in: .selection,
        "with --aggregate: a record for each group",
        "With `--aggregate`: print one record for each combination of values of the key paths in "
            + "LIST, which are separated by commas, with the aggregates of the objects that have "
            + "it. What lies behind a null link is null. Groups are in the order of their keys, or in "
            + "that of `--sort`, which may name the aggregates too: `--sort '-count'`. `--limit` and "
            + "`--offset` count groups. What does not fit into `--max-memory` goes to a temporary "
            + "file in `TMPDIR`. See AGGREGATES.",
        needs: [aggregate])

    static let batch = Option(
        "batch", in: .selection, "answer queries from standard input",
        "Read one JSON object per line from standard input, such as "
            + "`{\"id\":1,\"class\":\"Email\",\"where\":\"_id == $0\",\"args\":[\"65e5...\"]}`, and answer "
            + "each with one line: `{\"id\":1,\"count\":1,\"objects\":[...]}`, or with an `error`. "
            + "Requests may have members named as options. See BATCH REQUESTS. `--fields`, "
            + "`--count` and their like hold for every request that does not say otherwise. Exit "
            + "status 8 says that some request could not be answered.",
        excludes: [all, schema, digest, aggregate, outputDirectory],
        uses: Uses([QueryUse.batch]))

    static let explain = Option(
        "explain", in: .selection, "say how the query is run",
        "Say on standard error how the query is run: which index finds candidates and in what "
            + "order conditions are tested.",
        uses: QueryUse.queries)

    static let limit = Option(
        "limit", "L", .required("N", .count(0...Int.max)), in: .selection,
        "stop after N objects", "Stop after N objects.", default: .max, defaultText: "no limit",
        uses: QueryUse.lists)

    static let offset = Option(
        "offset", nil, .required("N", .count(0...Int.max)), in: .selection,
        "skip the first N objects", "Skip the first N objects. `--limit` counts what follows.",
        default: 0,
        uses: QueryUse.lists)

    static let all = Option(
        "all", "a", in: .selection, "every object of every class",
        "Read every object of every class, class by class in the order of their names. In "
            + "`json` and `ndjson` each object begins with the member `$class`. Objects of a "
            + "class without a primary key have the member `_key`, which is what links to them "
            + "name; with CLASS it is left out unless `-F` asks for it. Embedded objects are printed inside the objects that hold them.",
        excludes: [schema, digest],
        uses: QueryUse.everyClass)

    static let count = Option(
        "count", "c", in: .selection, "print only the number of objects",
        "Print only the number of objects.", excludes: [schema, digest],
        uses: QueryUse.counts)

    static let exitStatus = Option(
        "exit-status", "e", in: .selection, "exit with 1 if nothing matched",
        "Exit with status 1 if there was no object to print. The output is the same as "
            + "without the option.",
        uses: QueryUse.outcomes)

    static let schema = Option(
        "schema", "S", in: .selection, "print the schema",
        "Print the schema, of all classes or of CLASS: as text, or as JSON with `--json`. The "
            + "order never changes: classes by name, properties in the order of their "
            + "columns. In the text `*` marks the primary key, `?` a value that may be null. With "
            + "`--format swift`, `kotlin`, `typescript` or `csharp` it is classes for the Realm SDK of "
            + "that language.",
        excludes: [digest],
        uses: Uses([QueryUse.schema]))

    static let digest = Option(
        "digest", in: .selection, "print digests of the content",
        "Print one digest for each class and one for the whole. They depend on the content "
            + "alone, so they are equal before and after compaction, a change of key or a "
            + "conversion to another format. See DIGESTS.",
        uses: Uses([QueryUse.digests]))

    static let internals = Option(
        "internal", in: .selection, "include the tables Realm keeps for itself",
        "Include the tables that Realm keeps for itself, such as `metadata`.")

    static let withFilename = Option(
        "with-filename", in: .selection, "every operand is a FILE, and named",
        "Take every operand for a FILE, and begin each line and record with its name: a count with the "
            + "path and a colon, a report with a column `file`, a record with the member `$file`. "
            + "With `--all` and more than one FILE this is the default. The error of a FILE does not stop "
            + "the others; the exit status is that of the most serious one.",
        excludes: [noFilename], uses: QueryUse.severalFiles)

    static let noFilename = Option(
        "no-filename", in: .selection, "every operand is a FILE, not named",
        "Take every operand for a FILE, and leave its name out, as `realm-write` needs it.",
        uses: QueryUse.severalFiles)

    static let className = Option(
        "class", nil, .required("CLASS", .text), in: .selection,
        "every operand is a FILE, CLASS is asked about",
        "Take every operand for a FILE, and ask about CLASS in each.",
        excludes: [all], uses: QueryUse.severalFiles)

    static let predicate = Option(
        "where", nil, .required("PREDICATE", .text), in: .selection,
        "with --class: which objects",
        "With `--class`: ask about the objects that match PREDICATE.",
        needs: [className], uses: Uses([QueryUse.objects]))
}
