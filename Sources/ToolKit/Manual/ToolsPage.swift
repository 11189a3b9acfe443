/// realm-tools(7), the manual page about the common properties of all tools.
enum ToolsPage {
    static var source: String {
        var page = MdocWriter(
            name: "realm-tools", section: 7,
            summary: "common features of the Realm command-line tools")
        page.section("DESCRIPTION", description)
        page.line(".Sh OPTIONS")
        page.blocks(syntax)
        page.line(".Pp")
        page.prose("These options mean the same in every tool that has them:")
        ManualPage.options(options, on: &page)
        for section in sections { page.section(section.title, section.blocks) }
        return page.source
    }

    static let options: [OptionSpec] =
        ([
            SharedOptions.formats(
                ["table", "text", "json", "ndjson", "csv", "tsv"].map(OutputFormat.init),
                auto: "Each tool lists its own forms and the meaning of `auto`."),
            SharedOptions.json, SharedOptions.output, SharedOptions.force, SharedOptions.key,
            SharedOptions.access, SharedOptions.wait, SharedOptions.threads,
            SharedOptions.maxMemory,
        ] + SharedOptions.general + [SharedOptions.progress]).map(\.spec)

    static let sections: [ManualSection] = [
        ManualSection("TASKS", tasks),
        ManualSection("LEAVING REALM", leaving),
        ManualSection("MANY FILES", manyFiles),
        ManualSection("EVIDENCE", evidence),
        ManualSection("VALUES", values),
        ManualSection("STREAMS", streams),
        ManualSection("ACCESS", access),
        ManualSection("KEY FILES", keyFiles),
        ManualSection("JSON REPORTS", jsonReports),
        ManualSection("ERROR FORM", errorForm),
        ManualSection("FILE TYPE", fileType),
        ManualSection("ENVIRONMENT", environment),
        ManualSection("EXIT STATUS", exitStatus),
        .seeAlso(from: "realm-tools", and: ["file(1)"]),
    ]

    static let description: [ManualBlock] = [
        .paragraph(
            "These tools work with Realm databases, the files of the Realm libraries on phones, "
                + "desktops and servers. `realm-query(1)` prints a database, and `realm-write(1)` "
                + "changes it. `realm-compact(1)` makes it smaller, checks it, and salvages a "
                + "damaged one. `realm-versions(1)` explains its size, and `realm-bench(1)` "
                + "measures its speed. This page describes their common features."
        ),
        .paragraph(
            "Standard output carries only data; standard error carries messages for people. No "
                + "tool asks questions. There is no configuration file and no network access, so "
                + "a script behaves the same on every machine, in every locale and in every time "
                + "zone."),
        .paragraph(
            "Scripts can rely on exit statuses, on the names and meanings of options and on the "
                + "output forms `json`, `ndjson`, `csv` and `tsv`. Later versions only add to "
                + "them. Tables, text reports and messages may change."),
        .paragraph(
            "`--version` prints the release or commit of the tool, and its capabilities."),
    ]

    static let syntax: [ManualBlock] = [
        .paragraph(
            "`--option=VALUE` and `--option VALUE` are the same. One-letter options can be "
                + "combined, and the last may have a value: `-cL5` means `-c -L 5`. If the "
                + "description of an option shows its value in brackets, the value is optional, "
                + "and must then follow an equals sign: `--wait` or `--wait=5s`, `-w` or `-w=5s`. "
                + "Options may follow operands, unless `POSIXLY_CORRECT` is set; `--` ends the "
                + "options. Long options cannot be abbreviated. If an option is given twice, the "
                + "last value counts, unless its description says otherwise. An unknown option is "
                + "an error with exit status 2; the message names the known option with the most "
                + "similar name."),
        .definitions([
            ("Numbers", "Decimal, or hexadecimal after `0x`."),
            (
                "Sizes",
                "A number of bytes: `512`, or with a binary unit `64KiB`, `4MiB`, `1GiB`, `1TiB`; "
                    + "short forms are `64k`, `4M`, `1G`, `1T`."
            ),
            (
                "Durations",
                "A number with its unit: `250ms`, `5s`, `2m` (minutes), `1h`."
            ),
        ]),
    ]

