import ToolKit

/// Options for reading, committing and rejecting records.
extension WriteOption {
    static let records: [any OptionDeclaration] = [
        inputFormat, delimiter, encoding, ragged, mode, classField, map, const, ignoreUnknown,
        links, guid, commitRecords,
        commitInterval, commitBytes, singleTransaction, durability, ack, resume, onError, rejects,
        maxErrors, skipRecords,
    ]

    static let guid = SharedOptions.guid.saying(
        in: .input, "byte order of UUIDs: standard, dotnet",
        "Byte order of the stored UUIDs: `standard` or `dotnet`. With `dotnet`, a UUID in a "
            + "record, a value or a predicate is the GUID that .NET shows, and is stored as the .NET SDK "
            + "stored it before version 10.10. `realm-query --guid dotnet` prints such UUIDs.",
        uses: Uses([WriteUse.records, .changes, .bulk]))

    static let inputFormat = Option(
        "input-format", "i", OptionArgument<WriteRequest.InputFormat>.required("FMT", .choice),
        in: .input,
        "form of the input: ndjson, json, csv, tsv, changes",
        "Form of the input: `ndjson` (one object per line), `json` (an array of objects), `csv` "
            + "or `tsv` (with a header), `changes` (one change record per line).",
        defaultText:
            "by the extension of INPUT, `.csv`, `.tsv` or `.json`, else `ndjson`; `changes` with "
            + "`-m apply`", uses: WriteUse.loads)

    static let delimiter = Option(
        "delimiter", nil, .required("CHAR", .delimiter), in: .input,
        "character between the fields of csv: ';', tab",
        "Character between the fields of `csv`; `tab` for a tab. If it is a semicolon, numbers "
            + "may have a decimal comma.",
        defaultText:
            "a comma, or, if the header has none, its semicolon, tab or `|`, which a notice "
            + "reports",
        uses: WriteUse.loads)

    static let encoding = Option(
        "encoding", nil, OptionArgument<TextEncoding>.required("NAME", .choice), in: .input,
        "encoding of the input: utf-8, utf-16, windows-1252, latin-1",
        "Encoding of the input: `utf-8`, `utf-16`, `utf-16le`, `utf-16be`, `windows-1252` or "
            + "`latin-1`. An invalid byte ends the run, and the error names its offset.",
        defaultText: "`utf-8`; a table with a byte order mark of UTF-16 is `utf-16`",
        uses: WriteUse.loads)

    static let ragged = Option(
        "ragged", in: .input, "accept rows with missing fields",
        "Accept rows of a table with fewer fields than the header, and set the missing ones to "
            + "null. Also ignore empty fields beyond the header. Without this option such rows "
            + "are refused.",
        uses: WriteUse.loads)

    static let mode = Option(
        "mode", "m", OptionArgument<WriteRequest.Mode>.required("MODE", .choice), in: .input,
        "insert, upsert, merge, update, delete, apply",
        "Operation for each record. `insert` creates an object and refuses an existing primary "
            + "key. `upsert` creates the object or replaces all its properties. `merge` creates "
            + "it or sets the properties in the record. `update` is `merge` for existing objects "
            + "only. `delete` deletes existing objects. `apply` applies change records.",
        defaultText: WriteRequest.Mode.insert.rawValue, uses: WriteUse.loads)

    static let classField = Option(
        "class-field", nil, .required("NAME", .text), in: .input,
        "field that names the class of a record",
        "Field that names the class of a record. If CLASS is `-`, every record needs it; "
            + "otherwise the field is checked if present. JSON with one array per class, "
            + "`{\"Person\":[...],\"Dog\":[...]}`, as exported by Realm Studio, names the classes "
            + "itself. Its `$refId` and `$ref` identify objects of classes with a primary key. "
            + "Load such JSON with `-m merge`, because a nested object may occur several times.",
        default: "$class", defaultText: "`$class`", uses: Uses([WriteUse.records]))

    static let map = Option(
        "map", nil, each: .required("NEW=OLD,...", .pairs), in: .input,
        "take property NEW from field OLD",
        "Set property NEW from the field OLD of each record. Separate several pairs with commas.",
        uses: Uses([WriteUse.records]))

