import ToolKit

/// Options for measuring at several sizes.
extension BenchOption {
    static let scaled: [any OptionDeclaration] = [scaling, failAbove]

    /// Number of sizes if `--scaling` is given without an argument.
    static let usualSizes = 3

    static let scaling = Option(
        "scaling", nil, .optional("SIZES", .count(2...6), bare: usualSizes), in: .measurement,
        "measure at N, 2N and 4N objects and report how costs grow",
        "Measure each WORKLOAD at `--num` objects, at twice and at four times as many. The report "
            + "shows how processor time and file size grow, as exponents: 1 means in proportion to "
            + "the number of objects. SIZES is the number of sizes to measure, each twice the one "
            + "before, instead of \(usualSizes). Without a WORKLOAD, the set `scaling` is "
            + "measured. See SCALING.",
        excludes: [
            list, file, query, baseline, compare, against, save, histogram, hgrm, plot, runTime,
            rate, inject,
        ])

    static let failAbove = Option(
        "fail-above", nil, .required("EXPONENT", .exponent), in: .measurement,
        "exit 1 if a cost grows with a larger exponent",
        "With `--scaling`: exit with status 1 if the processor time or file size of a workload "
            + "grows with an exponent above EXPONENT, such as `1.15`. The exponent is the one "
            + "between the two largest sizes. Standard error names each such workload.",
        needs: [scaling])
}

extension OptionForm where Value == Double {
    /// Argument of `--fail-above`: maximum exponent with which a cost may grow, such as 1.15.
    static var exponent: Self {
        Self(.text) { (text) throws(OptionValueError) in
            guard let exponent = Double(text), exponent.isFinite, exponent > 0 else {
                throw OptionValueError(to: text, "not a number above 0, such as 1.15")
            }
            return exponent
        }
    }
}
