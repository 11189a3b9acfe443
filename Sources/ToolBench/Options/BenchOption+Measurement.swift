import ToolKit

/// Options for the measurement.
extension BenchOption {
    static let measurement: [any OptionDeclaration] = [
        list, runs, num, runTime, warmup, rate, lateThreshold, seed, distribution, cache, inject,
    ]

    static let list = Option(
        "list", in: .measurement, "list the workloads and exit",
        "List the workloads with a description, one per line, and exit.")

    static let runs = Option(
        "runs", "r", .required("N", .count(1...10_000)), in: .measurement,
        "repetitions of each workload",
        "Run each workload N times. Runs of different workloads alternate, so that a temporary "
            + "slowdown of the machine does not affect only one of them.",
        defaultText: "\(usual.runs); \(BenchSetting.quick.runs) for `quick`")

    static let num = Option(
        "num", "N", .required("N", .count(1...1_000_000_000)), in: .measurement,
        "objects to generate, operations per run",
        "Number of objects in a generated database. It is also the number of operations per run in "
            + "workloads that choose objects at random, such as `readrandom`. The workload `open` "
            + "opens the file at most 1000 times per run.",
        defaultText: "\(usual.num); \(BenchSetting.quick.num) for `quick`")

    static let runTime = Option(
        "run-time", "T", .required("DUR", .duration), in: .measurement,
        "end runs after DUR instead of after N operations",
        "End each run after DUR, such as `5s`, instead of after N operations. A workload that "
            + "visits every object once ends earlier if all objects are visited. With this option, "
            + "runs do different amounts of work, so the tool does not check that their results "
            + "are equal.", aliases: ["time"])

    static let warmup = Option(
        "warmup", nil, .required("DUR", .duration), in: .measurement,
        "time spent on each workload before measuring",
        "Before measuring, run each workload for DUR, and at least once, so that the file is in "
            + "the page cache. A workload that writes is warmed up by one run with a tenth of the "
            + "objects. `0s` disables the warm-up.",
        default: usual.warmup)

    static let rate = Option(
        "rate", "R", .required("OPS", .count(1...1_000_000_000)), in: .measurement,
        "begin OPS operations per second, at fixed times",
        "Begin OPS operations per second at fixed times, even if the previous operation is not "
            + "done. Latency is measured from the scheduled start of an operation, so it includes "
            + "the time that the operation waited for an earlier, slow one. The report also shows "
            + "how late operations started. The option is for workloads whose operations are timed "
            + "one by one.")

    static let lateThreshold = Option(
        "late-after", nil, .required("DUR", .duration), in: .measurement,
        "count operations that finish more than DUR late",
        "Report the number of operations that finish more than DUR after their scheduled "
            + "start.", needs: [rate])

    static let seed = Option(
        "seed", nil, .required("N", .count(0...Int.max)), in: .measurement,
        "seed of the random choices",
        "Seed of the random choices. The same seed generates the same file and the same "
            + "operations.",
        default: Int(usual.seed))

    static let distribution = Option(
        "distribution", nil,
        .required("D", .distribution),
        in: .measurement, "how objects are chosen: uniform, zipfian, latest, sequential",
        "Distribution with which workloads choose objects at random. With `uniform`, all objects "
            + "are chosen equally often. With `zipfian`, a few objects are chosen very often; a "
            + "number after a colon sets the skew, as in `zipfian:0.8` (default 0.99). With "
            + "`latest`, the distribution is zipfian, and the newest objects are chosen most "
            + "often. With `sequential`, objects are taken in order. The `ycsb` workloads have "
            + "their own distributions.",
        default: usual.distribution)

    static let cache = Option(
        "cache", nil, .required("STATE", .choice), in: .measurement,
        "page cache before each run: warm, cold",
        "State of the page cache before each run. With `cold`, the tool asks the system to remove "
            + "the file from the page cache, so that it is read from the disk. With `warm`, the "
            + "file stays in the cache.",
        default: CacheState.warm)

    static let inject = Option(
        "inject", nil, .required("FAULT", .injection), in: .measurement,
        "make the figures worse on purpose: slow=30%, stall=200ms",
        "Make the figures worse on purpose, to test a gate or a graph. With `slow=30%`, every "
            + "operation takes 30% longer. With `stall=200ms`, one operation in the middle of each "
            + "run is delayed by 200 milliseconds. Both can be given, separated by a comma.",
        default: Injection())
}
