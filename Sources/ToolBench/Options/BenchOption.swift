import ToolKit

/// The options of `realm-bench`.
enum BenchOption {
    static let table: [any OptionDeclaration] =
        measurement + scaled + data + comparison + [
            SharedOptions.formats([.text, .json, .csv], auto: "`auto` is `text`."),
            SharedOptions.json, SharedOptions.output, SharedOptions.force,
        ] + reports + [key, wait, threads, maxMemory] + SharedOptions.general
        + [SharedOptions.progress]

    /// The settings if no option is given.
    static let usual = BenchSetting()

    private static let key = SharedOptions.key.saying(
        "read the 64-byte key from FILE",
        "Read the 64-byte encryption key of the `--file` database from FILE. See KEY FILES in "
            + "`realm-tools(7)`.",
        needs: [file])

    private static let wait = SharedOptions.wait.saying(
        "retry while others change the file, at most DUR",
        "Start over, for at most DUR, if another process changed the database during the "
            + "measurement. Without DUR, start over without limit. On timeout the exit status is "
            + "7.",
        defaultText: "at most two restarts")

    private static let threads = SharedOptions.threads.saying(
        "worker threads of export, 0 = one per processor",
        "Use N worker threads in operations that support several, such as `export`. 0 means one "
            + "per processor.")

    private static let maxMemory = SharedOptions.maxMemory.saying(
        "memory for the workers of an export",
        "Limit the worker threads of the workload `export`: each thread counts as 4 MiB, and all "
            + "together use at most SIZE. No other memory is limited; the report shows how much "
            + "was used.")
}
