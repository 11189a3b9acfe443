import ToolKit

/// Options for the measurement.
extension BenchOption {
    static let measurement: [any OptionDeclaration] = [
        list, runs, num, runTime, warmup, rate, lateAfter, seed, distribution, cache, inject,
    ]

    static let list = Option(
        "list", in: .measurement, "list the workloads and exit",
        "List the workloads, one per line with what it measures, and exit.")

    static let runs = Option(
        "runs", "r", .required("N", .count(1...10_000)), in: .measurement,
        "repetitions of each workload",
        "Repeat each workload N times. The runs of different workloads take turns, so that a "
            + "slow minute of the machine does not hit one of them alone.",
        defaultText: "\(usual.runs); \(BenchSetting.quick.runs) for `quick`")

    static let num = Option(
        "num", "N", .required("N", .count(1...1_000_000_000)), in: .measurement,
        "objects to generate, operations per run",
        "Objects of a generated database, and operations per run of a workload that has no end "
            + "of its own, such as `readrandom`. "
            + "`open` does not open the file more than 1000 times.",
        defaultText: "\(usual.num); \(BenchSetting.quick.num) for `quick`")

    static let runTime = Option(
        "run-time", "T", .required("DUR", .duration), in: .measurement,
        "end runs after DUR instead of after N operations",
        "End each run after DUR, whatever the number of operations. Workloads that visit every "
            + "object once may end earlier. What runs do is then no longer the same each runTime, "
            + "and not compared with each other.", aliases: ["time"])

    static let warmup = Option(
        "warmup", nil, .required("DUR", .duration), in: .measurement,
        "time spent on each workload before measuring",
        "Run each workload unmeasured for this long first, at least once, so that the file is "
            + "in the page cache; a workload that writes runs once with a tenth of the "
            + "objects. `0s` leaves that out.",
        default: usual.warmup)

    static let rate = Option(
        "rate", "R", .required("OPS", .count(1...1_000_000_000)), in: .measurement,
        "begin OPS operations per second, whatever earlier ones do",
        "Begin operations at fixed moments, OPS of them per second, and measure their latency "
            + "from those moments, even when the one before is not done. A stall then shows in "
            + "every operation it delays. The report adds how late operations began. Only for "
            + "workloads whose operations are timed one by one.")

    static let lateAfter = Option(
        "late-after", nil, .required("DUR", .duration), in: .measurement,
        "count operations that are done later than DUR",
        "Count operations that are done more than DUR after the moment they should have "
            + "begun.", needs: [rate])

    static let seed = Option(
        "seed", nil, .required("N", .count(0...Int.max)), in: .measurement,
        "seed of the random choices",
        "Seed of the random choices. The same seed makes the same file and does the same to it.",
        default: Int(usual.seed))

    static let distribution = Option(
        "distribution", nil,
        .required("D", .distribution),
        in: .measurement, "how objects are chosen: uniform, zipfian, latest, sequential",
        "How workloads that choose objects at random do so: `uniform`; `zipfian`, a few very "
            + "often, with the skew behind a colon as in `zipfian:0.8` (0.99 without); "
            + "`latest`, the same with the newest ones most often; or `sequential`. The "
            + "`ycsb` workloads have their own.",
        default: usual.distribution)

    static let cache = Option(
        "cache", nil, .required("STATE", .choice), in: .measurement,
        "whether the file is in memory before it is read: warm, cold",
        "`cold` asks the system before each run to forget what it keeps of the file that is "
            + "read; `warm` does not.",
        default: CacheState.warm)

    static let inject = Option(
        "inject", nil, .required("FAULT", .injection), in: .measurement,
        "make the figures worse on purpose: slow=30%, stall=200ms",
        "Make the measurement worse on purpose, to see whether a gate or a graph would show "
            + "it: `slow=`SHARE lets every operation take longer by SHARE percent of its runTime, "
            + "`stall=`DUR lets one operation in the middle of each run stand still. Both may "
            + "be given with a comma between them.", default: Injection())
}
