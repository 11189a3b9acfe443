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
                "The class of the objects. `-` takes the class from each record; see "
                    + "`--class-field`. `CLASS.PROP` with `-i csv` or `tsv` fills a collection "
                    + "property from a table of its own; see INPUT."),
            OperandSpec(
                "INPUT", .file, "The records, a file or `-`. The default is standard input."),
        ],
        options: WriteOption.table,
        manual: { CommandTable.Manual(description: description, sections: sections) })
}
