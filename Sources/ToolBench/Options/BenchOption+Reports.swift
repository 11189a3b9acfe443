import ToolKit

/// Options for comparisons.
extension BenchOption {
    static let comparison: [any OptionDeclaration] = [
        baseline, compare, gate, allowDifferentMachine,
    ]

    static let baseline = Option(
        "baseline", "b", .required("FILE", .file), in: .comparison,
        "compare with a saved result; exit 1 on a regression",
        "Compare with the result in FILE, written by `--save`. The exit status is 1 if a figure "
            + "is worse by more than `--gate` allows. See COMPARING.")

    static let compare = Option(
        "compare", in: .comparison, "compare two saved results; measure nothing",
        "Measure nothing. Compare the saved result in the file NEW with the saved result in the "
            + "file OLD, by the rules of `--baseline`.",
        excludes: [
            baseline, save, file, against, list, hgrm, histogram, plot,
        ])

    static let gate = Option(
        "gate", nil, .required("LIST", .gate), in: .comparison,
        "figures to compare, and how much worse each may be",
        "Figures to compare, each with the percentage or number by which it may become worse. "
            + "`ops` is operations per second. `p99` is the 99th percentile of latency. `cpu` is "
            + "processor time per operation. `bytes` is bytes written. `fsyncs` is the number of "
            + "syncs. `size` is the final file size. On a shared machine, `cpu` is more reliable "
            + "than `ops` and `p99`.",
        default: Gate.standard, defaultText: "`\(Gate.usual)`")

    static let allowDifferentMachine = Option(
        "allow-different-machine", in: .comparison,
        "compare results of different machines or settings",
        "Compare results even if the machine, the settings or the kind of build differ. The "
            + "differences are printed.")
}

/// Options that write further files, in addition to the report.
extension BenchOption {
    static let reports: [any OptionDeclaration] = [
        save, histogram, hgrm, plot,
    ]

    static let save = Option(
        "save", nil, .required("FILE", .file), in: .output,
        "save the result as JSON for later comparisons",
        "Save the result as JSON in FILE for later comparisons. Its member `noisy` lists workloads "
            + "whose runs differ so much that the quartiles are more than 10% apart. A later "
            + "comparison of such a workload prints a warning. A result of a debug build is saved "
            + "only with `--force`; otherwise the exit status is 2.")

    static let histogram = Option(
        "histogram", in: .output, "print the distribution of latencies",
        "Print the distribution of each workload's latencies below the report.")

    static let hgrm = Option(
        "hgrm", nil, .required("FILE", .file), in: .output,
        "write the percentile spectra to FILE",
        "Write the percentile spectrum of each workload's latencies to FILE, in microseconds. The "
            + "HdrHistogram tools read this format. Before each spectrum, a comment line names the "
            + "workload.")

    static let plot = Option(
        "plot", nil, .required("FILE", .file), in: .output,
        "draw the result as SVG",
        "Draw throughput, latencies and file growth as one page of SVG in FILE. The results of "
            + "`--baseline` and `--against` are drawn beside the new results. The colours are "
            + "legible on light and dark backgrounds."
    )
}
