import ToolKit

/// Options for versions and changes.
extension QueryOption {
    static let changes: [any OptionDeclaration] = [
        at, diff, stat, watch, initial, since, heartbeat, before,
    ]

    static let at = SharedOptions.at.saying(
        "read an older version, or previous",
        "Read VERSION instead of the newest one: a version that a program holds, or `previous`. "
            + "The file header still refers to the previous version, which is verified before "
            + "reading.",
        uses: QueryUse.versions)

    static let diff = Option(
        "diff", "d", .required("OTHER", .comparedWith), in: .changes,
        "changes that turn FILE into OTHER",
        "Print the changes that turn FILE into OTHER, one change record per line. OTHER is "
            + "another file, or `@VERSION`, `@previous` or `@latest` of the same file. Exit "
            + "status 1 means that something differs. With `--quiet` nothing is printed; with "
            + "`--count`, only the numbers of inserts, updates and deletes per class. See CHANGE "
            + "RECORDS.",
        excludes: [watch])

    static let stat = Option(
        "stat", in: .changes, "with --diff or --remnants: a line for each class",
        "With `--diff` or `--since`: print one line per class that differs. It has the numbers of "
            + "inserted, updated and deleted objects and of schema changes, as a table or, in "
            + "another `--format`, as a record. With `--remnants`: print the number of remnants "
            + "per class, state and certainty.",
        excludes: [watch, count], needs: [diff, since, remnants])

    static let watch = Option(
        "watch", "w", in: .changes, "print changes as they are committed",
        "Print a change record for everything that programs commit, as it happens, until "
            + "interrupted. With CLASS and PREDICATE, only objects that match are reported. An "
            + "object that starts to match is an insert, and one that stops matching is a delete. "
            + "See CHANGE RECORDS.")

    static let initial = Option(
        "initial", in: .changes, "begin a watch with all existing objects",
        "Begin with an insert for every existing object. The schema comes first, unless CLASS or "
            + "`--fields` is given.", excludes: [since],
        needs: [watch])

    static let since = Option(
        "since", nil, .required("VERSION", .streamPosition), in: .changes,
        "begin with the changes since VERSION",
        "Begin with the changes since VERSION, to resume a watch. VERSION is a number, or "
            + "`VERSION@SOURCE` as printed by `realm-versions -g applied`, which also identifies "
            + "the file. If that version can no longer be read, or belongs to another file, a "
            + "`resync` and all objects follow; version 0 never exists. Without `--watch`, print "
            + "those changes and exit, as `--diff` does.")

    static let heartbeat = Option(
        "heartbeat", nil, .required("DUR", .duration), in: .changes,
        "print a line after DUR without changes",
        "Print a record with the op `heartbeat` whenever a watch has been silent for DUR.",
        needs: [watch])

    static let before = Option(
        "before", in: .changes, "add the values before a change",
        "Add the member `before`, with the values before the change, to updates and deletes.",
        needs: [diff, watch, since])
}