    static let const = Option(
        "const", nil, each: .required("P=JSON", .pair), in: .input,
        "set property P of every record",
        "Set property P of every record to this value. It overrides a field of the record.",
        uses: Uses([WriteUse.records]))

    static let ignoreUnknown = Option(
        "ignore-unknown", in: .input, "ignore fields that are not properties",
        "Ignore fields that are not properties of the class. Otherwise such a record is refused.",
        uses: WriteUse.loads)

    static let links = Option(
        "links", nil, .required("MODE", .choice), in: .input,
        "links to missing objects: strict, create, null",
        "Treatment of links to missing objects. `strict` refuses the record unless the object "
            + "exists at the end of its commit. `create` creates an object with that primary key. "
            + "`null` omits the link.",
        default: WriteRequest.LinkMode.strict, uses: WriteUse.loads)

    static let commitRecords = Option(
        "commit-records", nil, .required("N", .count(1...Int.max)), in: .commits,
        "commit after N records", "Commit after N records.", default: 1000, uses: WriteUse.loads)

    static let commitInterval = Option(
        "commit-interval", nil, .required("DUR", .duration), in: .commits,
        "... or this long after the first pending one",
        "Commit at the latest DUR after the first record that is not committed yet.",
        default: .milliseconds(250), uses: WriteUse.loads)

    static let commitBytes = Option(
        "commit-bytes", nil, .required("SIZE", .size), in: .commits,
        "... or after this much input", "Commit after SIZE bytes of input.",
        default: 4 << 20, uses: WriteUse.loads)

    static let singleTransaction = Option(
        "single-transaction", "1", in: .commits, "all or nothing",
        "Make one commit at the end. The first refused record ends the run without any change.",
        excludes: [commitRecords, commitInterval, commitBytes])

    static let durability = Option(
        "durability", nil, .required("MODE", .choice), in: .commits,
        "full, or unsafe: no syncs",
        "`full` syncs every commit, so that it survives a power failure. `unsafe` omits the "
            + "syncs; a power failure may then destroy the whole database.",
        default: WriteRequest.Durability.full)

    static let ack = Option(
        "ack", in: .commits, "print a line for each commit",
        "Print one line of JSON on standard output for each durable commit: `commit`, `version`, "
            + "and the totals so far of `records`, `inserted`, `updated`, `deleted` and "
            + "`rejected`.", uses: WriteUse.loads)

    static let resume = Option(
        "resume", in: .commits, "resume a stream after the last applied version",
        "Store the last applied version of the source beside FILE, in FILE.applied, and skip "
            + "changes that were already applied. Each version takes effect once, however often "
            + "the tool is killed and restarted. A version that does not follow the last one is "
            + "refused, unless a resync starts over. See STREAMS.",
        excludes: [singleTransaction, dryRun, skipRecords, onError], uses: Uses([WriteUse.changes]))

    static let onError = Option(
        "on-error", nil, .required("MODE", .choice), in: .refusals,
        "after a refused record: stop, skip",
        "Treatment of a refused record. `stop` rolls back uncommitted records and ends the run; "
            + "`skip` continues. In both cases the exit status is 8.",
        default: WriteRequest.OnError.stop, uses: WriteUse.loads)

    static let rejects = Option(
        "rejects", nil, .required("FILE", .file), in: .refusals,
        "append refused records to FILE",
        "Append each refused record to FILE as a line of JSON, with its position in the input and "
            + "the reason. FILE is created if missing. See REFUSED RECORDS.", uses: WriteUse.loads)

    static let maxErrors = Option(
        "max-errors", nil, .required("N", .count(1...Int.max)), in: .refusals,
        "end the run at the Nth refused record",
        "With `--on-error skip`: commit the preceding records and end the run at the Nth refused "
            + "record.",
        default: .max, defaultText: "no limit", needs: [onError], uses: WriteUse.loads)

    static let skipRecords = Option(
        "skip-records", nil, .required("N", .count(0...Int.max)), in: .refusals,
        "skip the first N records",
        "Skip the first N records. To continue an earlier run, N is the member `records` of its "
            + "last acknowledgement, or the number it printed when it was interrupted.",
        default: 0, uses: WriteUse.loads)
}
