import ToolKit

/// Options for the measured data.
extension BenchOption {
    static let data: [any OptionDeclaration] = [
        file, query, valueSize, commitOperations, durability, encrypted, readers, writers, pin, dir,
        keep,
        against,
    ]

    static let file = SharedOptions.file.saying(
        "the database to read; it is never changed",
        "The database to read. It is never changed. Without it everything is measured on "
            + "generated databases of made-up people.",
        excludes: [
            commitOperations, valueSize, durability, encrypted, dir, keep, writers, pin,
            against,
        ])

    static let query = Option(
        "query", nil, each: .required("CLASS:PREDICATE", .text), in: .data,
        "time this query on FILE, its count and its rows",
        "Time this query on FILE: `query-1-count` counts the objects of CLASS that match, "
            + "`query-1-rows` finds their keys in the order of the query; a second `--query` "
            + "is `query-2`. One operation is the whole query, parsing and planning included. "
            + "A run repeats it for 200 milliseconds, but not more often than `--num` says. "
            + "Without a WORKLOAD nothing else is measured. With `--readers` several threads ask "
            + "at once. The query language is described in `realm-query(1)`.", needs: [file])

    static let valueSize = Option(
        "value-size", nil, .required("SIZE", .payload), in: .data,
        "bytes of payload in every generated object",
        "Give every generated object a binary property of SIZE random bytes, at most 16 MiB.",
        default: usual.valueSize)

    static let commitOperations = Option(
        "commit-operations", nil, .required("N", .count(1...1_000_000_000)), in: .data,
        "operations between two commits",
        "Operations between two commits of a workload that writes; `fillbatch` does ten times "
            + "as many, `pinned-growth` a tenth, `fillsync` one.",
        default: usual.batch, aliases: ["batch"])

    static let durability = Option(
        "durability", nil, .required("MODE", .choice), in: .data,
        "whether commits are synced: full, unsafe, memory",
        "`full` syncs every commit as the tools do. `unsafe` leaves that out: such commits do "
            + "not survive a power failure. `memory` is a database without a file: this "
            + "version cannot make one yet and ends with exit status 6.",
        default: BenchDurability.full)

    static let encrypted = Option(
        "encrypted", in: .data, "measure on encrypted databases",
        "Encrypt the generated databases, with a key that is forgotten afterwards.")

    static let readers = Option(
        "readers", nil, .required("N", .count(1...256)), in: .data,
        "threads that read in mixed workloads, or that ask queries",
        "Threads that read in `readwhilewriting`, `readwhileidle`, `readlocked` and "
            + "`writewhilereading`, each with an instance of its own, or that ask the same "
            + "query at the same time: those of `--query`, and the workloads that search and "
            + "sort. The operations of all of them count, in the time that passes for all.",
        default: usual.readers)

    static let writers = Option(
        "writers", nil, .required("N", .count(1...256)), in: .data,
        "threads that write in mixed workloads",
        "Threads that write in `readwhilewriting`, `writewhilereading` and "
            + "`tickwhilewriting`, each with an instance of its own. They take turns, as "
            + "writers of a database do.",
        default: usual.writers)

    static let pin = Option(
        "pin", nil, .required("N", .count(0...1000)), in: .data,
        "hold N old versions while a workload writes",
        "Hold the version before the measured part, and those after the first commits until "
            + "there are N, while a workload writes: what the file grows by then is what such "
            + "readers cost.", default: usual.pins,
        defaultText: "\(usual.pins); 1 for `pinned-growth`")

    static let dir = Option(
        "dir", nil, .required("DIR", .directory), in: .data,
        "where generated databases go",
        "Where generated databases go. Their file system decides what syncing costs.",
        default: usual.directory, defaultText: "the current directory")

    static let keep = Option(
        "keep", in: .data, "keep the generated databases",
        "Keep the generated databases. They are called `realm-bench-`PID`-`WORKLOAD`.realm`; a "
            + "number follows when a name is taken.")

    static let against = Option(
        "against", nil, OptionArgument<BenchPeer>.required("PEER", .choice), in: .data,
        "let another program do the same in turn, such as sqlite3",
        "Let the `sqlite3` program found in `PATH` do the same with the same objects, run by "
            + "run in turn, and print both: `sqlite3`, or `sqlite3-inverse` with an index for the "
            + "way back along each link, which a Realm database always has. See COMPARING WITH "
            + "SQLITE. Workloads it has no counterpart for are measured alone.")
}
