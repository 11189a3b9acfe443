import ToolKit

extension QueryTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-query` prints the content of a Realm database. It never changes the file or "
                + "upgrades its format. Only `--watch` leaves a file beside the database: the lock "
                + "file."),
        .paragraph(
            "If only FILE is given, it lists the classes. If CLASS is given, it prints the objects "
                + "of that class in the order of their keys. All data comes from one version of "
                + "the database, even if other programs commit meanwhile."),
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
                + "the SDKs. Put the predicate in single quotes, so that the shell does not expand "
                + "`$0`. Never insert text from other sources into the predicate; pass such text "
                + "with `--arg`."),
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
                "`created > now() - 7d` selects objects created in the last seven days; "
                    + "`month(created) == \"2024-06\"`, `year(created) == 2024` and `floor(age, "
                    + "10) == 30` use functions of one value, which AGGREGATES lists"
            ),
            (
                "regular expressions",
                "`name MATCHES \"A.*n\"` and `MATCHES[c]` match whole values. The syntax is the "
                    + "one of ICU and `NSPredicate`, without look-around, back-references, "
                    + "possessive repetitions and Unicode scripts. The time of a match is "
                    + "proportional to the length of the text. `^` and `$` match at the start and "
                    + "end of the value; after `(?m)`, also at the start and end of each line"
            ),
            ("ranges, sets", "`age BETWEEN {18, 30}`, `status IN {\"new\", \"open\"}`"),
            ("logic", "`AND` `OR` `NOT` and parentheses; `TRUEPREDICATE`, `FALSEPREDICATE`"),
            (
                "links",
                "`from.address == \"a@b.c\"`, `from == null`; `@links.Thread.emails.@count > 0` "
                    + "selects objects to which at least one Thread links by its property `emails`"
            ),
            (
                "collections",
                "`ANY labels == \"x\"`, `ALL`, `NONE`; `labels.@size > 2`, `parts.@sum.bytes > "
                    + "1000`; `SUBQUERY(emails, $e, $e.read == false).@count > 0`"
            ),
            (
                "places",
                "`location GEOWITHIN geoCircle([12.5, 55.7], 0.01)`: the longitude and latitude of "
                    + "the centre, and the radius in radians, which is kilometres divided by "
                    + "6378.1"
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
                "`SORT(size DESC, _id ASC) DISTINCT(thread) LIMIT(20)`, which are applied in the "
                    + "order in which they are written; a PREDICATE that consists only of these "
                    + "selects from all objects"
            ),
        ]),
        .paragraph(
            "The query language of the Realm SDKs has fewer features: no MATCHES, no `[d]`, no "
                + "functions of one value, and no letters in brackets after the keys of SORT and "
                + "DISTINCT. Its `[c]` ignores only the case of ASCII letters and of U+00C0 to "
                + "U+00FE. `--case reference` selects the query language of the SDKs."),
        .paragraph(
            "The message for a syntax error names the column, and the message for an unknown "
                + "property lists similar names. Parentheses, NOT and SUBQUERY can be nested up to "
                + "200 levels, a path can have up to 200 steps, and SORT and DISTINCT together can "
                + "have up to 256 properties. A query that exceeds a limit is refused, and the "
                + "message names the limit. Strings and lists of values may have any length."),
    ]

    /// Collations: orders of texts, which the SDKs do not have.
    static let orderOfTexts: [ManualBlock] = [
        .paragraph(
            "As in the SDKs, texts are sorted by the code points of their characters: `Zoe` is "
                + "before `anna`, and a name that begins with an accented letter is after both. "
                + "Letters in brackets after a key path in SORT, DISTINCT, `--sort`, `--distinct` "
                + "or `--group-by` select another order:"),
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
            "Objects whose texts are equal by such a rule keep their order. The rules are the same "
                + "for all languages, so a dictionary may have another order: in Swedish, an `o` "
                + "with two dots is a letter after `z`, but `[cd]` sorts it as an `o`."),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions(
            QueryForms.manual + [
                (
                    "`swift`, `kotlin`, `typescript`, `csharp`",
                    "With `--schema`: classes for the Realm SDK of Swift, Kotlin, JavaScript or "
                        + ".NET, which open the file without a migration. A name that is not valid "
                        + "in the language, or that every object of the SDK already has as a "
                        + "member, is replaced by another, and the class states the name in the "
                        + "file."
                )
            ]),
        .paragraph(
            "The list of classes has the members `class`, `objects`, `embedded`, `primaryKey`, "
                + "`properties` and `bytes`."),
        .paragraph(
            "In `csv` and `tsv`, a list or set is one field, in which `--join` separates the "
                + "elements; a dictionary or an embedded object is a field with JSON. With "
                + "`--types extended`, lists, sets and mixed values are JSON too, in the extended "
                + "form."),
        .paragraph("`realm-tools(7)` describes the form of each type of value."),
    ]

    private static let keyPaths: [ManualBlock] = [
        .paragraph(
            "A key path is the name of a property, followed by more names separated by dots. After "
                + "the name of a link or an embedded object, the next name is a property of that "
                + "object. After the name of a dictionary, the next name is a key. A path through "
                + "a list or set selects all elements and prints an array. If a value on the path "
                + "is null, or a key is missing, null is printed. In a LIST, write a comma that "
                + "belongs to a name as `\\,`."),
        .paragraph(
            "Two more names always exist. `_key` is the object key, the number by which Realm "
                + "identifies the object. `@links.CLASS.PROPERTY` is the list of objects of CLASS "
                + "that link to the object through PROPERTY."),
        .paragraph(
            "In the paths of `--expand`, a dictionary needs no key, just as a list needs no index: "
                + "`-x contacts.employer` prints all objects in `contacts` and, in each, the "
                + "object that `employer` links to."),
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
            "`key` is the primary key, or the object key in a class without one. An `update` "
                + "record has only the properties with new values. A change inside an embedded "
                + "object counts as a change of the property that contains the embedded object. "
                + "The records of a version have this order: deletes, schema changes, inserts, "
                + "updates. If two files are compared, or if the version has a schema change, "
                + "inserts and updates are not separated: they are printed class by class, in the "
                + "order of the objects."),
        .paragraph(
            "A record with `\"op\":\"schema\"` describes a class, property or index that only one "
                + "side has, or a property that differs. `change` is the operation:"),
        .definitions([
            (
                "`add-class`",
                "has the members `kind` (`class`, `embedded` or `asymmetric`) and `primaryKey` "
                    + "(the definition of that property, or null). The other properties have "
                    + "records of their own, which follow"
            ),
            ("`add-property`", "has the member `definition`, in the form of `--schema --json`"),
            (
                "`remove-class`, `remove-property`",
                "has the member `reason`. It is `removed` if there is no new class or property of "
                    + "that name, and `class` for a link property whose target class is removed. "
                    + "If a class or property of the same name is added again, the reason is what "
                    + "differs: `type`, `target` (the class to which a property links), "
                    + "`primary-key` or `kind`"
            ),
            ("`make-optional`, `make-required`", "allows or forbids null in the property"),
            ("`set-index`", "has the member `index`: `none`, `general` or `fulltext`"),
            ("`set-version`", "has the member `schemaVersion`, but no member `class`"),
        ]),
        .literal([
            #"{"op":"schema","version":18235,"class":"Email","change":"add-property","#
                + #""property":"size","definition":{"name":"size","type":"int","optional":false}}"#,
            #"{"op":"schema","version":18235,"class":"Email","change":"remove-property","#
                + #""property":"flag","reason":"removed"}"#,
        ]),
        .paragraph(
            "If the primary key or the kind of a class differs, it is treated as two classes: all "
                + "objects of the old one are deleted, and all objects of the new one are "
                + "inserted. The order of classes and properties is not compared. If nothing is "
                + "printed and the exit status is 0, digests and schemas are equal."),
        .paragraph(
            "A watch prints the objects of `--initial`, if the option is given, and then the "
                + "record `ready`. It registers in the lock file like any program that opens the "
                + "database, and creates the lock file if it is missing. It keeps the version that "
                + "it reported last open, so it misses no later change, but it may report several "
                + "commits as one. If it cannot register, or with `--access immutable`, it watches "
                + "the file without creating or changing any file."),
        .paragraph(
            "In a watch, the record `commit` ends every version. Its members `from` and `version` "
                + "are the versions before and after the changes, and `records` is the number of "
                + "records between them: a follower that had version `from` and has applied these "
                + "records has version `version`. `source` identifies the file, also if another "
                + "file had the same name before. `--since` accepts version and source together, "
                + "such as `18237@4f2a90c1e7b3d5f6`."),
        .paragraph(
            "`resync` means that the watch cannot resume. The requested version can no longer be "
                + "read (`history-trimmed`), does not exist yet (`version-ahead`) or belongs to "
                + "another file (`other-database`). All objects follow, as with `--initial`, and "
                + "then a `commit`. A follower deletes its other objects. "
                + "A version can be read as long as a program has it open. A watch has the "
                + "version that it reported last open until the watch ends. A watch that is "
                + "restarted can therefore resume if at most one version was committed meanwhile; "
                + "otherwise it starts over with `resync`."),
        .paragraph(
            "When two files are compared, classes and properties correspond by name, and objects "
                + "by key. Values are equal if their types and all bits are equal. In a change "
                + "record, a value whose plain form would be ambiguous, such as a date in a mixed "
                + "value, has the extended form. Change records are therefore exact even with "
                + "`--types plain`."),
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