    private static let access: [ManualBlock] = [
        .paragraph(
            "A tool that reads sees the same version of the database from beginning to end, even "
                + "if other programs commit meanwhile. `--access` selects how this is ensured:"),
        .definitions([
            (
                "`immutable`",
                "The tool changes nothing: it creates, opens and changes no file beside the "
                    + "database, and keeps the access time of the database if the system permits "
                    + "that. When it has read everything, it reads the file header again. If "
                    + "another program has committed meanwhile, the tool reads everything again. "
                    + "After three attempts it ends with exit status 7. This method works on "
                    + "read-only media, and also if a program uses a lock file of unknown layout."
            ),
            (
                "`shared`",
                "The tool registers in the lock file, as every program does that opens the "
                    + "database. It pins one version, so that no other program overwrites it, and "
                    + "unpins it at the end."
            ),
            (
                "`auto`",
                "`shared` if a lock file exists, is in use and has a known layout; otherwise "
                    + "`immutable`."
            ),
        ]),
        .paragraph(
            "No tool that reads upgrades a format, and only `realm-query --watch` creates "
                + "a lock file."),
        .paragraph(
            "Programs that have a database open coordinate through its lock file, FILE`.lock`, so "
                + "all of them must use the same one. If FILE is a symbolic link, the tools use "
                + "the lock file beside the real file. The Realm libraries do not: an app that "
                + "opens a symbolic link creates a lock file beside the link. Such an app and "
                + "programs that opened the file by its real name cannot see each other, and "
                + "overwrite each other's commits. Let every app open the file by its real name. "
                + "If FILE is a symbolic link and a program uses a lock file beside the link, a "
                + "tool that reads uses `immutable`, and a tool that writes ends with exit status "
                + "7 and names the program. If FILE is the real name, the tools cannot detect such "
                + "a program."),
        .paragraph(
            "A file with several hard links has one lock file for each name. It is therefore read "
                + "as `immutable`, and written only with `--force` (else exit status 2). A file "
                + "whose second name was left by an interrupted `realm-compact --backup` is "
                + "treated like a file with one name. If another file takes the name FILE while a "
                + "tool has the database open, the tool ends with exit status 7, and does not "
                + "acknowledge what it wrote to the old file."),
        .paragraph(
            "If the description of a tool allows `-` for FILE, the database is read from "
                + "standard input and stored in an unnamed temporary file in the directory "
                + "`TMPDIR`."),
        .paragraph(
            "A copy of a database, and files created beside one (the lock file and the directory "
                + "of its readers), have the permissions of the database. They also get its owner "
                + "if the user may set it. Other output has the permissions of the file it "
                + "replaces, or, if it is new, the permissions that the umask allows."),
        .paragraph(
            "Until an output file is complete, it has no name, if the file system supports that, "
                + "and disappears when its process ends. A new database that is being written, and "
                + "every output file on other file systems, has the name `.realm-tools-PID-N.tmp` "
                + "until it is complete. If a killed process leaves such a file, the next tool "
                + "that needs one in the same directory removes it."),
    ]

    private static let keyFiles: [ManualBlock] = [
        .paragraph(
            "An encryption key is 64 bytes. A key file contains 64 raw bytes, 128 hex digits or 88 "
                + "base64 characters. White space between digits or characters is ignored, and so "
                + "is one newline after raw bytes. Any other content is an error with exit status "
                + "5, and the message contains the number of bytes that the file has."),
        .paragraph(
            "The key is read once, and erased from memory when the tool no longer needs it. It is "
                + "never accepted as an argument or as the value of a variable, because other "
                + "users of the machine can see both. Process substitution works:"),
        .literal(["realm-query -K <(pass show app/realm-key) app.realm"]),
        .paragraph(
            "Without `-K`, the environment variable `REALM_ENCRYPTION_KEY_FILE` may name the file. "
                + "If the group of the key file or other users can read it, a warning is printed."),
        .paragraph(
            "Decrypted pages take up to half of `--max-memory`; in a check, nearly all of it. An "
                + "evicted page is decrypted again when it is read again. SORT, DISTINCT, "
                + "`--group-by` and checks therefore read a large file in file order. A SORT keeps "
                + "its records, encrypted, in a temporary file until they are printed. Records "
                + "that follow links, and tables and SQL in the order of a SORT, read the file at "
                + "random; a larger `--max-memory` makes them faster."),
        .paragraph("To make a key:"),
        .literal(["(umask 077 && head -c 64 /dev/urandom > app.key)"]),
    ]
}
