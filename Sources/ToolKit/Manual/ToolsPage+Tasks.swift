/// Section of realm-tools(7) that lists common tasks with their commands.
extension ToolsPage {
    static let tasks: [ManualBlock] = [
        .paragraph("One command is enough for most tasks."),
        .definitions([
            (
                "See the content of a file",
                "`realm-query app.realm` needs no model classes; add `--schema` for the schema. "
                    + "For a browser: `realm-query -f html -o app.html app.realm`."
            ),
            (
                "Look without changing it",
                "No tool that reads ever upgrades a file, whatever its format. With `--access "
                    + "immutable`, no file is created beside the database, so it can be in a "
                    + "read-only directory. This also works while an app has the file open, "
                    + "whatever the layout of its lock file."
            ),
            (
                "Export to CSV or JSON",
                "`realm-query -f csv -o people.csv app.realm Person`; for everything, with "
                    + "relations: `realm-query --all -f csv --output-dir out app.realm`. A link is "
                    + "printed as the key of its target, so even cycles end. The section VALUES "
                    + "describes the form of values in plain JSON. Records are streamed, so large "
                    + "files need little memory."
            ),
            (
                "Move to another database",
                "`realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite`; for others, see "
                    + "LEAVING REALM."
            ),
            (
                "Export a part",
                "A predicate selects objects, `-F` selects fields, and `-L` limits the number: "
                    + "`realm-query -L 100 app.realm Email 'read == false'`. QUERIES in "
                    + "`realm-query(1)` describes the query language: dates, BETWEEN, SORT, LIMIT "
                    + "and more."
            ),
            (
                "Count and compare groups",
                "`realm-query --aggregate 'count,avg(age)' --group-by city app.realm Person`."
            ),
            (
                "Import CSV or JSON",
                "`realm-write --create --infer app.realm Person people.csv`; JSON and NDJSON in "
                    + "the same way. `--link owner=Person` converts a column to links. INPUT in "
                    + "`realm-write(1)` describes nulls, dates and types. The message for a "
                    + "refused record names its line and column, the reason and the expected form."
            ),
            (
                "Make a file to ship with an app",
                "`realm-write --create --schema-file schema.txt seed.realm Person people.csv`, "
                    + "then `realm-compact seed.realm`."
            ),
            (
                "Change objects in bulk",
                "`realm-write --where 'age < 18' --set minor=true app.realm Person`. To add an "
                    + "object by hand, write a record: `echo '{\"name\":\"Ann\"}' | realm-write "
                    + "app.realm Person -`."
            ),
            (
                "Rename or drop a class or property",
                "`realm-write --rename Email.subject=title --drop Draft app.realm`; also "
                    + "`--optional` and `--required`. `-n` only shows the plan."
            ),
            (
                "Model classes for a program",
                "`realm-query --schema -f swift app.realm`, or `kotlin`, `typescript`, `csharp`. "
                    + "For other databases: `swiftdata`, `grdb`, `room`. `-f mermaid` draws the "
                    + "classes."
            ),
            (
                "Follow changes, keep a mirror",
                "`realm-query --watch --initial a.realm | realm-write b.realm - -m apply`. For "
                    + "several machines, and for restarts, see STREAMS."
            ),
            (
                "Compare two files",
                "`realm-query --diff new.realm old.realm`; for people, `-f diff` or `--stat`."
            ),
            (
                "Find out why a file is large",
                "`realm-versions app.realm` shows live, free and pinned bytes, the live versions "
                    + "and the programs that can hold them. With `--watch`, the report is "
                    + "repeated; with `--growth`, it includes the space that each version costs. "
                    + "`realm-compact --analyze app.realm` shows which class and property takes "
                    + "the space."
            ),
            (
                "Make a file smaller",
                "`realm-compact app.realm`, which takes constant memory, limited by "
                    + "`--max-memory`. With `--if-free 30%`, the file is compacted only if that "
                    + "much can be freed; with `-n`, the tool only prints an estimate. If other "
                    + "programs have the file open, the message names them. If the disk is too "
                    + "full, nothing is touched."
            ),
            (
                "A copy of a file in use",
                "`realm-compact -o copy.realm app.realm`. Do not use `cp`, which may copy half a "
                    + "commit."
            ),
            (
                "Check for damage",
                "`realm-compact --check app.realm` lists the damage; `realm-compact --salvage -o "
                    + "rescued.realm app.realm` copies all objects that can be read."
            ),
            (
                "Format, schema version, encrypted or not",
                "`realm-versions -g format -g schema-version -g encrypted app.realm`, also for old "
                    + "formats. In scripts, test such facts by `-E`."
            ),
            (
                "A file of an old format",
                "Formats 2 to 24 can be read without a conversion. `realm-compact --to-format 24 "
                    + "-o today.realm 2016.realm` writes a file for current libraries; with "
                    + "`--to-format 23`, the file is for older libraries."
            ),
            (
                "Encrypt, change the key, decrypt",
                "`realm-compact -K old.key --new-encryption-key-file new.key -o new.realm "
                    + "app.realm`, or `--decrypt`. The section KEY FILES describes the form of a "
                    + "key. If a key cannot be used, the error message says why. Every tool "
                    + "accepts `-K`."
            ),
            (
                "Synced files",
                "Files with any kind of history can be read without a server. `realm-compact "
                    + "--local -o local.realm synced.realm` makes a file that programs open "
                    + "without synchronisation."
            ),
            (
                "Time zones",
                "Dates are printed in UTC, in the form of RFC 3339. `--zone` in `realm-query(1)` "
                    + "selects another zone for functions such as `day()`."
            ),
            (
                "Servers and continuous integration",
                "Each tool is a single program for Linux, including Alpine Linux. It needs no "
                    + "library, no display and no runtime, asks no questions, and exits when it is "
                    + "done."
            ),
        ]),
    ]
}
