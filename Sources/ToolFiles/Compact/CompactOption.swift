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
                "This option applies to reports; `auto` is `text`. In `ndjson`, each finding of a "
                + "check is one line. At most 100 findings with the same code are printed; the "
                + "member `omitted` of the summary lists the codes that had more."),
        SharedOptions.json, output, force, SharedOptions.key, SharedOptions.access, wait,
        SharedOptions.threads, maxMemory,
    ]

    static let output = SharedOptions.output.saying(
        "write the copy, or the report, to FILE",
        "Write the compacted copy to FILE instead of replacing the database. With `--check`, "
            + "`--analyze` and `-n`, write the report to FILE. FILE is replaced atomically: the "
            + "data goes to a temporary file in the same directory, which is synced and then "
            + "renamed.")

    static let force = SharedOptions.force.saying(
        "replace files, compact hard-linked ones",
        "Allow an existing output or backup file to be replaced. Also allow a file with several "
            + "names (hard links) to be compacted in place; the other names keep the old file.")

    private static let wait = SharedOptions.wait.saying(
        "wait for others to close FILE, at most DUR",
        "Wait at most DUR, such as `60s`, until no other process has FILE open. Without DUR, wait "
            + "without limit. If the tool writes a copy or a report, other processes may have FILE "
            + "open, and it only waits for locks. On timeout the exit status is 7.",
        defaultText: "do not wait for others to close FILE; one second for locks")

    private static let maxMemory = SharedOptions.maxMemory.saying(
        "limit of private memory",
        "Use at most SIZE of private memory to compact, copy or salvage. A SIZE below 8 MiB counts "
            + "as 8 MiB. In a salvage, an object that does not fit is left out and reported as "
            + "lost. `--check`, which is also the first step of a salvage, is not limited: its "
            + "memory is proportional to the number of objects and links. Pages of the mapped file "
            + "do not count, because the system can reclaim them at any time.")
}
