import ToolKit

extension CompactTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-compact` rewrites a Realm database without its free space, checks one against "
                + "everything the format demands, shows where its bytes are, and rescues what can "
                + "be read of a damaged one. Objects, their keys, indexes and the version number "
                + "stay what they are."),
        .paragraph(
            "In place it needs to be the only one that has FILE open; otherwise the exit status "
                + "is 7 and the message names who has. Programs that want to open FILE meanwhile "
                + "wait. With `-o` a copy is written while FILE is in use: it holds the version "
                + "that was the newest when the tool began."),
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
            "The compacted file is written beside FILE under a passing name, synced, compared "
                + "with FILE, and renamed to FILE. Killed at any moment, the tool "
                + "leaves the old file or the new one. Free space on the device is looked at "
                + "before the first byte is written. Owner, mode and extended attributes stay. A "
                + "symbolic link is followed; a file with several names needs `--force`."),
        .paragraph(
            "Compacting stays below `--max-memory` whatever the size of the file: it is read and "
                + "written in one pass, and pages that were read are given back."),
        .paragraph(
            "Files of formats 10 to 23 and synchronised files are not compacted in place. The "
                + "former can be copied with `-o`, which keeps their format. Those of formats 2 to 9 "
                + "are converted, not compacted."),
    ]

    private static let conversions: [ManualBlock] = [
        .paragraph(
            "`--to-format 24` makes a file of today of one that a Realm SDK of 2014 or later wrote: "
                + "formats 2 to 11 and 20 to 23. Classes, objects with their keys, values and links "
                + "are the same; every class is compared with the original before the new file gets "
                + "its name. Nothing is ever changed in an old file. Without `-o` the new file takes "
                + "the place of the old one, which needs `--force`; the old one is kept as FILE.bak, "
                + "or as `--backup` says."),
        .paragraph(
            "`--to-format 23`, `22`, `21` or `20` makes a file that the SDKs before the newest open: "
                + "23 is for those of late 2022 to early 2024 (realm-core 13), 22 for those of 2021 "
                + "and 2022 (11 and 12), 20 for those of 2020 (10); of 21 there were only previews. "
                + "Nothing is lost on the way: where the format cannot hold something, the exit status "
                + "is 6, the message names the properties, and nothing is written. Lists and "
                + "dictionaries among mixed values need 24; mixed values, UUIDs, sets and dictionaries "
                + "need 21; asymmetric classes 22. Objects with a primary key get other object keys in "
                + "20 and 21, which find them by it. Full-text indexes are left out before 23, those "
                + "of lists before 24. Texts beyond ASCII in sets, and keys of dictionaries, are put "
                + "in the order that SDKs for Apple's systems and x86 had."),
        .paragraph(
            "Columns that hold a whole table in each cell, which no SDK had, are left out and named. "
                + "A file in which an upgrade from format 9 was interrupted is refused."),
        .paragraph(
            "`--local` does the same for a synchronised file, of any format: the result has no "
                + "history, and programs open it without synchronisation. Tables that are no classes, "
                + "the classes of users and rights (`__User` and the like), asymmetric classes, and "
                + "properties that lead to these are left out and named."),
    ]

    private static let checks: [ManualBlock] = [
        .paragraph(
            "An error is what makes some reader or writer fail or answer wrongly; a warning is "
                + "not: leaked space, a stale header slot, text that is no UTF-8. Each finding has "
                + "a `severity`, a `code`, where it can be told an `offset`, a `path` and an "
                + "`object`, and a sentence as `detail`. Of one code 100 are listed; the summary "
                + "counts all."),
        .paragraph(
            "Files of formats 2 to 9 are checked as far as their nodes, free space, columns, values and "
                + "links go; search indexes, which nothing reads, are only looked at as nodes."),
        .paragraph(
            "The format has no checksums: a number that became another number is noticed only if "
                + "an index, a link or an order contradicts it."),
        .literal([
            #"{"severity":"error","code":"ref-outside-file","offset":90112,"#,
            #" "path":"tables/Email/subject","detail":"..."}"#,
            #"{"summary":{"errors":1,"warnings":0,"previousSlot":"ok","salvageable":48210,"#,
            #" "advice":"..."}}"#,
        ]),
        .paragraph(
            "Of a damaged file `salvageable` is about how many objects `--salvage` would copy. A file "
                + "that has lost its header is damaged if there is any, and no Realm file "
                + "otherwise."),
    ]

    private static let salvage: [ManualBlock] = [
        .paragraph(
            "`--salvage` makes new objects with the same keys and values in a new file; indexes and "
                + "incoming links are built anew. An object whose properties cannot all be read "
                + "keeps the others. Links to lost objects become null."),
        .paragraph(
            "What the root leads to is read first. What it does not lead to, and everything where "
                + "header, root or end of FILE are gone, is found by the shape of its nodes: roots, "
                + "tables, trees of objects, and leaves of classes with a primary key to which "
                + "nothing leads. Of each range of objects the newest version that is left is taken. "
                + "No object key is guessed: an object without a primary key whose key is not "
                + "proven is left out."),
        .paragraph(
            "Each line on standard output names a loss: the newest `version`, "
                + "where another one had to be used, a `class`, the `name` of a class "
                + "or property, a `property` of all objects, `objects` that could not be reached, with their "
                + "`count` where something tells, an `object`, or `values` of `count` objects from "
                + "`key` on. What was copied may still be wrong: what is `newer` is lost of `count` "
                + "objects from `key` on, which are from another version than the rest and may have "
                + "been changed or deleted since; `certainty` of values where something "
                + "seems to have been written over. A `key` that is lost itself is null."),
        .paragraph(
            "The last line counts each of them once, under `lostObjects`, `lostValues`, `older`, "
                + "`doubtful` (values) or, where nobody counted, `lostParts`. It names the `version` "
                + "that was read, 0 for none that is known, and the "
                + "errors `--check` finds in FILE: damage may hide what was there, so the result is "
                + "called `complete`, and the exit status is 0, only where that version is the "
                + "newest and has none."),
        .literal([
            #"{"lost":"values","class":"Email","key":4411,"count":1,"property":"body","why":"..."}"#,
            #"{"lost":"object","class":"Email","key":4412,"why":"..."}"#,
            #"{"lost":"newer","class":"Email","key":65536,"count":256,"why":"..."}"#,
            #"{"tool":"realm-compact","output":1,"summary":{"salvaged":48210,"lostObjects":1,"#,
            #" "lostValues":1,"lostParts":0,"older":256,"doubtful":0,"version":77,"newest":true,"#,
            #" "sourceErrors":2,"complete":false}}"#,
        ]),
        .paragraph(
            "With `--space-map` the line ends with `bytes`, whose sums are the whole of FILE: "
                + "`copied`, from `older` versions, `doubtful`, `unused` (nodes of which nothing was "
                + "taken: indexes, the change log, other versions, and objects that nothing leads "
                + "to), `bookkeeping`, `free`, and `lost`, which is neither, or missing at the end."
        ),
        .paragraph(
            "Try `--at previous` first: the version before the newest is often whole."),
    ]

    private static let reports: [ManualBlock] = [
        .paragraph(
            "Reports that were asked for (`-n`, `--check`, `--analyze`, `--json`) go to standard "
                + "output; the one line about a finished change goes to standard error.")
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done, or nothing to do; `--check`: no error."),
            ("1", "`--check --strict`: warnings."),
            ("2", "A bad option, an output file that exists."),
            ("3", "FILE is missing, cannot be read or is not a Realm file."),
            ("4", "FILE is damaged; `--salvage`: something was, or may be, lost."),
            ("5", "FILE is encrypted and no key was given, or the key is of no use."),
            ("6", "A format, lock file or history that does not allow it."),
            ("7", "Others have FILE open."),
            ("9", "A write or sync failed, or the device is too full. FILE is untouched."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted, terminated. FILE is untouched."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example(
            "Shrink a large file if it is worth it, and keep the old one:",
            ["realm-compact --if-free 30% --max-memory 64MiB --backup --wait=60s big.realm"]),
        .example(
            "The same while its program keeps running:",
            ["realm-compact -o big.new.realm big.realm"]),
        .example(
            "Make a file of today of a backup of 2016:",
            ["realm-compact --to-format 24 -o notes.realm backup-2016.realm"]),
        .example(
            "Make a file for an app with an SDK of 2023:",
            ["realm-compact --to-format 23 -o for-old-app.realm current.realm"]),
        .example(
            "Go on without the server:", ["realm-compact --local -o local.realm synced.realm"]),
        .example(
            "Check what is shipped with an application:",
            ["realm-compact --check --strict Seed.realm"]),
        .example(
            "Rescue what can be rescued:",
            [
                "realm-compact --check broken.realm",
                "[ $? -eq 4 ] &&",
                "    realm-compact --salvage -o rescued.realm broken.realm > lost.ndjson",
            ]),
        .example(
            "Which properties, and which values, make the file large:",
            ["realm-compact --analyze --top 10 mail.realm"]),
    ]
}
