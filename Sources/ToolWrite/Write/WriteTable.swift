import ToolKit

/// `realm-write` as data.
package enum WriteTable {
    package static let table = CommandTable(
        name: "realm-write",
        summary: "write records into a Realm database",
        synopsis: [
            SynopsisLine("[options] FILE CLASS [INPUT]", "add or change objects"),
            SynopsisLine("[options] -m apply FILE - [INPUT]", "apply change records"),
            SynopsisLine(
                "[options] --where PREDICATE --set P=JSON FILE CLASS", "change what matches"),
            SynopsisLine(
                "[options] --where PREDICATE --delete FILE CLASS", "delete what matches"),
            SynopsisLine("[options] --schema-file SCHEMA FILE", "change the schema"),
        ],
        operands: [
            OperandSpec(
                "FILE", .file, isRequired: true,
                "The database. It is never created without `--create`."),
            OperandSpec(
                "CLASS", .text,
                "The class of the objects; `-` takes it from each record, see `--class-field`. "
                    + "`CLASS.PROP` with `-i csv` or `tsv` fills a collection property from a "
                    + "table of its own."),
            OperandSpec(
                "INPUT", .file, "The records, a file or `-`. Standard input if left out."),
        ],
        options: input + commits + refusals + bulk + schema + records + output + access + general,
        manual: { CommandTable.Manual(description: description, sections: sections) })

    private static let input: [OptionSpec] = [
        OptionSpec(
            "input-format", "i",
            .required("FMT", .choice(["ndjson", "json", "csv", "tsv", "changes"])), in: .input,
            "form of the input: ndjson, json, csv, tsv, changes",
            "Form of the input: `ndjson` (an object per line), `json` (an array of objects), "
                + "`csv` and `tsv` (with a header), `changes` (change records, one per line).",
            defaultText: "ndjson"),
        OptionSpec(
            "mode", "m",
            .required(
                "MODE",
                .choice(["insert", "upsert", "merge", "update", "delete", "apply"])),
            in: .input, "insert, upsert, merge, update, delete, apply",
            "What a record does. `insert` makes an object and refuses a primary key that exists. "
                + "`upsert` makes the object or replaces all its properties. `merge` makes it or "
                + "sets the properties that the record has. `update` is `merge` for existing "
                + "objects only, `delete` deletes them. `apply` carries out change records.",
            defaultText: "insert"),
        OptionSpec(
            "class-field", nil, .required("NAME", .text), in: .input,
            "field that names the class of a record",
            "The field that names the class of a record. With `-` for CLASS every record needs "
                + "it; otherwise it is checked where there is one.",
            defaultText: "`$class`"),
        OptionSpec(
            "map", nil, .required("NEW=OLD,...", .text), in: .input,
            "take property NEW from field OLD",
            "Take property NEW from the field OLD. Pairs are separated by commas.",
            isRepeatable: true),
        OptionSpec(
            "const", nil, .required("P=JSON", .text), in: .input,
            "set property P of every record",
            "Give property P of every record this value. It wins over a field of the record.",
            isRepeatable: true),
        OptionSpec(
            "ignore-unknown", nil, in: .input, "pass over fields that are no property",
            "Pass over fields that are no property of the class, which otherwise get a record "
                + "refused."),
        OptionSpec(
            "links", nil, .required("MODE", .choice(["strict", "create", "null"])), in: .input,
            "links to missing objects: strict, create, null",
            "What becomes of a link to an object that does not exist. `strict` refuses the record "
                + "unless the object exists by the end of its commit, `create` makes an object "
                + "with that primary key, `null` leaves the link out.",
            defaultText: "strict"),
    ]

    private static let commits: [OptionSpec] = [
        OptionSpec(
            "commit-records", nil, .required("N", .count(1...Int.max)), in: .commits,
            "commit after N records", "Commit after N records.", defaultText: "1000"),
        OptionSpec(
            "commit-interval", nil, .required("DUR", .duration), in: .commits,
            "... or this long after the first waiting one",
            "Commit at the latest this long after the first record that waits for it.",
            defaultText: "250ms"),
        OptionSpec(
            "commit-bytes", nil, .required("SIZE", .size), in: .commits,
            "... or after this much input", "Commit after this much input.",
            defaultText: "4MiB"),
        OptionSpec(
            "single-transaction", "1", in: .commits, "all or nothing",
            "Make one commit at the end. The first refused record ends the run, and nothing has "
                + "changed.",
            excludes: ["commit-records", "commit-interval", "commit-bytes"]),
        OptionSpec(
            "durability", nil, .required("MODE", .choice(["full", "unsafe"])), in: .commits,
            "full, or unsafe: no syncs",
            "`full` makes every commit survive a power failure. `unsafe` leaves out the syncs: a "
                + "power failure may then cost the whole database.",
            defaultText: "full"),
        OptionSpec(
            "ack", nil, in: .commits, "print a line for each commit",
            "Print one line of JSON on standard output for each commit, once it is durable: "
                + "`commit`, `version`, and the totals so far, `records`, `inserted`, `updated`, "
                + "`deleted` and `rejected`."),
    ]

    private static let refusals: [OptionSpec] = [
        OptionSpec(
            "on-error", nil, .required("MODE", .choice(["stop", "skip"])), in: .refusals,
            "after a refused record: stop, skip",
            "What a refused record does. `stop` rolls back what was not committed yet and ends "
                + "the run, `skip` goes on. The exit status is 8 either way.",
            defaultText: "stop"),
        OptionSpec(
            "rejects", nil, .required("FILE", .file), in: .refusals,
            "add refused records to FILE",
            "Add each refused record to FILE, with its place and the reason, as a line of JSON. "
                + "FILE is made if it does not exist."),
        OptionSpec(
            "max-errors", nil, .required("N", .count(1...Int.max)), in: .refusals,
            "end the run at the Nth refused record",
            "With `--on-error skip`: end the run at the Nth refused record, after committing what "
                + "came before it.",
            defaultText: "no limit", requires: "on-error"),
        OptionSpec(
            "skip-records", nil, .required("N", .count(0...Int.max)), in: .refusals,
            "pass over the first N records",
            "Pass over the first N records: N is the `records` of the last acknowledgement, or "
                + "the number an interrupted run printed.",
            defaultText: "0"),
    ]

    private static let bulk: [OptionSpec] = [
        OptionSpec(
            "where", nil, .required("PREDICATE", .text), in: .bulk,
            "change the objects that match",
            "Change or delete the objects of CLASS that match the predicate. Its language is that "
                + "of `realm-query(1)`."),
        OptionSpec(
            "set", nil, .required("P=JSON", .text), in: .bulk,
            "with --where: set property P",
            "With `--where`: set property P of every match to this value.",
            isRepeatable: true, requires: "where"),
        OptionSpec(
            "delete", nil, in: .bulk, "with --where: delete the matches",
            "With `--where`: delete every match.", excludes: ["set"], requires: "where"),
        OptionSpec(
            "arg", nil, .required("TEXT", .text), in: .bulk, "bind the next of $0, $1 to TEXT",
            "Bind the next of `$0`, `$1` ... in the predicate to a text, which becomes a value of "
                + "the property's type.",
            isRepeatable: true, requires: "where"),
        OptionSpec(
            "argjson", nil, .required("JSON", .text), in: .bulk, "bind the next of $0, $1 to JSON",
            "Bind the next of `$0`, `$1` ... in the predicate to a JSON value.",
            isRepeatable: true, requires: "where"),
        OptionSpec(
            "expect-count", nil, .required("N", .count(0...Int.max)), in: .bulk,
            "write only if N objects match",
            "Write only if exactly N objects match. Otherwise nothing changes and the exit status "
                + "is 1.",
            requires: "where"),
    ]
}
