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
        "The database to read; it is never changed. Without this option, all workloads run on "
            + "generated databases of fictional people.",
        excludes: [
            commitOperations, valueSize, durability, encrypted, dir, keep, writers, pin,
            against,
        ])

    static let query = Option(
        "query", nil, each: .required("CLASS:PREDICATE", .text), in: .data,
        "time this query on FILE, its count and its rows",
        "Measure this query on FILE, as two workloads: `query-1-count` counts the objects of CLASS "
            + "that match PREDICATE, and `query-1-rows` finds their keys, in the order of the "
            + "query. The workloads of a second `--query` begin with `query-2`. One operation is "
            + "the whole query, including parsing and planning. A run repeats it for 200 "
            + "milliseconds, but at most `--num` times. Without a WORKLOAD, only queries are "
            + "measured. With `--readers`, several threads run the query at once. The query "
            + "language is described in `realm-query(1)`.", needs: [file])

    static let valueSize = Option(
        "value-size", nil, .required("SIZE", .payload), in: .data,
        "bytes of payload in every generated object",
        "Add a binary property of SIZE random bytes to every generated object, at most 16 MiB.",
        default: usual.valueSize)

    static let commitOperations = Option(
        "commit-operations", nil, .required("N", .count(1...1_000_000_000)), in: .data,
        "operations between two commits",
        "Commit after N operations in workloads that write. Exceptions are `fillbatch`, which "
            + "commits after 10 N operations, `pinned-growth`, after N/10, and `fillsync`, after "
            + "every operation.",
        default: usual.batch, aliases: ["batch"])

    static let durability = Option(
        "durability", nil, .required("MODE", .choice), in: .data,
        "whether commits are synced: full, unsafe, memory",
        "With `full`, each commit is synced to the disk, as by the other tools. With `unsafe`, "
            + "commits are not synced, and may be lost in a power failure. `memory`, a database "
            + "without a file, is not supported yet and ends with exit status 6.",
        default: BenchDurability.full)

    static let encrypted = Option(
        "encrypted", in: .data, "measure on encrypted databases",
        "Encrypt the generated databases with a random key, which is not stored.")

    static let readers = Option(
        "readers", nil, .required("N", .count(1...256)), in: .data,
        "threads that read in mixed workloads or run queries",
        "Number of reader threads in `readwhilewriting`, `readwhileidle`, `readlocked` and "
            + "`writewhilereading`, each with its own instance. In workloads that search or sort, "
            + "and with `--query`, it is the number of threads that run the same query at once. "
            + "Operations per second are the operations of all threads, divided by the elapsed "
            + "time.",
        default: usual.readers)

    static let writers = Option(
        "writers", nil, .required("N", .count(1...256)), in: .data,
        "threads that write in mixed workloads",
        "Number of writer threads in `readwhilewriting`, `writewhilereading` and "
            + "`tickwhilewriting`, each with its own instance. They take turns, because a "
            + "database has one writer at a time.",
        default: usual.writers)

    static let pin = Option(
        "pin", nil, .required("N", .count(0...1000)), in: .data,
        "hold N old versions while a workload writes",
        "Keep N old versions open while a workload writes, as N slow readers would: the version "
            + "before the first measured commit, and the versions of the first N - 1 commits. "
            + "Their space cannot be reused, so the file grows.", default: usual.pins,
        defaultText: "\(usual.pins); 1 for `pinned-growth`")

    static let dir = Option(
        "dir", nil, .required("DIR", .directory), in: .data,
        "directory of the generated databases",
        "Directory of the generated databases. Its file system determines the cost of a sync.",
        default: usual.directory, defaultText: "the current directory")

    static let keep = Option(
        "keep", in: .data, "keep the generated databases",
        "Keep the generated databases. They are named `realm-bench-`PID`-`WORKLOAD`.realm`, "
            + "followed by a number if the name is taken.")

    static let against = Option(
        "against", nil, OptionArgument<BenchPeer>.required("PEER", .choice), in: .data,
        "run the same workloads on another program, such as sqlite3",
        "Run each workload on another program as well, with the same objects, and print both "
            + "results. The runs of the two programs alternate. With `sqlite3`, this is the "
            + "`sqlite3` program found in `PATH`. With `sqlite3-inverse`, the SQLite tables also "
            + "get an index on each link column, so that it can find incoming links, as a Realm "
            + "database always can. A workload that has no equivalent in the other program is "
            + "measured on Realm only. See COMPARING WITH SQLITE.")
}
