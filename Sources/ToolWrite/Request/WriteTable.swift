import ToolKit

/// Command table of `realm-write`.
package enum WriteTable {
    package static let table = CommandTable(
        name: "realm-write",
        summary: "write records into a Realm database",
        synopsis: [
            SynopsisLine("[options] FILE CLASS [INPUT]", "add or change objects"),
            SynopsisLine("[options] -m apply FILE - [INPUT]", "apply change records"),
            SynopsisLine(
                "[options] --where PREDICATE --set P=JSON FILE CLASS", "change matching objects"),
            SynopsisLine(
                "[options] --where PREDICATE --delete FILE CLASS", "delete matching objects"),
            SynopsisLine("[options] --schema-file SCHEMA FILE", "change the schema"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true,
                "The database. It is never created without `--create`."),
            OperandSpec(
                "CLASS", .className,
                "The class of the objects. If CLASS is `-`, each record names its class; see "
                    + "`--class-field`. With `-i csv` or `-i tsv`, `CLASS.PROP` can name a "
                    + "collection property, which a table of its own fills; see INPUT."),
            OperandSpec(
                "INPUT", .file, "File with the records; `-`, or no INPUT, is standard input."),
        ],
        options: WriteOption.table,
        manual: { CommandTable.Manual(description: description, sections: sections) })
}
