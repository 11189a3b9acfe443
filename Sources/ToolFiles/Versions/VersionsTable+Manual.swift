import ToolKit

extension VersionsTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-versions` describes a Realm database and explains its size. It prints the "
                + "format, the schema version and the kind of history. It counts the bytes in "
                + "use, the free bytes, and the bytes that cannot be reused because a program "
                + "still reads an old version. It lists the programs that may hold that version."),
        .paragraph(
            "It never writes, locks or creates a file, and does not join the session of the lock "
                + "file. It works beside programs that have the database open, in read-only "
                + "directories, and on damaged or encrypted files. It also describes files of a "
                + "format that the other tools cannot read. Facts that cannot be determined are "
                + "left out."),
        .paragraph(
            "The text report is for people, and its layout may change. Scripts can rely on "
                + "`--get`, `--expect`, `json`, `ndjson` and the exit status."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("KEYS", keys),
        ManualSection("VERSIONS AND GROWTH", growth),
        ManualSection("WHO HOLDS A VERSION", holders),
        ManualSection("OUTPUT FORMS", outputForms),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-versions"),
    ]

    private static let keys: [ManualBlock] = [
        .paragraph(
            "`--get` prints these facts and `--expect` checks them. Sizes are in bytes; in an "
                + "expectation they may have a unit. Percentages are relative to the file size. "
                + "An unknown fact is `null` in an expectation."),
        .definitions([
            ("`file`", "The file name given on the command line."),
            ("`bytes`", "Size of the file."),
            ("`logical-bytes`", "End of the space that the newest version manages."),
            ("`format`", "Number of the file format."),
            (
                "`age`",
                "Period in which SDKs wrote the format, such as `2020-10 to 2021-06`, or `current`."
            ),
            ("`encrypted`", "Whether the file is encrypted."),
            ("`schema-version`", "Schema version, as set by the program that created the file."),
            (
                "`history`",
                "Kind of change log: `none`, `in-realm`, `sync-client` or `sync-server`."
            ),
            ("`history-bytes`, `history-entries`", "Size and number of entries of the change log."),
            ("`version`", "The newest version."),
            ("`live-versions`", "Number of versions that can still be read, including the newest."),
            ("`oldest-version`", "Oldest version that can still be read."),
            ("`free-bytes`, `free-percent`", "Space that the next commit can use."),
            (
                "`pinned-bytes`, `pinned-percent`",
                "Space that the newest version does not use, but an older readable version does."
            ),
            ("`live-bytes`", "Space that the newest version uses."),
            (
                "`classes`, `objects`",
                "Number of classes and of objects, including embedded objects."
            ),
            ("`lock-layout`", "Layout of the lock file."),
            ("`openers`", "Number of processes that have the file open."),
            (
                "`streaming`",
                "Whether the file was written in one pass, as copies and compacted files are."
            ),
            (
                "`compact`",
                "Whether at most 5% of the file is free or pinned, or the file is `streaming`."
            ),
            ("`slot`", "The slot of the header that is selected, 0 or 1."),
            ("`previous-version`", "Version in the other slot."),
            (
                "`applied`",
                "Last version of another database that `realm-write -m apply --resume` has applied "
                    + "to the file, as `VERSION@SOURCE`; 0 if none was applied. SOURCE identifies "
                    + "the other database. `realm-query --since` accepts the value."
            ),
        ]),
    ]

    private static let growth: [ManualBlock] = [
        .paragraph(
            "A commit never overwrites space that the previous version uses. Space becomes free "
                + "once no readable version uses it. A version stays readable while a program "
                + "pins it: by reading it, by holding frozen objects of it, or by an observer "
                + "that was never stopped. One forgotten pin keeps all space that later commits "
                + "replace, so the file grows with every commit."),
        .paragraph(
            "For each readable version the report shows the number of pins and the bytes that "
                + "releasing all of them would free: the bytes that only this version keeps. They "
                + "become free with the next commit after the release. Bytes that several old "
                + "versions keep are freed with the last of these versions. The sum may therefore "
                + "be less than the pinned bytes."),
        .paragraph(
            "Free space stays in the file. Commits use it before the file grows, but no commit "
                + "makes the file smaller, because programs that have it open may read any part "
                + "of it. `realm-compact` makes the file smaller. The report recommends it if "
                + "more than half of the file is free, for example after most objects were "
                + "deleted."),
        .paragraph(
            "`--growth` also shows the size that the file would have without the version: commits "
                + "would have reused the space that the version keeps, before they made the file "
                + "larger."),
    ]

    private static let holders: [ManualBlock] = [
        .paragraph(
            "The lock file counts pins but does not record their owners. Programs that use the "
                + "same engine as these tools announce their pins in the file "
                + "`FILE.management/readers`, with process, thread, time and a label. For other "
                + "pins, every process that has the lock file open is a candidate. A single "
                + "candidate must be the owner. A watch removes candidates that started after a "
                + "newer version was committed."),
        .paragraph(
            "Pins that no living process can hold are called stale: a program ended without "
                + "releasing them. They stay until all programs have closed the file. If "
                + "processes of other users cannot be inspected, the report says so "
                + "(`openersComplete` is false)."),
    ]

    private static let outputForms: [ManualBlock] = [
        .paragraph(
            "A JSON report has a member for each key, in lower camel case (`freeBytes`), null if "
                + "unknown. `openers` is the list of processes. Further members:"),
        .definitions([
            ("`time`", "With `--watch`: time of the observation."),
            ("`lockFileInUse`", "Whether a session is live."),
            (
                "`versions`",
                "The readable versions, newest first: `version`, `behind` (number of later "
                    + "commits), the numbers of pins `live`, `frozen` and `full`, `topRef` (offset "
                    + "of the root), `releasedBytes` (null for the newest), `candidates` "
                    + "(processes), `stale`, and `pins`. `pins` lists the announced pins: `pid`, "
                    + "`thread`, `kind`, `since`, `label`, `stale`, and `count`, the number of "
                    + "equal pins."
            ),
            (
                "`openers`",
                "Processes: `pid`, `command`, `user`, `seconds` since it started, and "
                    + "`participants`, the number of its participants in the session."
            ),
            ("`openersComplete`, `stale`", "See WHO HOLDS A VERSION."),
            (
                "`growth`",
                "With `--growth`, oldest version first: `version`, `behind`, `releasedBytes`, "
                    + "`grownBytes`, and `remainingBytes`, the file size without the version."
            ),
            (
                "`slots`",
                "With `--slots`: `slot`, `selected`, `format`, `topRef`, `version`, `verified`, and "
                    + "`problem` if there is one."
            ),
            (
                "`guids`",
                "Byte order of UUIDs, if the file has random ones: `standard`, `dotnet` for GUIDs "
                    + "that the .NET SDK stored before version 10.10, or `mixed` for some of each. "
                    + "See `--guid` in `realm-query(1)`."
            ),
            ("`damage`", "Reasons for missing facts."),
        ]),
        .paragraph(
            "A line of `--history` has `version` (the version that the commit created), `bytes` "
                + "and `tables`. A table has `class`, `key`, and the numbers `inserted`, `updated` "
                + "and `removed` of objects and `columns` of changed columns, if not zero. "
                + "`created` and `erased` mean that the commit created or removed the table."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "An expectation does not hold, or a requested fact is unknown."),
            ("2", "A bad option, or an output file that exists."),
            ("3", "A FILE is missing, cannot be read or is not a Realm file."),
            ("4", "A FILE is damaged or truncated. All facts that could be read were printed."),
            ("5", "A key was given for a file that is not encrypted, or a key is needed."),
            ("6", "The type of the history is not supported."),
            ("7", "The database changes faster than it can be read."),
            ("9", "The output could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph(
            "With several files, the most serious status applies. The full list is in "
                + "`realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("Find out why a file is large:", ["realm-versions --growth app.realm"]),
        .example(
            "Check whether a bundled file is fit to ship:",
            [
                "realm-versions -E schema-version=7 -E 'format<=24' \\",
                "    -E encrypted=false -E compact=true Seed.realm",
            ]),
        .example(
            "Find the processes that pin an old version:",
            [
                "realm-versions --json app.realm | jq -r '.versions[] | select(.behind>0) |",
                "    \"\\(.version) frees \\(.releasedBytes) held by \\(.candidates)\"'",
            ]),
        .example(
            "Raise an alarm if old versions pin too much space:",
            ["realm-versions -E 'pinned-percent<=20' app.realm || notify-ops"]),
        .example(
            "List files of an old format:",
            [
                "for f in *.realm; do",
                "    test \"$(realm-versions -g format \"$f\")\" = 24 || echo \"$f\"",
                "done",
            ]),
        .example(
            "Watch for a minute and draw the result:",
            ["timeout 60 realm-versions -w --plot growth.svg app.realm > growth.ndjson"]),
        .example(
            "Draw a recorded watch again:", ["realm-versions --plot again.svg - < growth.ndjson"]),
        .example("Draw the space of a file:", ["realm-versions --space-map space.svg app.realm"]),
        .example("Print the last five commits:", ["realm-versions --history=5 app.realm"]),
    ]
}
