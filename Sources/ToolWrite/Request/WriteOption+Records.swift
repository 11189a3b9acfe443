import ToolKit

/// Options for reading, committing and rejecting records.
extension WriteOption {
    static let records: [any OptionDeclaration] = [
        inputFormat, delimiter, encoding, ragged, mode, classField, map, const, ignoreUnknown,
        links, commitRecords,
        commitInterval, commitBytes, singleTransaction, durability, ack, resume, onError, rejects,
        maxErrors, skipRecords,
    ]

    static let inputFormat = Option(
        "input-format", "i", OptionArgument<WriteRequest.InputFormat>.required("FMT", .choice),
        in: .input,
        "form of the input: ndjson, json, csv, tsv, changes",
        "Form of the input: `ndjson` (an object per line), `json` (an array of objects), "
            + "`csv` and `tsv` (with a header), `changes` (change records, one per line).",
        defaultText:
            "as the name of INPUT ends, in `.csv`, `.tsv` or `.json`, else `ndjson`; `changes` "
            + "with `-m apply`", uses: WriteUse.loads)

    static let delimiter = Option(
        "delimiter", nil, .required("CHAR", .delimiter), in: .input,
        "character between the fields of csv: ';', tab",
        "The character between the fields of `csv`; `tab` for a tab. Between semicolons a number may "
            + "have a decimal comma.",
        defaultText:
            "`,`, or what the header seems to have if it has no comma: a semicolon, a tab or "
            + "`|`, which a notice says", uses: WriteUse.loads)

    static let encoding = Option(
        "encoding", nil, OptionArgument<TextEncoding>.required("NAME", .choice), in: .input,
        "encoding of the input: utf-8, utf-16, windows-1252, latin-1",
        "Encoding of the input. A byte that it does not have ends the run with its offset.",
        defaultText: "`utf-8`; a table with a byte order mark of UTF-16 is `utf-16`",
        uses: WriteUse.loads)

    static let ragged = Option(
        "ragged", in: .input, "take rows with missing fields",
        "Take rows of a table that have fewer fields than its header: the others are null. Empty "
            + "fields beyond the header are passed over. Without this such a row is refused.",
        uses: WriteUse.loads)

    static let mode = Option(
        "mode", "m", OptionArgument<WriteRequest.Mode>.required("MODE", .choice), in: .input,
        "insert, upsert, merge, update, delete, apply",
        "What a record does. `insert` makes an object and refuses a primary key that exists. "
            + "`upsert` makes the object or replaces all its properties. `merge` makes it or "
            + "sets the properties that the record has. `update` is `merge` for existing "
            + "objects only, `delete` deletes them. `apply` carries out change records.",
        defaultText: WriteRequest.Mode.insert.rawValue, uses: WriteUse.loads)

    static let classField = Option(
        "class-field", nil, .required("NAME", .text), in: .input,
        "field that names the class of a record",
        "The field that names the class of a record. With `-` for CLASS every record needs "
            + "it; otherwise it is checked where there is one. JSON with an array for each class, "
            + "`{\"Person\":[...],\"Dog\":[...]}`, which Realm Studio exports, names the classes itself; "
            + "its `$refId` and `$ref` name objects of classes with a primary key. Load it with "
            + "`-m merge`, as an object inside of another may come again.",
        default: "$class", defaultText: "`$class`", uses: Uses([WriteUse.records]))

    static let map = Option(
        "map", nil, each: .required("NEW=OLD,...", .pairs), in: .input,
        "take property NEW from field OLD",
        "Take property NEW from the field OLD. Pairs are separated by commas.",
        uses: Uses([WriteUse.records]))

    static let const = Option(
        "const", nil, each: .required("P=JSON", .pair), in: .input,
        "set property P of every record",
        "Give property P of every record this value. It wins over a field of the record.",
        uses: Uses([WriteUse.records]))

