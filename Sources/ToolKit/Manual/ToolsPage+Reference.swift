/// Reference sections of realm-tools(7).
extension ToolsPage {
    static let values: [ManualBlock] = [
        .paragraph(
            "For each type of value, this list shows its form in `json` and `ndjson`: first the "
                + "plain form, then, after the word Extended, the form with `--types extended`. "
                + "`csv`, `tsv` and `table` contain the plain form as text."),
        .definitions([
            ("`int`", "A number of up to 64 bits. Extended: `{\"$numberLong\":\"42\"}`."),
            (
                "`bool`, `string`",
                "A JSON value in both forms. If a string is not UTF-8, its invalid bytes become "
                    + "U+FFFD in the plain form, and a warning counts such strings; its extended "
                    + "form is `{\"$string\":{\"base64\":\"...\"}}`, or, as a key of a dictionary, "
                    + "`\"$base64:...\"`."
            ),
            (
                "`float`, `double`",
                "The shortest number that converts back to the same value; `\"NaN\"`, "
                    + "`\"Infinity\"` and `\"-Infinity\"` are strings. Extended: "
                    + "`{\"$numberDouble\":\"1.5\"}`; a float in a mixed value is "
                    + "`{\"$numberFloat\":\"1.5\"}`."
            ),
            (
                "`decimal128`",
                "A string. Extended: `{\"$numberDecimal\":\"1.5\"}`."
            ),
            (
                "`date`",
                "`\"2025-03-04T09:12:44.123456789Z\"`, always UTC, without trailing zeros in the "
                    + "fraction. Extended: `{\"$date\":{\"$numberLong\":\"1741079564123\"}}`, in "
                    + "milliseconds since 1970. If the date has a fraction of a millisecond, the "
                    + "member `\"$nanoseconds\":456789` follows."
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
                "The primary key of the target; `{\"_key\":7}` if the target's class has no "
                    + "primary key. If the primary key of the target is null, the link has the "
                    + "extended form. Extended: `{\"$link\":{\"table\":\"Person\",\"key\":...}}`."
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
            "Integers are printed with all their digits, as JSON permits. A program that reads "
                + "numbers as doubles, such as jq before 1.7, rounds integers above 2^53; use "
                + "`--types extended` for such a program."),
        .paragraph(
            "The extended form preserves every value and type. The plain form of a mixed value may "
                + "be ambiguous. For example, `realm-write(1)` would read a date in a mixed "
                + "property as a string. In `ndjson`, `json`, `csv` and `tsv`, a warning counts "
                + "the values that `realm-write(1)` would read as another type: dates, decimals, "
                + "links and so on, and values in the form of `--time unix-ns`, `--binary hex` or "
                + "`--null`. In `csv` and `tsv`, it also counts strings that look like numbers or "
                + "JSON, and lists and sets whose elements would be read differently, such as an "
                + "element with a semicolon. With `--types extended`, a field of `csv` or `tsv` "
                + "contains a mixed value or a collection as JSON, and a string that looks like "
                + "JSON is `{\"$string\":\"...\"}`."),
    ]

    static let jsonReports: [ManualBlock] = [
        .paragraph(
            "A JSON report of any tool is an object whose first members are `tool`, the name of "
                + "the tool, and `output`, the number of the report's form, which is 1. Later "
                + "versions may add members. The name of a duration is `seconds`, or ends in `_ns` "
                + "if it is in whole nanoseconds. The name of a size ends in `bytes` or `Bytes`. "
                + "Objects that are lines of data have no members `tool` and `output`: printed "
                + "objects, change records, acknowledgements, findings of a check, and losses of a "
                + "salvage."),
        .paragraph(
            "In this version, some members are also printed under their earlier names: "
                + "`reclaimable`, `privateMemory`, `freeOnDevice` and `milliseconds` of "
                + "`realm-compact(1)`; `releases`, `grownSince`, `bytesWithout` and `age` of "
                + "`realm-versions(1)`; `rssPeak`, `file`, `sizes`, `size` and `valueSize` of "
                + "`realm-bench(1)`."),
    ]

    static let errorForm: [ManualBlock] = [
        .paragraph(
            "An error is one line on standard error with the tool, the file and the problem. A "
                + "second line may suggest the next step:"),
        .literal([
            "realm-query: app.key: not a key file: it holds 63 bytes",
            "hint: a key file holds 64 raw bytes, 128 hex digits or 88 base64 characters, "
                + "white space aside",
        ]),
        .paragraph(
            "With `--json` an error is one line of JSON, shown here on several lines. `file` and "
                + "`hint` can be null."),
        .literal([
            "{\"error\":{\"code\":\"InvalidEncryptionKey\",\"reason\":\"bad-key-file\",\"exit\":5,",
            " \"file\":\"app.key\",\"message\":\"...\",\"hint\":\"...\"}}",
        ]),
        .paragraph(
            "`code` is the name of the error in the Realm libraries, such as `InvalidDatabase`, "
                + "`DecryptionFailed`, `FileNotFound` or `OutOfDiskSpace`. `reason` is more "
                + "specific: `unknown-option`, `bad-value`, `output-exists`, `missing`, "
                + "`permission`, `corrupt`, `truncated`, `disk-full`. For keys it is `no-key`, "
                + "`wrong-key`, `not-encrypted`, `block-damaged` or `bad-key-file`."),
        .paragraph("Control characters in names are escaped, for example as `\\x1b`."),
    ]

    static let fileType: [ManualBlock] = [
        .paragraph(
            "An unencrypted Realm database has the four bytes `T-DB` at offset 16. The format is "
                + "the byte at offset 20 or 21: at 20 if the lowest bit of the byte at offset 23 "
                + "is 0, else at 21. These lines in a magic file make `file(1)` recognise it:"),
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
            ("`REALM_ENCRYPTION_KEY_FILE`", "Name of the key file if `-K` is not given."),
            (
                "`TERM`",
                "If `dumb`, colour is not used, and progress is not shown in a line that is "
                    + "updated."
            ),
            ("`TMPDIR`", "Directory of temporary files; `/tmp` if not set."),
        ]),
        .paragraph("No other variable has any effect, including the locale."),
    ]

