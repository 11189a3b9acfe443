import ToolKit

/// The command table of `realm-compact`.
package enum CompactTable {
    package static let table = CommandTable(
        name: "realm-compact",
        summary: "compact, check and salvage Realm databases",
        synopsis: [
            SynopsisLine("[options] FILE", "compact in place"),
            SynopsisLine("[options] -o OUT FILE", "write a compacted copy"),
            SynopsisLine("--check [options] FILE...", "verify, change nothing"),
            SynopsisLine("--analyze [options] FILE", "show the size of each part"),
            SynopsisLine("-n [options] FILE", "estimate, change nothing"),
            SynopsisLine("--salvage [options] -o OUT FILE", "copy all readable objects"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true, isRepeatable: true,
                "The database. With `--check`, several FILEs can be given, and `-` is a database "
                    + "on standard input.")
        ],
        options: CompactOption.table,
        manual: { CommandTable.Manual(description: description, sections: sections) })
}
