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
        "Verify each FILE and change nothing. `--check=quick` checks the header, the reachable "
            + "nodes and free space. `--check` and `--check=full` also check every value, link and "
            + "index entry. If there are errors, the exit status is 4.",
        excludes: [analyze, dryRun, salvage])

    static let strict = Option(
        "strict", in: .action, "with --check: exit 1 on warnings",
        "With `--check`: exit with status 1 on warnings, such as leaked space.",
        needs: [check])

    static let analyze = Option(
        "analyze", in: .action, "show the size of each part of the file",
        "List the bytes that each property, each index and each other part of the file takes.",
        excludes: [dryRun, salvage])

    static let top = Option(
        "top", nil, .required("N", .count(0...10_000)), in: .action,
        "with --analyze: the N largest values",
        "With `--analyze`: also list the N largest values.", needs: [analyze])

    static let salvage = Option(
        "salvage", in: .action, "copy every object that can be read",
        "Copy every object that can be read into a new file, named by `-o`. List the losses on "
            + "standard output, one JSON object per line. The exit status is 4 if something is "
            + "lost, or if FILE has errors that may hide a loss.",
        excludes: [dryRun], needs: [output])

    static let spaceMap: Option<String?> = Option(
        "space-map", nil, .required("FILE", .file), in: .action,
        "with --salvage: draw the copied and lost parts",
        "With `--salvage`: write a picture (SVG) of the damaged file, in file order. Its colours "
            + "show space that was copied, space that was copied from another version or may be "
            + "wrong, nodes that were not copied, free space, and lost space. The last line on "
            + "standard output has the number of bytes of each kind. Formats 2 to 9 are not "
            + "supported.",
        needs: [salvage], aliases: ["map"])

    static let dryRun = Option(
        "dry-run", "n", in: .action, "estimate and report, change nothing",
        "Estimate the size after compaction, and report whether the file could be compacted in "
            + "place now. Nothing is changed.")
}
