import ToolKit

/// Options for versions and changes.
extension QueryOption {
    static let changes: [any OptionDeclaration] = [
        at, diff, stat, watch, initial, since, heartbeat, before,
    ]

    static let at = SharedOptions.at.saying(
        "read an older version, or previous",
        "Read VERSION instead of the newest one: a version that some program still keeps, or "
            + "`previous` for the one before the newest, which the file's header still knows "
            + "and which is checked before it is read.",
        uses: QueryUse.versions)

    static let diff = Option(
        "diff", "d", .required("OTHER", .comparedWith), in: .changes,
        "what turns FILE into OTHER",
        "Print the changes that turn FILE into OTHER, one change record a line. OTHER is another "
            + "file, or `@VERSION`, `@previous` or `@latest` of the same one. Exit status 1 says "
            + "that something differs. With `--quiet` nothing is printed, with `--count` only "
            + "the numbers of inserts, updates and deletes in each class. See CHANGE RECORDS.",
        excludes: [watch])

    static let stat = Option(
        "stat", in: .changes, "with --diff or --remnants: a line for each class",
        "With `--diff` or `--since`: print a line for each class that differs, with the numbers of "
            + "objects inserted, updated and deleted and of changes of its schema: a table, or in "
            + "another `--format` a record. With `--remnants` of each class with remnants how many "
            + "there are of each state and certainty.",
        excludes: [watch, count], needs: [diff, since, remnants])

    static let watch = Option(
        "watch", "w", in: .changes, "print changes as they are committed",
        "Print a change record for everything that programs commit, as soon as they do, until "
            + "interrupted. With CLASS and PREDICATE only for objects that match: one that "
            + "begins to match is inserted, one that ceases to match is deleted. See CHANGE "
            + "RECORDS.")

    static let initial = Option(
        "initial", in: .changes, "begin a watch with what is there",
        "Begin with the schema, unless CLASS or `--fields` is given, and an insert for every object that is there "
            + "already.", excludes: [since],
        needs: [watch])

    static let since = Option(
        "since", nil, .required("VERSION", .streamPosition), in: .changes,
        "begin with the changes since VERSION",
        "Begin with the changes since VERSION: to resume a watch. VERSION is a number, or "
            + "`VERSION@SOURCE` as `realm-versions -g applied` prints it, which names the file too. "
            + "Where that version can no longer be read, or is one of another file, a `resync` and "
            + "everything there is follows; 0 is never there. Without `--watch` print those "
            + "changes and end, as `--diff` does.")

    static let heartbeat = Option(
        "heartbeat", nil, .required("DUR", .duration), in: .changes,
        "a line now and then in an idle watch",
        "Print a record with the op `heartbeat` whenever a watch has been silent for DUR.",
        needs: [watch])

    static let before = Option(
        "before", in: .changes, "add the values before a change",
        "Add the member `before` with the values before the change to updates and deletes.",
        needs: [diff, watch, since])
}
