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
        "Order the objects by the key paths in LIST, which are separated by commas. With `-PATH`, "
            + "the order is descending. The option has the same effect as SORT at the end of the "
            + "predicate, but a path may also end in a count or an aggregate of a collection: "
            + "`friends.@count`, `scores.@max`. `PATH[cd]` ignores case and accents, and `PATH[n]` "
            + "compares digits as numbers; see ORDER OF TEXTS.",
        uses: QueryUse.queries)

    static let distinct = Option(
        "distinct", nil, .required("LIST", .keyPaths), in: .selection,
        "the first object of each combination",
        "If several objects have equal values at all key paths in LIST, print only the first of "
            + "them. The key paths are separated by commas. The option has the same effect as "
            + "DISTINCT at the end of the predicate, and is applied after `--sort`. `PATH[c]`, "
            + "`PATH[cd]` and `PATH[n]` compare texts by the rules of ORDER OF TEXTS.",
        uses: QueryUse.queries)

    static let arg = SharedOptions.arg.saying(
        "bind $0, $1 ... to a text",
        "Set the value of `$0` in the predicate to TEXT. The next `--arg` or `--argjson` sets "
            + "`$1`, and so on. TEXT is converted to the type of the property it is compared with. "
            + "A date without a time is midnight, and a date without a zone is in UTC. If the "
            + "predicate has `$K0` in place of `$0`, TEXT is a key path, and likewise for `$K1` "
            + "and so on. TEXT needs no quoting, so scripts can pass untrusted text safely.",
        uses: QueryUse.predicates)

    static let argjson = SharedOptions.argjson.saying(
        "bind $0, $1 ... to a JSON value",
        "Like `--arg`, but the value is JSON: a number, a string, `true`, `false`, `null`, an "
            + "array of these, or a value of another type in the extended form of VALUES in "
            + "`realm-tools(7)`.",
        uses: QueryUse.predicates)

    static let caseRule = SharedOptions.caseRule.meant(for: QueryUse.conditions)

    static let zone = SharedOptions.zone.meant(for: QueryUse.conditions)

    static let queryFile = Option(
        "query-file", "Q", .required("FILE", .file), in: .selection,
        "read the predicate from a file",
        "Read the predicate from FILE; `-` is standard input.",
        uses: QueryUse.predicates)

    static let aggregate = Option(
        "aggregate", nil, .required("LIST", .text), in: .selection,
        "\(AggregateFunction.names) of properties",
        "Print one record with the aggregates in LIST, such as `count,avg(age)`. The section "
            + "AGGREGATES lists the functions.",
        excludes: [all, schema, digest],
        uses: Uses([QueryUse.aggregates, .groups]))

    static let groupBy = Option(
        "group-by", nil, .required("LIST", .keyPaths), in: .selection,
        "with --aggregate: a record for each group",
        "With `--aggregate`: print one record for each combination of values of the key paths in "
            + "LIST, which are separated by commas. The record contains these values, and the "
            + "aggregates over the objects that have these values. If a path leads through a null "
            + "link, its value is null. Groups are printed in the order of their values, or in the "
            + "order of `--sort`, which may also name aggregates: `--sort '-count'`. `--limit` and "
            + "`--offset` count groups. With `PATH[cd]`, texts that differ only in case or accents "
            + "form one group, and its first text is printed; see ORDER OF TEXTS. Groups that do "
            + "not fit into `--max-memory` go to a temporary file in `TMPDIR`. See AGGREGATES.",
        needs: [aggregate])

    static let batch = Option(
        "batch", in: .selection, "answer queries from standard input",
        "Read one JSON object per line from standard input, such as "
            + "`{\"id\":1,\"class\":\"Email\",\"where\":\"_id == $0\",\"args\":[\"65e5...\"]}`. "
            + "Each object is a query, and is answered by one line: "
            + "`{\"id\":1,\"count\":1,\"objects\":[...]}`, or an `error`. The section BATCH "
            + "REQUESTS lists the members of a request. Options such as `--fields` and `--count` "
            + "apply to each request that does not set them. Exit status 8 means that at least one "
            + "request failed.",
        excludes: [all, schema, digest, aggregate, outputDirectory],
        uses: Uses([QueryUse.batch]))

    static let explain = Option(
        "explain", in: .selection, "print the query plan",
        "In addition to the result, print the query plan on standard error: the index that is used "
            + "to find candidate objects, and the order in which the conditions are tested on "
            + "each.",
        uses: QueryUse.queries)

    static let limit = Option(
        "limit", "L", .required("N", .count(0...Int.max)), in: .selection,
        "stop after N objects", "Stop after N objects.", default: .max, defaultText: "no limit",
        uses: QueryUse.lists)

    static let offset = Option(
        "offset", nil, .required("N", .count(0...Int.max)), in: .selection,
        "skip the first N objects",
        "Skip the first N objects. `--limit` then counts only the objects that are not skipped.",
        default: 0,
        uses: QueryUse.lists)

    static let all = Option(
        "all", "a", in: .selection, "every object of every class",
        "Print every object of every class, in the order of the names of classes. In `json` and "
            + "`ndjson` each object begins with the member `$class`. If the class has no primary "
            + "key, the object has the member `_key`, and links to it contain this key. Without "
            + "`--all`, `_key` is printed only if `-F` selects it. Embedded objects are printed "
            + "inside their parents.",
        excludes: [schema, digest],
        uses: QueryUse.everyClass)

    static let count = Option(
        "count", "c", in: .selection, "print only the number of objects",
        "Print only the number of objects.", excludes: [schema, digest],
        uses: QueryUse.counts)

    static let exitStatus = Option(
        "exit-status", "e", in: .selection, "exit with 1 if nothing matched",
        "Exit with status 1 if no object was printed. The option does not change the output.",
        uses: QueryUse.outcomes)

    static let schema = Option(
        "schema", "S", in: .selection, "print the schema",
        "Print the schema of all classes or of CLASS as text, or as JSON with `--json`. Classes "
            + "are sorted by name; properties have the order of their columns in the file. In "
            + "text, `*` marks the primary key, and `?` after a type means that the value may be "
            + "null. With `--format swift`, `kotlin`, `typescript` or `csharp`, print classes for "
            + "the Realm SDK of that language.",
        excludes: [digest],
        uses: Uses([QueryUse.schema]))

    static let digest = Option(
        "digest", in: .selection, "print digests of the content",
        "Print one digest for each class and one for the whole database. A digest depends only on "
            + "the content, so compaction, a change of the encryption key or a format conversion "
            + "does not change it. See DIGESTS.",
        uses: Uses([QueryUse.digests]))

    static let internals = Option(
        "internal", in: .selection, "include Realm's internal tables",
        "Include Realm's internal tables, such as `metadata`.")

    static let withFilename = Option(
        "with-filename", in: .selection, "all operands are FILEs, with their names",
        "Treat every operand as a FILE, and add the name of the file to each line and record. With "
            + "`--count`, a line begins with the name and a colon. Tables have a column `file`, "
            + "and records a member `$file`. This is the default with `--all` and more than one "
            + "FILE. An error in one FILE does not stop the others; the exit status is the most "
            + "serious one.",
        excludes: [noFilename], uses: QueryUse.severalFiles)

    static let noFilename = Option(
        "no-filename", in: .selection, "all operands are FILEs, without their names",
        "Treat every operand as a FILE, and do not add file names to the output. `realm-write` "
            + "accepts only records without them.",
        uses: QueryUse.severalFiles)

    static let className = Option(
        "class", nil, .required("CLASS", .text), in: .selection,
        "all operands are FILEs; query CLASS in each",
        "Treat every operand as a FILE, and query CLASS in each.",
        excludes: [all], uses: QueryUse.severalFiles)

    static let predicate = Option(
        "where", nil, .required("PREDICATE", .text), in: .selection,
        "with --class: condition for the objects",
        "With `--class`: print only the objects that match PREDICATE.",
        needs: [className], uses: Uses([QueryUse.objects]))
}
