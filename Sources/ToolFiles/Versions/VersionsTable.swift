import ToolKit

/// The command table of `realm-versions`.
package enum VersionsTable {
    package static let table = CommandTable(
        name: "realm-versions",
        summary: "describe a Realm file, its versions and its readers",
        synopsis: [
            SynopsisLine("[options] FILE...", "report about each file"),
            SynopsisLine("--get KEY [options] FILE...", "single facts"),
            SynopsisLine("--expect EXPR [options] FILE...", "check facts"),
            SynopsisLine("--watch [options] FILE...", "one line of JSON each second"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true, isRepeatable: true,
                "A database. With `--plot` and without `--watch`, FILE must be `-`, and standard "
                    + "input must contain the lines that an earlier `--watch` printed.")
        ],
        options: VersionsOption.table,
        manual: { CommandTable.Manual(description: description, sections: sections) })
}
