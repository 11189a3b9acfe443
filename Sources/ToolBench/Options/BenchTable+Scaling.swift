import ToolKit

extension BenchTable {
    /// The section SCALING of the manual.
    static let growth: [ManualBlock] = [
        .paragraph(
            "`--scaling` measures each WORKLOAD at `--num` objects (default "
                + "\(BenchSetting.scaling.num)), at twice and at four times as many, and reports "
                + "how its costs grow. An exponent of 1 means that twice as many objects cost "
                + "twice as much; 2 means four times as much. Sorting and indexes add a "
                + "logarithm, which raises an exponent of 1 to about 1.1."),
        .definitions([
            (
                "CPU OF",
                "Processor time at each size, in the program and in the kernel, excluding "
                    + "preparation."
            ),
            (
                "MEMORY",
                "Peak memory of the process at the largest size, including memory that earlier "
                    + "workloads have not returned."
            ),
            ("FILE OF", "Final size of the file, for workloads that write."),
            ("E", "Exponent of the growth between the two largest sizes."),
            ("LIVE", "Bytes of the file that the newest version uses, at the largest size."),
        ]),
        .paragraph(
            "A workload that processes a fraction of the objects, such as N/100, also processes "
                + "twice as many when N is doubled. `commit-pinned`, `commit-many-classes` and "
                + "`fill-wide-class` do the same work at every size, but the number of versions, "
                + "classes or properties in the file grows. Their exponent is 0 if this number "
                + "does not matter, and 1 if the cost is proportional to it."),
        .paragraph(
            "A short run is repeated until all its repetitions have used 50 milliseconds of "
                + "processor time together, at most \(ScalingRunner.maximumRunCount) times. The "
                + "run with the least time counts. `--runs` is the minimum number of runs, by "
                + "default 1. With few objects the exponents say little: fixed costs hide the "
                + "growth, and at some size the data no longer fits into a cache of the processor. "
                + "Trust an exponent only if the largest size takes a tenth of a second or more, "
                + "and measure twice."),
    ]
}
