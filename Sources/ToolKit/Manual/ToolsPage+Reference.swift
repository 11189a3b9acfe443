/// Reference sections of realm-tools(7).
extension ToolsPage {
    static let values: [ManualBlock] = [
        .paragraph(
            "How `json` and `ndjson` write each type of value, plain and with "
                + "`--types extended`. `csv`, `tsv` and `table` use the plain form as text."),
        .definitions([
            ("`int`", "A number of up to 64 bits. Extended: `{\"$numberLong\":\"42\"}`."),
            (
                "`bool`, `string`",
                "As they are, in both forms. Bytes of a string that are not UTF-8 become U+FFFD, "
                    + "and a warning counts such strings; extended, the string is "
                    + "`{\"$string\":{\"base64\":\"...\"}}`, and as the key of a dictionary "
                    + "`\"$base64:...\"`."
            ),
            (
                "`float`, `double`",
                "The shortest number that reads back as the same value; `\"NaN\"`, `\"Infinity\"` "
                    + "and `\"-Infinity\"` are strings. Extended: `{\"$numberDouble\":\"1.5\"}`; a float "
                    + "in a mixed value is `{\"$numberFloat\":\"1.5\"}`."
            ),
            (
                "`decimal128`",
                "A string. Extended: `{\"$numberDecimal\":\"1.5\"}`."
            ),
            (
                "`date`",
                "`\"2025-03-04T09:12:44.123456789Z\"`, always UTC, without zeros at the end of the "
                    + "fraction. Extended: `{\"$date\":{\"$numberLong\":\"1741079564123\"}}`, in "
                    + "milliseconds since 1970, with `\"$nanoseconds\":456789` beside it when "
                    + "there is more."
            ),
            ("`objectId`", "24 hex digits as a string. Extended: `{\"$oid\":\"...\"}`."),
            (
                "`uuid`",
                "36 characters as a string. Extended: "
                    + "`{\"$binary\":{\"base64\":\"...\",\"subType\":\"04\"}}`."
            ),
            (
                "`binary`",
                "Base64 as a string. Extended: "
                    + "`{\"$binary\":{\"base64\":\"...\",\"subType\":\"00\"}}`."
            ),
            (
                "link",
                "The primary key of the object it leads to; `{\"_key\":7}` in a class without one. An "
                    + "object whose primary key is null is named by the extended form. "
                    + "Extended: `{\"$link\":{\"table\":\"Person\",\"key\":...}}`."
            ),
            ("list", "An array in both forms."),
            ("set", "An array. Extended: `{\"$set\":[...]}`."),
            ("dictionary", "An object. Extended: `{\"$dictionary\":{...}}`."),
            (
                "embedded object",
                "An object inside its parent. Extended: "
                    + "`{\"$embedded\":{\"table\":\"class_Address\",\"value\":{...}}}`."
            ),
            ("null", "`null` in both forms."),
        ]),
        .paragraph(
            "Whole numbers are written in full, which is correct JSON. A reader that keeps numbers "
                + "as doubles, such as jq before 1.7, needs `--types extended` for those beyond "
                + "2^53."),
        .paragraph(
            "The extended form keeps everything. The plain form of a mixed value does not always "
                + "tell its type: in `ndjson`, `json`, `csv` and `tsv` a warning counts the values "
                + "that `realm-write(1)` would read as others (dates, decimals, links and so on; in "
                + "`csv` and `tsv` also strings that look like numbers or JSON). In `csv` and `tsv` "
                + "it counts the lists and sets that would be read as other elements, such as those "
                + "with a semicolon in an element. Values in the form of `--time unix-ns`, "
                + "`--binary hex` or `--null` are counted as well. With `--types extended` a cell holds a mixed value or a collection as JSON. A "
                + "text that would be taken for JSON where it is none is "
                + "`{\"$string\":\"...\"}` in a cell."),
    ]

    static let jsonReports: [ManualBlock] = [
        .paragraph(
            "A report in JSON, of whichever tool, is an object that begins with `tool`, the name of "
                + "the tool, and `output`, 1 for this form. Members may be added to it. A length of "
                + "time is called `seconds` or has a name that ends in `_ns` (whole nanoseconds); "
                + "names of sizes end in `bytes` or `Bytes`. Records, whose lines are data, have "
                + "neither: objects, change records, acknowledgements, findings and losses."),
        .paragraph(
            "In this version some members have the names of earlier ones too: `reclaimable`, "
                + "`privateMemory`, `freeOnDevice` and `milliseconds` of `realm-compact(1)`, "
                + "`releases`, `grownSince`, `bytesWithout` and `age` of `realm-versions(1)`, "
                + "`rssPeak`, `file`, `sizes`, `size` and `valueSize` of `realm-bench(1)`."),
    ]

