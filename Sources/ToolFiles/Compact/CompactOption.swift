import RealmEngine
import ToolKit

/// The options of `realm-compact`.
enum CompactOption {
    static let table: [any OptionDeclaration] =
        actions + compaction + general + SharedOptions.general + [SharedOptions.progress]

    /// Options for reports, and options shared by all tools.
    private static let general: [any OptionDeclaration] = [
        SharedOptions.formats(
            [.text, .json, .ndjson],
            auto:
                "It is about reports; `auto` is `text`. With `ndjson` each finding of a check is a "
                + "line of its own, a hundred of each code at most; `omitted` in the summary says of "
                + "which there are more."),
        SharedOptions.json, output, force, SharedOptions.key, SharedOptions.access, wait,
        SharedOptions.threads, maxMemory,
    ]

    static let output = SharedOptions.output.saying(
        "write the copy, or the report, to FILE",
        "Write the compacted copy to FILE; with `--check`, `--analyze` and `-n`, the report. "
            + "FILE appears complete or not at all: the data goes to a temporary file in the "
            + "same directory, which is synced and then renamed.")

    static let force = SharedOptions.force.saying(
        "replace files, compact hard-linked ones",
        "Allow an existing output or backup file to be replaced, and a file with several "
            + "names (hard links) to be compacted in place; the other names keep the old file.")

    private static let wait = SharedOptions.wait.saying(
        "wait for others to close FILE, at most DUR",
        "Wait until nobody else has FILE open, at most DUR; without DUR, for as long as it takes. "
            + "Where a copy is written or a report made, wait for locks as the other tools do. "
            + "When the time is up the exit status is 7.",
        defaultText: "not for others to close FILE; a second for locks")

    private static let maxMemory = SharedOptions.maxMemory.saying(
        "cap on private memory",
        "Keep private memory below SIZE, or 8 MiB if that is more, while a database is compacted "
            + "or copied, and while a damaged one is searched and salvaged: what is found and has no "
            + "room is lost, and reported. `--check`, with which a salvage begins, takes what the "
            + "number of objects and links demands. Pages of the mapped file do not count: the system takes them back whenever "
            + "it needs to.")
}
