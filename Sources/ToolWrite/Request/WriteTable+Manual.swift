import ToolKit

extension WriteTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-write` adds, changes and deletes objects of a Realm database from records. It "
                + "also changes the objects that match a predicate, and edits the schema. "
                + "Programs that have the file open see every commit, and writers take turns. The "
                + "tool waits up to a second for its turn, or as long as `--wait` allows."),
        .paragraph(
            "With INPUT, each record becomes one change. Records are grouped into commits, and "
                + "each commit is durable before it is acknowledged. A record that does not fit "
                + "its class is refused. The message names its line and column, the property, and "
                + "the expected and found values."),
        .paragraph(
            "Options that edit the schema take effect first, in one commit of their own. They are "
                + "applied in this order: renames, drops, optional and required, additions, "
                + "indexes, the version. Changes that lose data are refused without `--force`; "
                + "`-n` shows the plan."),
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
                + "extended form of VALUES in `realm-tools(7)`; the type of the property "
                + "determines their conversion. In a new object, properties without a field are "
                + "null, zero or empty."),
        .paragraph(
            "A link is the primary key of its target, `{\"$link\":...}`, `{\"_key\":N}`, or the "
                + "target object itself, which is then created or merged. A record may link to a "
                + "later record of the same commit. Restore a whole dump with `-1`, so that all "
                + "links find their targets."),
        .paragraph(
            "In a class without a primary key, the field `_key` is the object key. `insert` "
                + "creates the object under that key, and the other modes find the object by it. "
                + "The links in a dump therefore keep their targets."),
        .paragraph(
            "In `csv` and `tsv` the header names the fields. A collection is JSON, or its elements "
                + "separated by semicolons; an empty field is an empty collection. In `csv` the "
                + "field `\"\"` is one empty string. An embedded object is JSON. With `CLASS.PROP` "
                + "for CLASS, the table contains one collection property of all objects, as "
                + "written by `realm-query --output-dir`. Its columns are `owner` (the primary key "
                + "of the object, else its object key), `index` for a list or `key` for a "
                + "dictionary, and `value`. The rows of an owner replace its collection, all in "
                + "one commit. CLASS may also be the name of such a file without its extension. To "
                + "restore a whole directory, write the classes with `-m upsert --links create`, "
                + "then the collections."),
        .paragraph(
            "Spreadsheet tables are read as they are: with a byte order mark, with line ends LF, "
                + "CRLF or CR, and with empty lines. If the header has no comma but a semicolon, "
                + "a tab or `|`, that character separates the fields, and a notice says so. "
                + "Between semicolons, `3,14` is a number. A column without a name is ignored, "
                + "unless `--map PROP=N` selects it by its number N, from 1. For other tables, "
                + "use `--delimiter`, `--encoding` and `--ragged`."
        ),
        .paragraph(
            "A mixed value has the type of its JSON value; `$numberDouble` is a double, "
                + "`$numberFloat` a float. In `csv` and `tsv`, the field of a mixed property is "
                + "JSON if it begins with a bracket or a quote and is valid JSON. Otherwise it is "
                + "a number or a boolean if it is written like one, else a string."),
    ]

    private static let commits: [ManualBlock] = [
        .paragraph(
            "A commit is made when the limit of `--commit-records`, `--commit-interval` or "
                + "`--commit-bytes` is reached, and at the end. Each commit is all or nothing and "
                + "has its own version. Commits that are ready at the same time are written and "
                + "synced together, so that small commits are cheap. If that fails, none of them "
                + "takes effect. Other programs see them together, as the newest version. After "
                + "the sync, one acknowledgement per commit is printed, in order. While the tool "
                + "waits for records, other programs can write. The exception is a transaction too "
                + "large to be collected in memory before it is written."
        ),
        .paragraph(
            "The member `records` of an acknowledgement counts all records of the input so far, "
                + "including skipped and refused ones. Pass it to `--skip-records` to continue "
                + "after them. The result is then exact for `upsert` and `merge`. `insert` "
                + "repeats at most the records that were committed but not acknowledged; their "
                + "keys already exist."),
        .paragraph(
            "With `-j1` one thread does everything. Otherwise one thread writes while others read "
                + "and check the next records: `-j` threads for `ndjson`, one for other formats. "
                + "Records and commits always keep the order of the input."),
        .paragraph(
            "A file made by `--create` is removed if the command fails or is terminated before "
                + "any record is committed. Later it is kept, with the committed records. With "
                + "`--force` the old file is kept until the new one is complete, and "
                + "acknowledgements wait until then. An empty file is not a database: it is "
                + "refused without `--create`."),
        .paragraph(
            "On a signal, records that are not committed are rolled back, and the number for "
                + "`--skip-records` is printed. A summary is always printed on standard error, "
                + "with `-n` on standard output."
        ),
    ]

    private static let streams: [ManualBlock] = [
        .paragraph(
            "The output of `realm-query --watch` is a stream in which `commit` ends each version. "
                + "The records of a version take effect together when its `commit` arrives. An "
                + "incomplete version has no effect. A version is refused if its number of "
                + "records differs from the number in `commit`, or if it does not follow the last "
                + "one. A version of more than 4 MiB is a separate transaction, which blocks "
                + "other writers until it ends."),
        .paragraph(
            "With `--resume`, FILE.applied beside the database records the last version of the "
                + "stream that was applied. After a restart, the stream may begin at any earlier "
                + "version: applied records are skipped, so that each version takes effect once, "
                + "however often the tool was killed. Objects of classes without a primary key "
                + "have the same object keys as in the source. Acknowledgements have the member "
                + "`applied`. Other programs may read the file, but should not write to the "
                + "classes of the stream. Before each commit, FILE.applied is written and synced "
                + "with the version that the commit applies. The version of the database shows "
                + "whether the commit was made. To make the database equal to its source after any "
                + "other change, remove FILE.applied and start the watch with `--since 0`."),
        .paragraph(
            "After `resync` the database becomes equal to its source. Objects that are not among "
                + "the following records, up to `commit`, are deleted. If the records include the "
                + "schema, missing classes and properties are removed too, which needs `--force`. "
                + "A watch of one class makes only that class equal. Until the resync is done, "
                + "each object takes eight bytes of memory."),
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
                + "contains. A `delete` of a missing object does nothing. A stream can therefore "
                + "be applied again. CLASS is `-`, or the name of the only class in the stream. If "
                + "a record links to an object that has not arrived yet, its commit waits for the "
                + "object, until no input has arrived for ten seconds."),
        .paragraph(
            "A `schema` record changes the schema in the transaction of the records around it. It "
                + "adds classes, properties and indexes, removes indexes and makes properties "
                + "optional. Changes that lose values (`remove-class`, `remove-property`, "
                + "`make-required`, a lower schema version) are refused without `--force`. A "
                + "change that is already in effect does nothing."),
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
            "`--rejects` writes one line per refused record, with `property` if the error "
                + "concerns one, and the record itself as `input`:"),
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
