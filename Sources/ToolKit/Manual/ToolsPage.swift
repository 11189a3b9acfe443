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
            "`--option=VALUE` and `--option VALUE` are the same. Letters can be combined, and the "
                + "last may take a value: `-cL5` is `-c -L 5`. A value in brackets is optional "
                + "and is never the next word: `--wait` or `--wait=5s`, `-w` or `-w=5s`. Options "
                + "may follow operands, unless `POSIXLY_CORRECT` is set; `--` ends the options. "
                + "Long options cannot be abbreviated. If an option is given twice, the last "
                + "value counts, unless its description says otherwise. An unknown option is an "
                + "error with exit status 2 that names the nearest known one."),
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
            "A tool that reads sees one version of the database from beginning to end. `--access` "
                + "selects the method:"),
        .definitions([
            (
                "`immutable`",
                "Change nothing: the tool creates, opens and changes no file beside the database, "
                    + "and keeps the access time of the database if the system permits that. At "
                    + "the end it reads the header again. If another commit was made meanwhile, it "
                    + "starts over, at most three times, and then ends with exit status 7. This "
                    + "works on read-only media and beside programs with an unknown lock file "
                    + "layout."
            ),
            (
                "`shared`",
                "Join the lock file like any program that opens the database, pin one version, and "
                    + "unpin it at the end."
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
                + "all of them must use the same one. The tools follow symbolic links to the real "
                + "file and use the lock file beside it. The Realm libraries do not follow them: "
                + "an app that opens a link creates a lock file beside the link. It cannot see "
                + "programs that opened the real name, and they overwrite each other's commits. "
                + "Have every app open the real name. If FILE is a link and a program holds the "
                + "lock file beside the link, nothing is written (exit status 7, the program "
                + "named) and reading is `immutable`. A tool that was given the real name cannot "
                + "detect such a program."),
        .paragraph(
            "A file with several hard links has one lock file for each name. It is therefore read "
                + "as `immutable`, and written only with `--force` (else exit status 2). A second "
                + "name left by an interrupted `realm-compact --backup` is an exception. If "
                + "another file replaces FILE while a tool has it open, the tool stops with exit "
                + "status 7. It acknowledges nothing that was written to the old file."),
        .paragraph(
            "If FILE may be `-`, the database is read from standard input into an unnamed "
                + "temporary file in the directory `TMPDIR`."),
        .paragraph(
            "A copy of a database, and files created beside one (the lock file and the directory "
                + "of its readers), have the permissions of the database. They also get its owner "
                + "if the user may set it. Other output has the permissions of the file it "
                + "replaces, or, if it is new, the permissions that the umask allows."),
        .paragraph(
            "Incomplete output is an unnamed file, if the file system supports that, and "
                + "disappears with its process. A database under construction, and any output on "
                + "other file systems, is called `.realm-tools-PID-N.tmp` until it is complete. If "
                + "a killed process leaves such a file, the next tool that needs one in the same "
                + "directory removes it."),
    ]

    private static let keyFiles: [ManualBlock] = [
        .paragraph(
            "An encryption key is 64 bytes. A key file contains 64 raw bytes, 128 hex digits or 88 "
                + "base64 characters. White space between digits or characters is ignored, and so "
                + "is one newline after raw bytes. Any other content is an error with exit status "
                + "5, and the message contains the length found."),
        .paragraph(
            "The key is read once and erased from memory after use. It is never accepted as an "
                + "argument or as the value of a variable, because other users of the machine can "
                + "see both. Process substitution works:"),
        .literal(["realm-query -K <(pass show app/realm-key) app.realm"]),
        .paragraph(
            "Without `-K`, the environment variable `REALM_ENCRYPTION_KEY_FILE` may name the file. "
                + "If the group of the key file or other users can read it, a warning is printed."),
        .paragraph(
            "Decrypted pages use up to half of `--max-memory`, and nearly all of it in a check. An "
                + "evicted page is decrypted again when it is read again. SORT, DISTINCT, "
                + "`--group-by` and checks therefore read a large file in file order. A SORT keeps "
                + "its records, encrypted, in a temporary file until they are printed. Records "
                + "that follow links, and tables and SQL in the order of a SORT, read the file at "
                + "random; a larger `--max-memory` makes them faster."),
        .paragraph("To make a key:"),
        .literal(["(umask 077 && head -c 64 /dev/urandom > app.key)"]),
    ]
}
