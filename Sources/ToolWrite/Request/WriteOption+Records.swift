import RealmRecords
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
        "Form of the input: `ndjson` (one JSON object per line), `json` (an array of objects), "
            + "`csv` or `tsv` (with a header), `changes` (one change record per line).",
        defaultText:
            "by the extension of INPUT, `.csv`, `.tsv` or `.json`, else `ndjson`; `changes` with "
            + "`-m apply`", uses: WriteUse.loads)

    static let delimiter = Option(
        "delimiter", nil, .required("CHAR", .delimiter), in: .input,
        "character between the fields of csv: ';', tab",
        "Character between the fields of `csv`; the word `tab` means a tab. If CHAR is a "
            + "semicolon, numbers may be written with a decimal comma.",
        defaultText:
            "a comma; if the header line has no comma, the semicolon, tab or `|` that it has, and "
            + "a notice reports it",
        uses: WriteUse.loads)

    static let encoding = Option(
        "encoding", nil, OptionArgument<TextEncoding>.required("NAME", .choice), in: .input,
        "encoding of the input: utf-8, utf-16, windows-1252, latin-1",
        "Encoding of the input: `utf-8`, `utf-16`, `utf-16le`, `utf-16be`, `windows-1252` or "
            + "`latin-1`. A byte that is invalid in the encoding ends the run, and the error names "
            + "its offset in the input.",
        defaultText: "`utf-8`; a table with a byte order mark of UTF-16 is `utf-16`",
        uses: WriteUse.loads)

    static let ragged = Option(
        "ragged", in: .input, "accept rows with missing fields",
        "Accept table rows that have fewer fields than the header, and set the missing properties "
            + "to null. Also accept rows with additional fields, if these are empty. Without this "
            + "option such rows are refused.",
        uses: WriteUse.loads)

    static let mode = Option(
        "mode", "m", OptionArgument<WriteRequest.Mode>.required("MODE", .choice), in: .input,
        "insert, upsert, merge, update, delete, apply",
        "Operation for each record. With `insert`, a new object is created; a record whose primary "
            + "key exists is refused. With `upsert`, a missing object is created; an existing one "
            + "gets all properties of the record, and its other properties become null, zero or "
            + "empty. With `merge`, a missing object is created; in an existing one, only the "
            + "properties of the record are set. With `update`, only the properties of the record "
            + "are set; a record without an existing object is refused. With `delete`, the object "
            + "is deleted; a record without an existing object is refused. With `apply`, the input "
            + "is change records.",
        defaultText: WriteRequest.Mode.insert.rawValue, uses: WriteUse.loads)

    static let classField = Option(
        "class-field", nil, .required("NAME", .text), in: .input,
        "field that names the class of a record",
        "Field that names the class of a record. If CLASS is `-`, every record must have this "
            + "field. If CLASS is a name, the field is optional, and a record in which it names "
            + "another class is refused. The field is not needed in JSON with one array per class, "
            + "`{\"Person\":[...],\"Dog\":[...]}`, as exported by Realm Studio. In such JSON, "
            + "`$refId` and `$ref` identify objects of classes with a primary key. Load it with "
            + "`-m merge`, because the same nested object may occur several times.",
        default: "$class", defaultText: "`$class`", uses: Uses([WriteUse.records]))

    static let map = Option(
        "map", nil, each: .required("NEW=OLD,...", .pairs), in: .input,
        "take property NEW from field OLD",
        "Set property NEW from the field OLD of each record. Separate several pairs with commas.",
        uses: Uses([WriteUse.records]))

    static let const = Option(
        "const", nil, each: .required("P=JSON", .pair), in: .input,
        "set property P of every record",
        "Set property P of every object to this JSON value. If the record has a field P, the field "
            + "is ignored.",
        uses: Uses([WriteUse.records]))

    static let ignoreUnknown = Option(
        "ignore-unknown", in: .input, "ignore fields that are not properties",
        "Ignore fields that are not properties of the class. Otherwise such a record is refused.",
        uses: WriteUse.loads)

    static let links = Option(
        "links", nil, .required("MODE", .choice), in: .input,
        "links to missing objects: strict, create, null",
        "Treatment of links to missing objects. With `strict`, the record is refused unless the "
            + "linked object exists at the end of the commit. With `create`, a missing object is "
            + "created with that primary key and no other values. With `null`, the link is left "
            + "out.",
        default: WriteRequest.LinkMode.strict, uses: WriteUse.loads)

    static let commitRecords = Option(
        "commit-records", nil, .required("N", .count(1...Int.max)), in: .commits,
        "commit after N records", "Commit after N records.", default: 1000, uses: WriteUse.loads)

    static let commitInterval = Option(
        "commit-interval", nil, .required("DUR", .duration), in: .commits,
        "... or this long after the first pending one",
        "Commit at the latest DUR after the first record of the commit was read.",
        default: .milliseconds(250), uses: WriteUse.loads)

    static let commitBytes = Option(
        "commit-bytes", nil, .required("SIZE", .size), in: .commits,
        "... or after this much input", "Commit after SIZE bytes of input.",
        default: 4 << 20, uses: WriteUse.loads)

    static let singleTransaction = Option(
        "single-transaction", "1", in: .commits, "all or nothing",
        "Commit all records together, at the end of the input. The first refused record ends the "
            + "run, and the database is not changed.",
        excludes: [commitRecords, commitInterval, commitBytes])

    static let durability = Option(
        "durability", nil, .required("MODE", .choice), in: .commits,
        "full, or unsafe: no syncs",
        "With `full`, each commit is synced to the disk, so that it survives a power failure. With "
            + "`unsafe`, commits are not synced, and a power failure may destroy the whole "
            + "database.",
        default: WriteRequest.Durability.full)

    static let ack = Option(
        "ack", in: .commits, "print a line for each commit",
        "Print one line of JSON on standard output for each durable commit. Its members are "
            + "`commit`, `version`, and the numbers of `records`, `inserted`, `updated`, `deleted` "
            + "and `rejected` since the start of the run.", uses: WriteUse.loads)

    static let resume = Option(
        "resume", in: .commits, "resume a stream after the last applied version",
        "Store the number of the last applied version of the source database beside FILE, in the "
            + "file FILE.applied. After a restart, changes up to that version are skipped, so each "
            + "version takes effect once, even if the tool is killed and restarted. A version that "
            + "does not follow the last applied version is refused, unless a `resync` record "
            + "starts over. See STREAMS.",
        excludes: [singleTransaction, dryRun, skipRecords, onError], uses: Uses([WriteUse.changes]))

    static let onError = Option(
        "on-error", nil, .required("MODE", .choice), in: .refusals,
        "after a refused record: stop, skip",
        "Treatment of a refused record. With `stop`, records that are not committed yet are rolled "
            + "back and the run ends. With `skip`, the run continues with the next record. In both "
            + "cases the exit status is 8.",
        default: WriteRequest.OnError.stop, uses: WriteUse.loads)

    static let rejects = Option(
        "rejects", nil, .required("FILE", .file), in: .refusals,
        "append refused records to FILE",
        "Append each refused record to FILE as a line of JSON, with its position in the input and "
            + "the reason. FILE is created if missing. See REFUSED RECORDS.", uses: WriteUse.loads)

    static let maxErrors = Option(
        "max-errors", nil, .required("N", .count(1...Int.max)), in: .refusals,
        "end the run at the Nth refused record",
        "With `--on-error skip`: at the Nth refused record, commit the records before it and end "
            + "the run.",
        default: .max, defaultText: "no limit", needs: [onError], uses: WriteUse.loads)

    static let skipRecords = Option(
        "skip-records", nil, .required("N", .count(0...Int.max)), in: .refusals,
        "skip the first N records",
        "Skip the first N records. To continue an earlier run, set N to the member `records` of "
            + "the last line that `--ack` printed, or to the number that the run printed when it "
            + "was interrupted.",
        default: 0, uses: WriteUse.loads)
}
