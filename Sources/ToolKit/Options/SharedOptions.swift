/// Options that mean the same in all tools; each table lists those that apply to it.
package enum SharedOptions {
    /// Options of every tool: `-h --help -V -q -v --color`.
    package static let general: [any OptionDeclaration] = [
        shortHelp, help, version, quiet, verbose, color,
    ]

    static let shortHelp = Option(
        nil, "h", in: .general, "print a short help and exit",
        "Print a help of one screen on standard output and exit.", endsParsing: true)

    static let help = Option(
        "help", in: .general, "print the full help and exit",
        "Print the full help on standard output and exit.", endsParsing: true)

    static let version = Option(
        "version", "V", in: .general, "print version and capabilities and exit",
        "Print name and version, then one line for each capability: the file formats that are "
            + "read and written, the layout of the lock file, the build mode.",
        endsParsing: true)

    static let quiet = Option(
        "quiet", "q", in: .general, "no notices, summaries or progress",
        "Print no notices, warnings, summaries or progress on standard error. "
            + "Errors still print.")

    static let verbose = Option(
        counted: "verbose", "v", in: .general, "more detail on standard error",
        "Print more detail on standard error. Give it twice for more still.")

    static let color = Option(
        "color", nil, .required("WHEN", .choice), in: .general,
        "use of colour: auto, always, never",
        "When to use colour: `auto`, `always` or `never`. `auto` uses it on a terminal unless "
            + "`NO_COLOR` is set or `TERM` is `dumb`.",
        default: When.auto)

    package static let progress = Option(
        "progress", nil, .required("WHEN", .choice), in: .general,
        "show progress: auto, always, never",
        "When to show progress on standard error: `auto`, `always` or `never`. `auto` shows one "
            + "line on a terminal once a second has passed. `always` prints a plain line every "
            + "5 seconds where there is no terminal.",
        default: When.auto)

    /// Makes `-f` with the formats of a tool and `auto`.
    package static func formats(
        _ formats: [OutputFormat], auto: String, summary: String? = nil
    ) -> Option<OutputFormat> {
        let words = formats.map(\.rawValue)
        return Option(
            "format", "f", .required("FMT", .choice([.auto] + formats)), in: .records,
            summary ?? "form of the output: " + words.joined(separator: ", "),
            "Form of the output: `auto`, "
                + words.map { "`\($0)`" }.joined(separator: ", ") + ". " + auto,
            default: .auto)
    }

    /// Key to the value of `-f` in any tool: the parser has already checked the name.
    static let format = Option(
        "format", "f",
        .required("FMT", OptionForm(.text) { OutputFormat(rawValue: $0) }), in: .records, "", "",
        default: .auto)

    package static let json = Option(
        "json", in: .records, "same as -f json; errors as JSON too",
        "The same as `--format json`. Errors too become one line of JSON on standard error.")

    package static let output = Option(
        "output", "o", .required("FILE", .file), in: .output,
        "write to FILE, atomically",
        "Write to FILE instead of standard output. FILE appears complete or not at all: the "
            + "data goes to a file without a name in the same directory, which is synced and "
            + "then gets its own. `-` is standard output.")

    package static let force = Option(
        "force", in: .output, "allow replacing an existing output file",
        "Allow an existing output file to be replaced. Without it an output file that exists "
            + "is an error with exit status 2.")

    package static let key = Option(
        "encryption-key-file", "K", .required("FILE", .file), in: .access,
        "read the 64-byte key from FILE",
        "Read the 64-byte encryption key from FILE; `-` is standard input, unless the database "
            + "comes from there. See KEY FILES in `realm-tools(7)`.",
        defaultText: "the file named by `REALM_ENCRYPTION_KEY_FILE`, if set")

    package static let newKey = Option(
        "new-encryption-key-file", nil, .required("FILE", .file), in: .access,
        "encrypt what is made with this key",
        "Encrypt what is made with the key in FILE. See KEY FILES in `realm-tools(7)`.")

    package static let access = Option(
        "access", nil, .required("MODE", .choice), in: .access,
        "share the file: auto, shared, immutable",
        "How to share the file with programs that have it open: `shared` joins its lock file, "
            + "`immutable` touches nothing, `auto` chooses. See ACCESS in `realm-tools(7)`.",
        default: AccessMode.auto)

    package static let wait = Option(
        "wait", nil, .optional("DUR", .longestWait, bare: .forever), in: .access,
        "wait for locks, at most DUR",
        "Wait for locks, and for a moment in which nobody changes what is read, at most DUR; "
            + "without DUR, for as long as it takes. When the time is up the exit status is 7.",
        default: .none, defaultText: "a second for locks, three attempts at reading")

    package static let threads = Option(
        "threads", "j", .required("N", .count(0...1024)), in: .access,
        "worker threads, 0 = one per processor",
        "Use N worker threads; 0 means one per processor. The output never depends on it.",
        default: 0)

    package static let maxMemory = Option(
        "max-memory", nil, .required("SIZE", .size), in: .access,
        "cap on private memory",
        "Keep private memory below SIZE. Pages of the mapped file do not count: the system takes "
            + "them back whenever it needs to. Less than 1 KiB counts as 1 KiB, and what a single "
            + "record or value takes is not limited.",
        default: 64 << 20, defaultText: "64MiB, 256MiB with an encryption key")

    package static let caseRule = Option(
        "case", nil, .required("RULE", .choice), in: .selection,
        "letters that [c] folds: unicode, reference",
        "The letters whose case `[c]` passes over: `unicode` folds those of every script by Unicode's "
            + "simple case folding, without the rules of a language; `reference` folds ASCII and U+00C0 "
            + "to U+00FE as the Realm SDKs do, and is their query language, without `[d]` and MATCHES.",
        default: CaseRule.unicode)

    package static let zone = Option(
        "zone", nil, .required("ZONE", .zone), in: .selection,
        "time zone of day(), hour() and their like",
        "Find the days, hours, weeks, months, quarters and years of dates in this time zone: an offset "
            + "such as `+02:00`, or a name in the system's zone files such as `Europe/Copenhagen`.",
        default: .utc, defaultText: "UTC")

    package static let at = Option(
        "at", nil, .required("VERSION", .version), in: .changes,
        "read an older version, or previous",
        "Read VERSION instead of the newest one: a version that some program still keeps, or "
            + "`previous` for the one before the newest, which the file's header still knows "
            + "and which is checked before it is read.")

    /// The database that `realm-bench` reads; other tools take it as an operand.
    package static let file = Option(
        "file", nil, .required("FILE", .file), in: .data,
        "the database to read", "The database to read.")
}