    static let errorForm: [ManualBlock] = [
        .paragraph(
            "An error is one line on standard error with the tool, the file and what is wrong, "
                + "and perhaps a second line with the next step:"),
        .literal([
            "realm-query: mail.realm: not a key file: it holds 63 bytes",
            "hint: a key file holds 64 raw bytes, 128 hex digits or 88 base64 characters",
        ]),
        .paragraph(
            "With `--json` it is one line of JSON instead, shown here on several. `file` and "
                + "`hint` can be null."),
        .literal([
            "{\"error\":{\"code\":\"InvalidEncryptionKey\",\"reason\":\"bad-key-file\",\"exit\":5,",
            " \"file\":\"app.key\",\"message\":\"...\",\"hint\":\"...\"}}",
        ]),
        .paragraph(
            "`code` is the name the Realm libraries give to the error, such as `InvalidDatabase`, "
                + "`DecryptionFailed`, `FileNotFound` or `OutOfDiskSpace`. `reason` is finer: "
                + "`unknown-option`, `bad-value`, `output-exists`, `missing`, `permission`, "
                + "`corrupt`, `truncated`, `disk-full`. For keys it is `no-key`, `wrong-key`, "
                + "`not-encrypted`, `block-damaged` or `bad-key-file`."),
        .paragraph("Control characters in names are shown as `\\x1b`, so that they do no harm."),
    ]

    static let fileType: [ManualBlock] = [
        .paragraph(
            "A Realm database that is not encrypted has the four bytes `T-DB` at offset 16. The "
                + "lowest bit of the byte at 23 tells whether the format is the byte at 20 or at "
                + "21. `file(1)` learns this from the following lines in a magic file:"),
        .literal([
            "16\tstring\tT-DB\tRealm database",
            ">23\tubyte&1\t0",
            ">>20\tubyte\tx\t\\b, format %u",
            ">23\tubyte&1\t1",
            ">>21\tubyte\tx\t\\b, format %u",
        ]),
    ]

    static let environment: [ManualBlock] = [
        .definitions([
            ("`COLUMNS`", "Width of tables."),
            ("`NO_COLOR`", "If set and not empty, `--color auto` means `never`."),
            ("`POSIXLY_CORRECT`", "If set, the first operand ends the options."),
            ("`REALM_ENCRYPTION_KEY_FILE`", "Names the key file when `-K` does not."),
            ("`TERM`", "If `dumb`, no colour and no line that is rewritten."),
            ("`TMPDIR`", "Directory of temporary files; `/tmp` if not set."),
        ]),
        .paragraph("No other variable has any effect, those of the locale included."),
    ]

    static let exitStatus: [ManualBlock] = [
        .paragraph("The same in every tool. The numbers never change."),
        .definitions([
            ("0", "Done; the answer is yes."),
            ("1", "A question was asked and the answer is no."),
            ("2", "Usage: a bad option, an unknown class or property, an output file that exists."),
            ("3", "Input: missing, unreadable, not permitted, or not a Realm file."),
            ("4", "Damaged: the database is corrupt or truncated."),
            (
                "5",
                "Key: the database is encrypted and no key was given, the key is wrong, the "
                    + "database is not encrypted, or the key file is malformed."
            ),
            (
                "6",
                "Incompatible: a format, a layout of the lock file or a kind of history that this "
                    + "operation cannot work with."
            ),
            ("7", "Busy: a lock was not to be had in time, or the file keeps changing."),
            ("8", "Data: one or more input records were rejected."),
            ("9", "Output: it could not be written, synced or renamed."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted or terminated; unfinished output files are removed."),
            ("141", "The reader of a pipe went away; nothing is said about it."),
        ]),
        .paragraph(
            "If several apply, the first of 10, 9, 4, 5, 6, 7, 3, 8, 2, 1 wins. A loop that tries "
                + "again needs to know only 7; a check treats everything but 0 as a failure."),
    ]
}
