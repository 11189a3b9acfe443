import ToolKit

/// Options for versions and changes.
extension QueryOption {
    static let changes: [any OptionDeclaration] = [
        at, diff, stat, watch, initial, since, heartbeat, before,
    ]

    static let at = SharedOptions.at.saying(
        "read an older version, or previous",
        "Read VERSION instead of the newest version. VERSION is `previous`, or the number of a "
            + "version that a program still has open. `previous` is the last version before the "
            + "newest; the file header still refers to it, and it is verified before it is read.",
        uses: QueryUse.versions)

    static let diff = Option(
        "diff", "d", .required("OTHER", .comparedWith), in: .changes,
        "changes that turn FILE into OTHER",
        "Print the changes that turn FILE into OTHER, one change record per line. OTHER is another "
            + "file, or `@VERSION`, `@previous` or `@latest` of the same file. Exit status 1 means "
            + "that something differs. With `--quiet`, nothing is printed. With `--count`, only "
            + "the numbers of inserts, updates and deletes of each class are printed. See CHANGE "
            + "RECORDS.",
        excludes: [watch])

    static let stat = Option(
        "stat", in: .changes, "with --diff or --remnants: a line for each class",
        "With `--diff` or `--since`: print one line per class that differs. The line has the "
            + "numbers of inserted, updated and deleted objects and of schema changes. The lines "
            + "form a table; with a `--format` such as `ndjson`, each line is a record. With "
            + "`--remnants`: print the number of remnants per class, state and certainty.",
        excludes: [watch, count], needs: [diff, since, remnants])

    static let watch = Option(
        "watch", "w", in: .changes, "print changes as they are committed",
        "Print a change record for each object that programs insert, change or delete, as soon as "
            + "it is committed, until the tool is interrupted. With CLASS and PREDICATE, only "
            + "objects that match are reported. An object that begins to match is reported as an "
            + "insert, and an object that no longer matches as a delete. See CHANGE RECORDS.")

    static let initial = Option(
        "initial", in: .changes, "begin a watch with all existing objects",
        "With `--watch`: begin with an `insert` record for every existing object. Records of the "
            + "schema are printed before these, unless CLASS or `--fields` is "
            + "given.", excludes: [since],
        needs: [watch])

    static let since = Option(
        "since", nil, .required("VERSION", .streamPosition), in: .changes,
        "begin with the changes since VERSION",
        "With `--watch`: begin with the changes since VERSION, to resume an earlier watch. VERSION "
            + "is a number, or `VERSION@SOURCE` as printed by `realm-versions -g applied`, which "
            + "also identifies the file. If that version can no longer be read, or belongs to "
            + "another file, a `resync` record and all objects are printed instead. With `--since "
            + "0` this always happens, because version 0 never exists. Without `--watch`: print "
            + "the changes since VERSION and exit, as `--diff` does.")

    static let heartbeat = Option(
        "heartbeat", nil, .required("DUR", .duration), in: .changes,
        "print a line after DUR without changes",
        "With `--watch`: print a record whose member `op` is `heartbeat` whenever nothing else has "
            + "been printed for DUR, such as `5s`.",
        needs: [watch])

    static let before = Option(
        "before", in: .changes, "add the values before a change",
        "Add a member `before` to each `update` and `delete` record. It contains the values before "
            + "the change.",
        needs: [diff, watch, since])
}
