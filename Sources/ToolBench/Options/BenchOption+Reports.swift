import ToolKit

/// Options for comparisons.
extension BenchOption {
    static let comparison: [any OptionDeclaration] = [
        baseline, compare, gate, allowDifferentMachine,
    ]

    static let baseline = Option(
        "baseline", "b", .required("FILE", .file), in: .comparison,
        "compare with a saved result; exit 1 when something got worse",
        "Compare with the result in FILE, which `--save` wrote. The exit status is 1 when a "
            + "figure got worse by more than `--gate` allows. See COMPARING.")

    static let compare = Option(
        "compare", in: .comparison, "compare two saved results; measure nothing",
        "Measure nothing, but compare the result in the file NEW with the one in the file OLD, "
            + "as `--baseline` would.",
        excludes: [
            baseline, save, file, against, list, hgrm, histogram, plot,
        ])

    static let gate = Option(
        "gate", nil, .required("LIST", .gate), in: .comparison,
        "what counts in a comparison, and how much worse it may be",
        "Which figures count in a comparison, and by how much each may be worse: `ops` is "
            + "operations per second, `p99` the latency that 99% of them keep, `cpu` the "
            + "processor time per operation, `bytes` what was written, `fsyncs` the syncs, "
            + "`size` the file at the end. On a machine that others use, `cpu` says more than "
            + "`ops` and `p99`.",
        default: Gate.standard, defaultText: "`\(Gate.usual)`")

    static let allowDifferentMachine = Option(
        "allow-different-machine", in: .comparison,
        "compare results of different machines or settings",
        "Compare results even when the machine, the settings or the kind of build differ. What "
            + "differs is printed.")
}

/// Options for files in addition to the report.
extension BenchOption {
    static let reports: [any OptionDeclaration] = [
        save, histogram, hgrm, plot,
    ]

    static let save = Option(
        "save", nil, .required("FILE", .file), in: .output,
        "save the result as JSON, to compare others with",
        "Save the result as JSON in FILE, to compare later ones with. Workloads whose runs are "
            + "noisy, with quartiles more than 10% apart, are named in its member `noisy`, and "
            + "comparing with it warns of them. What a debug build measures is not saved "
            + "without `--force`: exit status 2.")

    static let histogram = Option(
        "histogram", in: .output, "print how the latencies are spread",
        "Print below the report how the latencies of each workload are spread.")

    static let hgrm = Option(
        "hgrm", nil, .required("FILE", .file), in: .output,
        "write the percentile spectra to FILE",
        "Write the percentile spectrum of each workload's latencies to FILE, in microseconds, "
            + "in the form the tools of HdrHistogram read. A comment line names the workload.")

    static let plot = Option(
        "plot", nil, .required("FILE", .file), in: .output,
        "draw the result as SVG",
        "Draw throughput, latencies and the growth of the files as one page of SVG in FILE, "
            + "those of `--baseline` and `--against` beside them. It suits light and dark surroundings."
    )
}
