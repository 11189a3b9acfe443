import ToolKit

/// The options of `realm-bench`.
enum BenchOption {
    static let table: [any OptionDeclaration] =
        measurement + scaled + data + comparison + [
            SharedOptions.formats([.text, .json, .csv], auto: "`auto` is `text`."),
            SharedOptions.json, SharedOptions.output, SharedOptions.force,
        ] + reports + [key, wait, threads, maxMemory] + SharedOptions.general
        + [SharedOptions.progress]

    /// Settings without options.
    static let usual = BenchSetting()

    private static let key = SharedOptions.key.saying(
        "read the 64-byte key from FILE",
        "Read the 64-byte encryption key of the database of `--file` from FILE. See KEY FILES in "
            + "`realm-tools(7)`.",
        needs: [file])

    private static let wait = SharedOptions.wait.saying(
        "begin again while others change the file, at most DUR",
        "Begin again when another process changed the database while it was measured, until DUR "
            + "is over; without DUR, for as long as it takes. When the time is up the exit status "
            + "is 7.",
        defaultText: "begin again twice")

    private static let threads = SharedOptions.threads.saying(
        "worker threads of export, 0 = one per processor",
        "Use N worker threads where one operation can use several, as in `export`; 0 means one per "
            + "processor.")

    private static let maxMemory = SharedOptions.maxMemory.saying(
        "what the workers of an export may take",
        "Let an `export` that is measured use no more worker threads than SIZE has room for, at 4 "
            + "MiB each. Nothing else is kept below it; the report tells what memory was used.")
}
