import ToolKit

/// `--check`: extent of the verification.
enum CheckLevel: String, CaseIterable {
    case quick, full
}

/// Actions.
extension CompactOption {
    static let actions: [any OptionDeclaration] = [
        check, strict, analyze, top, salvage, spaceMap, dryRun,
    ]

    static let check = Option(
        "check", nil, .optional("LEVEL", .choice, bare: CheckLevel.full), in: .action,
        "verify: full, or quick",
        "Verify each FILE and change nothing. `quick` looks at the header, at reachability and "
            + "at free space; `full`, which is meant without LEVEL, also at every value, link "
            + "and index entry. Errors end with exit status 4.",
        excludes: [analyze, dryRun, salvage])

    static let strict = Option(
        "strict", in: .action, "with --check: warnings count too",
        "With `--check`: warnings, such as leaked space, end with exit status 1.",
        needs: [check])

    static let analyze = Option(
        "analyze", in: .action, "show where the bytes are",
        "List how many bytes each property, index and the rest of the file take.",
        excludes: [dryRun, salvage])

    static let top = Option(
        "top", nil, .required("N", .count(0...10_000)), in: .action,
        "with --analyze: the N largest values",
        "With `--analyze`: list also the N largest values.", needs: [analyze])

    static let salvage = Option(
        "salvage", in: .action, "copy every object that can be read",
        "Copy every object that can be read into a new file, which `-o` names. What is lost is "
            + "listed on standard output, one JSON object a line; if there is any, or FILE has "
            + "errors that may hide some, the exit status is 4.",
        excludes: [dryRun], needs: [output])

    static let spaceMap: Option<String?> = Option(
        "space-map", nil, .required("FILE", .file), in: .action,
        "with --salvage: draw what was used and what is lost",
        "With `--salvage`: write a picture (SVG) of the damaged file, in file order: what was "
            + "copied, what of it is from another version or doubtful, what was not used, and what "
            + "is neither a node nor free. The last line on standard output counts the bytes. "
            + "Not of formats 2 to 9.",
        needs: [salvage], aliases: ["map"])

    static let dryRun = Option(
        "dry-run", "n", in: .action, "estimate and report, change nothing",
        "Tell how large the file would become and whether it could be compacted in place now. "
            + "Nothing is changed.")
}
