/// Section of realm-tools(7) that lists common tasks with their commands.
extension ToolsPage {
    static let tasks: [ManualBlock] = [
        .paragraph("Most of what is asked of Realm files is one command."),
        .definitions([
            (
                "See what is in a file",
                "`realm-query app.realm`, no model classes needed; `--schema`; in a browser "
                    + "`realm-query -f html -o app.html app.realm`."
            ),
            (
                "Look without changing it",
                "Nothing that reads ever upgrades a file, whatever its format. `--access immutable` "
                    + "leaves no trace beside it, works in a directory that cannot be written to, and reads "
                    + "while an app has it open, whatever the layout of its lock file."
            ),
            (
                "Export to CSV or JSON",
                "`realm-query -f csv -o people.csv app.realm Person`; everything, with relations: "
                    + "`realm-query --all -f csv --output-dir out app.realm`. Links are keys, so that "
                    + "cycles end; JSON is plain JSON (VALUES); records are streamed, whatever the size."
            ),
            (
                "Move to another database",
                "`realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite`; for the others LEAVING "
                    + "REALM."
            ),
            (
                "Export a part",
                "A predicate chooses objects, `-F` fields, `-L` how many: "
                    + "`realm-query -L 100 app.realm Email 'read == false'`. The query language is told "
                    + "in `realm-query(1)`, QUERIES: dates, BETWEEN, SORT, LIMIT and all."
            ),
            (
                "Count and compare groups",
                "`realm-query --aggregate 'count,avg(age)' --group-by city app.realm Person`."
            ),
            (
                "Import CSV or JSON",
                "`realm-write --create --infer app.realm Person people.csv`; JSON and NDJSON in the same "
                    + "way. `--link owner=Person` makes links of a column; nulls, dates and types are "
                    + "told in `realm-write(1)`, INPUT. What is refused says where, why and what form "
                    + "it should have."
            ),
            (
                "Make a file to ship with an app",
                "`realm-write --create --schema-file schema.txt seed.realm Person people.csv`, then "
                    + "`realm-compact seed.realm`."
            ),
            (
                "Change objects in bulk",
                "`realm-write --where 'age < 18' --set minor=true app.realm Person`; objects come in as "
                    + "records, by hand too: `echo '{\"name\":\"Ann\"}' | realm-write app.realm Person -`."
            ),
            (
                "Rename or drop a class or property",
                "`realm-write --rename Email.subject=title --drop Draft app.realm`; `--optional`, "
                    + "`--required`. With `-n` only the plan is shown."
            ),
            (
                "Model classes for a program",
                "`realm-query --schema -f swift app.realm`, or `kotlin`, `typescript`, `csharp`, and for other "
                    + "databases `swiftdata`, `grdb`, `room`; `-f mermaid` draws them."
            ),
            (
                "Follow changes, keep a mirror",
                "`realm-query --watch --initial a.realm | realm-write b.realm - -m apply`; on many "
                    + "machines, and so that it goes on whatever is killed: STREAMS."
            ),
            (
                "Compare two files",
                "`realm-query --diff new.realm old.realm`; for people `-f diff` or `--stat`."
            ),
            (
                "Why is the file so large?",
                "`realm-versions app.realm` tells live, free and pinned bytes, which versions are "
                    + "alive and which programs can hold them, again and again with `--watch`; "
                    + "`--growth` what each costs; "
                    + "`realm-compact --analyze app.realm` which class and property takes the space."
            ),
            (
                "Make it smaller",
                "`realm-compact app.realm`, in constant memory (`--max-memory`), only where it pays with "
                    + "`--if-free 30%`; `-n` tells beforehand. Where programs are in the way, they are "
                    + "named; where the disk is too full, nothing is touched."
            ),
            (
                "A copy of a file in use",
                "`realm-compact -o copy.realm app.realm`; `cp` may copy half a commit."
            ),
            (
                "Is it damaged?",
                "`realm-compact --check app.realm` tells where; "
                    + "`realm-compact --salvage -o rescued.realm app.realm` saves what can be read."
            ),
            (
                "Format, schema version, encrypted or not",
                "`realm-versions -g format -g schema-version app.realm`, also of files with an old "
                    + "format; `-E` is for scripts."
            ),
            (
                "A file of an old format",
                "Files of formats 2 to 24 are read as they are; "
                    + "`realm-compact --to-format 24 -o today.realm 2016.realm` makes one that every "
                    + "library of today opens, `--to-format 23` one for programs with an older one."
            ),
            (
                "Encrypt, change the key, decrypt",
                "`realm-compact -K old.key --new-encryption-key-file new.key -o new.realm app.realm`; "
                    + "`--decrypt`. KEY FILES tells what a key looks like, and errors of keys tell "
                    + "what is wrong; every tool takes `-K`."
            ),
            (
                "Synced files",
                "Files with any kind of history are read as they are, without a server; "
                    + "`realm-compact --local -o local.realm synced.realm` makes one that programs "
                    + "open without synchronisation."
            ),
            ("Time zones", "Every date is UTC, in RFC 3339."),
            (
                "Servers and continuous integration",
                "Each tool is one program for Linux that needs no library, no display and no runtime, "
                    + "Alpine included, and ends when it is done."
            ),
        ]),
    ]
}
