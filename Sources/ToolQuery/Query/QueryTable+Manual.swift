import ToolKit

extension QueryTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-query` prints the content of a Realm database. It never changes the file or "
                + "upgrades its format. Only `--watch` leaves a file beside the database: the lock "
                + "file."),
        .paragraph(
            "With FILE alone it lists the classes. With CLASS it prints the objects of that class "
                + "in the order of their keys. All data comes from one version of the database, "
                + "even if other programs commit meanwhile."),
        .paragraph(
            "On a terminal the output is a table for people, whose layout may change. Otherwise "
                + "it is NDJSON, one JSON object per line. Scripts can rely on the members and "
                + "columns of `ndjson`, `json`, `csv` and `tsv`, on the names of options and on "
                + "the exit status: later versions only add to them."),
        .paragraph(
            "Results are streamed. Memory use does not grow with the number of objects, and the "
                + "first record is printed before the last is read."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("QUERIES", queries),
        ManualSection("ORDER OF TEXTS", orderOfTexts),
        ManualSection("AGGREGATES", aggregates),
        ManualSection("BATCH REQUESTS", batchRequests),
        ManualSection("OUTPUT FORMS", outputForms),
        ManualSection("SQL", sql),
        ManualSection("PAGES", pages),
        ManualSection("KEY PATHS", keyPaths),
        ManualSection("CHANGE RECORDS", changeRecords),
        ManualSection("REMNANTS", remnants),
        ManualSection("DIGESTS", digests),
        ManualSection("EXIT STATUS", exitStatus),
        ManualSection("EXAMPLES", examples),
        .seeAlso(from: "realm-query"),
    ]

    private static let queries: [ManualBlock] = [
        .paragraph(
            "PREDICATE uses Realm's query language, as in `RLMResults` and the string queries of "
                + "the SDKs. Put it in single quotes, so that the shell does not expand `$0`. "
                + "Never insert text from other sources into it; bind such text with `--arg`."),
        .definitions([
            (
                "compare",
                "`==` `!=` `<` `<=` `>` `>=`; after `==`, `!=` or `IN`, `[c]` ignores the case of "
                    + "letters, `[d]` ignores accents and other marks, `[cd]` ignores both"
            ),
            (
                "strings",
                "`BEGINSWITH` `ENDSWITH` `CONTAINS` `LIKE` (with `*` and `?`), each also with "
                    + "`[c]`, `[d]` and `[cd]`; `TEXT` searches a full-text index"
            ),
            (
                "dates",
                "`created > now() - 7d` compares with a time seven days ago; `month(created) == "
                    + "\"2024-06\"`, `year(created) == 2024` and `floor(age, 10) == 30` use "
                    + "functions of one value, see AGGREGATES"
            ),
            (
                "regular expressions",
                "`name MATCHES \"A.*n\"` and `MATCHES[c]` match whole values. The syntax is the "
                    + "one of ICU and `NSPredicate`, without look-around, back-references, "
                    + "possessive repetitions and scripts. The time is proportional to the length "
                    + "of the text. `^` and `$` match at the ends of the value, or of each line "
                    + "after `(?m)`"
            ),
            ("ranges, sets", "`age BETWEEN {18, 30}`, `status IN {\"new\", \"open\"}`"),
            ("logic", "`AND` `OR` `NOT` and parentheses; `TRUEPREDICATE`, `FALSEPREDICATE`"),
            (
                "links",
                "`from.address == \"a@b.c\"`, `from == null`; `@links.Thread.emails.@count > 0` "
                    + "follows links backwards"
            ),
            (
                "collections",
                "`ANY labels == \"x\"`, `ALL`, `NONE`; `labels.@size > 2`, `parts.@sum.bytes > "
                    + "1000`; `SUBQUERY(emails, $e, $e.read == false).@count > 0`"
            ),
            (
                "places",
                "`location GEOWITHIN geoCircle([12.5, 55.7], 0.01)`: longitude, latitude, and the "
                    + "radius in radians, kilometres divided by 6378.1"
            ),
            (
                "values",
                "`2025-03-04T09:12:44` or `2025-03-04@09:12:44:0` (UTC, nanoseconds after the "
                    + "last colon), `T1709543564:0` (seconds since 1970); `oid(65e5...)`, "
                    + "`uuid(...)`, `B64\"...\"`. Bind dates in other forms of ISO 8601, such as "
                    + "`2025-03-04` or `2025-03-04T10:12:44+01:00`, with `--arg`"
            ),
            (
                "names",
                "write a property as `$K0`, `$K1` and so on if its name is a keyword or has "
                    + "special characters, such as `any`, `1st` or `a.b`. Bind its name or key "
                    + "path like other arguments: `--arg any '$K0 == 7'`. `--sort`, `--distinct`, "
                    + "`--group-by` and `--fields` accept every name"
            ),
            (
                "at the end",
                "`SORT(size DESC, _id ASC) DISTINCT(thread) LIMIT(20)`, applied in this order; a "
                    + "PREDICATE with only these applies to all objects"
            ),
        ]),
        .paragraph(
            "The query language of the Realm SDKs has fewer features: no MATCHES, no `[d]`, no "
                + "functions of one value, and no letters in brackets after the keys of SORT and "
                + "DISTINCT. Its `[c]` folds only ASCII and U+00C0 to U+00FE. `--case reference` "
                + "selects that language."),
        .paragraph(
            "A syntax error shows the column; an unknown property lists similar names. "
                + "Parentheses, NOT and SUBQUERY nest up to 200 levels, a path has up to 200 "
                + "steps, and SORT and DISTINCT together have up to 256 properties. A query "
                + "beyond a limit is an error that names the limit. Strings and lists of values "
                + "may have any length."),
    ]

    /// Collations: orders of texts, which the SDKs do not have.
    static let orderOfTexts: [ManualBlock] = [
        .paragraph(
            "As in the SDKs, texts are sorted by the code points of their characters: `Zoe` is "
                + "before `anna`, and a name that begins with an accented letter is after both. "
                + "Letters in brackets after a key of SORT, DISTINCT, `--sort`, `--distinct` or "
                + "`--group-by` change that:"),
        .definitions([
            ("`[c]`", "ignores case, by Unicode's simple case folding"),
            ("`[d]`", "ignores accents and other combining marks"),
            (
                "`[n]`",
                "compares runs of the digits 0 to 9 as numbers, without leading zeros: `file2` is "
                    + "before `file10`"
            ),
            ("`[cd]`, `[cn]`, `[cdn]`", "several of these"),
        ]),
        .paragraph(
            "Texts that are equal by the rule stay in the order of the objects. The rules are the "
                + "same for all languages, so a dictionary may have another order: in Swedish, an "
                + "`o` with two dots is a letter after `z`, but `[cd]` sorts it as an `o`."),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions(
            QueryForms.manual + [
                (
                    "`swift`, `kotlin`, `typescript`, `csharp`",
                    "With `--schema`: classes for the Realm SDK of Swift, Kotlin, JavaScript or "
                        + ".NET, which open the file without a migration. A name that is invalid "
                        + "in the language, or the name of a member of every object, is replaced "
                        + "and mapped to the name in the file."
                )
            ]),
        .paragraph(
            "The list of classes has the members `class`, `objects`, `embedded`, `primaryKey`, "
                + "`properties` and `bytes`."),
        .paragraph(
            "In `csv` and `tsv`, the elements of a list or set are joined in one field; "
                + "dictionaries and embedded objects are JSON. With `--types extended`, "
                + "collections and mixed values are also JSON, with their types."),
        .paragraph("`realm-tools(7)` describes the form of each type of value."),
    ]

    private static let keyPaths: [ManualBlock] = [
        .paragraph(
            "A key path is the name of a property, followed by more names separated by dots. "
                + "After a link or an embedded object, the next name is a property of that "
                + "object. After a dictionary, it is a key. A path through a list or set selects "
                + "all elements and prints an array. A path through null or a missing key prints "
                + "null. In a LIST, write a comma that belongs to a name as `\\,`."),
        .paragraph(
            "Two more names always exist. `_key` is the object key, the number by which Realm "
                + "identifies the object. `@links.CLASS.PROPERTY` is the list of objects of CLASS "
                + "that link to the object through PROPERTY."),
        .paragraph(
            "The paths of `--expand` go through dictionaries as through lists: `-x "
                + "contacts.employer` prints the objects in `contacts` and, in each, the object "
                + "linked by `employer`."),
    ]

    private static let changeRecords: [ManualBlock] = [
        .paragraph(
            "`--watch` and `--diff` print change records, one JSON object per line. `realm-write "
                + "-m apply` applies them:"),
        .literal([
            #"{"op":"ready","version":18234}"#,
            #"{"op":"insert","version":18235,"class":"Email","key":"65e5...","object":{"#
                + #""subject":"hi","read":false}}"#,
            #"{"op":"update","version":18236,"class":"Email","key":"65e5...","#
                + #""changed":["read"],"object":{"read":true}}"#,
            #"{"op":"delete","version":18237,"class":"Email","key":"65e5..."}"#,
            #"{"op":"commit","version":18237,"from":18236,"records":1,"#
                + #""source":"4f2a90c1e7b3d5f6"}"#,
            #"{"op":"resync","version":18301,"from":18237,"to":18301,"#
                + #""reason":"history-trimmed","source":"4f2a90c1e7b3d5f6"}"#,
        ]),
        .paragraph(
            "`key` is the primary key, or the object key in a class without one. An update has "
                + "the properties with new values; a change of an embedded object is a change of "
                + "the property that contains it. The records of a version are, in this order: "
                + "deletes, schema changes, inserts, updates. Between two files, and after a "
                + "schema change, inserts and updates are mixed: class by class, in the order of "
                + "the objects."),
        .paragraph(
            "A record with `\"op\":\"schema\"` describes a class, property or index that only one "
                + "side has, or a property that differs. `change` is the operation:"),
        .definitions([
            (
                "`add-class`",
                "has `kind` (`class`, `embedded`, `asymmetric`) and `primaryKey`, the definition "
                    + "of that property or null. Records for the other properties follow"
            ),
            ("`add-property`", "has `definition`, as in `--schema --json`"),
            (
                "`remove-class`, `remove-property`",
                "has `reason`. It is `removed`, or `class` for a link to a class that is removed "
                    + "itself. If a property of the same name follows, it is the difference: "
                    + "`type`, `target` (class of the link), `primary-key` or `kind`"
            ),
            ("`make-optional`, `make-required`", "allows or forbids null"),
            ("`set-index`", "has `index`: `none`, `general` or `fulltext`"),
            ("`set-version`", "has `schemaVersion`, and no class"),
        ]),
        .literal([
            #"{"op":"schema","version":18235,"class":"Email","change":"add-property","#
                + #""property":"size","definition":{"name":"size","type":"int","optional":false}}"#,
            #"{"op":"schema","version":18235,"class":"Email","change":"remove-property","#
                + #""property":"flag","reason":"removed"}"#,
        ]),
        .paragraph(
            "If the primary key or the kind of a class differs, it is another class: all its "
                + "objects are deleted and inserted. The order of classes and properties is not "
                + "compared. If nothing is printed and the exit status is 0, digests and schemas "
                + "are equal."),
        .paragraph(
            "A watch begins with `ready`, after the objects of `--initial`. It joins the session "
                + "like a program that has the database open, and creates the lock file if it is "
                + "missing. It holds the version it reported last, so no later commit is lost, "
                + "but several may be reported as one. If it cannot join, or with `--access "
                + "immutable`, it watches the file without touching it."),
        .paragraph(
            "In a watch, the record `commit` ends every version. `records` is the number of "
                + "records since the version `from`: a follower that was at `from` and has applied "
                + "them is at `version`. `source` distinguishes this file from others that have or "
                + "had its name. `--since` accepts the two together, such as "
                + "`18237@4f2a90c1e7b3d5f6`."),
        .paragraph(
            "`resync` means that the watch cannot resume. The requested version can no longer be "
                + "read (`history-trimmed`), does not exist yet (`version-ahead`) or belongs to "
                + "another file (`other-database`). All objects follow, as with `--initial`, up to "
                + "their `commit`. A follower deletes its objects that are not among them. A "
                + "version can be read while a program holds it, and a watch holds the version it "
                + "reported last until it ends. A restarted watch resumes if at most one version "
                + "was committed meanwhile; otherwise it starts over."),
        .paragraph(
            "Two files are compared by the names of classes and properties and by the keys of "
                + "objects. Values are equal if their types and all bits are equal. In records, a "
                + "value whose plain form is ambiguous has the extended form, such as a date in a "
                + "mixed value. The records are therefore exact with `--types plain` too."),
        .literal([
            "realm-query --watch --initial a.realm | realm-write b.realm - -m apply",
            "realm-query --diff new.realm old.realm > patch.ndjson",
            "realm-query --at previous --diff @latest mail.realm",
            "realm-query -f diff --diff new.realm old.realm | less -R",
            "realm-query --stat --diff new.realm old.realm",
        ]),
    ]

    private static let digests: [ManualBlock] = [
        .paragraph(
            "A digest is 16 hexadecimal digits. It covers the name of the class, the names of its "
                + "properties, and the primary key (or the object key) and all values of every "
                + "object, with their types. Two classes have the same digest if all these are "
                + "equal. Links are compared by class and key, embedded objects by content, lists "
                + "in order, sets and dictionaries without order."),
        .paragraph(
            "Digests ignore the order of objects and properties, indexes, whether a property may "
                + "be null, and the storage in the file. Digests detect accidental changes, but "
                + "not deliberate forgery."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "With `-e`: nothing to print. With `--diff`: something differs."),
            (
                "2",
                "A bad option or query, an unknown class or property, or an output file that "
                    + "exists."
            ),
            ("3", "FILE is missing, cannot be read or is not a Realm file."),
            ("4", "FILE is damaged or truncated."),
            ("5", "The key of FILE is missing, wrong or malformed, or FILE is not encrypted."),
            ("6", "This version cannot read the format of FILE."),
            ("7", "FILE changed too often during reading, or a lock was not available in time."),
            ("8", "With `--batch`: some request failed."),
            ("9", "The output could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("List the classes of a file:", ["realm-query mail.realm"]),
        .example(
            "Print the three largest unread e-mails of one sender:",
            [
                "realm-query --arg \"$address\" -s -size -L 3 mail.realm Email \\",
                "    'read == false AND from.address == $0'",
            ]),
        .example(
            "Compute the sizes of unread e-mails in one pass:",
            [
                "realm-query --aggregate 'count,sum(size),max(size)' mail.realm Email \\",
                "    'read == false'",
            ]),
        .example(
            "Count the people in each city and average their age, largest cities first:",
            [
                "realm-query --aggregate 'count,avg(age)' --group-by city --sort '-count' \\",
                "    app.realm Person",
            ]),
        .example(
            "Print the schema of one class as text:", ["realm-query --schema mail.realm Email"]),
        .example("Count the objects of a class:", ["realm-query -c mail.realm Email"]),
        .example(
            "Export all e-mails to CSV, with the sender's name from a linked object and nulls "
                + "preserved:",
            [
                "realm-query -F id=_id,sender=from.name,receivedAt,subject \\",
                "    -f csv -o mail.csv mail.realm Email",
            ]),
        .example(
            "Filter with jq:",
            ["realm-query -f ndjson mail.realm Email | jq -c 'select(.read | not)'"]),
        .example(
            "Load everything into SQLite, with types, keys and indexes:",
            ["realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite"]),
        .example(
            "Generate model classes for a Swift program:",
            ["realm-query --schema -f swift app.realm > Models.swift"]),
        .example(
            "Pass one field to another program, safely for any string:",
            ["realm-query -0 -F path mail.realm Attachment | xargs -0 -n1 ls -l"]),
        .example(
            "Read the database of an Android app without storing it on disk:",
            ["adb exec-out run-as com.example cat files/default.realm | realm-query - Event"]),
        .example(
            "Read evidence; the checksums are equal, and no file appears beside the database:",
            [
                "sha256sum x.realm",
                "realm-query --access immutable --all x.realm > all.ndjson",
                "sha256sum x.realm",
            ]),
        .example(
            "Test in a script whether a class is empty:",
            ["realm-query -e -L1 mail.realm Email > /dev/null || echo none"]),
    ]
}
