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
                + "compaction waits until the compaction is done. With `-o`, other programs may "
                + "use FILE: the tool writes a copy of the version that is newest at the start."),
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
                + "with FILE, and renamed to FILE. Whenever the tool is killed, FILE is either the "
                + "complete old file or the complete new one. Before the first write, the tool "
                + "checks that the device has enough free space. The new file gets the owner, mode "
                + "and extended attributes of the old one. If FILE is a symbolic link, the file "
                + "that it names is compacted. A file with several names (hard links) needs "
                + "`--force`."),
        .paragraph(
            "Compacting stays below `--max-memory` for any file size. The file is read and "
                + "written in one pass, and pages are released after reading."),
        .paragraph(
            "Files of formats 10 to 23 and synchronised files are not compacted in place. Files of "
                + "formats 10 to 23 can be copied with `-o`, which keeps their format. Files of "
                + "formats 2 to 9 can only be converted, by `--to-format`."),
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
                + "22; SDKs of 2020 (10) open 20. Format 21 was used only by preview versions. No "
                + "data is lost: if the format cannot hold something, the exit status is 6, the "
                + "message names the properties, and nothing is written. Lists and dictionaries in "
                + "mixed values need 24. Mixed values, UUIDs, sets and dictionaries need 21. "
                + "Asymmetric classes need 22. In 20 and 21, the object key is computed from the "
                + "primary key, so objects with a primary key get other object keys. Full-text "
                + "indexes are left out below 23, and indexes of lists below 24. Non-ASCII strings "
                + "in sets and as keys of dictionaries are sorted as by SDKs for Apple's systems "
                + "and x86."),
        .paragraph(
            "A column whose values are tables, which no SDK offered, is left out, and a notice "
                + "names it. `--to-format 24` and `--salvage` also accept a file for which an SDK "
                + "was interrupted while it upgraded the format from 9 to 10, and finish the "
                + "upgrade; `--check` prints one warning for such a file."),
        .paragraph(
            "`--local` converts a synchronised file of any format. The result has no history, and "
                + "programs open it without synchronisation. Some tables are left out, and a "
                + "notice names them: tables that are not classes, classes for users and "
                + "permissions (such as `__User`), and asymmetric classes. Properties that link to "
                + "these classes are left out and named too."),
    ]

    private static let checks: [ManualBlock] = [
        .paragraph(
            "An error is damage because of which a program that reads or writes the file can fail "
                + "or return wrong results. A warning is a defect without such an effect: leaked "
                + "space, an outdated header slot, text that is not UTF-8. Each finding has a "
                + "`severity`, a `code`, a `detail` sentence and, if known, an `offset`, a `path` "
                + "and an `object`. At most 100 findings per code are listed; the summary counts "
                + "all."),
        .paragraph(
            "In formats 2 to 9 the check covers nodes, free space, columns, values and links. "
                + "Search indexes of these formats are never used for reading, so only their nodes "
                + "are checked, not their entries."),
        .paragraph(
            "The format has no checksums. If damage has changed a value into another valid value, "
                + "the check finds it only if the value contradicts an index, a link or the order "
                + "of a tree."),
        .literal([
            #"{"severity":"error","code":"ref-outside-file","offset":90112,"#,
            #" "path":"tables/Email/subject","detail":"..."}"#,
            #"{"summary":{"errors":1,"warnings":0,"previousSlot":"ok","salvageable":48210,"#,
            #" "advice":"..."}}"#,
        ]),
        .paragraph(
            "For a damaged file, `salvageable` estimates the number of objects that `--salvage` "
                + "would copy. A file without a valid header counts as damaged (exit status 4) if "
                + "it contains such objects; otherwise it counts as no Realm file (exit status "
                + "3)."),
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
                + "missing, it finds all data by this search. If it finds the same objects several "
                + "times, it copies their newest state. Object keys are not guessed: an object "
                + "without a primary key is left out if its object key cannot be determined with "
                + "certainty."),
        .paragraph(
            "Each line on standard output describes one loss. Its member `why` is the reason, and "
                + "its member `lost` says what is lost:"),
        .definitions([
            (
                "`version`",
                "The newest version. The older version in the member `used` was copied instead."
            ),
            (
                "`class`",
                "A whole class, whose name is lost too. The member `slot` is its position in the "
                    + "list of classes."
            ),
            ("`name`", "The name of a class or property."),
            ("`property`", "The values of one property, for all objects of the class."),
            ("`object`", "One object. `key` is null if the key itself is lost."),
            (
                "`objects`",
                "Objects that could not be found. The member `count` is their number, if it is "
                    + "known."
            ),
            ("`values`", "Values of `count` consecutive objects, beginning with the object `key`."),
            (
                "`newer`",
                "The newest state of `count` consecutive objects, beginning with the object `key`. "
                    + "An older state was copied; the objects may have been changed or deleted "
                    + "later."
            ),
            (
                "`certainty`",
                "Nothing is lost, but the copied values may be wrong, because their space may have "
                    + "been overwritten."
            ),
        ]),
        .paragraph(
            "The last line counts each loss once: `lostObjects`, `lostValues`, `older`, `doubtful` "
                + "(values that may be wrong) and `lostParts` (losses whose number of objects is "
                + "unknown). The member `version` is the version that was read, 0 if unknown, and "
                + "`sourceErrors` is the number of errors that `--check` finds in FILE. `complete` "
                + "is true, and the exit status 0, only if nothing is lost, the version is the "
                + "newest and FILE has no errors. If FILE has errors, there may be objects that "
                + "cannot be found."),
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
                + "of FILE. `copied` counts bytes that were copied, `older` bytes copied from "
                + "older versions, and `doubtful` copied bytes that may be wrong. `unused` counts "
                + "nodes that were not copied: indexes, the change log, other versions, and "
                + "unreachable objects. The other members are `bookkeeping`, `free`, and `lost`: "
                + "space that is none of these, or is missing because the end of FILE is missing."
        ),
        .paragraph(
            "Try `--at previous` first: the previous version is often intact."),
    ]

    private static let reports: [ManualBlock] = [
        .paragraph(
            "Reports that an option requests (`-n`, `--check`, `--analyze`, `--json`) are printed "
                + "on standard output. Otherwise, a one-line summary of what was done is printed "
                + "on standard error.")
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
