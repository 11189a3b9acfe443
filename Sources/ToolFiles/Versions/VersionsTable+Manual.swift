import ToolKit

extension VersionsTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-versions` describes a Realm database and explains its size. It prints the "
                + "format, the schema version and the kind of history. It counts the bytes in "
                + "use, the free bytes, and the bytes that cannot be reused because a program "
                + "still reads an old version. It lists the programs that may hold that version."),
        .paragraph(
            "It never writes, locks or creates a file, and does not register in the lock file. It "
                + "works beside programs that have the database open, in read-only directories, "
                + "and on damaged or encrypted files. It also describes files of a format that the "
                + "other tools cannot read. Facts that cannot be determined are left out."),
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
                + "expectation they may have a unit. Percentages are relative to the file size. In "
                + "an expectation, the value of an unknown fact is `null`."),
        .definitions([
            ("`file`", "The file name given on the command line."),
            ("`bytes`", "Size of the file."),
            (
                "`logical-bytes`",
                "Size of the file as recorded in the newest version. The file itself may be longer."
            ),
            ("`format`", "Number of the file format."),
            (
                "`age`",
                "Period in which SDKs wrote files of this format, such as `2020-10 to 2021-06`; "
                    + "`current` for the format that SDKs write today."
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
                "Number of classes, and number of objects of all classes, embedded objects "
                    + "included."
            ),
            ("`lock-layout`", "Layout of the lock file."),
            ("`openers`", "Number of processes that have the file open."),
            (
                "`streaming`",
                "Whether the file was written in one pass, as a copy or a compacted file is."
            ),
            (
                "`compact`",
                "Whether at most 5% of the file is free or pinned, or the file is `streaming`."
            ),
            (
                "`slot`",
                "The slot of the file header that is selected, 0 or 1. It refers to the newest "
                    + "version."
            ),
            ("`previous-version`", "Version to which the other slot of the file header refers."),
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
                + "when no readable version uses it any more. An old version stays readable while "
                + "a program pins it: while the program reads it, or has frozen objects of it, or "
                + "has an observer that was never stopped. As long as one version is pinned, no "
                + "space that it uses can be reused, so the file grows with every commit."),
        .paragraph(
            "For each readable version, the report shows the number of pins, and the bytes that "
                + "become free if all its pins are released: the bytes that no other version uses. "
                + "They become free in the next commit after the release. Bytes that several old "
                + "versions use become free only when all of these are released. The sum over the "
                + "versions may therefore be less than `pinned-bytes`."),
        .paragraph(
            "Free space stays in the file. Commits use it before the file grows, but no commit "
                + "makes the file smaller, because programs that have it open may read any part "
                + "of it. `realm-compact` makes the file smaller. The report recommends it if "
                + "more than half of the file is free, for example after most objects were "
                + "deleted."),
        .paragraph(
            "`--growth` also shows, for each old version, the size that the file would have if the "
                + "version had not been pinned. Later commits would then have reused its space "
                + "instead of making the file larger."),
    ]

    private static let holders: [ManualBlock] = [
        .paragraph(
            "The lock file contains the number of pins of each version, but not which process made "
                + "them. Programs that use the same engine as these tools also list their pins in "
                + "the file `FILE.management/readers`, with process, thread, time and a label. Any "
                + "other pin may belong to any process that has the lock file open; the report "
                + "lists these processes as candidates. If there is only one candidate, it is the "
                + "owner. A watch removes candidates that started after a newer version was "
                + "committed."),
        .paragraph(
            "A pin is called stale if its program ended without releasing it, so that no running "
                + "process can own it. Stale pins stay until all programs have closed the file. If "
                + "the tool may not inspect the processes of other users, the report says so "
                + "(`openersComplete` is false)."),
    ]

    private static let outputForms: [ManualBlock] = [
        .paragraph(
            "A JSON report has a member for each key of KEYS, with its name in lower camel case "
                + "(`freeBytes` for `free-bytes`). It is null if the fact is unknown. `openers` is "
                + "the list of processes. Further members:"),
        .definitions([
            ("`time`", "With `--watch`: time at which the report was made."),
            (
                "`lockFileInUse`",
                "Whether the lock file is in use, so that programs have the database open."
            ),
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
                "The processes that have the file open. Each has `pid`, `command`, `user`, "
                    + "`seconds` (since its start), and `participants`, the number of times that "
                    + "it has the database open."
            ),
            ("`openersComplete`, `stale`", "See WHO HOLDS A VERSION."),
            (
                "`growth`",
                "With `--growth`, oldest version first: `version`, `behind`, `releasedBytes`, "
                    + "`grownBytes`, and `remainingBytes`, the size of the file if the version had "
                    + "not been pinned."
            ),
            (
                "`slots`",
                "With `--slots`: `slot`, `selected`, `format`, `topRef`, `version`, `verified`, "
                    + "and `problem` if there is one."
            ),
            (
                "`guids`",
                "Byte order of UUIDs, if the file has random ones: `standard`, `dotnet` for GUIDs "
                    + "that the .NET SDK stored before version 10.10, or `mixed` for some of each. "
                    + "See `--guid` in `realm-query(1)`."
            ),
            ("`damage`", "Reasons why facts could not be determined."),
        ]),
        .paragraph(
            "A line of `--history` has `version` (the version that the commit created), `bytes` "
                + "and `tables`. A table has `class` and `key`. If they are not zero, it also has "
                + "`inserted`, `updated` and `removed`, which are numbers of objects, and "
                + "`columns`, the number of changed columns. The members `created` and `erased` "
                + "mean that the commit created or removed the table."),
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
