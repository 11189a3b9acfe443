import ToolKit

extension CompactTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-compact` rewrites a Realm database without its free space, checks a database "
                + "for errors, shows the size of its parts, and salvages a damaged one. Objects, "
                + "keys, indexes and the version number do not change."),
        .paragraph(
            "To compact in place, no other process may have FILE open. Otherwise the exit status "
                + "is 7, and the message names the processes. A program that opens FILE during the "
                + "compaction waits for its end. With `-o`, other programs may use FILE: the tool "
                + "writes a copy of the version that is newest at the start."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("IN PLACE", inPlace),
        ManualSection("CHECKS", checks),
        ManualSection("CONVERTING", conversions),
        ManualSection("SALVAGE", salvage),
        ManualSection("REPORTS", reports),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-compact"),
    ]

    private static let inPlace: [ManualBlock] = [
        .paragraph(
            "The compacted file is written beside FILE under a temporary name, synced, compared "
                + "with FILE, and renamed to FILE. If the tool is killed at any time, FILE is "
                + "either the old or the new file. Free space on the device is checked before the "
                + "first write. Owner, mode and extended attributes are kept. A symbolic link is "
                + "followed. A file with several names (hard links) needs `--force`."),
        .paragraph(
            "Compacting stays below `--max-memory` for any file size. The file is read and "
                + "written in one pass, and pages are released after reading."),
        .paragraph(
            "Files of formats 10 to 23 and synchronised files are not compacted in place. Files "
                + "of formats 10 to 23 can be copied with `-o`, which keeps their format. Files "
                + "of formats 2 to 9 are converted, not compacted."),
    ]

    private static let conversions: [ManualBlock] = [
        .paragraph(
            "`--to-format 24` converts a file of any Realm SDK since 2014 (formats 2 to 11 and 20 "
                + "to 23) to the current format. Classes, objects with their keys, values and "
                + "links stay the same. Every class is compared with the original before the new "
                + "file gets its name. The old file is never changed. Without `-o` the new file "
                + "replaces the old one, which needs `--force`. The old file is then kept as "
                + "FILE.bak, or under the name given by `--backup`."),
        .paragraph(
            "`--to-format 23`, `22`, `21` or `20` writes a file for older SDKs. SDKs of late 2022 "
                + "to early 2024 (realm-core 13) open 23; SDKs of 2021 and 2022 (11 and 12) open "
                + "22; SDKs of 2020 (10) open 20. Only previews used 21. No data is lost: if the "
                + "format cannot hold something, the exit status is 6, the message names the "
                + "properties, and nothing is written. Lists and dictionaries in mixed values "
                + "need 24. Mixed values, UUIDs, sets and dictionaries need 21. Asymmetric "
                + "classes need 22. Objects with a primary key get other object keys in 20 and "
                + "21, which derive them from it. Full-text indexes are omitted before 23, and "
                + "indexes of lists before 24. Non-ASCII strings in sets, and keys of "
                + "dictionaries, get the order that SDKs for Apple's systems and x86 used."),
        .paragraph(
            "Columns that contain a whole table in each cell are left out, and a notice names "
                + "them; no SDK offered such columns. `--to-format 24` and `--salvage` also finish "
                + "an upgrade from format 9 to 10 that an SDK began and that was interrupted; "
                + "`--check` reports such a file with one warning."),
        .paragraph(
            "`--local` converts a synchronised file of any format. The result has no history, and "
                + "programs open it without synchronisation. Some tables are left out and named: "
                + "tables that are not classes, classes of users and permissions (`__User` and "
                + "the like), and asymmetric classes. Properties that link to these are left out "
                + "and named too."),
    ]

    private static let checks: [ManualBlock] = [
        .paragraph(
            "An error makes some reader or writer fail or return wrong results. A warning does "
                + "not: leaked space, a stale header slot, text that is not UTF-8. Each finding "
                + "has a `severity`, a `code`, a `detail` sentence and, if known, an `offset`, a "
                + "`path` and an `object`. At most 100 findings per code are listed; the summary "
                + "counts all."),
        .paragraph(
            "In formats 2 to 9 the check covers nodes, free space, columns, values and links. "
                + "Search indexes of these formats are never read; only their nodes are checked."),
        .paragraph(
            "The format has no checksums. A number that was changed by accident is found only if "
                + "it contradicts an index, a link or the order of a tree."),
        .literal([
            #"{"severity":"error","code":"ref-outside-file","offset":90112,"#,
            #" "path":"tables/Email/subject","detail":"..."}"#,
            #"{"summary":{"errors":1,"warnings":0,"previousSlot":"ok","salvageable":48210,"#,
            #" "advice":"..."}}"#,
        ]),
        .paragraph(
            "For a damaged file, `salvageable` estimates the number of objects that `--salvage` "
                + "would copy. A file without a valid header is damaged if it has such objects; "
                + "otherwise it is not a Realm file."),
    ]

    private static let salvage: [ManualBlock] = [
        .paragraph(
            "`--salvage` creates objects with the same keys and values in a new file, and "
                + "rebuilds indexes and incoming links. If some properties of an object cannot be "
                + "read, the others are kept. Links to lost objects become null."),
        .paragraph(
            "The tool first reads everything reachable from the root. It then searches the rest of "
                + "FILE for nodes that look like roots, tables, trees of objects, and leaves of "
                + "classes with a primary key. If the header, the root or the end of FILE is "
                + "missing, it finds all data this way. For each range of objects it takes the "
                + "newest version found. It guesses no object keys: an object without a primary "
                + "key is left out if its key is not proven."),
        .paragraph(
            "Each line on standard output describes one loss. Its member `why` is the reason, and "
                + "its member `lost` is the kind of the loss:"),
        .definitions([
            ("`version`", "The newest version. The version `used` was copied instead."),
            ("`class`", "A whole class, known only by its position `slot`."),
            ("`name`", "The name of a class or property."),
            ("`property`", "A property of all objects of the class."),
            ("`object`", "One object. `key` is null if the key itself is lost."),
            ("`objects`", "Objects that could not be reached, with their `count` if known."),
            ("`values`", "Values of `count` objects from `key` on."),
            (
                "`newer`",
                "The newest state of `count` objects from `key` on. An older state was copied; the "
                    + "objects may have been changed or deleted since."
            ),
            ("`certainty`", "Nothing, but the copied values may have been overwritten."),
        ]),
        .paragraph(
            "The last line counts each loss once: `lostObjects`, `lostValues`, `older`, "
                + "`doubtful` (values) and `lostParts` (losses without a count). It names the "
                + "`version` that was read, 0 if unknown, and counts the errors that `--check` "
                + "finds in FILE. The result is `complete`, with exit status 0, only if nothing "
                + "is lost, the version is the newest and FILE has no errors, because damage may "
                + "hide objects."),
        .literal([
            #"{"lost":"values","class":"Email","key":4411,"count":1,"property":"body","why":"..."}"#,
            #"{"lost":"object","class":"Email","key":4412,"why":"..."}"#,
            #"{"lost":"newer","class":"Email","key":65536,"count":256,"why":"..."}"#,
            #"{"tool":"realm-compact","output":1,"summary":{"salvaged":48210,"lostObjects":1,"#,
            #" "lostValues":1,"lostParts":0,"older":256,"doubtful":0,"version":77,"newest":true,"#,
            #" "sourceErrors":2,"complete":false}}"#,
        ]),
        .paragraph(
            "With `--space-map` the last line ends with `bytes`, whose members add up to the size "
                + "of FILE. `copied` is copied space, `older` is copied from older versions, and "
                + "`doubtful` may be wrong. `unused` counts nodes that were not copied: indexes, "
                + "the change log, other versions, and unreachable objects. The others are "
                + "`bookkeeping`, `free`, and `lost`, the space that is none of these or is "
                + "missing at the end."
        ),
        .paragraph(
            "Try `--at previous` first: the previous version is often intact."),
    ]

    private static let reports: [ManualBlock] = [
        .paragraph(
            "Requested reports (`-n`, `--check`, `--analyze`, `--json`) go to standard output. "
                + "The one-line summary of a change goes to standard error.")
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done, or nothing to do; `--check`: no errors."),
            ("1", "`--check --strict`: warnings."),
            ("2", "A bad option, or an output file that exists."),
            ("3", "FILE is missing, cannot be read or is not a Realm file."),
            ("4", "FILE is damaged; `--salvage`: something is lost, or may be lost."),
            ("5", "The key of FILE is missing, wrong or malformed, or FILE is not encrypted."),
            ("6", "The format, lock file or history does not allow the operation."),
            ("7", "Other processes have FILE open."),
            ("9", "A write or sync failed, or the device is too full. FILE is untouched."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted or terminated. FILE is untouched."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example(
            "Compact a large file if it is worthwhile, and keep the old one:",
            ["realm-compact --if-free 30% --max-memory 64MiB --backup --wait=60s big.realm"]),
        .example(
            "Compact into a copy while the program keeps running:",
            ["realm-compact -o big.new.realm big.realm"]),
        .example(
            "Convert a backup of 2016 to the current format:",
            ["realm-compact --to-format 24 -o notes.realm backup-2016.realm"]),
        .example(
            "Convert a file for an app with an SDK of 2023:",
            ["realm-compact --to-format 23 -o for-old-app.realm current.realm"]),
        .example(
            "Use a synchronised file without the server:",
            ["realm-compact --local -o local.realm synced.realm"]),
        .example(
            "Check a file before shipping it with an application:",
            ["realm-compact --check --strict Seed.realm"]),
        .example(
            "Salvage a damaged file:",
            [
                "realm-compact --check broken.realm",
                "[ $? -eq 4 ] &&",
                "    realm-compact --salvage -o rescued.realm broken.realm > lost.ndjson",
            ]),
        .example(
            "Find the properties and values that make the file large:",
            ["realm-compact --analyze --top 10 mail.realm"]),
    ]
}
