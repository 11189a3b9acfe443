import ToolKit

extension WriteTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-write` adds, changes and deletes objects of a Realm database from records, "
                + "changes what matches a predicate, and edits the schema. Programs that have the "
                + "file open take part as usual: they see every commit, and writers take turns. A "
                + "turn is waited for up to a second, or as `--wait` says."),
        .paragraph(
            "With INPUT each record becomes one change. Records are grouped into commits, each of "
                + "which is durable before it is acknowledged. A record that does not fit is "
                + "refused with its place, the property, and what was expected and found."),
        .paragraph(
            "Options that edit the schema are carried out first, in one commit of their own: "
                + "renames, drops, optional and required, additions, indexes, the version. What "
                + "loses data is refused unless `--force` is given; `-n` shows the plan."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("INPUT", input),
        ManualSection("COMMITS", commits),
        ManualSection("CHANGE RECORDS", changes),
        ManualSection("STREAMS", streams),
        ManualSection("REFUSED RECORDS", refusals),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-write"),
    ]

    private static let input: [ManualBlock] = [
        .paragraph(
            "The fields of a record are the properties of its class, in the plain or the extended "
                + "form of VALUES in `realm-tools(7)`; the type of the property decides. A "
                + "property that a new object's record does not give is null, zero or empty."),
        .paragraph(
            "A link is the primary key of its target, `{\"$link\":...}`, `{\"_key\":N}`, or the "
                + "target object itself, which is then made or merged. A record may link to one "
                + "that comes later in the same commit; a whole dump is best restored with `-1`."),
        .paragraph(
            "In a class without primary key the field `_key` is the object's own key: `insert` "
                + "makes the object under that key, the other modes find it by it. So links of a "
                + "dump stay what they were."),
        .paragraph(
            "In `csv` and `tsv` the header names the fields. A collection is JSON, or its elements "
                + "with semicolons between them, and empty where the field is; in `csv` the field "
                + "`\"\"` is one element without text. An embedded object is JSON. With `CLASS.PROP` for "
                + "CLASS the table is one collection of all objects, as `realm-query --output-dir` "
                + "writes it: the columns `owner` (its primary or object key), `index` of a list or "
                + "`key` of a dictionary, and `value`. The rows of an owner replace its collection, "
                + "all in one commit. CLASS may also be what the file is called there, without its "
                + "end. To restore a whole directory, write the classes with "
                + "`-m upsert --links create`, then the collections."),
        .paragraph(
            "Tables of spreadsheets are read as they are: with a byte order mark, lines that end in LF, "
                + "CRLF or CR, and empty lines. If the header has no comma but a semicolon, a tab or "
                + "`|`, that separates the fields, and a notice says so; between semicolons `3,14` is "
                + "a number. A column without a name is passed over, unless `--map PROP=N` takes it by "
                + "its number N, from 1. `--delimiter`, `--encoding` and `--ragged` are for the rest."
        ),
        .paragraph(
            "A mixed value is what its JSON says: `$numberDouble` is a double, `$numberFloat` a "
                + "float. In `csv` and `tsv` it is JSON where it begins with a bracket or a quote "
                + "and is JSON, else a number or truth value if it reads as one, else a string."),
    ]

    private static let commits: [ManualBlock] = [
        .paragraph(
            "A commit is made when one of the limits is reached, and at the end. Each is all or "
                + "nothing and has a version of its own. Those that are at hand at the same time "
                + "are written and synced together, so that small ones cost little; if that fails, "
                + "none of them is there. Other programs see them together, as the newest "
                + "version. An acknowledgement is printed after the sync, one for each commit, in "
                + "their order. Nobody else is kept from writing while records are waited for, "
                + "except in a transaction that is too large to be gathered before it is written."
        ),
        .paragraph(
            "The member "
                + "`records` of an acknowledgement counts the records of the input up to there, "
                + "skipped and refused ones too: given to `--skip-records` it goes on behind "
                + "them. After `upsert` and `merge` the result is then exact; `insert` repeats at "
                + "most what was committed and not acknowledged, whose keys exist already."),
        .paragraph(
            "With `-j1` one thread does everything. Otherwise one writes while others read and check "
                + "the records that come next: as many as `-j` says of `ndjson`, one of other forms. "
                + "Records and commits keep the order of the input in any case."),
        .paragraph(
            "A file made by `--create` goes away again when the command fails, or is told to end, "
                + "before any record is committed; after that it stays, with what was committed. With "
                + "`--force` the old file stays until the new one is complete, and acknowledgements "
                + "wait for that. A file of no bytes is no database: it is refused without "
                + "`--create`."),
        .paragraph(
            "Interrupted by a signal, the open batch is rolled back and the number to resume with "
                + "is printed. A summary follows on standard error in any case, with `-n` on standard output."
        ),
    ]

    private static let streams: [ManualBlock] = [
        .paragraph(
            "What `realm-query --watch` prints is a stream: `commit` ends each version. Records of a "
                + "version take effect together, once their `commit` has come, and what is broken off "
                + "before it does not. A version whose records are not as many as `commit` says, or "
                + "that goes on from another one than the last, is refused. One of more than 4 MiB is a "
                + "transaction of its own, which nobody else can write beside until it ends."),
        .paragraph(
            "With `--resume` it is known beside the database, in FILE.applied, how far the stream was "
                + "applied. Records may then come again, from any version on and however often this "
                + "was killed: what has been applied is passed over, so that the effect is that of "
                + "each version once. Objects of classes without primary key have the object keys "
                + "that they have in the source. Acknowledgements have the member `applied`. Nobody "
                + "else should write to what the stream is about; the file is read by all. FILE.applied "
                + "is written, and synced, before each commit and says what the commit brings; the "
                + "version of the database tells whether it was made. To make the database equal to its "
                + "source whatever was done to it, remove FILE.applied and let the watch begin with "
                + "`--since 0`."),
        .paragraph(
            "After `resync` the database becomes equal to its source: objects that are not among the "
                + "records that follow, up to `commit`, are deleted, and with the schema among the "
                + "records classes and properties go too, which takes `--force`. Of a watch of one "
                + "class that class alone becomes equal. Objects take eight bytes of memory each "
                + "until it is done."),
        .literal([
            "realm-query --watch --types extended \\",
            "    --since \"$(realm-versions -g applied b.realm)\" a.realm \\",
            "    | realm-write -m apply --resume b.realm -",
        ]),
    ]

    private static let changes: [ManualBlock] = [
        .paragraph(
            "With `-m apply` the input is what `realm-query --watch` and `--diff` print. An "
                + "`insert` makes the object or replaces it, an `update` sets the properties it "
                + "carries, a `delete` of an object that is gone does nothing; so a stream may be "
                + "applied again. CLASS is `-`, or the only class to expect. A commit that is due "
                + "waits for objects that its records link to, until nothing comes for ten "
                + "seconds."),
        .paragraph(
            "A `schema` record changes the schema in the transaction of the records around it. "
                + "Classes, properties and indexes are added, indexes removed and properties made "
                + "optional as asked; what loses values (`remove-class`, `remove-property`, "
                + "`make-required`, a lower schema version) is refused without `--force`. What is "
                + "as wanted already is left alone."),
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
            "`--rejects` writes one line for each, with `property` where it is about one, and "
                + "the record itself as `input`:"),
        .literal([
            #"{"record":3,"line":3,"code":"TypeMismatch","property":"size","expected":"int","#
                + #""got":"string \"12kB\"","input":{"_id":3,"size":"12kB"}}"#
        ]),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "`--expect-count`: another number of objects matches."),
            ("2", "A bad option, an unknown class or property, a schema that does not fit."),
            ("3", "FILE or INPUT is missing or cannot be read, or FILE is not a Realm file."),
            ("4", "FILE is damaged."),
            ("5", "FILE is encrypted and no key was given, or the key is of no use."),
            ("6", "A format, lock file or history that this version does not write to."),
            ("7", "Another program is writing, or uses the file to be replaced."),
            ("8", "Records were refused."),
            ("9", "A write or sync failed. What was committed before is intact."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted, terminated."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example(
            "Make a database from CSV files, one of which links to the other:",
            [
                "realm-write --create --schema-file schema.json seed.realm &&",
                "realm-write -i csv seed.realm Person people.csv &&",
                "realm-write -i csv seed.realm Dog dogs.csv",
            ]),
        .example(
            "Upsert what a service sends, keep bad records, note how far it came:",
            [
                "curl -sN \"$URL\" | realm-write -m upsert --commit-interval 200ms \\",
                "    --on-error skip --rejects bad.ndjson --ack app.realm Item >> load.log",
            ]),
        .example(
            "Go on where that ended:",
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
            "See what would be deleted, then delete exactly that many:",
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
