import ToolKit

extension VersionsTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-versions` tells what a Realm database is and why it is as large as it is: its "
                + "format, schema version and history, which of its bytes are in use, which are "
                + "free, and which are kept from being used again because somebody still reads an "
                + "old version, and who that may be."),
        .paragraph(
            "It never writes, never locks and never creates anything: it looks at the file and at "
                + "the lock file beside it as a stranger would, and joins no session. It works "
                + "beside programs that have the database open, in directories that cannot be "
                + "written, and on files that are damaged, encrypted or of a format that nothing "
                + "else here reads; what cannot be known is left out."),
        .paragraph(
            "The text report is for people, and its look may change. Scripts can rely on `--get`, "
                + "`--expect`, `json`, `ndjson` and the exit status."),
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
            "These facts can be asked for with `--get` and checked with `--expect`. Sizes are in "
                + "bytes; in an expectation they may have a unit. Percentages are of the size of the "
                + "file. A fact that is not known is `null` in an expectation."),
        .definitions([
            ("`file`", "The name given on the command line."),
            ("`bytes`", "The size of the file."),
            ("`logical-bytes`", "The end of the space the newest version manages."),
            ("`format`", "The number of the file format."),
            (
                "`age`",
                "When SDKs wrote the format: from one month to another, or `current`."
            ),
            ("`encrypted`", "Whether the file is encrypted."),
            ("`schema-version`", "The schema version that the program which made the file set."),
            (
                "`history`",
                "The kind of change log: `none`, `in-realm`, `sync-client` or `sync-server`."
            ),
            ("`history-bytes`, `history-entries`", "Size and number of entries of the change log."),
            ("`version`", "The newest version."),
            ("`live-versions`", "How many versions can still be read, the newest included."),
            ("`oldest-version`", "The oldest of them."),
            ("`free-bytes`, `free-percent`", "What the next commit can use."),
            (
                "`pinned-bytes`, `pinned-percent`",
                "What the newest version does not use, but an older one that can still be read."
            ),
            ("`live-bytes`", "What the newest version uses."),
            ("`classes`, `objects`", "How many there are; embedded objects count."),
            ("`lock-layout`", "The layout of the lock file."),
            ("`openers`", "How many processes have the file open."),
            (
                "`streaming`",
                "Whether the file was written in one pass, as copies and compacted files are."
            ),
            (
                "`compact`",
                "Whether at most 5% of the file is free or pinned, or the file is `streaming`."
            ),
            ("`slot`", "Which of the two slots of the header is selected."),
            ("`previous-version`", "The version in the other slot."),
            (
                "`applied`",
                "Up to which version of another database `realm-write -m apply --resume` has brought "
                    + "the file, and which database that is, as `realm-query --since` takes it; 0 if "
                    + "to none."
            ),
        ]),
    ]

    private static let growth: [ManualBlock] = [
        .paragraph(
            "A commit never overwrites what the version before it uses. Space becomes free once no "
                + "version that can still be read uses it. A version can be read as long as some "
                + "program pins it: by reading it, by holding frozen objects of it, by an observer "
                + "that was never stopped. One forgotten pin therefore keeps everything that is "
                + "changed after it, and the file grows with every commit."),
        .paragraph(
            "For each version that can still be read the report tells how many pins there are and "
                + "what releasing all of them would free: the bytes that this version, and no other "
                + "one, keeps. They become free with the next commit after the release. What several "
                + "old versions keep together is freed when the last of them goes, so that the sum "
                + "may be less than what is pinned."),
        .paragraph(
            "Free space stays in the file: commits use it before the file grows, but none makes the "
                + "file smaller, since programs that have it open may read any part of it. After "
                + "most objects were removed `realm-compact` does; the report says so where more than "
                + "half of the file is free."),
        .paragraph(
            "`--growth` adds the size the file would have without the version: the space it keeps "
                + "would have been used before the file was made larger."),
    ]

    private static let holders: [ManualBlock] = [
        .paragraph(
            "The lock file counts pins and does not say whose they are. Programs that use the same "
                + "engine as these tools announce theirs in the file `FILE.management/readers`: "
                + "process, thread, moment and a label. For pins that nobody announced, the "
                + "processes that have the lock file open are candidates. If there is only one it "
                + "is that one. While watching, processes that came after a version had been "
                + "superseded are struck off."),
        .paragraph(
            "Pins beyond what the living processes can hold are called stale: a program ended "
                + "without releasing them. They stay until all programs have closed the file. "
                + "Where processes of other users cannot be looked at, the report says so "
                + "(`openersComplete` is false)."),
    ]

    private static let outputForms: [ManualBlock] = [
        .paragraph(
            "A JSON report has a member for each key, in lower camel case (`freeBytes`), null for "
                + "what is not known; `openers` is the list of processes. Further members:"),
        .definitions([
            ("`time`", "With `--watch`: the moment of the observation."),
            ("`lockFileInUse`", "Whether a session is live."),
            (
                "`versions`",
                "The versions that can be read, newest first: `version`, `behind` (commits since), "
                    + "the counts `live`, `frozen` and `full`, `topRef`, `releasedBytes` (null for the "
                    + "newest), `candidates` (processes), `stale`, and `pins`, the announced "
                    + "ones, each with `pid`, `thread`, `kind`, `since`, `label`, `stale` and how many "
                    + "are alike, `count`."
            ),
            (
                "`openers`",
                "Processes: `pid`, `command`, `user`, `seconds` since it began, and `participants`, how "
                    + "often they take part in the session."
            ),
            ("`openersComplete`, `stale`", "See WHO HOLDS A VERSION."),
            (
                "`growth`",
                "With `--growth`, oldest version first: `version`, `behind`, `releasedBytes`, "
                    + "`grownBytes`, and `remainingBytes`, the file's without the version."
            ),
            (
                "`slots`",
                "With `--slots`: `slot`, `selected`, `format`, `topRef`, `version`, `verified`, and "
                    + "`problem` if there is one."
            ),
            ("`damage`", "Why some facts are missing."),
        ]),
        .paragraph(
            "A line of `--history` has `version`, the version the commit made, `bytes`, and "
                + "`tables`: `class`, `key`, and the numbers of objects `inserted`, `updated` and "
                + "`removed`, and of `columns` changed, where they are not zero; `created` and "
                + "`erased` say that the table came or went."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "An expectation does not hold, or a fact asked for is not known."),
            ("2", "A bad option, or an output file that exists."),
            ("3", "A FILE is missing, cannot be read or is not a Realm file."),
            ("4", "A FILE is damaged or truncated. What could be known was printed."),
            ("5", "A key was given for a file that is not encrypted, or one is needed."),
            ("6", "The history is of a type that cannot be listed."),
            ("7", "The database changes faster than it can be read."),
            ("9", "The output could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph(
            "With several files the most serious applies. The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("Why is this file so large?", ["realm-versions --growth app.realm"]),
        .example(
            "Is the bundled file fit to ship?",
            [
                "realm-versions -E schema-version=7 -E 'format<=24' \\",
                "    -E encrypted=false -E compact=true Seed.realm",
            ]),
        .example(
            "Who pins an old version:",
            [
                "realm-versions --json app.realm | jq -r '.versions[] | select(.behind>0) |",
                "    \"\\(.version) frees \\(.releasedBytes) held by \\(.candidates)\"'",
            ]),
        .example(
            "An alarm:", ["realm-versions -E 'pinned-percent<=20' app.realm || notify-ops"]),
        .example(
            "Which files are of an old format?",
            [
                "for f in *.realm; do",
                "    test \"$(realm-versions -g format \"$f\")\" = 24 || echo \"$f\"",
                "done",
            ]),
        .example(
            "Watch for a minute and draw what happened:",
            ["timeout 60 realm-versions -w --plot growth.svg app.realm > growth.ndjson"]),
        .example("Draw a record again:", ["realm-versions --plot again.svg - < growth.ndjson"]),
        .example("A picture of the space:", ["realm-versions --space-map space.svg app.realm"]),
        .example("The last five commits:", ["realm-versions --history=5 app.realm"]),
    ]
}
