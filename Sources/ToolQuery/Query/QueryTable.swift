import ToolKit

/// Command table of `realm-query`.
package enum QueryTable {
    package static let table = CommandTable(
        name: "realm-query",
        summary: "read a Realm database, change nothing",
        synopsis: [
            SynopsisLine("[options] FILE", "list the classes"),
            SynopsisLine("[options] FILE CLASS [PREDICATE]", "print the objects of a class"),
            SynopsisLine("[options] --all FILE...", "print all objects"),
            SynopsisLine("[options] --with-filename FILE...", "the same for several files"),
            SynopsisLine(
                "[options] --diff OTHER FILE [CLASS [PREDICATE]]",
                "print the differences"),
            SynopsisLine(
                "[options] --watch FILE [CLASS [PREDICATE]]",
                "print changes as they happen"),
            SynopsisLine("[options] --remnants FILE [CLASS [PREDICATE]]", "print deleted objects"),
            SynopsisLine("[options] --batch FILE [CLASS]", "answer queries, one per line"),
            SynopsisLine("[options] --schema FILE [CLASS]", "print the schema"),
            SynopsisLine("[options] --digest FILE [CLASS]", "print digests of the content"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true,
                "The database. If FILE is `-`, the database is read from standard input and stored "
                    + "in an unnamed temporary file in `TMPDIR`."),
            OperandSpec(
                "CLASS", .className,
                "The class to print, by its name in the list of classes."),
            OperandSpec(
                "PREDICATE", .text,
                "Condition for the objects to print, in the query language described in "
                    + "`QUERIES`."),
            OperandSpec(
                "FILE...", .file, isRepeatable: true,
                "With `--all`, `--with-filename`, `--no-filename` or `--class`, every operand is "
                    + "a FILE."
            ),
        ],
        options: QueryOption.table,
        manual: { CommandTable.Manual(description: description, sections: sections) })
}