    static let ignoreUnknown = Option(
        "ignore-unknown", in: .input, "pass over fields that are no property",
        "Pass over fields that are no property of the class, which otherwise get a record "
            + "refused.", uses: WriteUse.loads)

    static let links = Option(
        "links", nil, .required("MODE", .choice), in: .input,
        "links to missing objects: strict, create, null",
        "What becomes of a link to an object that does not exist. `strict` refuses the record "
            + "unless the object exists by the end of its commit, `create` makes an object "
            + "with that primary key, `null` leaves the link out.",
        default: WriteRequest.LinkMode.strict, uses: WriteUse.loads)

    static let commitRecords = Option(
        "commit-records", nil, .required("N", .count(1...Int.max)), in: .commits,
        "commit after N records", "Commit after N records.", default: 1000, uses: WriteUse.loads)

    static let commitInterval = Option(
        "commit-interval", nil, .required("DUR", .duration), in: .commits,
        "... or this long after the first waiting one",
        "Commit at the latest this long after the first record that waits for it.",
        default: .milliseconds(250), uses: WriteUse.loads)

    static let commitBytes = Option(
        "commit-bytes", nil, .required("SIZE", .size), in: .commits,
        "... or after this much input", "Commit after this much input.",
        default: 4 << 20, uses: WriteUse.loads)

    static let singleTransaction = Option(
        "single-transaction", "1", in: .commits, "all or nothing",
        "Make one commit at the end. The first refused record ends the run, and nothing has "
            + "changed.",
        excludes: [commitRecords, commitInterval, commitBytes])

    static let durability = Option(
        "durability", nil, .required("MODE", .choice), in: .commits,
        "full, or unsafe: no syncs",
        "`full` makes every commit survive a power failure. `unsafe` leaves out the syncs: a "
            + "power failure may then cost the whole database.",
        default: WriteRequest.Durability.full)

    static let ack = Option(
        "ack", in: .commits, "print a line for each commit",
        "Print one line of JSON on standard output for each commit, once it is durable: "
            + "`commit`, `version`, and the totals so far, `records`, `inserted`, `updated`, "
            + "`deleted` and `rejected`.", uses: WriteUse.loads)

    static let resume = Option(
        "resume", in: .commits, "go on where a stream was applied up to",
        "Keep beside FILE, in FILE.applied, up to which version of its source changes were applied, "
            + "and pass over those that have been: however often this is killed and started again, each "
            + "version takes effect once. Versions that do not follow are refused, unless a resync "
            + "begins anew. See STREAMS.",
        excludes: [singleTransaction, dryRun, skipRecords, onError], uses: Uses([WriteUse.changes]))

    static let onError = Option(
        "on-error", nil, .required("MODE", .choice), in: .refusals,
        "after a refused record: stop, skip",
        "What a refused record does. `stop` rolls back what was not committed yet and ends "
            + "the run, `skip` goes on. The exit status is 8 either way.",
        default: WriteRequest.OnError.stop, uses: WriteUse.loads)

    static let rejects = Option(
        "rejects", nil, .required("FILE", .file), in: .refusals,
        "add refused records to FILE",
        "Add each refused record to FILE, with its place and the reason, as a line of JSON. "
            + "FILE is made if it does not exist.", uses: WriteUse.loads)

    static let maxErrors = Option(
        "max-errors", nil, .required("N", .count(1...Int.max)), in: .refusals,
        "end the run at the Nth refused record",
        "With `--on-error skip`: end the run at the Nth refused record, after committing what "
            + "came before it.",
        default: .max, defaultText: "no limit", needs: [onError], uses: WriteUse.loads)

    static let skipRecords = Option(
        "skip-records", nil, .required("N", .count(0...Int.max)), in: .refusals,
        "pass over the first N records",
        "Pass over the first N records: N is the `records` of the last acknowledgement, or "
            + "the number an interrupted run printed.",
        default: 0, uses: WriteUse.loads)
}
