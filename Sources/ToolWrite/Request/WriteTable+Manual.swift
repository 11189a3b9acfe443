import ToolKit

extension WriteTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-write` adds, changes and deletes objects of a Realm database from records. It "
                + "also changes the objects that match a predicate, and edits the schema. Programs "
                + "that have the file open see every commit. Only one program at a time can write; "
                + "the tool waits for other writers for up to a second, or as long as `--wait` "
                + "allows."),
        .paragraph(
            "With INPUT, each record becomes one change. Records are grouped into commits, and "
                + "each commit is durable before it is acknowledged. A record that does not fit "
                + "its class is refused. The message names its line and column, the property, and "
                + "the expected and found values."),
        .paragraph(
            "Options that edit the schema take effect first, in one commit of their own. They are "
                + "applied in this order: `--rename`, `--drop`, `--optional` and `--required`, "
                + "added classes and properties, indexes, `--schema-version`. Changes that lose "
                + "data are refused without `--force`. `-n` prints the planned changes and makes "
                + "none."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("INPUT", input),
        ManualSection("COMMITS", commits),
        ManualSection("CHANGE RECORDS", changes),
        ManualSection("STREAMS", streams),
        ManualSection("REFUSED RECORDS", refusals),
        ManualSection("CHANGING TYPES", typeChanges),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-write"),
    ]

    private static let input: [ManualBlock] = [
        .paragraph(
            "The fields of a record are the properties of its class. Values have the plain or the "
                + "extended form that VALUES in `realm-tools(7)` describes; they are converted to "
                + "the type of the property. In a new object, properties without a field are null, "
                + "zero or empty."),
        .paragraph(
            "A link is the primary key of its target, `{\"$link\":...}`, `{\"_key\":N}`, or the "
                + "target object itself, which is then created or merged. A record may link to an "
                + "object that a later record of the same commit creates. To restore a dump of a "
                + "whole database, use `-1`: all records are then in the same commit."),
        .paragraph(
            "In a class without a primary key, the field `_key` is the object key. With `-m "
                + "insert` the object is created with that key, and in the other modes the object "
                + "is found by the key. The links in a dump therefore keep their targets."),
        .paragraph(
            "In `csv` and `tsv` the header names the fields. A collection is a field that contains "
                + "JSON, or the elements separated by semicolons; an empty field is an empty "
                + "collection. In `csv`, the field `\"\"` is a collection with one empty string. "
                + "An embedded object is a field that contains JSON. If CLASS is `CLASS.PROP`, the "
                + "table contains the elements of one collection property for all objects, as "
                + "`realm-query --output-dir` writes it. Its columns are `owner` (the primary key "
                + "of the object, else its object key), `index` for a list or `key` for a "
                + "dictionary, and `value`. The rows with the same owner replace the whole "
                + "collection of that object; all rows are written in one commit. CLASS may also "
                + "be the name of a file from `--output-dir`, without its extension. To restore a "
                + "whole directory, write the classes with `-m upsert --links create`, then the "
                + "collections."),
        .paragraph(
            "Spreadsheet tables are read as they are: with a byte order mark, with line ends LF, "
                + "CRLF or CR, and with empty lines. If the header has no comma but a semicolon, a "
                + "tab or `|`, that character separates the fields, and a notice says so. If "
                + "semicolons separate the fields, `3,14` is a number. A column whose header is "
                + "empty is ignored, unless `--map PROP=N` selects it by its number N, counted "
                + "from 1. For tables of another form, use `--delimiter`, `--encoding` and "
                + "`--ragged`."
        ),
        .paragraph(
            "A mixed value has the type of its JSON value; `$numberDouble` is a double, "
                + "`$numberFloat` a float. In `csv` and `tsv`, the field of a mixed property is "
                + "JSON if it begins with a bracket or a quote and is valid JSON. Otherwise a "
                + "field such as `42` or `true` is a number or a boolean, and any other field is a "
                + "string."),
    ]

    private static let commits: [ManualBlock] = [
        .paragraph(
            "A commit is made when the limit of `--commit-records`, `--commit-interval` or "
                + "`--commit-bytes` is reached, and at the end. Each commit is all or nothing and "
                + "has its own version. Commits that are ready at the same time are written and "
                + "synced together, so that small commits are cheap. If writing or syncing fails, "
                + "none of these commits takes effect. Other programs see such commits at the same "
                + "time, as one new version. After the sync, `--ack` prints one line per commit, "
                + "in order. While the tool waits for input, other programs can write, unless the "
                + "records since the last commit are too many to be collected in memory: these are "
                + "written in an open transaction."
        ),
        .paragraph(
            "The member `records` of a line of `--ack` counts all records of the input so far, "
                + "including skipped and refused ones. To continue after these records, pass the "
                + "number to `--skip-records`. With `upsert` and `merge`, the result is the same "
                + "as without the interruption. With `insert`, records that were committed but not "
                + "yet acknowledged are read again and refused, because their keys exist."),
        .paragraph(
            "With `-j1` one thread does everything. Otherwise one thread writes while others read "
                + "and check the next records: `-j` threads for `ndjson`, one for other formats. "
                + "Records and commits always keep the order of the input."),
        .paragraph(
            "A file made by `--create` is removed if the command fails or is terminated before any "
                + "record is committed. After the first commit, the file is kept, with the records "
                + "that were committed. With `--force`, the old file is kept until the new one is "
                + "complete, and acknowledgements are printed only then. An empty file is not a "
                + "database: it is refused without `--create`."),
        .paragraph(
            "On a signal, records that are not committed are rolled back, and the number for "
                + "`--skip-records` is printed. At the end, a summary is printed on standard "
                + "error, or, with `-n`, on standard output."
        ),
    ]

    private static let streams: [ManualBlock] = [
        .paragraph(
            "The output of `realm-query --watch` is a stream in which `commit` ends each version. "
                + "The records of a version take effect together when its `commit` arrives. An "
                + "incomplete version has no effect. A version is refused if its number of records "
                + "differs from the number in `commit`, or if it does not follow the version "
                + "applied last. A version of more than 4 MiB is a separate transaction, which "
                + "blocks other writers until it ends."),
        .paragraph(
            "With `--resume`, FILE.applied beside the database records the last version of the "
                + "stream that was applied. After a restart, the stream may begin at any earlier "
                + "version: versions that were already applied are skipped, so each takes effect "
                + "once, even if the tool was killed. Objects of classes without a primary key "
                + "have the same object keys as in the source. The lines of `--ack` have the "
                + "additional member `applied`. Other programs may read the file, but should not "
                + "write to the classes of the stream. Before each commit, the version that the "
                + "commit will apply is written to FILE.applied and synced. After a crash, the "
                + "version number of the database shows whether that commit was made. If the "
                + "database was changed in another way, and is to become equal to its source "
                + "again, remove FILE.applied and start the watch with `--since 0`."),
        .paragraph(
            "After `resync` the database becomes equal to its source. Objects that are not among "
                + "the following records, up to `commit`, are deleted. If the records include the "
                + "schema, missing classes and properties are removed too, which needs `--force`. "
                + "If the watch is limited to one class, only that class becomes equal. Until the "
                + "end of the resync, the tool needs eight bytes of memory per object."),
        .literal([
            "realm-query --watch --types extended \\",
            "    --since \"$(realm-versions -g applied b.realm)\" a.realm \\",
            "    | realm-write -m apply --resume b.realm -",
        ]),
    ]

    private static let changes: [ManualBlock] = [
        .paragraph(
            "With `-m apply` the input is the output of `realm-query --watch` or `--diff`. An "
                + "`insert` creates or replaces the object, and an `update` sets the properties it "
                + "contains. A `delete` of a missing object does nothing. The same stream can "
                + "therefore be applied several times. CLASS is `-`, or the name of the only class "
                + "in the stream. If a record links to an object that does not exist yet, the "
                + "commit is delayed until a record has created the object, or until no input has "
                + "arrived for ten seconds."),
        .paragraph(
            "A `schema` record changes the schema, in the same transaction as the records before "
                + "and after it. It adds classes, properties and indexes, removes indexes and "
                + "makes properties optional. Changes that lose values (`remove-class`, "
                + "`remove-property`, `make-required`, a lower schema version) are refused without "
                + "`--force`. A change that is already in effect does nothing."),
        .literal([
            #"{"op":"insert","class":"Email","key":"65e5...","object":{"subject":"hi"}}"#,
            #"{"op":"update","class":"Email","key":"65e5...","object":{"read":true}}"#,
            #"{"op":"delete","class":"Email","key":"65e5..."}"#,
            #"{"op":"schema","class":"Email","change":"add-property","property":"size","#
                + #""definition":{"name":"size","type":"int","optional":false}}"#,
        ]),
    ]

    private static let refusals: [ManualBlock] = [
        .paragraph(
            "`--rejects` writes one line per refused record. The member `property` is present if "
                + "the error concerns one property, and `input` is the record itself:"),
        .literal([
            #"{"record":3,"line":3,"code":"TypeMismatch","property":"size","expected":"int","#
                + #""got":"string \"12kB\"","input":{"_id":3,"size":"12kB"}}"#
        ]),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "`--expect-count`: the number of matching objects differs."),
            ("2", "A bad option, an unknown class or property, or a schema that does not fit."),
            ("3", "FILE or INPUT is missing or cannot be read, or FILE is not a Realm file."),
            ("4", "FILE is damaged."),
            ("5", "The key of FILE is missing, wrong or malformed, or FILE is not encrypted."),
            ("6", "This version cannot write the format, lock file or history."),
            ("7", "Another program is writing, or uses the file to be replaced."),
            ("8", "Records were refused."),
            ("9", "A write or sync failed. Earlier commits are intact."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted, terminated."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example(
            "Create a database from CSV files, one of which links to the other:",
            [
                "realm-write --create --schema-file schema.json seed.realm &&",
                "realm-write -i csv seed.realm Person people.csv &&",
                "realm-write -i csv seed.realm Dog dogs.csv",
            ]),
        .example(
            "Upsert records of a service, keep bad records, and log the progress:",
            [
                "curl -sN \"$URL\" | realm-write -m upsert --commit-interval 200ms \\",
                "    --on-error skip --rejects bad.ndjson --ack app.realm Item >> load.log",
            ]),
        .example(
            "Resume after the last acknowledgement:",
            [
                "... | realm-write -m upsert \\",
                "    --skip-records \"$(tail -n 1 load.log | jq .records)\" app.realm Item",
            ]),
        .example(
            "Copy everything into a new file:",
            [
                "realm-query --schema --json old.realm > schema.json",
                "realm-query --all --types extended -f ndjson old.realm |",
                "    realm-write -1 --create --schema-file schema.json new.realm -",
            ]),
        .example(
            "Preview a deletion, then delete exactly that many objects:",
            [
                "realm-write -n --where 'receivedAt < $0' --arg 2020-01-01T00:00:00Z \\",
                "    --delete mail.realm Email",
                "realm-write --where 'receivedAt < $0' --arg 2020-01-01T00:00:00Z \\",
                "    --delete --expect-count 7311 mail.realm Email",
            ]),
        .example(
            "Rename a property, drop a class, raise the schema version:",
            [
                "realm-write --rename Email.subject=title --drop Draft --force \\",
                "    --schema-version 8 mail.realm",
            ]),
    ]
}
