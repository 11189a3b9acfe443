import ToolKit

extension BenchTable {
    /// The section SCALING of the manual.
    static let growth: [ManualBlock] = [
        .paragraph(
            "`--scaling` measures each WORKLOAD at as many objects as `--num` says "
                + "(\(BenchSetting.scaling.num) without it), at twice and at four times as many, and "
                + "reports how its costs grow. An exponent of 1 means that twice as many objects "
                + "cost twice as much, 2 that they cost four times as much. Sorting and indexes have "
                + "a logarithm in their costs, which makes about 1.1 of 1."),
        .definitions([
            (
                "CPU OF",
                "Processor time at each size, in the program and in the kernel, without what "
                    + "prepares the workload."
            ),
            (
                "MEMORY",
                "Memory of the process at the most, at the largest size; what earlier workloads "
                    + "have not returned counts too."
            ),
            ("FILE OF", "Size of the file afterwards, for workloads that write."),
            ("E", "The exponent between the two largest sizes."),
            ("LIVE", "Bytes of it that the newest version uses, at the largest size."),
        ]),
        .paragraph(
            "Workloads that work on a part of the number, such as a hundredth, double that part "
                + "too. `commit-pinned`, `commit-many-classes` and `fill-wide-class` do the same "
                + "work each time beside a number that grows: their exponent is 0 if that number "
                + "costs nothing, and 1 if it costs in proportion."),
        .paragraph(
            "Short runs are repeated until they took 50 milliseconds of processor time together, "
                + "at most \(ScalingRunner.mostRuns) times, and the run that took least counts. "
                + "`--runs` is the least number of runs, 1 without it. At small numbers the "
                + "exponents are noise all the same: fixed costs hide what grows, and caches are "
                + "outgrown between two sizes. Judge where the largest size takes a tenth of a "
                + "second or more, and measure again before you believe an exponent."),
    ]
}