    static let exitStatus: [ManualBlock] = [
        .paragraph("The exit statuses are the same in every tool. The numbers never change."),
        .definitions([
            (
                "0",
                "Success. If the command asks a question, such as `realm-versions -E`, the answer "
                    + "is yes."
            ),
            ("1", "The command asks a question, and the answer is no."),
            (
                "2",
                "Usage: a bad option, an unknown class or property, or an output file that exists."
            ),
            ("3", "Input: a file is missing, cannot be read, or is not a Realm file."),
            ("4", "Damaged: the database is corrupt or truncated."),
            (
                "5",
                "Key: the database is encrypted and no key was given, the key is wrong, the "
                    + "database is not encrypted, or the key file is malformed."
            ),
            (
                "6",
                "Incompatible: the operation does not support the format, the lock file layout or "
                    + "the kind of history."
            ),
            ("7", "Busy: a lock was not available in time, or the file keeps changing."),
            ("8", "Data: one or more input records were rejected."),
            ("9", "Output: a file could not be written, synced or renamed."),
            ("10", "A bug: please report it."),
            ("130, 143", "Interrupted or terminated; unfinished output files are removed."),
            (
                "141",
                "The program that reads the output has closed the pipe; no message is printed."
            ),
        ]),
        .paragraph(
            "If several statuses apply, the tool exits with the first of these: 10, 9, 4, 5, 6, 7, "
                + "3, 8, 2, 1. A script that tries a command again needs to do so only after "
                + "status 7. A script that checks files should treat every status but 0 as a "
                + "failure."),
    ]
}
