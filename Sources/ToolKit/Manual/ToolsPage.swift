/// realm-tools(7), the manual page about everything that the tools have in common.
enum ToolsPage {
    static var source: String {
        var page = MdocWriter(
            name: "realm-tools", section: 7,
            summary: "what the Realm command-line tools have in common")
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
                auto: "Each tool lists those that apply to it and what `auto` means."),
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
            "These tools work with Realm databases, the files that the Realm libraries keep on "
                + "phones, desktops and servers. `realm-query(1)` prints what is in one, "
                + "`realm-write(1)` changes it, `realm-compact(1)` makes it smaller, checks it and "
                + "rescues what is left of a damaged one, `realm-versions(1)` tells why it is as "
                + "large as it is, `realm-bench(1)` measures how fast it is read and written. This "
                + "page tells what they share."
        ),
        .paragraph(
            "Standard output carries data and nothing else; standard error carries words for "
                + "people. No tool asks questions. There is no configuration file and no network "
                + "access, so that a script behaves the same on every machine, in every locale and "
                + "in every time zone."),
        .paragraph(
            "Scripts can rely on exit statuses, on the names and meanings of options and on the "
                + "output forms `json`, `ndjson`, `csv` and `tsv`: later versions add to them "
                + "and take nothing away. Tables, text reports and messages may change."),
        .paragraph(
            "`--version` names the release, or the commit, a tool was built from, and lists what it can "
                + "do."),
    ]

    static let syntax: [ManualBlock] = [
        .paragraph(
            "`--option=VALUE` and `--option VALUE` are the same. Letters can be bundled, and the "
                + "last may take a value: `-cL5` is `-c -L 5`. A value shown in brackets can be left "
                + "out and is never the next word: `--wait` or `--wait=5s`, `-w` or `-w=5s`. "
                + "Options may follow operands, unless "
                + "`POSIXLY_CORRECT` is set; `--` ends the options. Long options cannot be "
                + "abbreviated. An option given twice counts once, with its last value, unless its "
                + "description says otherwise. An unknown option is an error with exit status 2 "
                + "that names the nearest known one."),
        .definitions([
            ("Numbers", "Decimal, or hexadecimal after `0x`."),
            (
                "Sizes",
                "A number of bytes: `512`, or with a binary unit `64KiB`, `4MiB`, `1GiB`, `1TiB`, "
                    + "for short `64k`, `4M`, `1G`, `1T`."
            ),
            (
                "Durations",
                "A number with its unit: `250ms`, `5s`, `2m` (minutes), `1h`."
            ),
        ]),
    ]

    private static let access: [ManualBlock] = [
        .paragraph(
            "A tool that reads sees one version of the database from its first byte to its last. "
                + "`--access` tells how that is made sure:"),
        .definitions([
            (
                "`immutable`",
                "Touch nothing: create, open or change no file beside the database, and leave its "
                    + "access time alone where the system permits. At the end the header is read "
                    + "again; if another commit has landed meanwhile, the tool starts over, three "
                    + "times at most, and then ends with exit status 7. This works on read-only "
                    + "media and beside programs whose lock file this version does not know."
            ),
            (
                "`shared`",
                "Join the lock file as any other participant does, hold one version and let go of "
                    + "it at the end."
            ),
            (
                "`auto`",
                "`shared` if a lock file exists, is in use and has a known layout, otherwise "
                    + "`immutable`."
            ),
        ]),
        .paragraph("No tool that reads creates a lock file, and none ever upgrades a format."),
        .paragraph(
            "Programs that have a database open agree by its lock file, FILE`.lock`, so they must "
                + "find the same one. The tools follow symbolic links to the real file and use the "
                + "lock file beside that, whatever name they were given. The Realm libraries take "
                + "the name as it is: an app that opens a link makes a lock file beside the link, "
                + "knows of nobody who opened the real name, and the two overwrite each other's "
                + "commits. Have every app open the real name. Where FILE is a link and a program "
                + "holds the lock file beside the link, nothing is written (exit status 7, the "
                + "program named) and reading is `immutable`; a tool that was given the real name "
                + "cannot know of such a program."),
        .paragraph(
            "A file with several hard links has a lock file for each of its names. It is read "
                + "`immutable` and written only with `--force` (else exit status 2), except that a "
                + "second name left by an interrupted `realm-compact --backup` is no hindrance. "
                + "When another file takes FILE's name while a tool has it open, the tool stops "
                + "with exit status 7 and acknowledges nothing that went to the old one."),
        .paragraph(
            "Where FILE may be `-`, the database is read from standard input into a temporary file "
                + "that has no name, in the directory `TMPDIR`."),
        .paragraph(
            "A copy of a database, and what is made beside one (the lock file and the directory of "
                + "its readers), has the permissions of the database and, as far as the user may give "
                + "it away, its owner. Any other output is a new file as the umask says, or has the "
                + "permissions of the file it replaces."),
        .paragraph(
            "What is not complete has no name, where the file system allows that, and vanishes with "
                + "its process. A database in the making, and any output elsewhere, is called "
                + "`.realm-tools-PID-N.tmp` meanwhile; what a killed process left under such a name "
                + "is removed by the next that needs one in the same directory."),
    ]

    private static let keyFiles: [ManualBlock] = [
        .paragraph(
            "An encryption key is 64 bytes. A key file holds them as 64 raw bytes, as 128 hex "
                + "digits or as 88 base64 characters. White space between digits or characters is "
                + "ignored, and so is one newline after raw bytes. Anything else is an error with "
                + "exit status 5 that tells the length found."),
        .paragraph(
            "The key is read once and wiped after use. It is never accepted as an argument or from "
                + "the value of a variable, because other users of the machine can see both. "
                + "Process substitution works:"),
        .literal(["realm-query -K <(pass show app/realm-key) app.realm"]),
        .paragraph(
            "Without `-K` the variable `REALM_ENCRYPTION_KEY_FILE` may name the file. A key file "
                + "that its group or everybody may read earns a warning."),
        .paragraph(
            "Decrypted pages take memory: half of `--max-memory`, and nearly all of it in a check. "
                + "A page that has no room any more is decrypted again when it is read again. "
                + "SORT, DISTINCT, `--group-by` and checks therefore read a large file in its own "
                + "order, and a SORT keeps its records, encrypted, in a temporary file until they "
                + "are printed. Records that follow links, and tables and SQL in the order of a "
                + "SORT, read a file at random: more `--max-memory` makes them faster."),
        .paragraph("To make a key:"),
        .literal(["(umask 077 && head -c 64 /dev/urandom > app.key)"]),
    ]
}
