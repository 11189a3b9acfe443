import ToolKit

extension QueryTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-query` prints what is in a Realm database. It never changes the file, never "
                + "upgrades its format and leaves nothing behind beside it."),
        .paragraph(
            "With FILE alone it lists the classes. With CLASS it prints the objects of that class "
                + "in the order of their keys. Everything is read from one version of the "
                + "database, however often others commit meanwhile."),
        .paragraph(
            "On a terminal the output is a table for people, whose look may change. Everywhere "
                + "else it is NDJSON, one JSON object per line. Scripts can rely on the members "
                + "and columns of `ndjson`, `json`, `csv` and `tsv`, on the names of options and "
                + "on the exit status: later versions only add to them."),
        .paragraph(
            "Results are streamed: the memory needed does not grow with the number of objects, "
                + "and the first record appears before the last is read."),
    ]

    static let sections: [ManualSection] = [
        ManualSection("QUERIES", queries),
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
            "PREDICATE is written in Realm's query language, the one of `RLMResults` and of the "
                + "SDKs' string queries. Put it in single quotes, so that the shell leaves `$0` "
                + "alone, and never splice text from elsewhere into it: bind it with `--arg`."),
        .definitions([
            (
                "compare",
                "`==` `!=` `<` `<=` `>` `>=`; `[c]` behind `==`, `!=` or `IN` passes over the case of "
                    + "letters, `[d]` over accents and other marks, `[cd]` over both"
            ),
            (
                "strings",
                "`BEGINSWITH` `ENDSWITH` `CONTAINS` `LIKE` (with `*` and `?`), each also with "
                    + "`[c]`, `[d]` and `[cd]`; `TEXT` searches a full-text index"
            ),
            (
                "dates",
                "`created > now() - 7d`; `month(created) == \"2024-06\"`, `year(created) == 2024`, "
                    + "`floor(age, 10) == 30`: see AGGREGATES"
            ),
            (
                "regular expressions",
                "`name MATCHES \"A.*n\"` and `MATCHES[c]` for whole values, in the syntax of ICU and "
                    + "`NSPredicate` but for look-around, back-references, possessive repetitions and "
                    + "scripts: every expression takes time in proportion to the text. `^` and `$` "
                    + "stand at the ends of the value, or of each line behind `(?m)`"
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
                "`ANY labels == \"x\"`, `ALL`, `NONE`; `labels.@size > 2`, "
                    + "`parts.@sum.bytes > 1000`; "
                    + "`SUBQUERY(emails, $e, $e.read == false).@count > 0`"
            ),
            ("places", "`location GEOWITHIN geoCircle([12.5, 55.7], 0.01)`"),
            (
                "values",
                "`2025-03-04T09:12:44` or `2025-03-04@09:12:44:0` (UTC, nanoseconds behind the last "
                    + "colon), `T1709543564:0` (seconds since 1970); dates in another form of ISO "
                    + "8601, such as `2025-03-04` or `2025-03-04T10:12:44+01:00`, are bound with "
                    + "`--arg`; `oid(65e5...)`, `uuid(...)`, `B64\"...\"`"
            ),
            (
                "names",
                "a property whose name is a word of the language or has other characters than a "
                    + "name may have, such as `any`, `1st` or `a.b`, is `$K0`, `$K1` and so on, "
                    + "and its name or key path bound like other arguments: "
                    + "`--arg any '$K0 == 7'`. `--sort`, `--distinct`, `--group-by` and `--fields` "
                    + "take every name as it is"
            ),
            (
                "at the end",
                "`SORT(size DESC, _id ASC) DISTINCT(thread) LIMIT(20)`, in sequence; PREDICATE may "
                    + "be nothing else, which is then about all objects"
            ),
        ]),
        .paragraph(
            "Realm SDKs have neither MATCHES nor `[d]` nor functions of one value, and their `[c]` folds ASCII and U+00C0 to U+00FE "
                + "alone. `--case reference` is their language."),
        .paragraph(
            "A syntax error names the column and marks it; an unknown property lists the nearest "
                + "names. Parentheses, NOT and SUBQUERY nest 200 levels deep, a path has at most 200 "
                + "steps, SORT and DISTINCT together at most 256 properties; more is an error that "
                + "names the limit. Texts and lists of values may be of any length."),
    ]

    private static let outputForms: [ManualBlock] = [
        .definitions(
            QueryForms.manual + [
                (
                    "`swift`, `kotlin`, `typescript`, `csharp`",
                    "With `--schema`: classes of the API of the Realm SDK for Swift, Kotlin, JavaScript or "
                        + ".NET that open the file without a migration. Names that cannot stand in the "
                        + "language, and those of members that every object has, get others, which the "
                        + "classes map to those of the file."
                )
            ]),
        .paragraph(
            "The list of classes has the members `class`, `objects`, `embedded`, `primaryKey`, "
                + "`properties` and `bytes`."),
        .paragraph(
            "In `csv` and `tsv` the elements of a list or set are joined in one field, and "
                + "dictionaries and embedded objects are JSON. With `--types extended` so are "
                + "collections and the values of mixed properties, with their types."),
        .paragraph("How each type of value is written is told in `realm-tools(7)`."),
    ]

    private static let keyPaths: [ManualBlock] = [
        .paragraph(
            "A key path is the name of a property, and from there names separated by dots: after a "
                + "link or an embedded object a property of the object, after a dictionary one of "
                + "its keys. A path through a list or set means all elements and prints an array. "
                + "A path that meets null on its way, or a key that is not there, prints null. In "
                + "a LIST a comma that belongs to a name is written `\\,`."),
        .paragraph(
            "Two names are always there: `_key`, the number by which Realm knows the object, and "
                + "`@links.CLASS.PROPERTY`, the objects of CLASS that link to the object through "
                + "PROPERTY."),
        .paragraph(
            "In the paths of `--expand` dictionaries are passed through like lists: "
                + "`-x contacts.employer` prints the objects in `contacts`, and in each of them the "
                + "object behind `employer`."),
    ]

    private static let changeRecords: [ManualBlock] = [
        .paragraph(
            "`--watch` and `--diff` print change records, one JSON object a line, which "
                + "`realm-write -m apply` carries out:"),
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
            "`key` is the primary key, or in a class without one the number by which Realm knows the "
                + "object. An update holds the properties that have other values now; a change of "
                + "an embedded object is a change of the property that holds it. The records of a "
                + "version are deletes, then what happened to the schema, then inserts, then "
                + "updates. Between two files, and where the schema changed, inserts and updates "
                + "come together: class by class, in the order of the objects."),
        .paragraph(
            "A class, a property or an index that only one side has, and a property that became "
                + "another one, is a record with `\"op\":\"schema\"`; `change` says what to do:"),
        .definitions([
            (
                "`add-class`",
                "with `kind` (`class`, `embedded`, `asymmetric`) and `primaryKey`, the definition "
                    + "of that property or null; its other properties follow"
            ),
            ("`add-property`", "with `definition`, as `--schema --json` has it"),
            (
                "`remove-class`, `remove-property`",
                "with `reason`: `removed`; or what is different where one of the same name "
                    + "follows: `type`, `target` (the class that links lead to), `primary-key`, "
                    + "`kind`; or `class`, for a link of a class that goes itself"
            ),
            ("`make-optional`, `make-required`", "null becomes possible, or does not stay so"),
            ("`set-index`", "with `index`: `none`, `general` or `fulltext`"),
            ("`set-version`", "with `schemaVersion`; has no class"),
        ]),
        .literal([
            #"{"op":"schema","version":18235,"class":"Email","change":"add-property","#
                + #""property":"size","definition":{"name":"size","type":"int","optional":false}}"#,
            #"{"op":"schema","version":18235,"class":"Email","change":"remove-property","#
                + #""property":"flag","reason":"removed"}"#,
        ]),
        .paragraph(
            "A class with another primary key or kind is another class: its objects are deleted "
                + "and inserted. The order of classes and properties is no difference. Where "
                + "nothing is printed and the exit status is 0, digests and schemas are equal."),
        .paragraph(
            "A watch begins with `ready`, after the objects of `--initial`. It takes part in "
                + "the session as a program does that has the database open, making the lock file "
                + "where there is none, and so keeps the version it reported last: no later commit "
                + "can be lost, but several may be reported as one. Where that cannot be, or with "
                + "`--access immutable`, the file is watched without a trace."),
        .paragraph(
            "In a watch every version ends with `commit`: whoever had carried out everything up to the "
                + "version `from`, and has carried out these `records`, is at `version`. `source` "
                + "tells this file from any other that has or had its name: both together, "
                + "`18237@4f2a90c1e7b3d5f6`, are what `--since` goes on from."),
        .paragraph(
            "`resync` is printed instead of guessing where the version to go on from can no longer be "
                + "read (`history-trimmed`), is yet to come (`version-ahead`) or is one of another "
                + "file (`other-database`). Everything there is follows, as with `--initial`, up to "
                + "its `commit`; what is not among it is to be deleted. A version can be read as long "
                + "as somebody keeps it, and a watch keeps what it reported last until it ends: one "
                + "that is started again while nothing, or one version, was committed goes on, any "
                + "other begins anew."),
        .paragraph(
            "Two files are compared class by class and property by property, by their names, and "
                + "object by object, by their keys; values count as equal when their types and all "
                + "bits are. In records, a value whose plain form would be taken for something else "
                + "has the extended one, such as a date in a mixed value, so that they are "
                + "exact with `--types plain` too."),
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
            "A digest is 16 hexadecimal digits. Two classes have the same digest when these are the "
                + "same: the name of the class, the names of its properties, and for every object "
                + "the primary key (the object key where there is none) and all values with their "
                + "types. Links count by the class and key they lead to, embedded objects by their "
                + "content, lists in order, sets and dictionaries without order."),
        .paragraph(
            "The order of objects and properties, indexes, whether a property may be null, and "
                + "everything about how the file stores them do not count. Digests show that "
                + "something changed by accident; they do not withstand somebody who wants them "
                + "equal."),
    ]

    private static let exitStatus: [ManualBlock] = [
        .definitions([
            ("0", "Done."),
            ("1", "With `-e`: there was nothing to print. With `--diff`: something differs."),
            (
                "2",
                "A bad option or query, an unknown class or property, an output file that exists."
            ),
            ("3", "FILE is missing, cannot be read or is not a Realm file."),
            ("4", "FILE is damaged or truncated."),
            ("5", "FILE is encrypted and no key was given, or the key is of no use."),
            ("6", "The format of FILE is not one this version reads."),
            ("7", "FILE changed too often while it was being read, or a lock was not to be had."),
            ("8", "With `--batch`: some request could not be answered."),
            ("9", "The output could not be written."),
            ("10", "A bug: please report it."),
        ]),
        .paragraph("The full list is in `realm-tools(7)`."),
    ]

    private static let examples: [ManualBlock] = [
        .example("What is in this file?", ["realm-query mail.realm"]),
        .example(
            "The three largest unread e-mails of somebody:",
            [
                "realm-query --arg \"$address\" -s -size -L 3 mail.realm Email \\",
                "    'read == false AND from.address == $0'",
            ]),
        .example(
            "Sizes of what is unread, in one pass:",
            [
                "realm-query --aggregate 'count,sum(size),max(size)' mail.realm Email \\",
                "    'read == false'",
            ]),
        .example(
            "How many people live in each city and how old they are, the largest cities first:",
            [
                "realm-query --aggregate 'count,avg(age)' --group-by city --sort '-count' \\",
                "    app.realm Person",
            ]),
        .example("The schema of one class, as text:", ["realm-query --schema mail.realm Email"]),
        .example("How many objects has a class?", ["realm-query -c mail.realm Email"]),
        .example(
            "All e-mails to CSV, with the sender's name from a linked object, nulls preserved:",
            [
                "realm-query -F id=_id,sender=from.name,receivedAt,subject \\",
                "    -f csv -o mail.csv mail.realm Email",
            ]),
        .example(
            "Filter with jq:",
            ["realm-query -f ndjson mail.realm Email | jq -c 'select(.read | not)'"]),
        .example(
            "Everything into SQLite, typed, with keys and indexes:",
            ["realm-query -f sql --all app.realm | sqlite3 -bail app.sqlite"]),
        .example(
            "Model classes for a Swift program:",
            ["realm-query --schema -f swift app.realm > Models.swift"]),
        .example(
            "Hand one field to another program, whatever bytes its strings hold:",
            ["realm-query -0 -F path mail.realm Attachment | xargs -0 -n1 ls -l"]),
        .example(
            "The database of an Android app, without keeping a file on disk:",
            ["adb exec-out run-as com.example cat files/default.realm | realm-query - Event"]),
        .example(
            "Read evidence: the checksums are equal, and no file appears beside the database:",
            [
                "sha256sum x.realm",
                "realm-query --access immutable --all x.realm > all.ndjson",
                "sha256sum x.realm",
            ]),
        .example(
            "Is a class empty? A test for scripts:",
            ["realm-query -e -L1 mail.realm Email > /dev/null || echo none"]),
    ]
}
